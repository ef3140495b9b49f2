"""`do:` names a subtask of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.names import unknown_name
from costa_dsl.schema import Unknown
from costa_dsl.syntax import respell


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    vocabulary = catalog.vocabulary
    for step in plan.steps:
        name = step.subtask
        if name in vocabulary.subtasks or isinstance(name, Unknown):
            continue
        # Imported here: nearly every plan names its subtasks as they are called.
        from costa_dsl.rules.meaning import subtask_meant

        span = step.origin.span("do")
        meant = subtask_meant(name, vocabulary)
        if meant is None:
            help = "`costa tools list` shows every subtask with its tools"
            yield unknown_name("COS3104", "subtask", name, vocabulary.plannable(), span, help)
        else:
            yield Diagnostic(
                "COS3104",
                f'unknown subtask "{name}"',
                span,
                label=f'did you mean "{meant.subtask}"?',
                help=f"write `{meant.word}: {meant.amount}` beside it"
                if meant.word and meant.word not in step.arguments
                else "",
                fix=respell(span, name, meant.subtask),
            )
