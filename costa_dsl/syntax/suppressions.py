"""`# costa: ignore[COS3202] the reason`: a comment with which an author lives with a finding.

Behind a value it is about the findings of its own line; on a line of its own, about those of the next line that is
no comment. A mapping or list in brackets counts as one line, however many it is broken into.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from costa_dsl.diagnostics import SourceSpan, SourceText
from costa_dsl.syntax.document import Document, Node

_HEAD = re.compile(r"(?:(?<=\s)|^)#[ \t]*costa:[ \t]*ignore\b", re.MULTILINE)
_COMMENT = re.compile(r"#[ \t]*costa:[ \t]*ignore\b(?:[ \t]*\[(?P<codes>[^\]\n\r]*)\])?(?P<reason>[^\n\r]*)")
_BEFORE_REASON = " \t:–—-"


@dataclass(frozen=True, slots=True)
class Suppression:
    """What one comment asks for.

    Attributes:
        span: the comment.
        codes: the codes in brackets, as they were written; empty when there are none.
        reason: what the author says about it; empty when nothing.
        lines: the 1-based lines whose findings are meant.
    """

    span: SourceSpan
    codes: tuple[str, ...]
    reason: str
    lines: range


def suppressions_of(source: SourceText, documents: Iterable[Document]) -> list[Suppression]:
    """Every such comment of a text; what looks like one inside a key, a quoted text or a block scalar is none."""
    nodes = [node for document in documents if document.root for node in _nodes(document.root)]
    stretches = _Stretches(nodes)
    lines = _Lines(source, nodes)
    found = []
    start = 0
    while match := _HEAD.search(source.text, start):
        start = stretches.end_around(match.start())
        if start > match.start():
            continue
        whole = _COMMENT.match(source.text, match.start())
        assert whole is not None  # it begins as _HEAD does, and all that follows may be missing
        codes = tuple(code.strip() for code in (whole["codes"] or "").split(",") if code.strip())
        reason = whole["reason"].strip().strip(_BEFORE_REASON).strip()
        span = SourceSpan(source, whole.start(), whole.start() + len(whole[0].rstrip()))
        found.append(Suppression(span, codes, reason, lines.meant(span.line)))
        start = whole.end()
    return found


def _nodes(root: Node) -> Iterable[Node]:
    """Every node once: an alias shares its children with its anchor, and so on down."""
    stack = [root]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend((*node.entries.values(), *node.items))


class _Stretches:
    """The places of keys and scalars, in which no comment begins."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        places: list[tuple[int, int]] = []
        for node in nodes:
            places += node.keys.values()
            if not node.entries and not node.items:
                places.append((node.start, node.end))
        places.sort()
        self._starts = [start for start, _ in places]
        self._ends = list(accumulate((end for _, end in places), max))

    def end_around(self, offset: int) -> int:
        """Where the stretch that holds an offset ends; the offset itself when none does."""
        index = bisect_right(self._starts, offset) - 1
        return max(offset, self._ends[index]) if index >= 0 else offset


class _Lines:
    """Which lines a comment means. All of them are looked at once, however many comments ask."""

    def __init__(self, source: SourceText, nodes: Iterable[Node]) -> None:
        self._source = source
        self._last = source.line_of(len(source.text))
        self._opened: dict[int, int] = {}  # line of a closing bracket → that of its opening one
        self._closed: dict[int, int] = {}  # and the other way around; the widest where several share a line
        for node in nodes:
            if source.text[node.start : node.start + 1] in ("{", "["):
                first, last = source.line_of(node.start), source.line_of(max(node.start, node.end - 1))
                self._opened[last] = min(first, self._opened.get(last, first))
                self._closed[first] = max(last, self._closed.get(first, last))

    @cached_property
    def _content(self) -> list[int]:
        """The lines that hold more than a comment."""
        texts = ((line, self._source.line_text(line).strip()) for line in range(1, self._last + 1))
        return [line for line, text in texts if text and not text.startswith("#")]

    def meant(self, line: int) -> range:
        """Backwards from a comment behind a value, forwards from a comment of its own."""
        if not self._is_comment(line):
            return range(self._opened.get(line, line), line + 1)
        index = bisect_right(self._content, line)
        line = self._content[index] if index < len(self._content) else self._last
        return range(line, self._closed.get(line, line) + 1)

    def _is_comment(self, line: int) -> bool:
        return self._source.line_text(line).lstrip().startswith("#")
