"""An error of jsonschema → a problem: where, what was expected, what was found, one thing to do."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from costa_dsl.diagnostics import closest
from costa_dsl.schema.wording import describe, expected, hint, listing
from costa_dsl.syntax import Route

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

# jsonschema recurses about fifteen calls for each level; documents have at most a hundred levels.
_CALLS = 20_000


@dataclass(frozen=True, slots=True)
class Problem:
    """What a schema found.

    Attributes:
        on_key: the key at the route is wrong, not its value.
        missing: keys are wanted at the route.
        first: where an entry that stands twice stood first.
        meant: the key or text that was probably meant.
        rewrite: the text of the value → the text that it should have been, without a change of meaning.
    """

    code: str
    route: Route
    message: str
    label: str = ""
    help: str = ""
    on_key: bool = False
    missing: bool = False
    first: Route | None = None
    meant: str = ""
    rewrite: Callable[[str], str] | None = None

    @property
    def sentence(self) -> str:
        """Message and label in one."""
        return f"{self.message}; {self.label}" if self.label else self.message


def problems_of(validator: Draft202012Validator, value: Any, header: tuple[str, ...] = ()) -> list[Problem]:
    """Everything that the validator's schema finds wrong with a value, each slip once.

    What concerns the top-level keys in `header` was reported by the caller and is left out.
    """
    with _deep_calls():
        errors = list(validator.iter_errors(value))
    keys = _KeyProblems(header)
    found: list[Problem] = []
    for error in map(_read, errors):
        if error.route and error.route[0] in header:
            continue
        if error.keyword == "additionalProperties":
            keys.unknown.extend(_unknown_keys(error))
        elif error.keyword == "required":
            keys.missing.extend(_missing_keys(error))
        else:
            found.append(_problem(error))
    found.extend(keys.folded())
    # A value of the wrong type fails once for each schema that looks at it: the first says enough.
    unique: dict[tuple[object, ...], Problem] = {}
    for problem in found:
        same = (problem.route, problem.code, problem.on_key, problem.missing)
        unique.setdefault(same, problem)
    return list(unique.values())


@contextmanager
def _deep_calls() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@dataclass(frozen=True, slots=True)
class _Error:
    """What an error of jsonschema says: a value at a route breaks `keyword: wanted` of a schema.

    `about_name`: the value is itself a key of the mapping at the route, and its spelling is wrong.
    """

    route: Route
    keyword: str
    wanted: Any
    schema: Mapping[str, Any]
    value: Any
    about_name: bool


@dataclass(frozen=True, slots=True)
class _Key:
    route: Route
    name: str
    known: tuple[str, ...]
    noun: str
    free: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()


class _KeyProblems:
    """Unknown and missing keys of one document, folded: `tre:` in place of `tree:` is one slip, not two."""

    def __init__(self, header: tuple[str, ...]) -> None:
        self._header = header
        self.unknown: list[_Key] = []
        self.missing: list[_Key] = []

    def folded(self) -> list[Problem]:
        found: list[Problem] = []
        explained: set[tuple[Route, str]] = set()
        for key in self.unknown:
            guess = closest(key.name, key.free)
            if guess:
                explained.add((key.route, guess))
                if key.route == () and guess in self._header:
                    continue
            known = "" if guess else f"its keys are {listing(key.known)}"
            found.append(_unknown(key.route, key.name, guess, key.noun, known))
        wanted: dict[tuple[Route, str], list[str]] = {}
        for key in self.missing:
            if (key.route, key.name) in explained or (key.route == () and key.name in self._header):
                continue
            # A step is open for words, so that a slip in `do` is no unknown key.
            slip = next((name for name in key.candidates if closest(name, key.known)), None)
            if slip is not None:
                found.append(_unknown(key.route, slip, closest(slip, key.known), key.noun, ""))
                continue
            wanted.setdefault((key.route, key.noun), []).append(key.name)
        found.extend(_missing(route, noun, list(dict.fromkeys(names))) for (route, noun), names in wanted.items())
        return found


def _missing(route: Route, noun: str, names: list[str]) -> Problem:
    if len(names) == 1:
        message = f'the key "{names[0]}" is missing: {noun} needs it'
    else:
        message = f"the keys {listing(names)} are missing: {noun} needs them"
    return Problem(
        "COS1011", route, message, missing=True, help=f"add `{names[0]}:`" if len(names) == 1 else "add them"
    )


def _unknown(route: Route, name: str, guess: str | None, noun: str, known: str) -> Problem:
    label = _meant(guess or "")
    message = f'unknown key "{name}" in {noun}'
    return Problem("COS1012", (*route, name), message, label, known, on_key=True, meant=guess or "")


def _read(error: ValidationError) -> _Error:
    # A schema of `true` or `false` has no keywords; costa's schemas say `not: {}` in place of `false`.
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    about_name = "propertyNames" in error.absolute_schema_path and isinstance(error.instance, str)
    return _Error(
        tuple(error.absolute_path), str(error.validator), error.validator_value, schema, error.instance, about_name
    )


def _noun(schema: Mapping[str, Any]) -> str:
    return str(schema.get("title", "this mapping"))


def _unknown_keys(error: _Error) -> Iterator[_Key]:
    known = tuple(error.schema.get("properties", {}))
    free = tuple(key for key in known if key not in error.value)
    for name in error.value:
        if name not in known:
            yield _Key(error.route, name, known, _noun(error.schema), free)


def _missing_keys(error: _Error) -> Iterator[_Key]:
    # jsonschema gives one error for each missing key, but names it only in its English message.
    properties = error.schema.get("properties", {})
    for name in error.wanted:
        if name in error.value:
            continue
        known: tuple[str, ...] = (name,)
        candidates: tuple[str, ...] = ()
        if name == "do":
            known = ("do", "any_order", "one_of")
            candidates = tuple(key for key in error.value if key not in properties)
        yield _Key(error.route, name, known, _noun(error.schema), candidates=candidates)


def _problem(error: _Error) -> Problem:
    schema, value, route, keyword = error.schema, error.value, error.route, error.keyword
    described = _lower(str(schema.get("description", "")))
    if error.about_name:
        message = f"expected {expected(schema, keyword)} as a key, found {describe(value)}"
        return Problem(
            "COS1015", (*route, value), message, _meant(near := _kebab(schema, value)), on_key=True, meant=near
        )
    if keyword in ("enum", "const"):
        return _not_allowed(error)
    if keyword == "uniqueItems":
        return _twice(value, route)
    if keyword == "dependentRequired":
        pairs = ((key, other) for key, others in error.wanted.items() if key in value for other in others)
        key, other = next((key, other) for key, other in pairs if other not in value)
        return Problem("COS1018", (*route, key), f'"{key}" needs "{other}" beside it', on_key=True)
    if keyword == "not":
        return Problem("COS1019", route, f"this does not belong here: {described}", on_key=True)
    code = _CODES.get(keyword, "COS1019")
    if keyword == "anyOf" and "title" not in schema:
        return Problem(code, route, f"{describe(value)} does not fit: {described}")
    message = f"expected {expected(schema, keyword)}, found {describe(value)}"
    if keyword == "pattern":
        near = _kebab(schema, value)
        return Problem(code, route, message, _meant(near), "" if near else hint(schema, value).help, meant=near)
    way_out = hint(schema, value)
    return Problem(code, route, message, help=way_out.help, rewrite=way_out.rewrite)


def _kebab(schema: Mapping[str, Any], value: Any) -> str:
    """A name in the wrong form, in the right one: `The Cup` is `the-cup`; empty when that does not fit either."""
    if not isinstance(value, str) or not str(schema.get("pattern", "")).startswith("^[a-z"):
        return ""
    name = re.sub(r"[\s_.-]+", "-", value.strip().casefold()).strip("-")
    return name if name != value and re.search(schema.get("pattern", "(?!)"), name) else ""


def _meant(name: str) -> str:
    return f'did you mean "{name}"?' if name else ""


_CODES = {
    "type": "COS1010",
    "minimum": "COS1014",
    "maximum": "COS1014",
    "exclusiveMinimum": "COS1014",
    "exclusiveMaximum": "COS1014",
    "multipleOf": "COS1014",
    "pattern": "COS1015",
    "minItems": "COS1016",
    "maxItems": "COS1016",
    "minLength": "COS1016",
    "maxLength": "COS1016",
    "minProperties": "COS1016",
    "maxProperties": "COS1016",
}


def _lower(sentence: str) -> str:
    sentence = sentence.removesuffix(".")
    return sentence[:1].lower() + sentence[1:]


def _not_allowed(error: _Error) -> Problem:
    schema, value = error.schema, error.value
    allowed = [error.wanted] if error.keyword == "const" else list(error.wanted)
    words = [word for word in allowed if isinstance(word, str)]
    guess = closest(value, words) if isinstance(value, str) else None
    if error.keyword == "const":
        wanted = str(schema.get("title", json.dumps(allowed[0])))
    else:
        wanted = f"one of {listing(str(word) for word in allowed)}"
    message = f"expected {wanted}, found {describe(value)}"
    return Problem("COS1013", error.route, message, _meant(guess or ""), meant=guess or "")


def _twice(value: list[Any], route: Route) -> Problem:
    texts = [json.dumps(_whole(item), sort_keys=True) for item in value]
    index = next((index for index, text in enumerate(texts) if text in texts[:index]), len(texts) - 1)
    first = texts.index(texts[index])
    message = f"{describe(value[index])} stands twice in this list"
    return Problem("COS1017", (*route, index), message, help="keep one of them", first=(*route, first))


def _whole(item: Any) -> Any:
    """A value in which 1.0 is written as 1: to JSON Schema they are the same."""
    if isinstance(item, list):
        return [_whole(entry) for entry in item]
    if isinstance(item, dict):
        return {key: _whole(entry) for key, entry in item.items()}
    return int(item) if isinstance(item, float) and item.is_integer() else item
