"""A place in shares of the picture is written in percent: `[0.1, 0.2, 0.5, 0.6]` would be a box inside one pixel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Edit, Fix
from costa_dsl.model.plan import Plan, Step
from costa_dsl.rules.boxes import boxes_of, points_of


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for step, key, values in (*boxes_of(plan), *points_of(plan)):
        if in_shares(values):
            yield Diagnostic(
                "COS3122",
                f"these look like shares of the picture, and mean pixels: {', '.join(map(str, values))}",
                step.origin.span("at", key),
                help="write percentages: 0.25 of the width is 25%",
                fix=_in_percent(step, key, values),
            )


def in_shares(values: Sequence[Any]) -> bool:
    """Whether all numbers lie in [0, 1] and some of them between."""
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    whole = len(numbers) == len(values) and all(0 <= value <= 1 for value in numbers)
    return whole and any(0 < value < 1 for value in numbers)


def _in_percent(step: Step, key: str, values: Sequence[Any]) -> Fix:
    edits = (Edit(step.origin.span("at", key, index), f"{100 * value:g}%") for index, value in enumerate(values))
    return Fix("write percentages", tuple(edits))
