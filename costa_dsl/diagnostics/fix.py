"""A finding's way out as a change of the text: edits by span, so that comments and layout stay as they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from costa_dsl.diagnostics.source import SourceSpan, SourceText


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` in the place of what stands in `span`; an empty span inserts."""

    span: SourceSpan
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What would end a finding.

    Attributes:
        title: what it does, as an imperative: `write "object-removal"`.
        edits: of one source text, none of them overlapping another.
        safe: it cannot change what the author meant. An unsafe one is a good guess, for a person to look at.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


def replace_with(span: SourceSpan, text: str, title: str = "", safe: bool = False) -> Fix:
    """The fix that puts one text in the place of one span."""
    return Fix(title or f"write `{text}`", (Edit(span, text),), safe)


def apply_fixes(source: SourceText, fixes: Iterable[Fix]) -> tuple[str, list[Fix]]:
    """The text with as many of the fixes as fit together, and those that were applied.

    Fixes are taken in the order given; one with an edit that touches an edit taken before is left out (its
    finding, if it still stands, comes back in the next round).
    """
    taken: list[Edit] = []
    applied: list[Fix] = []
    for fix in fixes:
        edits = [edit for edit in fix.edits if edit.span.source is source]
        if len(edits) == len(fix.edits) and not any(_touch(edit, other) for edit in edits for other in taken):
            taken += edits
            applied.append(fix)
    text = source.text
    for edit in sorted(taken, key=lambda edit: (edit.span.start, edit.span.end), reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text, applied


def _touch(one: Edit, other: Edit) -> bool:
    return one.span.start <= other.span.end and other.span.start <= one.span.end
