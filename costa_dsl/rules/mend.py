"""Applies the fixes of findings to texts, round by round, until none is left to apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from costa_dsl.diagnostics import Diagnostic, SourceText, apply_fixes
from costa_dsl.rules.validate import Request, counted, validate_texts

# A fix may bring to light what it hid; none of costa's needs more than a few rounds.
_MOST_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Mended:
    """The texts after mending, what is still found in them, and how many fixes were applied."""

    sources: Sequence[SourceText]
    found: Sequence[Diagnostic]
    applied: int


def mend(sources: Iterable[SourceText], request: Request, *, unsafe: bool) -> Mended:
    """Apply the safe fixes, or with `unsafe` all of them, and validate again.

    A text whose findings were made from a changed copy of it (one with a secret) is left as it is. A round that
    brings errors where there were none is taken back: a fix may never make a file worse.
    """
    sources = list(sources)
    found = validate_texts(sources, request)
    applied = 0
    for _ in range(_MOST_ROUNDS):
        fixes = [diagnostic.fix for diagnostic in counted(found) if diagnostic.fix and (unsafe or diagnostic.fix.safe)]
        after, count = [], 0
        for source in sources:
            text, done = apply_fixes(source, fixes)
            count += len(done)
            after.append(SourceText(source.name, text) if done else source)
        if not count:
            break
        found_after = validate_texts(after, request)
        if _badness(found_after) > _badness(found):
            break
        sources, found, applied = after, found_after, applied + count
    return Mended(sources, found, applied)


def _badness(found: Sequence[Diagnostic]) -> int:
    """How many findings stop a file from being understood at all: syntax and schema."""
    return sum(diagnostic.code[3] in "01" for diagnostic in counted(found))
