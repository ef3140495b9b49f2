"""Applies the comments with which authors live with findings, and reports those that do nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from costa_dsl.diagnostics import Diagnostic, Severity, Sink, SourceText, closest
from costa_dsl.diagnostics.pages import codes
from costa_dsl.syntax import read_documents
from costa_dsl.syntax.suppressions import Suppression, suppressions_of

_MOST_GUESSES = 100
_LONGEST = 20  # no slip in a code is longer


def suppress(found: Iterable[Diagnostic], source: SourceText, comments: Sequence[Suppression]) -> list[Diagnostic]:
    """The findings of a text, those that a comment speaks of marked with its reason, and findings about the comments.

    Errors cannot be lived with: what comes after validation would fail at them.
    """
    marked: list[Diagnostic] = []
    index = _Index(comments)
    used: set[tuple[range, str]] = set()
    refused: set[tuple[range, str]] = set()
    whole = True
    guesses: dict[str, str | None] = {}
    for diagnostic in found:
        span = diagnostic.span
        if span is None or span.source is not source:
            marked.append(diagnostic)
            continue
        places = index.places(span.line, diagnostic.code)
        used.update(places)
        if diagnostic.severity is Severity.ERROR:
            whole = False
            refused.update(places)
        elif reason := index.reason(places):
            diagnostic = replace(diagnostic, suppressed=reason)
        marked.append(diagnostic)
    for comment in comments:
        codes = dict.fromkeys(comment.codes)
        marked += [_error(comment, code) for code in codes if (comment.lines, code) in refused]
        marked += _about(comment, {code for code in codes if (comment.lines, code) in used}, whole, guesses)
    return marked


def is_ignored(diagnostic: Diagnostic) -> bool:
    """Whether a comment in its text lives with a finding, for commands that print findings one by one."""
    span = diagnostic.span
    if span is None or diagnostic.severity is Severity.ERROR or "costa:" not in span.source.text:
        return False
    index = _index_of(span.source)
    return bool(index.reason(index.places(span.line, diagnostic.code)))


class _Index:
    """Comments by their lines, so that no finding is compared with every comment.

    A place is the lines that comments mean, and a code. Many comments may share one: what is known about a place
    is known about all of them.
    """

    def __init__(self, comments: Iterable[Suppression]) -> None:
        self._reasons: dict[tuple[range, str], tuple[int, str]] = {}  # with the position of the comment
        self._ranges: dict[int, list[range]] = {}
        for position, comment in enumerate(comments):
            for code in comment.codes:
                self._reasons.setdefault((comment.lines, code), (position, ""))
                if comment.reason:
                    self._reasons[comment.lines, code] = (position, comment.reason)
        for lines in dict.fromkeys(lines for lines, _ in self._reasons):
            for line in lines:
                self._ranges.setdefault(line, []).append(lines)

    def places(self, line: int, code: str) -> list[tuple[range, str]]:
        """The places that a finding of this code in this line stands in."""
        return [(lines, code) for lines in self._ranges.get(line, ()) if (lines, code) in self._reasons]

    def reason(self, places: Iterable[tuple[range, str]]) -> str:
        """The reason that the last comment with a reason gives; empty when none gives any."""
        given = [self._reasons[place] for place in places]
        return max((one for one in given if one[1]), default=(0, ""))[1]


@lru_cache(maxsize=8)
def _index_of(source: SourceText) -> _Index:
    return _Index(suppressions_of(source, read_documents(source, Sink())))


def _about(comment: Suppression, used: set[str], whole: bool, guesses: dict[str, str | None]) -> Iterable[Diagnostic]:
    """What is wrong with a comment; whether it does nothing is only known when the rest of the file was understood."""
    if not comment.codes:
        yield Diagnostic(
            "COS0031",
            "this comment does not say which finding is meant",
            comment.span,
            Severity.WARNING,
            help="name its code: `# costa: ignore[COS3202] the reason`",
        )
        return
    if not comment.reason:
        yield Diagnostic(
            "COS0031",
            "this comment gives no reason, so it has no effect",
            comment.span,
            Severity.WARNING,
            help="say behind the bracket why the finding is acceptable here",
        )
    for code in comment.codes:
        if code not in codes():
            yield Diagnostic(
                "COS0032", f'there is no code "{code}"', comment.span, Severity.WARNING, label=_meant(code, guesses)
            )
        elif code not in used and whole:
            yield Diagnostic(
                "COS0032",
                f"{code} is not found in {_where(comment)}",
                comment.span,
                Severity.WARNING,
                label="this comment does nothing",
                help="take it out, or put it at the end of the line that the finding is in",
            )


def _error(comment: Suppression, code: str) -> Diagnostic:
    return Diagnostic(
        "COS0033",
        f"{code} is an error here and cannot be ignored",
        comment.span,
        Severity.WARNING,
        help="mend it: what comes after validation would fail at it",
    )


def _meant(code: str, guesses: dict[str, str | None]) -> str:
    """Did you mean …? To compare a text with every code takes a while: that is done for the first few slips only."""
    if code not in guesses and len(guesses) < _MOST_GUESSES and len(code) <= _LONGEST:
        guesses[code] = closest(code, codes())
    near = guesses.get(code)
    return f'did you mean "{near}"?' if near else ""


def _where(comment: Suppression) -> str:
    first, last = comment.lines[0], comment.lines[-1]
    return f"line {first}" if first == last else f"lines {first} to {last}"
