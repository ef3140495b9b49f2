"""The boxes and points of a plan, as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from costa_dsl.model.plan import Plan, Step


def boxes_of(plan: Plan) -> Iterator[tuple[Step, str, Sequence[Any]]]:
    """Every box under `at:`, with its key there (`box` or `within`)."""
    for step in plan.steps:
        for key in ("box", "within"):
            value = step.target.place(key)
            if isinstance(value, tuple) and len(value) == 4:
                yield step, key, value


def points_of(plan: Plan) -> Iterator[tuple[Step, str, Sequence[Any]]]:
    """Every point under `at:`."""
    for step in plan.steps:
        value = step.target.place("point")
        if isinstance(value, tuple):
            yield step, "point", value


def percent(value: Any) -> float | None:
    """A percentage as a number; None for pixels and variables."""
    if isinstance(value, str) and value.endswith("%"):
        try:
            return float(value[:-1])
        except ValueError:
            return None
    return None
