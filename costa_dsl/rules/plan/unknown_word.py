"""A step has only words that its subtask takes."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.words import plain_steps, slips_of
from costa_dsl.syntax import respell


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask in plain_steps(plan, catalog):
        for word, meant in slips_of(step, subtask, catalog).unknown.items():
            span = step.origin.span(word, key=True)
            label = f'did you mean "{meant}"?' if meant else "takes: " + (", ".join(subtask.parameters) or "no words")
            fix = respell(span, word, meant) if meant else None
            yield Diagnostic("COS3105", f'{step.subtask} has no word "{word}"', span, label=label, fix=fix)
