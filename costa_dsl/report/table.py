"""Plain tables for terminals and logs: no box drawing, columns as wide as their longest cell."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Aligned columns; those numbered in `right` are flushed right. Ends in a line break."""
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        parts = []
        for column, cell in enumerate(row):
            gap = " " * (widths[column] - _width(cell))
            parts.append(gap + cell if column in right else cell + gap)
        lines.append("  ".join(parts).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines) + "\n"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
