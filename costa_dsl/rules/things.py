"""The things in a picture that the steps of a plan work on and make, as far as their words tell them apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from costa_dsl.model.plan import Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.model.text_match import normalized
from costa_dsl.rules.words import has_placeholder
from costa_dsl.schema import Unknown
from costa_dsl.syntax import Route

_ARTICLE = re.compile(r"^(?:the|a|an|this|that|these|those|all|every|each)\s+")
# Such a name means another thing as soon as the one that it meant is gone: after "the left dog", the next one.
_RELATIVE = re.compile(
    r"\b(?:left|right|top|bottom|upper|lower|middle|cent(?:er|re)|central|front|back|foreground|background|\w+most"
    r"|largest|biggest|smallest|highest|lowest|tallest|shortest|nearest|closest|farthest|furthest|brightest|darkest"
    r"|oldest|youngest|littlest|tiniest|greatest|longest|first|second|third|last|next|other|others|another|remaining"
    r"|rest|one|two|three|some|few|several|both|half|most|more)\b"
)


@dataclass(frozen=True, slots=True)
class Thing:
    """An object by its name, or a text by its words; `place` is its `at:`."""

    kind: str
    name: str
    place: tuple[tuple[str, object], ...] = ()

    @property
    def anywhere(self) -> Thing:
        """All things of the name."""
        return Thing(self.kind, self.name)

    @property
    def is_relative(self) -> bool:
        """Whether its name tells it from others by where it is, so that it means another one when it is gone."""
        return self.kind == "object" and _RELATIVE.search(self.name) is not None


def named_by(step: Step, subtask: Subtask) -> tuple[Route, Any] | None:
    """Where in a step the thing is named that it works on, and how; None when it works on the whole picture."""
    if step.target.object is not None and "object" in subtask.parameters and subtask.makes != "target":
        return ("object",), step.target.object
    if "text" in step.arguments and "text" in subtask.parameters and subtask.makes != "text":
        return ("text",), step.arguments["text"]
    at = dict(step.target.at)
    return (("at", "text"), at["text"]) if "text" in at and "within" not in at else None


def used_by(step: Step, subtask: Subtask) -> Thing | None:
    """The thing in the picture that a step works on; None when it works on all of it, or nobody can tell."""
    named = named_by(step, subtask)
    if named is None:
        return None
    route, name = named
    if isinstance(name, Unknown):
        return None
    if route == ("object",):
        return _object(name, step.target.at)
    return _text(name, step.target.at if route == ("text",) else ())


def made_by(step: Step, subtask: Subtask) -> Thing | None:
    """The thing that was not in the picture before the step; None also when nobody can tell."""
    if subtask.makes == "target":
        return _object(step.target.object)
    if subtask.makes == "text":
        return _text(step.arguments.get("text"))
    if subtask.makes == "with":
        new = step.arguments.get("with")
        return _object(new) if step.target.object is not None else _text(new)
    return None


def covers(made: Thing, thing: Thing) -> bool:
    """Whether a new thing may be what a name means: a red plant is a plant, and OPEN stands in OPEN LATE."""
    if made.kind != thing.kind:
        return False
    if made.kind == "text":
        return thing.name.replace(" ", "") in made.name.replace(" ", "")
    words = {_singular(word) for word in made.name.split()}
    return all(_singular(word) in words for word in thing.name.split())


def object_name(expression: str) -> str:
    """A referring expression as it is compared: without case, articles and doubled blanks; it may be empty."""
    words = " ".join(expression.casefold().split())
    while (bare := _ARTICLE.sub("", words + " ", count=1).strip()) != words:
        words = bare
    return words


def _object(name: object, place: tuple[tuple[str, object], ...] = ()) -> Thing | None:
    if not isinstance(name, str) or has_placeholder(name) or not (bare := object_name(name)):
        return None
    return Thing("object", bare, place)


def _text(words: object, place: tuple[tuple[str, object], ...] = ()) -> Thing | None:
    if not isinstance(words, str) or has_placeholder(words) or not (bare := normalized(words)):
        return None
    return Thing("text", bare, place)


def _singular(word: str) -> str:
    return word.removesuffix("s")
