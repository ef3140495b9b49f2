"""Texts and places in them.

Offsets, lines and columns count *code points* (as Python strings do); lines and columns start at 1.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, eq=False)
class SourceText:
    """A text with the name that people know it by: a path as they typed it, or `<stdin>`."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        starts.extend(index + 1 for index, char in enumerate(self.text) if char == "\n")
        return starts

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds the code point at `offset`."""
        return bisect_right(self._line_starts, offset)

    def line_start(self, line: int) -> int:
        """The offset of the first code point of a 1-based line."""
        return self._line_starts[line - 1]

    def line_text(self, line: int) -> str:
        """A 1-based line without its line break."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        return self.text[start:end].removesuffix("\r")


@dataclass(frozen=True, eq=False)
class SourceSpan:
    """The half-open stretch [start, end) of a source text."""

    source: SourceText
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.line_of(self.start)

    @property
    def column(self) -> int:
        return self.start - self.source.line_start(self.line) + 1

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        if not self.source.text:
            return self.source.name  # a file of which nothing was read, or in which there is nothing
        return f"{self.source.name}:{self.line}:{self.column}"
