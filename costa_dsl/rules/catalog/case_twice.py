"""Two rows of a pair have different conditions."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.benchmark import BenchmarkRow
from costa_dsl.model.context import Conditions


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    for (tool, subtask), cases in catalog.cases.items():
        first: dict[Conditions, BenchmarkRow] = {}
        for row in cases:
            if earlier := first.get(row.when):
                yield Diagnostic(
                    "COS2027",
                    f"two rows for {tool} · {subtask} when {' and '.join(map(str, row.when))}",
                    row.origin.span("when"),
                    related=(Related("the same conditions here", earlier.origin.span("when")),),
                    help="keep one of them",
                )
            first.setdefault(row.when, row)
