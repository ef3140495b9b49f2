"""The text of a node, `Object Recoloration (Leaves -> Red Leaves) (4)`, as a step in the words of the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from costa_dsl.model.color import color_of
from costa_dsl.model.subtask import Subtask, Vocabulary
from costa_dsl.schema import value_problems
from costa_dsl.syntax import folded

_ARROW = re.compile(r"\s*(?:->|=>|→|⇒)\s*")
_BETWEEN_GROUPS = re.compile(r"\)\s*\(")
_NUMBER = re.compile(r"[x×]?\s*(-?\d{1,9}(?:\.\d{1,9})?)\s*(?:x|×|times|degrees|°)?", re.IGNORECASE)
# A color name has no more words than this (`light goldenrod yellow`).
_LONGEST_COLOR = 4


@dataclass(frozen=True, slots=True)
class NodeText:
    """The parts of a node's text: the subtask's name, what stands in parentheses, and the node's number."""

    name: str
    argument: str
    number: str


@dataclass(frozen=True)
class PlainStep:
    """A step of a plan that is to be written.

    Attributes:
        words: the words of the vocabulary with their values, in the order in which they are written.
        note: what the node said and no word of the subtask can hold.
    """

    subtask: str
    words: tuple[tuple[str, Any], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Reading:
    """How a node's text was understood.

    Attributes:
        assumed: sentences about what was taken for granted, for a comment.
        lacking: words that the subtask needs and the text does not give; `one_lacking` when any one of them is enough.
        unplaced: what stood in the parentheses and has no word.
        no_color: a text that stands where a color must, and names none.
    """

    step: PlainStep
    assumed: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    one_lacking: bool = False
    unplaced: str = ""
    no_color: str = ""


def split_text(text: str) -> NodeText:
    """The parts of a node's text. The last group of parentheses is the node's number when it holds only digits."""
    rest, number = text.strip(), ""
    if rest.endswith(")"):
        head, _, inner = rest[:-1].rpartition("(")
        if head.strip() and inner.strip().isdecimal():
            rest, number = head.rstrip(), inner.strip()
    name, bracket, argument = rest.partition("(")
    if bracket:
        argument = _BETWEEN_GROUPS.sub(", ", argument.rstrip().removesuffix(")"))
    return NodeText(" ".join(name.split()), " ".join(argument.split()), number)


def read_words(subtask: Subtask, argument: str, vocabulary: Vocabulary) -> Reading:
    """A step of a subtask with what stood in parentheses sorted into the words that it takes."""
    is_text = "object" not in subtask.parameters and "text" in subtask.parameters
    parts = _ARROW.split(argument, maxsplit=1) if argument else []
    given: dict[str, Any] = {}
    unplaced: list[str] = []
    if len(parts) == 2:
        first = next((word for word in ("object", "text") if word in subtask.parameters), "")
        second = next((word for word in ("with", "to") if word in subtask.parameters), "")
        for word, value in ((first, parts[0]), (second, parts[1])):
            if word and value:
                given[word] = value
            elif value:
                unplaced.append(value)
    elif parts:
        placed = _place(parts[0], subtask, vocabulary)
        if placed is None:
            unplaced.append(parts[0])
        else:
            given[placed[0]] = placed[1]
    assumed, no_color = [], ""
    for word, value in given.items():
        if not isinstance(value, str):
            continue
        if _is_color(word, subtask, vocabulary):
            color, sentence = _color(value, str(given.get("object", "")))
            given[word], no_color = (color, no_color) if color else (_lower(value), value)
            assumed += [sentence] if sentence else []
        elif not is_text and word not in ("question", "caption"):
            given[word] = _lower(value)
    lacking = tuple(word for word, needed in subtask.parameters.items() if needed and word not in given)
    one_lacking = subtask.one_needed and not given and not lacking
    note = f"the tree says: {'; '.join(unplaced)}" if unplaced else ""
    ordered = tuple((word, given[word]) for word in subtask.parameters if word in given)
    return Reading(
        PlainStep(subtask.name, ordered, note),
        tuple(assumed),
        tuple(subtask.parameters) if one_lacking else lacking,
        one_lacking,
        "; ".join(unplaced),
        no_color,
    )


def _place(value: str, subtask: Subtask, vocabulary: Vocabulary) -> tuple[str, Any] | None:
    """The word that a value without an arrow belongs under; those with a narrow form first, then by need."""
    schemas = {word: _schema(word, subtask, vocabulary) for word in subtask.parameters}
    narrow = [word for word, schema in schemas.items() if {"enum", "pattern"} & set(schema) or _is_number(schema)]
    for word in narrow:
        for candidate in _spellings(value, schemas[word]):
            if not value_problems(schemas[word], candidate):
                return word, candidate
    wide = [word for word, schema in schemas.items() if schema.get("type") == "string" and word not in narrow]
    # `object` and `text` say what a step works on: before `to`, `with` and the rest.
    wide.sort(key=lambda word: (word not in ("object", "text"), not subtask.parameters[word]))
    usable = [word for word in wide if subtask.parameters[word] or word in ("object", "text")]
    return (usable[0], value) if usable else None


def _schema(word: str, subtask: Subtask, vocabulary: Vocabulary) -> Mapping[str, Any]:
    return {**vocabulary.words.get(word, {}), **subtask.limits.get(word, {})}


def _is_number(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") in ("number", "integer") or any(_is_number(part) for part in schema.get("anyOf", ()))


def _is_color(word: str, subtask: Subtask, vocabulary: Vocabulary) -> bool:
    return _schema(word, subtask, vocabulary).get("format") == "color"


def _spellings(value: str, schema: Mapping[str, Any]) -> Iterable[Any]:
    """A value as a word with a narrow form may want it: as it is, without capitals, as a number."""
    if _is_number(schema) and (match := _NUMBER.fullmatch(value)):
        number = float(match[1])
        yield int(number) if number.is_integer() else number
    yield from dict.fromkeys((value, folded(value)))


def _color(value: str, name: str) -> tuple[str, str]:
    """A color in `Red Leaves`, and the sentence that says what was assumed; empty texts when there is none."""
    if color_of(value):
        return _lower(value), ""
    words = value.split()
    own = {_stem(word) for word in name.split()}
    rest = [word for word in words if _stem(word) not in own]
    if rest != words and rest and color_of(" ".join(rest)):
        return _lower(" ".join(rest)), f'"{value}" means the color {_lower(" ".join(rest))}'
    for length in range(min(_LONGEST_COLOR, len(words) - 1), 0, -1):
        head = " ".join(words[:length])
        if color_of(head):
            return _lower(head), f'"{value}" means the color {_lower(head)}'
    return "", ""


def _stem(word: str) -> str:
    """`leaf` and `leaves`, `cat` and `cats` alike; only good for comparing."""
    word = word.casefold()
    if word.endswith("ves"):
        return word[:-3] + "f"
    return word.removesuffix("s").removesuffix("e")


def _lower(value: str) -> str:
    """Words without the capital of a title; `BMW` and `iPhone` stay."""
    return " ".join(word.lower() if word.istitle() else word for word in value.split(" "))
