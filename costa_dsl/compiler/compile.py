"""The compiler as a whole: plan + catalog → a verified toolpath graph, or every reason why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.cut import ALL, Scope
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.compiler.passes import PASSES, Pass, Unit
from costa_dsl.compiler.select import Selection
from costa_dsl.compiler.stuck import why_stuck
from costa_dsl.compiler.verify import verify
from costa_dsl.diagnostics import CostaError, Diagnostic, Severity, Sink
from costa_dsl.model.plan import Plan
from costa_dsl.rules.run import check_plan

Observer = Callable[[Pass, Unit], None]


@dataclass(frozen=True, eq=False)
class Compiled:
    """A graph, with the reasons for which tools were left out of each step."""

    graph: ToolpathGraph
    selections: Mapping[str, Selection]


def compile_plan(
    plan: Plan,
    catalog: Catalog,
    sink: Sink,
    *,
    scope: Scope | None = None,
    assume_available: bool = False,
    observer: Observer | None = None,
) -> Compiled:
    """Lower a plan. Warnings go to the sink.

    Args:
        plan: a plan that fits the schema; the semantic rules are checked here.
        catalog: tools, benchmark and vocabulary.
        sink: receives warnings; errors in it from reading the plan stop the compilation.
        scope: the part of the plan to compile; all of it by default.
        assume_available: compile as if every tool of the catalog were installed on this machine.
        observer: called after each pass with what it made.

    Raises:
        CostaError: the plan breaks a rule, or no complete path exists.
    """
    unit = run_passes(plan, catalog, sink, scope=scope, assume_available=assume_available, observer=observer)
    graph, raw = unit.graph, unit.raw
    assert raw is not None
    severity = Severity.ERROR if graph is None else Severity.WARNING
    stuck = [why_stuck(unit, name, severity) for name in raw.stuck]
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
    return Compiled(graph, unit.selections)


def run_passes(
    plan: Plan,
    catalog: Catalog,
    sink: Sink,
    *,
    scope: Scope | None = None,
    assume_available: bool = False,
    observer: Observer | None = None,
    last: str = PASSES[-1].name,
) -> Unit:
    """Run the passes up to the one named `last`, whether or not a complete path comes of it.

    Raises:
        CostaError: the plan breaks a rule, or a pass cannot go on.
    """
    check_plan(plan, catalog, sink)
    sink.raise_if_errors()
    unit = Unit(plan, catalog, scope or ALL, assume_available)
    for one in PASSES:
        unit = one.run(unit)
        if observer is not None:
            observer(one, unit)
        if one.name == last:
            break
    return unit
