"""Findings as people read them in a terminal, and as programs read them in JSON.

plans/market.yaml:9:12: error[COS3104]: unknown subtask "object-recolouring"
  9 |   - {do: object-recolouring, object: leaves, to: red}
    |          ^^^^^^^^^^^^^^^^^^ did you mean "object-recoloration"?
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from costa_dsl.diagnostics import Diagnostic, Severity, SourceSpan

JSON_VERSION = 1

_TAB = 4
_WIDEST = 120
_COLORS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.HINT: "\x1b[1;36m"}
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
# They reorder what stands on the screen, or hide in it; a source line must look like what it is.
_HIDING = frozenset("\u200b\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def wants_color(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Color only for a person at a terminal: NO_COLOR, CI, TERM=dumb and pipes get none."""
    if environment.get("NO_COLOR") or environment.get("CI") or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def render(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """Every finding with its piece of text; no summary. Empty when there are none, else ends in a line break."""
    return "\n".join(_render_one(diagnostic, color) for diagnostic in diagnostics)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty when there are none."""
    found = list(diagnostics)
    parts = []
    for severity in Severity:
        count = sum(diagnostic.severity is severity for diagnostic in found)
        if count:
            parts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return ", ".join(parts)


def to_json(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """Findings as plain data: `version`, `diagnostics`, and how many of each severity.

    Lines and columns start at 1 and count code points; `offset` starts at 0; ends are behind the last code point.
    """
    found = list(diagnostics)
    return {
        "version": JSON_VERSION,
        "diagnostics": [_one_to_json(diagnostic) for diagnostic in found],
        "summary": {
            f"{severity}s": sum(diagnostic.severity is severity for diagnostic in found) for severity in Severity
        },
    }


def _one_to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "label": diagnostic.label,
        "help": diagnostic.help,
        "span": _span_to_json(diagnostic.span),
        "related": [
            {"message": related.message, "span": _span_to_json(related.span)} for related in diagnostic.related
        ],
    }


def _span_to_json(span: SourceSpan | None) -> dict[str, Any] | None:
    if span is None:
        return None
    end = SourceSpan(span.source, span.end, span.end)
    return {
        "file": span.source.name,
        "start": {"line": span.line, "column": span.column, "offset": span.start},
        "end": {"line": end.line, "column": end.column, "offset": span.end},
    }


def _render_one(diagnostic: Diagnostic, color: bool) -> str:
    paint = _COLORS[diagnostic.severity]
    where = f"{_visible(str(diagnostic.span))}: " if diagnostic.span else ""
    kind = _painted(f"{diagnostic.severity}[{diagnostic.code}]", paint, color)
    lines = [f"{_painted(where, _BOLD, color)}{kind}: {_painted(_visible(diagnostic.message), _BOLD, color)}"]
    if diagnostic.span:
        lines += _snippet(diagnostic.span, diagnostic.label, paint, color)
    elif diagnostic.label:
        lines.append(f"  {_visible(diagnostic.label)}")
    for related in diagnostic.related:
        lines.append(f"  {_painted(_visible(str(related.span)), _BOLD, color)}: note: {_visible(related.message)}")
        lines += _snippet(related.span, "", _DIM, color)
    if diagnostic.help:
        first, *more = diagnostic.help.split("\n")
        lines.append(f"  {_painted('help', _BOLD, color)}: {_visible(first)}")
        lines += [f"        {_visible(reason)}" for reason in more]
    return "\n".join(lines) + "\n"


def _snippet(span: SourceSpan, label: str, paint: str, color: bool) -> list[str]:
    line = span.line
    start = span.start - span.source.line_start(line)
    text = span.source.line_text(line)
    # Of a stretch over several lines, the first is shown.
    end = min(max(start + (span.end - span.start), start + 1), max(len(text), start + 1))
    text, start, end = _cut(text, start, end)
    shown, columns = _laid_out(text)
    columns += [columns[-1] + 1] * (end + 1 - len(columns))
    gutter = f"  {line} | "
    pointer = " " * (len(gutter) - 2) + "| "
    if not shown.strip() and not label:
        return []
    carets = "^" * max(1, columns[end] - columns[start])
    marked = _painted(carets + (f" {_visible(label)}" if label else ""), paint, color)
    return [
        (_painted(gutter, _DIM, color) + shown).rstrip(),
        _painted(pointer, _DIM, color) + " " * columns[start] + marked,
    ]


def _cut(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A window of a long line around the stretch, with `…` where something was cut."""
    if len(text) <= _WIDEST:
        return text, start, end
    left = max(0, min(start - _WIDEST // 3, len(text) - _WIDEST))
    right = min(len(text), left + _WIDEST)
    end = max(min(end, right), start + 1)
    before, after = "…" if left else "", "…" if right < len(text) else ""
    return before + text[left:right] + after, start - left + len(before), end - left + len(before)


def _laid_out(text: str) -> tuple[str, list[int]]:
    """The line as a terminal shows it, and the screen column of each code point and of the end."""
    shown: list[str] = []
    columns = [0]
    for char in text:
        column = columns[-1]
        if char == "\t":
            width = _TAB - column % _TAB
            shown.append(" " * width)
        else:
            char = _visible(char)
            width = _width(char)
            shown.append(char)
        columns.append(column + width)
    return "".join(shown), columns


def _width(char: str) -> int:
    """Terminal cells of a code point: 2 for wide ones (CJK, emoji), 0 for what joins the one before."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _visible(text: str) -> str:
    """Text from a file made harmless: no control characters, none that reorder the line, no half characters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if _is_harmful(char) else char for char in text)


def _is_harmful(char: str) -> bool:
    return char in _HIDING or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")


def _painted(text: str, paint: str, color: bool) -> str:
    return f"{paint}{text}{_PLAIN}" if color and text else text


def print_report(diagnostics: Sequence[Diagnostic], stream: TextIO) -> None:
    """Write findings and their summary to a stream; nothing when there are none."""
    if diagnostics:
        stream.write(render(diagnostics, wants_color(stream)))
        stream.write(f"\n{summary(diagnostics)}\n")
