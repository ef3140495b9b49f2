"""The compiler as a whole: plan + catalog → a verified toolpath graph, or every reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.backtrack import Backtracker
from costa_dsl.compiler.canonicalize import canonicalize
from costa_dsl.compiler.expand import expand
from costa_dsl.compiler.graph import GraphStep, ToolpathGraph
from costa_dsl.compiler.lower import lower
from costa_dsl.compiler.select import Selection, Selector, resolve_steps
from costa_dsl.compiler.verify import verify
from costa_dsl.diagnostics import CostaError, Diagnostic, Severity, Sink
from costa_dsl.model.plan import Plan
from costa_dsl.rules.plan.no_tool import no_tool
from costa_dsl.rules.run import check_plan


@dataclass(frozen=True, eq=False)
class Compiled:
    """A graph, with the reasons for which tools were left out of each step."""

    graph: ToolpathGraph
    selections: Mapping[str, Selection]


def compile_plan(plan: Plan, catalog: Catalog, sink: Sink, *, assume_available: bool = False) -> Compiled:
    """Lower a plan. Warnings go to the sink.

    Args:
        plan: a plan that fits the schema; the semantic rules are checked here.
        catalog: tools, benchmark and vocabulary.
        sink: receives warnings; errors in it from reading the plan stop the compilation.
        assume_available: compile as if every tool of the catalog were installed on this machine.

    Raises:
        CostaError: the plan breaks a rule, or no complete path exists.
    """
    check_plan(plan, catalog, sink)
    sink.raise_if_errors()
    steps = resolve_steps(plan, sink)
    sink.raise_if_errors()
    lattice = expand(plan, catalog)
    selector = Selector(plan, catalog, assume_available)
    selections = {name: selector.select(step) for name, step in steps.items()}
    trackers = {name: Backtracker(selector, step) for name, step in steps.items()}
    raw = lower(lattice, steps, selections, trackers)
    graph = canonicalize(raw, plan, steps, catalog)
    severity = Severity.ERROR if graph is None else Severity.WARNING
    stuck = [_cannot_do(steps[name], selections[name], trackers[name], selector, severity) for name in raw.stuck]
    if graph is None:
        raise CostaError(*sink.sorted(), *stuck)
    sink.extend(stuck)
    if violations := verify(graph, catalog):
        broken = "; ".join(f"{violation.invariant}: {violation.message}" for violation in violations[:3])
        raise CostaError(
            Diagnostic(
                "COS5001",
                f"the compiled graph breaks {len(violations)} of the verifier's rules ({broken})",
                help="this is a defect of costa: please report it with the plan",
            ),
            exit_code=70,
        )
    return Compiled(graph, selections)


def _cannot_do(
    step: GraphStep, selection: Selection, tracker: Backtracker, selector: Selector, severity: Severity
) -> Diagnostic:
    """Why no tool can do a step: tool by tool, with the command or the words that would change it."""
    reasons = [f"{name}: {reason}" for name, reason in selection.excluded.items()]
    span = step.step.origin.span("do")
    if not selection.tools:
        if not reasons:
            return no_tool(step.step, severity)
        return Diagnostic(
            "COS4102",
            f'no tool can do "{step.step.subtask}" here',
            span,
            severity,
            label="every tool for it is excluded",
            help="\n".join(reasons),
        )
    needs = {need.type for tool in selection.tools for need in tracker.supply(tool, step.step.subtask).needs}
    lacking: dict[str, None] = {}
    chain = sorted(needs)
    for need in chain:  # grows while it is walked: what the suppliers need in turn
        for provider, subtask in selector.catalog.providers(need):
            if reason := selector.why_not(provider, subtask, step):
                lacking[f"{need} from {provider.name}: {reason}"] = None
            chain += [other for other in provider.needs if other != "image" and other not in chain]
    what = f'"{step.target.object}"' if step.target.object else "its target"
    way_out = "point it out: `at: {box: [x0, y0, x1, y1]}`, `at: {color: green}`, `at: {point: [x, y]}` …"
    return Diagnostic(
        "COS4103",
        f"nothing can supply what the tools for {step.step.subtask} need to know about {what}",
        span,
        severity,
        label="needs " + " or ".join(sorted(needs)),
        help="\n".join([*lacking, way_out]),
    )
