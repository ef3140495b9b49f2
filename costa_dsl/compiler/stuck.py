"""Why no tool can do a step: tool by tool, with the command or the words that would change it."""

from __future__ import annotations

from costa_dsl.compiler.passes import Unit
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.rules.plan.no_tool import no_tool


def why_stuck(unit: Unit, name: str, severity: Severity) -> Diagnostic:
    """The finding about a step for which lowering found no way, by its id."""
    step, selection, tracker = unit.steps[name], unit.selections[name], unit.backtrackers[name]
    reasons = [f"{tool}: {reason}" for tool, reason in selection.excluded.items()]
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
    selector = unit.selector
    needs = {need.type for tool in selection.tools for need in tracker.supply(tool, step.step.subtask).needs}
    lacking: dict[str, None] = {}
    chain = sorted(needs)
    for need in chain:  # grows while it is walked: what the suppliers need in turn
        for provider, subtask in unit.catalog.providers(need):
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
