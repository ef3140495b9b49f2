"""Some subtasks are put in by the compiler, never by a plan."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step in plan.steps:
        subtask = catalog.vocabulary.subtasks.get(step.subtask)
        if subtask is not None and subtask.internal:
            yield Diagnostic(
                "COS3111",
                f'"{step.subtask}" is no step: the compiler puts it in where a tool needs it',
                step.origin.span("do"),
                help="leave it out",
            )
