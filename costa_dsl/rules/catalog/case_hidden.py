"""No row with conditions stands behind one that always counts before it."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity
from costa_dsl.model.context import hides


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    for cases in catalog.cases.values():
        for index, row in enumerate(cases):
            if any(condition.is_impossible for condition in row.when):
                continue  # it never counts for another reason
            hiding = next((other for other in cases[:index] if hides(other.when, row.when)), None)
            if hiding is not None and hiding.when != row.when:
                yield Diagnostic(
                    "COS2028",
                    "this row never counts: whenever its conditions hold, those of an earlier row hold too",
                    row.origin.span("when"),
                    severity=Severity.WARNING,
                    related=(Related("this one counts instead", hiding.origin.span("when")),),
                    help="put the row with the stricter conditions first",
                )
