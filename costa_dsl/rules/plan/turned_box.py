"""A box has its left before its right, and its top above its bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Edit, Fix
from costa_dsl.model.plan import Plan, Step
from costa_dsl.rules.boxes import boxes_of, percent
from costa_dsl.rules.plan.shares import in_shares


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for step, key, box in boxes_of(plan):
        if in_shares(box):
            continue
        orders = [_compare(box[low], box[high]) for low, high in ((0, 2), (1, 3))]
        wrong = [index for index, order in enumerate(orders) if order is not None and order >= 0]
        if not wrong:
            continue
        axis = wrong[0]
        low, high, names = ((0, 2, ("left", "right")), (1, 3, ("top", "bottom")))[axis]
        empty = all(orders[index] == 0 for index in wrong)
        yield Diagnostic(
            "COS3118",
            f"this box is {'empty' if empty else 'turned around'}: "
            f"its {names[0]} {box[low]} is not before its {names[1]} {box[high]}",
            step.origin.span("at", key, high),
            help="a box is [left, top, right, bottom]; right and bottom are behind its last pixel" + _as_size(box),
            fix=_swap(step, key, low, high) if len(wrong) == 1 and not empty else None,
        )


def _as_size(box: Sequence[Any]) -> str:
    """What to write when the last two numbers are a width and a height."""
    if not all(isinstance(value, int | float) for value in box):
        return ""
    left, top, width, height = box
    return f"\nis it left, top, width and height? write [{left}, {top}, {left + width}, {top + height}]"


def _compare(low: Any, high: Any) -> float | None:
    """Above 0 when low lies behind high; None when they cannot be compared (pixels with percentages)."""
    if isinstance(low, int | float) and isinstance(high, int | float):
        return low - high
    first, second = percent(low), percent(high)
    return None if first is None or second is None else first - second


def _swap(step: Step, key: str, low: int, high: int) -> Fix:
    first, second = step.origin.span("at", key, low), step.origin.span("at", key, high)
    return Fix(f"swap {first.text} and {second.text}", (Edit(first, second.text), Edit(second, first.text)))
