"""Whether a plan can be lowered at all, told before anything is installed or paid for."""

from __future__ import annotations

from collections.abc import Iterable

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.passes import PASSES, Unit
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink
from costa_dsl.model.plan import Plan


def impossible_steps(plan: Plan, catalog: Catalog) -> Iterable[Diagnostic]:
    """Why steps cannot be done by any tool of the catalog, installed or not; nothing for a plan that compiles.

    The plan is one that breaks no rule. Most plans are seen to compile step by step: each step has a tool that can be
    supplied from the picture alone. Only where that fails, what earlier steps leave behind has to be followed, and the
    whole plan is compiled.
    """
    unit = Unit(plan, catalog, assume_available=True)
    try:
        for one in PASSES[:4]:
            if one.name != "expand":
                unit = one.run(unit)
        if all(_can_be_supplied(unit, name) for name in unit.steps):
            return []
        sink = Sink()
        compile_plan(plan, catalog, sink, assume_available=True)
    except CostaError as error:
        return error.diagnostics
    return [found for found in sink if found.code.startswith("COS4")]


def _can_be_supplied(unit: Unit, name: str) -> bool:
    tracker, step = unit.backtrackers[name], unit.steps[name].step
    return any(tracker.recipes(tracker.supply(tool, step.subtask), frozenset()) for tool in unit.selections[name].tools)
