"""A step has the words without which its subtask cannot be done."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.words import plain_steps, slips_of


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask in plain_steps(plan, catalog):
        slips = slips_of(step, subtask, catalog)
        span = step.origin.span("do")
        if slips.missing:
            several = len(slips.missing) > 1
            named = " and ".join(f'"{word}"' for word in slips.missing)
            described = (catalog.vocabulary.words.get(word, {}).get("description", "") for word in slips.missing)
            yield Diagnostic(
                "COS3106",
                f"{step.subtask} needs the word{'s' if several else ''} {named}",
                span,
                label="add " + " and ".join(f'"{word}: …"' for word in slips.missing),
                help="\n".join(filter(None, described)),
            )
        if slips.one_missing:
            yield Diagnostic(
                "COS3106",
                f"{step.subtask} needs at least one of: {', '.join(subtask.parameters)}",
                span,
                label="nothing says how much or which",
            )
