"""What a plain YAML scalar means: the core schema of YAML 1.2.2, chapter 10.3.2.

PyYAML's own resolver speaks YAML 1.1, where `no` is false, `017` is fifteen, `12:30` is 750 and `1e-3` is a
string. costa never uses it.
"""

from __future__ import annotations

import re

TAG_PREFIX = "tag:yaml.org,2002:"

Scalar = None | bool | int | float | str

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN = frozenset({".nan", ".NaN", ".NAN"})
# Nothing in costa counts further; Python itself refuses to read integers of more than 4300 digits.
_MOST_DIGITS = 100


class UnfitScalar(ValueError):  # noqa: N818  (it is a finding about the text, not a fault of the program)
    """A text that its explicit tag does not fit (`!!int abc`), or a number with too many digits."""


def resolve(text: str) -> Scalar:
    """The value of a plain (unquoted, untagged) scalar.

    Raises:
        UnfitScalar: an integer with more than 100 digits.
    """
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    # Almost every scalar is a word: do not try six patterns on each.
    if text[0] not in "+-.0123456789":
        return text
    number = _integer(text)
    if number is not None:
        return number
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITY.fullmatch(text):
        return float("-inf") if text[0] == "-" else float("inf")
    if text in _NAN:
        return float("nan")
    return text


def resolve_tagged(text: str, tag: str) -> Scalar:
    """The value of a scalar with an explicit core tag: `!!str 3` is the string "3".

    Raises:
        UnfitScalar: the text does not fit the tag.
        KeyError: the tag is not one of the core schema's scalar tags.
    """
    kind = _KINDS[tag.removeprefix(TAG_PREFIX)]
    if kind is str:
        return text
    value = resolve(text)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise UnfitScalar(f'"{text}" does not fit the tag !!{tag.removeprefix(TAG_PREFIX)}')
    return value


_KINDS: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool, "null": type(None)}
SCALAR_TAGS = frozenset(TAG_PREFIX + name for name in _KINDS)


def _integer(text: str) -> int | None:
    if _DECIMAL.fullmatch(text):
        if len(text) > _MOST_DIGITS:
            raise UnfitScalar(f"a number of {len(text)} digits is more than costa reads ({_MOST_DIGITS})")
        return int(text)
    if _OCTAL.fullmatch(text) and len(text) <= _MOST_DIGITS:
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text) and len(text) <= _MOST_DIGITS:
        return int(text[2:], 16)
    return None
