"""Whether a plan can be lowered at all, told before anything is installed or paid for."""

from __future__ import annotations

from collections.abc import Iterable

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.backtrack import Backtracker
from costa_dsl.compiler.graph import GraphStep
from costa_dsl.compiler.select import Selector, resolve_steps
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink
from costa_dsl.model.plan import Plan


def impossible_steps(plan: Plan, catalog: Catalog) -> Iterable[Diagnostic]:
    """Why steps cannot be done by any tool of the catalog, installed or not; nothing for a plan that compiles.

    The plan is one that breaks no rule. Most plans are seen to compile step by step: each step has a tool that can be
    supplied from the picture alone. Only where that fails, what earlier steps leave behind has to be followed, and the
    whole plan is compiled.
    """
    sink = Sink()
    steps = resolve_steps(plan, sink)
    if sink.has_errors:
        return sink.sorted()
    selector = Selector(plan, catalog, assume_available=True)
    if all(_can_be_supplied(selector, step) for step in steps.values()):
        return []
    # Imported here: a plan that is seen to compile pays for no more of the compiler than that takes.
    from costa_dsl.compiler.compile import compile_plan

    try:
        compile_plan(plan, catalog, sink, assume_available=True)
    except CostaError as error:
        return error.diagnostics
    return [found for found in sink if found.code.startswith("COS4")]


def _can_be_supplied(selector: Selector, step: GraphStep) -> bool:
    tracker, subtask = Backtracker(selector, step), step.step.subtask
    tools = selector.select(step).tools
    return any(tracker.recipes(tracker.supply(tool, subtask), frozenset()) for tool in tools)
