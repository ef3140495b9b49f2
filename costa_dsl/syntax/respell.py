"""Fixes that put one scalar in the place of another, in the quotes that it needs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from costa_dsl.diagnostics import Fix, SourceSpan, replace_with
from costa_dsl.syntax.scalars import resolve

# Plain in block and in flow style, to readers of YAML 1.1 and 1.2 alike.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./%-]*(?: [A-Za-z0-9_./%-]+)*")
_YAML_1_1_WORDS = frozenset({"y", "n", "yes", "no", "on", "off"})


def quoted(text: str) -> str:
    """A text as a YAML scalar: plain when every reader takes it for a text, else in double quotes."""
    if _PLAIN.fullmatch(text) and resolve(text) == text and text.casefold() not in _YAML_1_1_WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


def respell(span: SourceSpan, found: str, wanted: str) -> Fix | None:
    """The fix for a misspelt scalar; None where the span does not hold the scalar itself (an alias, a variable).

    It is safe when the two differ only in case and in the marks between their words: `Object_Removal` can
    mean nothing but `object-removal`.
    """
    text = span.text
    quote = text[:1] if text[:1] in ("'", '"') else ""
    if text.strip("'\"") != found or (quote and not text.endswith(quote)):
        return None
    return replace_with(
        span, f"{quote}{wanted}{quote}" if quote else quoted(wanted), safe=folded(found) == folded(wanted)
    )


def rewritten(span: SourceSpan, rewrite: Callable[[str], str]) -> Fix | None:
    """The fix that changes how a value is written and not what it means; None where an anchor, an alias, a tag, a
    block scalar or nothing stands: there, more than the value would change.
    """
    text = span.text
    if not text or text[0] in "&*!|>" or "\n" in text or (written := rewrite(text)) == text:
        return None
    return replace_with(span, written, safe=True)


def folded(name: str) -> str:
    """A name without what people write in different ways: case, blanks, underscores, hyphens."""
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())
