"""Values and schemas in words: "expected a number from 0 to 2, found the text "high""."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_TYPES = {
    "null": "nothing",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "array": "a list",
    "object": "a mapping",
}
_LONGEST = 60
# What YAML 1.1 takes for truth values.
_TRUTHS = {**dict.fromkeys(("y", "yes", "on"), "true"), **dict.fromkeys(("n", "no", "off"), "false")}

# A number as people write one in quotes, or with `_` between its digits.
_NUMBER = re.compile(r"[-+]?(\.\d[\d_]*|\d[\d_]*(\.[\d_]*)?)([eE][-+]?\d+)?", re.ASCII)


def describe(value: Any) -> str:
    """A found value, short enough for a sentence."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        if not value:
            return "an empty text"
        shown = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
        return f'"{shown}"'
    if isinstance(value, list):
        return f"a list of {len(value)} {'entry' if len(value) == 1 else 'entries'}" if value else "an empty list"
    if isinstance(value, Mapping):
        count = len(value)
        return f"a mapping of {count} key{'s' if count > 1 else ''}" if value else "an empty mapping"
    return json.dumps(value)


def expected(schema: Mapping[str, Any], keyword: str) -> str:
    """What a schema wants, as a noun: its title, or what its type and bounds say."""
    title = schema.get("title")
    noun = str(title) if title else _type_noun(schema)
    if not any(char.isdigit() for char in noun):
        noun += _bounds(schema)
    if keyword in ("minItems", "maxItems"):
        noun += _count(schema)
    example = (schema.get("examples") or [None])[0]
    if keyword in ("pattern", "type") and isinstance(example, str) and " " not in example:
        noun += f' such as "{example}"'
    elif keyword == "pattern" and not title and (described := schema.get("description")):
        noun += f" ({str(described).removesuffix('.')})"
    return noun


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do about a value of the wrong type, in words and as a change of the text that wrote it."""

    help: str = ""
    rewrite: Callable[[str], str] | None = None


def hint(schema: Mapping[str, Any], value: Any) -> Hint:
    """The way out for a value of the wrong type, when it can be told; none of them changes what is meant."""
    types = schema.get("type", [])
    wanted = {types} if isinstance(types, str) else set(types)
    if not wanted:
        return Hint()
    if isinstance(value, str):
        word = value.casefold()
        if "boolean" in wanted and word in _TRUTHS:
            return Hint("YAML 1.2 knows only `true` and `false`", lambda _: _TRUTHS[word])
        if wanted & {"number", "integer"} and "string" not in wanted and _NUMBER.fullmatch(value.strip()):
            return _as_number(value.strip())
        if wanted == {"array"}:
            # `"10, 20"` is a list in quotes; what holds no comma is one entry of it.
            return Hint(f"put it into a list: `[{value}]`", lambda text: f"[{value if ',' in value else text}]")
        if "`do`" in str(schema.get("title", "")):
            return _as_step(value)
    elif wanted == {"string"} and isinstance(value, bool | int | float) and _fits_as_text(schema, value):
        return Hint("put quotes around it", json.dumps)
    return Hint()


def _as_number(text: str) -> Hint:
    """A number in quotes, or one with `_` between its digits, which YAML 1.2 reads as a text."""
    number = text.replace("_", "")
    if number != text:
        return Hint(f"write `{number}`: YAML 1.2 has no `_` in numbers", lambda _: number)
    return Hint("remove the quotes", lambda written: written.strip("\"'"))


def _as_step(text: str) -> Hint:
    """A step that is only a text: a subtask alone, or `do:object-removal` without the blank."""
    name = text.removeprefix("do:").strip()
    if not re.fullmatch(r"[A-Za-z][\w-]*", name):
        return Hint("a step is a mapping: `{do: object-removal, object: dog}`, with a blank behind each colon")
    lacks = "a blank is missing behind the colon: " if text.startswith("do:") else ""
    return Hint(f"{lacks}write `{{do: {name}}}`", lambda _: f"{{do: {name}}}")


def _fits_as_text(schema: Mapping[str, Any], value: float) -> bool:
    return bool(re.search(schema.get("pattern", ""), json.dumps(value)))


def listing(words: Iterable[str], most: int = 12) -> str:
    """`a, b, c`, cut after `most`."""
    names = list(words)
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _type_noun(schema: Mapping[str, Any]) -> str:
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else list(types)
    return " or ".join(_TYPES[name] for name in names) or "another value"


def _bounds(schema: Mapping[str, Any]) -> str:
    least, most, above, below = (
        schema.get(key) for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    )
    if least is not None and most is not None:
        return f" from {least:g} to {most:g}"
    low = "" if least is None and above is None else f"at least {least:g}" if above is None else f"above {above:g}"
    high = "" if most is None and below is None else f"at most {most:g}" if below is None else f"below {below:g}"
    if low and high:
        return f" {low} and {high}"
    bound = low or high
    return f" of {bound}" if bound.startswith("at ") else f" {bound}" if bound else ""


def _count(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least == most:
        return f" with {least} entries"
    if most is None:
        return f" with at least {least} entr{'y' if least == 1 else 'ies'}"
    return f" with at most {most} entr{'y' if most == 1 else 'ies'}"
