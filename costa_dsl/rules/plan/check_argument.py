"""What stands behind a check under `expect:` says something to it."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.plan.unknown_check import expectations_of


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for expectation in expectations_of(plan):
        kind = catalog.vocabulary.checks.get(expectation.check)
        if kind is None or expectation.wanted is True or (kind.takes_text and isinstance(expectation.wanted, str)):
            continue
        takes = "a text, a color or an object" if kind.takes_text else "nothing behind it"
        yield Diagnostic(
            "COS3114",
            f"`{expectation.check}` takes {takes}",
            expectation.origin.span(expectation.check),
            label="this says nothing to it",
            help="write the check alone" + (", or quote the text" if kind.takes_text else ""),
        )
