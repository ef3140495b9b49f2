"""The words of a step against those that its subtask takes: slips found once, told by several rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import closest
from costa_dsl.model.plan import Plan, Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.syntax import folded


@dataclass(frozen=True, slots=True)
class Slips:
    """What is wrong with the names of a step's words; one slip is never both unknown and missing.

    Attributes:
        unknown: each word that the subtask does not have, with the one that was probably meant.
        missing: words that must be there.
        one_missing: one of the optional words must be there, and none is.
    """

    unknown: Mapping[str, str | None]
    missing: tuple[str, ...]
    one_missing: bool


def plain_steps(plan: Plan, catalog: Catalog) -> Iterator[tuple[Step, Subtask]]:
    """The steps whose subtask a plan may name."""
    for step in plan.steps:
        subtask = catalog.vocabulary.subtasks.get(step.subtask)
        if subtask is not None and not subtask.internal:
            yield step, subtask


def words_of(step: Step) -> dict[str, Any]:
    """The words that a step gives, `object` among them."""
    given: dict[str, Any] = dict(step.arguments)
    if step.target.object is not None:
        given["object"] = step.target.object
    return given


def slips_of(step: Step, subtask: Subtask, catalog: Catalog) -> Slips:
    """Which of a step's words are unknown, and which are missing."""
    given, allowed = words_of(step), subtask.parameters
    missing = [word for word, required in allowed.items() if required and word not in given]
    unknown: dict[str, str | None] = {}
    for word in given:
        if word not in allowed:
            free = [name for name in allowed if name not in given]
            unknown[word] = _meant(word, free, missing, catalog)
    guessed = set(unknown.values())
    missing = [word for word in missing if word not in guessed]
    none_given = not any(word in given for word in allowed) and not guessed & set(allowed)
    return Slips(unknown, tuple(missing), subtask.one_needed and none_given and not missing)


def _meant(word: str, free: list[str], missing: list[str], catalog: Catalog) -> str | None:
    """The free word that people also call so; else the one nearest in spelling."""
    called = [
        name
        for name in free
        if folded(word) in {folded(other) for other in catalog.vocabulary.words.get(name, {}).get("also", ())}
    ]
    # What must be there is likelier than what may.
    return next((name for name in called if name in missing), called[0] if called else closest(word, free))
