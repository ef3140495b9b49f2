"""The conditions of a row can hold: between its bounds lies a value."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.context import FEATURES


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    for cases in catalog.cases.values():
        for row in cases:
            for condition in row.when:
                if condition.is_impossible:
                    feature = FEATURES[condition.feature]
                    yield Diagnostic(
                        "COS2026",
                        f"no value of `{feature.name}` meets these bounds: the row never counts",
                        row.origin.span("when", feature.name),
                        label=f"{feature.meaning} ({feature.unit})",
                        help="let the lower bound be below the upper one",
                    )
