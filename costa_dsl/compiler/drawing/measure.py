"""How wide a text may become on a screen whose fonts are not known: an upper estimate, so that nothing overlaps."""

from __future__ import annotations

import unicodedata

# Shares of the font size, no less than in the widest of the usual fonts without serifs (Verdana, DejaVu Sans).
_GROUPS = ((".,:;'|!iIjl· ", 0.40), ('-()[]{}/\\frt"`°', 0.47), ("mwMW@%…→—", 1.04), ("QOGHNDU&+=<>~#", 0.88))
_WIDTHS = {char: width for chars, width in _GROUPS for char in chars}
BOLD = 1.13


def text_width(text: str, size: float, bold: bool = False) -> float:
    """At most how wide the text is, in the unit of `size`."""
    return sum(_width(char) for char in text) * size * (BOLD if bold else 1.0)


def _width(char: str) -> float:
    if char in _WIDTHS:
        return _WIDTHS[char]
    base = unicodedata.normalize("NFD", char)[0]  # é is as wide as e
    if base < "\x80":
        return _WIDTHS.get(base, 0.78 if base.isupper() else 0.66)
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.4 if unicodedata.category(char) == "So" else 1.05  # emoji are wider than their size
    return 1.05


def cut_to(text: str, size: float, most: float, bold: bool = False) -> str:
    """The text, shortened with `…` so that it is no wider than `most`."""
    if text_width(text, size, bold) <= most:
        return text
    room = most - text_width("…", size, bold)
    kept: list[str] = []
    for char in text:
        room -= text_width(char, size, bold)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip(" \u200d") + "…"


def wrap(text: str, size: float, most: float, lines: int) -> list[str]:
    """The text in lines no wider than `most`; what does not fit into so many lines is cut with `…`."""
    rows: list[str] = []
    for word in text.split():
        longer = f"{rows[-1]} {word}" if rows else word
        if rows and text_width(longer, size) <= most:
            rows[-1] = longer
        else:
            rows.append(word)
    if len(rows) > lines:
        rows[lines - 1 :] = [" ".join(rows[lines - 1 :])]
    return [cut_to(row, size, most) for row in rows]
