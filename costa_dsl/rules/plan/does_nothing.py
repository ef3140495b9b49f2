"""A step changes something: no widening by nothing, no text replaced by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.plan import Plan, Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.rules.boxes import percent
from costa_dsl.rules.things import object_name
from costa_dsl.rules.words import has_placeholder, plain_steps

MARGINS = ("left", "right", "top", "bottom")


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask in plain_steps(plan, catalog):
        word = _idle_word(step, subtask)
        if word is not None:
            yield Diagnostic(
                "COS3209",
                f"this {step.subtask} changes nothing",
                step.origin.span(word),
                severity=Severity.WARNING,
                help="say how much, or take the step out",
            )


def _idle_word(step: Step, subtask: Subtask) -> str | None:
    """The word that makes the step idle."""
    given = step.arguments
    margins = [word for word in MARGINS if word in given and word in subtask.parameters]
    if margins and "aspect" not in given and all(_is_zero(given[word]) for word in margins):
        return margins[0]
    for word, idle in (("amount", 0), ("scale", 1)):
        if word in given and word in subtask.parameters and _number(given[word]) == idle:
            return word
    if "angle" in subtask.parameters and (angle := _number(given.get("angle"))) is not None and angle % 360 == 0:
        return "angle"
    if "by" in subtask.parameters and isinstance(by := given.get("by"), list) and by and all(map(_is_zero, by)):
        return "by"
    new = given.get("with")
    if subtask.makes == "with" and isinstance(new, str) and not has_placeholder(new):
        old = given.get("text", step.target.object)
        # Words are compared as they stand: a change of case is a change.
        same = new == old if "text" in given else isinstance(old, str) and object_name(new) == object_name(old)
        return "with" if same else None
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return percent(value) if isinstance(value, str) else value


def _is_zero(value: Any) -> bool:
    return _number(value) == 0
