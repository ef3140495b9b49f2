"""A name for a finding that stays when lines above it come and go, so that services can follow it over time."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from costa_dsl.diagnostics.diagnostic import Diagnostic
from costa_dsl.diagnostics.source import SourceText

if TYPE_CHECKING:
    from hashlib import _Hash


def fingerprints(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """One name for each finding, in their order: 16 hexadecimal digits, a colon, and a number.

    The digits are a SHA-256 over code, file, message and the line's text without its blanks; line numbers
    are no part of it. The number tells findings apart that are alike in all of these, counted from 1 down
    the file (as `partialFingerprints` of SARIF 2.1.0, §3.27.17, are meant).
    """
    seen: Counter[str] = Counter()
    begun: dict[tuple[str, SourceText | None, int], _Hash] = {}
    found = []
    for diagnostic in diagnostics:
        span = diagnostic.span
        source, line = (span.source, span.line) if span else (None, 0)
        key = (diagnostic.code, source, line)
        if key not in begun:
            begun[key] = _begun(*key)
        # Findings may be many, and their line long: what they share is hashed once, and gone on from.
        story = begun[key].copy()
        story.update(_bytes(diagnostic.message))
        digits = story.hexdigest()[:16]
        seen[digits] += 1
        found.append(f"{digits}:{seen[digits]}")
    return found


def _begun(code: str, source: SourceText | None, line: int) -> _Hash:
    name, text = (source.name, "".join(source.line_text(line).split())) if source else ("", "")
    return hashlib.sha256(_bytes("\0".join((code, name, text, ""))))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
