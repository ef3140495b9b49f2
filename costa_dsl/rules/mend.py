"""Applies the fixes of findings to texts, round by round, until none is left to apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from costa_dsl.diagnostics import Diagnostic, Fix, Severity, Sink, SourceText, apply_fixes
from costa_dsl.rules.validate import Request, counted, validate_texts
from costa_dsl.schema import check_document
from costa_dsl.syntax import read_documents

# A fix may bring to light what it hid; none of costa's needs more than a few rounds.
_MOST_ROUNDS = 10
# Beyond this many, fixes that do not fit together are left to the next call.
_MOST_SINGLE = 200


@dataclass(frozen=True, slots=True)
class Mended:
    """The texts after mending, what is still found in them, and how many fixes were applied."""

    sources: Sequence[SourceText]
    found: Sequence[Diagnostic]
    applied: int


def mend(sources: Iterable[SourceText], request: Request, *, unsafe: bool) -> Mended:
    """Apply the safe fixes, or with `unsafe` all of them, and validate again.

    A text whose findings were made from a changed copy of it (one with a secret) is left as it is. A fix may never
    make a file worse: one that brings a fault of syntax, or more faults of the schema, is left out.
    """
    sources = list(sources)
    found = validate_texts(sources, request)
    applied = 0
    for _ in range(_MOST_ROUNDS):
        fixes = [diagnostic.fix for diagnostic in counted(found) if diagnostic.fix and (unsafe or diagnostic.fix.safe)]
        mended = [_mended(source, [fix for fix in fixes if fix.edits[0].span.source is source]) for source in sources]
        count = sum(number for _, number in mended)
        if not count:
            break
        sources = [source for source, _ in mended]
        found, applied = validate_texts(sources, request), applied + count
    return Mended(sources, found, applied)


def _mended(source: SourceText, fixes: Sequence[Fix]) -> tuple[SourceText, int]:
    """A text with all of its fixes; when they make it worse together, with those that do not, one by one."""
    text, done = apply_fixes(source, fixes)
    if not done:
        return source, 0
    before = _faults(source)
    if _faults(SourceText(source.name, text)) <= before:
        return SourceText(source.name, text), len(done)
    kept: list[Fix] = []
    for fix in done[:_MOST_SINGLE]:
        text, applied = apply_fixes(source, [*kept, fix])
        if len(applied) > len(kept) and _faults(SourceText(source.name, text)) <= before:
            kept.append(fix)
    text, _ = apply_fixes(source, kept)
    return (SourceText(source.name, text), len(kept)) if kept else (source, 0)


def _faults(source: SourceText) -> tuple[int, int]:
    """How many faults of syntax, and of syntax and schema together, a text has."""
    sink = Sink()
    for document in read_documents(source, sink):
        check_document(document, sink)
    codes = [diagnostic.code[3] for diagnostic in sink.sorted() if diagnostic.severity is Severity.ERROR]
    return codes.count("0"), codes.count("0") + codes.count("1")
