"""A finding's way out as a change of the text: edits by span, so that comments and layout stay as they are."""

from __future__ import annotations

from bisect import bisect_right, insort_left
from collections.abc import Iterable, Sequence
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
    taken: list[Edit] = []  # sorted; since none overlaps another, their ends are sorted, too
    applied: list[Fix] = []
    for fix in fixes:
        if all(edit.span.source is source and not _touches(edit, taken) for edit in fix.edits):
            for edit in fix.edits:
                insort_left(taken, edit, key=_place)
            applied.append(fix)
    parts: list[str] = []
    reached = 0
    for edit in taken:
        parts += (source.text[reached : edit.span.start], edit.text)
        reached = edit.span.end
    return "".join((*parts, source.text[reached:])), applied


def _touches(edit: Edit, taken: Sequence[Edit]) -> bool:
    """Whether an edit has a place, or a border, in common with one of these (sorted, without overlaps)."""
    index = bisect_right(taken, edit.span.end, key=lambda other: other.span.start)
    return index > 0 and taken[index - 1].span.end >= edit.span.start


def _place(edit: Edit) -> tuple[int, int]:
    return edit.span.start, edit.span.end
