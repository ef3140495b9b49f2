"""Applies the comments with which authors live with findings, and reports those that do nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from costa_dsl.diagnostics import Diagnostic, Severity, Sink, SourceText, closest
from costa_dsl.diagnostics.pages import codes
from costa_dsl.syntax import read_documents
from costa_dsl.syntax.suppressions import Suppression, suppressions_of


def suppress(found: Iterable[Diagnostic], source: SourceText, comments: Sequence[Suppression]) -> list[Diagnostic]:
    """The findings of a text, those that a comment speaks of marked with its reason, and findings about the comments.

    Errors cannot be lived with: what comes after validation would fail at them.
    """
    marked: list[Diagnostic] = []
    used: set[tuple[int, str]] = set()
    whole = True
    for diagnostic in found:
        span = diagnostic.span
        here = span is not None and span.source is source
        if here and diagnostic.severity is Severity.ERROR:
            whole = False
        for index, comment in enumerate(comments):
            if here and span and span.line in comment.lines and diagnostic.code in comment.codes:
                used.add((index, diagnostic.code))
                if diagnostic.severity is not Severity.ERROR and comment.reason:
                    diagnostic = replace(diagnostic, suppressed=comment.reason)
                elif diagnostic.severity is Severity.ERROR:
                    marked.append(_error(comment, diagnostic.code))
        marked.append(diagnostic)
    for index, comment in enumerate(comments):
        marked += _about(comment, {code for number, code in used if number == index}, whole)
    return marked


def is_ignored(diagnostic: Diagnostic) -> bool:
    """Whether a comment in its text lives with a finding, for commands that print findings one by one."""
    span = diagnostic.span
    if span is None or diagnostic.severity is Severity.ERROR or "costa:" not in span.source.text:
        return False
    comments = suppressions_of(span.source, read_documents(span.source, Sink()))
    return any(span.line in one.lines and diagnostic.code in one.codes and one.reason for one in comments)


def _about(comment: Suppression, used: set[str], whole: bool) -> Iterable[Diagnostic]:
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
            near = closest(code, codes())
            label = f'did you mean "{near}"?' if near else ""
            yield Diagnostic("COS0032", f'there is no code "{code}"', comment.span, Severity.WARNING, label=label)
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


def _where(comment: Suppression) -> str:
    first, last = comment.lines[0], comment.lines[-1]
    return f"line {first}" if first == last else f"lines {first} to {last}"
