"""The words of a step against those that its subtask takes: slips found once, told by several rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import closest
from costa_dsl.model.plan import Plan, Step
from costa_dsl.model.subtask import Subtask, Vocabulary
from costa_dsl.schema import schema_fault, value_problems
from costa_dsl.schema.problems import Problem
from costa_dsl.syntax import Route, folded

_PLACEHOLDER = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_-]*\}")


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
    elif step.origin.has("object"):
        # No text, so it names no object; the value can still be told to be wrong.
        written = step.origin.document.value_at((*step.origin.route, "object"))
        plan: Any = step.origin.document.value
        given["object"] = plan["vars"].get(written[2:-1]) if isinstance(written, str) else written
    return given


def has_placeholder(value: Any) -> bool:
    """Whether a value still holds a `${variable}`: it is undefined, which was told, and nobody knows the rest."""
    if isinstance(value, list | tuple):
        return any(map(has_placeholder, value))
    return isinstance(value, str) and _PLACEHOLDER.search(value) is not None


def problems_with(word: str, value: Any, subtask: Subtask, catalog: Catalog) -> list[Problem]:
    """What is wrong with the value of a word, by the word's own rules, then by those that the subtask sets."""
    if has_placeholder(value):
        return []
    found = (value_problems(schema, value) for schema in _schemas(word, subtask, catalog.vocabulary))
    return next((problems for problems in found if problems), [])


def word_fault(schema: Mapping[str, Any]) -> tuple[Route, str] | None:
    """What keeps a schema of the vocabulary from being used, with the place inside it; None when it can be."""
    if fault := schema_fault(schema):
        return fault
    for route, pattern in _patterns(schema):
        try:
            re.compile(pattern)
        except re.error as error:
            return route, f"this pattern is no regular expression of Python: {error}"
    if _may_be_endless(schema):
        samples: tuple[Any, ...] = ("", 0, [], {})
        try:
            for value in samples:
                value_problems(schema, value)
        except RecursionError:
            return (), "it refers to itself without end"
    return None


def _may_be_endless(schema: Mapping[str, Any]) -> bool:
    """Whether a schema refers to more than the shared definitions, which do not refer to themselves."""
    text = json.dumps(schema)
    references = re.findall(r'"\$(?:ref|dynamicRef)": "([^"]*)"', text)
    return any("$defs" in schema or not reference.startswith("#/$defs/") for reference in references)


def _patterns(schema: Any, route: Route = ()) -> Iterator[tuple[Route, str]]:
    """Every regular expression in a schema: texts under `pattern`, and keys under `patternProperties`."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key == "pattern" and isinstance(value, str):
                yield (*route, key), value
            elif key == "patternProperties" and isinstance(value, Mapping):
                yield from (((*route, key, name), name) for name in value)
            yield from _patterns(value, (*route, key))
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from _patterns(value, (*route, index))


@lru_cache(maxsize=1024)
def _schemas(word: str, subtask: Subtask, vocabulary: Vocabulary) -> list[Mapping[str, Any]]:
    """The schemas for a word, without those that are none: the rules about vocabularies tell of them."""
    schema = vocabulary.words.get(word)
    if schema is None or word not in subtask.parameters or word_fault(schema) is not None:
        return []
    narrower = {**schema, **subtask.limits.get(word, {})}
    return [schema] if narrower == schema or word_fault(narrower) is not None else [schema, narrower]


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
