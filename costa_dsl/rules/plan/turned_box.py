"""A box has its left before its right, and its top above its bottom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Edit, Fix
from costa_dsl.model.plan import Plan, Step
from costa_dsl.rules.boxes import boxes_of, percent


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for step, key, box in boxes_of(plan):
        for low, high, names in ((0, 2, ("left", "right")), (1, 3, ("top", "bottom"))):
            order = _compare(box[low], box[high])
            if order is None or order < 0:
                continue
            told = f"its {names[0]} {box[low]} is not before its {names[1]} {box[high]}"
            yield Diagnostic(
                "COS3118",
                f"this box is {'empty' if order == 0 else 'turned around'}: {told}",
                step.origin.span("at", key, high),
                help="a box is [left, top, right, bottom]; right and bottom are behind its last pixel",
                fix=_swap(step, key, low, high) if order > 0 else None,
            )


def _compare(low: Any, high: Any) -> float | None:
    """Above 0 when low lies behind high; None when they cannot be compared (pixels with percentages)."""
    if isinstance(low, int | float) and isinstance(high, int | float):
        return low - high
    first, second = percent(low), percent(high)
    return None if first is None or second is None else first - second


def _swap(step: Step, key: str, low: int, high: int) -> Fix:
    first, second = step.origin.span("at", key, low), step.origin.span("at", key, high)
    return Fix(f"swap {first.text} and {second.text}", (Edit(first, second.text), Edit(second, first.text)))
