"""A name for a finding that stays when lines above it come and go, so that services can follow it over time."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from costa_dsl.diagnostics.diagnostic import Diagnostic


def fingerprints(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """One name for each finding, in their order: 16 hexadecimal digits, a colon, and a number.

    The digits are a SHA-256 over code, file, message and the line's text without its blanks; line numbers
    are no part of it. The number tells findings apart that are alike in all of these, counted from 1 down
    the file (as `partialFingerprints` of SARIF 2.1.0, §3.27.17, are meant).
    """
    seen: Counter[str] = Counter()
    found = []
    for diagnostic in diagnostics:
        span = diagnostic.span
        place = (span.source.name, "".join(span.source.line_text(span.line).split())) if span else ("", "")
        story = "\0".join((diagnostic.code, *place, diagnostic.message))
        digits = hashlib.sha256(story.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        seen[digits] += 1
        found.append(f"{digits}:{seen[digits]}")
    return found
