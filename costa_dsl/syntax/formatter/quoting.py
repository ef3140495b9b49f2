"""Scalars as the form writes them: plain where every reader sees a text, quoted where an old one would not."""

from __future__ import annotations

import re

from costa_dsl.syntax.formatter.tree import Leaf, Style
from costa_dsl.syntax.scalars import UnfitScalar, resolve

# What the core schema of YAML 1.2 reads as a text and YAML 1.1 does not (yaml.org/type): truth values, the
# merge key, the value key, numbers with underscores, in base two or in base sixty, and dates.
_OTHERWISE = re.compile(
    r"""
    yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF
    | <<|=
    | [-+]?0b[01_]+ | [-+]?[0-9][0-9_]* | [-+]?0x[0-9a-fA-F_]+
    | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
    | [-+]?([0-9][0-9_]*)?\.[0-9._]*([eE][-+]?[0-9]+)?
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?
        ([ \t]*(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?)?
    """,
    re.VERBOSE,
)
# Where a line begins with it, a document begins or ends.
MARKER = re.compile(r"(---|\.\.\.)(\s|$)")
# A text that needs no second look: it begins with a letter and has nothing that YAML gives a meaning to.
_WORDS = re.compile(r"""[^\W\d_](?:[^:#"\\,\[\]{}]*[^\s:#"\\,\[\]{}])?""")
_WORDS_AND_COMMAS = re.compile(r"""[^\W\d_](?:[^:#"\\\[\]{}]*[^\s:#"\\\[\]{}])?""")
# Without quotes, libyaml looks for the colon of a key over 1024 characters only.
_LONGEST = 1000


# Truth values of YAML 1.1 by the book, though hardly for any reader: costa's own tables have a key `n`.
_LETTERS = frozenset("yYnN")


def written(leaf: Leaf, in_flow: bool, as_key: bool = False) -> str:
    """A scalar's text on one line, or as its author wrote it when it has several lines or a tag."""
    if leaf.style not in (Style.PLAIN, Style.SINGLE, Style.DOUBLE):
        return leaf.text
    if "!" in leaf.properties or "\n" in leaf.text or len(leaf.text) > _LONGEST:
        return leaf.text
    if leaf.style is Style.PLAIN:
        return _quoted(leaf.text) if _is_text(leaf.value) and _misread(leaf.value, as_key) else leaf.text
    if _is_plain(leaf.value, in_flow, as_key) and "\\" not in leaf.text:
        return leaf.value
    if leaf.style is Style.SINGLE and not any(char in '"\\' or not char.isprintable() for char in leaf.value):
        return f'"{leaf.value}"'
    return leaf.text


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else "'" + text.replace("'", "''") + "'"


def _is_plain(value: str, in_flow: bool, as_key: bool) -> bool:
    pattern = _WORDS if in_flow else _WORDS_AND_COMMAS
    return bool(pattern.fullmatch(value) and value.isprintable() and _is_text(value) and not _misread(value, as_key))


def _misread(text: str, as_key: bool) -> bool:
    return bool(_OTHERWISE.fullmatch(text) or MARKER.match(text)) or (text in _LETTERS and not as_key)


def _is_text(value: str) -> bool:
    try:
        return isinstance(resolve(value), str)
    except UnfitScalar:
        return False
