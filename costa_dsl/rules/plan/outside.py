"""A place lies in the picture: no percentage of it is above 100."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.boxes import boxes_of, percent, points_of


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for step, key, values in (*boxes_of(plan), *points_of(plan)):
        for index, value in enumerate(values):
            if (share := percent(value)) is not None and share > 100:
                yield Diagnostic(
                    "COS3119",
                    f"{value} lies outside the picture",
                    step.origin.span("at", key, index),
                    help="a percentage of the width or height goes from 0% to 100%",
                )
