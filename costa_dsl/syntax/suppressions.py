"""`# costa: ignore[COS3202] the reason`: a comment with which an author lives with a finding.

Behind a value it is about the findings of its own line; on a line of its own, about those of the next line that is
no comment. A mapping or list in brackets counts as one line, however many it is broken into.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from costa_dsl.diagnostics import SourceSpan, SourceText
from costa_dsl.syntax.document import Document, Node

_COMMENT = re.compile(
    r"(?:(?<=\s)|^)#\s*costa:\s*ignore\b(?:\s*\[(?P<codes>[^\]\n]*)\])?(?P<reason>[^\n\r]*)", re.MULTILINE
)
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
    """Every such comment of a text; what looks like one inside a quoted text or a block scalar is none."""
    nodes = [node for document in documents if document.root for node in _nodes(document.root)]
    scalars = [(node.start, node.end) for node in nodes if not node.entries and not node.items]
    brackets = [
        range(source.line_of(node.start), source.line_of(max(node.start, node.end - 1)) + 1)
        for node in nodes
        if source.text[node.start : node.start + 1] in ("{", "[")
    ]
    found = []
    for match in _COMMENT.finditer(source.text):
        if any(start <= match.start() < end for start, end in scalars):
            continue
        codes = tuple(code.strip() for code in (match["codes"] or "").split(",") if code.strip())
        reason = match["reason"].strip().strip(_BEFORE_REASON).strip()
        span = SourceSpan(source, match.start(), match.start() + len(match[0].rstrip()))
        found.append(Suppression(span, codes, reason, _lines_meant(source, span.line, brackets)))
    return found


def _nodes(root: Node) -> Iterable[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend((*node.entries.values(), *node.items))


def _lines_meant(source: SourceText, line: int, brackets: Sequence[range]) -> range:
    """Backwards from a comment behind a value, forwards from a comment of its own."""
    if not source.line_text(line).lstrip().startswith("#"):
        return range(min([line, *(lines[0] for lines in brackets if lines[-1] == line)]), line + 1)
    last = source.line_of(len(source.text))
    while line < last:
        line += 1
        text = source.line_text(line).strip()
        if text and not text.startswith("#"):
            break
    return range(line, max([line, *(lines[-1] for lines in brackets if lines[0] == line)]) + 1)
