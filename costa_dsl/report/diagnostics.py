"""Findings as people read them in a terminal, and as programs read them in JSON.

plans/market.yaml:9:12: error[COS3104]: unknown subtask "object-recolouring"
  9 |   - {do: object-recolouring, object: leaves, to: red}
    |          ^^^^^^^^^^^^^^^^^^ did you mean "object-recoloration"?
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from costa_dsl.diagnostics import Diagnostic, Fix, Severity, SourceSpan
from costa_dsl.syntax import real_path

JSON_VERSION = 1
STDIN = "<stdin>"

_TAB = 4
_WIDEST = 120
_COLORS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.HINT: "\x1b[1;36m"}
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_LINKING_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "WarpTerminal"})
_LINKING_TERMINALS = ("xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm")
# A sentence that begins with one of these is a command to copy.
_COMMANDS = frozenset({"pip", "costa", "apt-get"})
# They reorder what stands on the screen, or hide in it; a source line must look like what it is.
_HIDING = frozenset("\u200b\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def wants_color(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Color only for a person at a terminal: NO_COLOR, CI, TERM=dumb and pipes get none."""
    if environment.get("NO_COLOR") or environment.get("CI") or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def wants_links(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Hyperlinks (OSC 8) only at a terminal that is known to draw them; FORCE_HYPERLINK=1 and =0 decide alone."""
    if forced := environment.get("FORCE_HYPERLINK"):
        return forced != "0"
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    # Inside screen and tmux, the variables are those of the terminal around it.
    if not wants_color(stream, environment) or terminal.startswith(("screen", "tmux")) or program == "tmux":
        return False
    vte = environment.get("VTE_VERSION", "")
    return (
        (vte.isdecimal() and int(vte) >= 5000)
        or program in _LINKING_PROGRAMS
        or terminal.startswith(_LINKING_TERMINALS)
        or any(environment.get(name) for name in ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM"))
    )


def render(diagnostics: Iterable[Diagnostic], color: bool = False, links: bool = False, most: int | None = None) -> str:
    """Every finding with its piece of text; no summary. Empty when there are none, else ends in a line break.

    Suppressed findings are left out. Of more than `most`, the first ones are shown and the others counted.
    """
    found = unsuppressed(diagnostics)
    parts = [_render_one(diagnostic, color, links) for diagnostic in found[:most]]
    if hidden := len(found) - len(parts):
        parts.append(f"and {hidden} more\n")
    return "\n".join(parts)


def unsuppressed(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that count and that people are shown."""
    return [diagnostic for diagnostic in diagnostics if not diagnostic.suppressed]


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty when there are none. Suppressed findings do not count."""
    found = unsuppressed(diagnostics)
    parts = []
    for severity in Severity:
        count = sum(diagnostic.severity is severity for diagnostic in found)
        if count:
            parts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return ", ".join(parts)


def to_json(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """Findings as plain data: `version`, `diagnostics`, and how many of each severity (suppressed ones apart).

    Lines and columns start at 1 and count code points; `offset` starts at 0; ends are behind the last code point.
    The form is schemas/diagnostics.schema.json.
    """
    # Imported here: the text for people needs no digests.
    from costa_dsl.diagnostics.fingerprint import fingerprints

    found = list(diagnostics)
    told = unsuppressed(found)
    named = zip(found, fingerprints(found), strict=True)
    return {
        "version": JSON_VERSION,
        "diagnostics": [_one_to_json(diagnostic, fingerprint) for diagnostic, fingerprint in named],
        "summary": {
            **{f"{severity}s": sum(diagnostic.severity is severity for diagnostic in told) for severity in Severity},
            "suppressed": len(found) - len(told),
        },
    }


def sentences(diagnostic: Diagnostic) -> str:
    """Message, label and help as one text of whole sentences; the further lines of a help keep their lines."""
    first, *more = diagnostic.help.split("\n")
    story = " ".join(_sentence(part) for part in (diagnostic.message, diagnostic.label, first) if part)
    return "\n".join([story, *(_sentence(line) for line in more if line)])


def file_uri(name: str) -> str:
    """The `file://` URI of a path, percent-encoded byte by byte; a relative one counts from the current folder."""
    path = Path(os.path.normpath(real_path(name) if not Path(name).is_absolute() else name)).as_posix()
    # A name that is no UTF-8 comes as lone surrogates; `fsencode` gives back the bytes that the disk knows.
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "surrogatepass")
    from urllib.parse import quote

    return f"file:///{quote(raw.lstrip(b'/'), safe='/:')}"


def _sentence(text: str) -> str:
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    if word in _COMMANDS:
        return text
    if word.isascii() and word.isalpha() and word.islower():
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":", "…")) else f"{text}."


def _one_to_json(diagnostic: Diagnostic, fingerprint: str) -> dict[str, Any]:
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
        "fix": _fix_to_json(diagnostic.fix),
        "suppressed": diagnostic.suppressed,
        "fingerprint": fingerprint,
    }


def _fix_to_json(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [{"span": _span_to_json(edit.span), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


def _span_to_json(span: SourceSpan | None) -> dict[str, Any] | None:
    if span is None:
        return None
    end = SourceSpan(span.source, span.end, span.end)
    return {
        "file": span.source.name,
        "start": {"line": span.line, "column": span.column, "offset": span.start},
        "end": {"line": end.line, "column": end.column, "offset": span.end},
    }


def _render_one(diagnostic: Diagnostic, color: bool, links: bool) -> str:
    span, paint = diagnostic.span, _COLORS[diagnostic.severity]
    where = f"{_place(span, color, links)}: " if span else ""
    kind = _painted(f"{diagnostic.severity}[{diagnostic.code}]", paint, color)
    lines = [f"{where}{kind}: {_painted(visible(diagnostic.message), _BOLD, color)}"]
    if span:
        lines += _snippet(span, diagnostic.label, paint, color)
    elif diagnostic.label:
        lines.append(f"  {visible(diagnostic.label)}")
    # A step and its alias are one place: its text is drawn once.
    drawn = {_identity(span)} if span else set()
    for related in diagnostic.related:
        lines.append(f"  {_place(related.span, color, links)}: note: {visible(related.message)}")
        if _identity(related.span) not in drawn:
            lines += _snippet(related.span, "", _DIM, color)
            drawn.add(_identity(related.span))
    if diagnostic.help:
        first, *more = diagnostic.help.split("\n")
        lines.append(f"  {_painted('help', _BOLD, color)}: {visible(first)}")
        lines += [f"        {visible(reason)}" for reason in more]
    if diagnostic.fix and not _is_said(diagnostic.fix, f"{diagnostic.label}\n{diagnostic.help}"):
        way = "safe: costa validate --fix" if diagnostic.fix.safe else "costa validate --fix=all"
        lines.append(f"  {_painted('fix', _BOLD, color)}: {visible(diagnostic.fix.title)} ({way})")
    return "\n".join(lines) + "\n"


def _identity(span: SourceSpan) -> tuple[str, int, int]:
    return (span.source.name, span.start, span.end)


def _place(span: SourceSpan, color: bool, links: bool) -> str:
    text = _painted(visible(str(span)), _BOLD, color)
    if not links or span.source.name == STDIN:
        return text
    return f"\x1b]8;;{file_uri(span.source.name)}\x1b\\{text}\x1b]8;;\x1b\\"


def _is_said(fix: Fix, said: str) -> bool:
    """Whether the label or the help tells the fix already: by its title, or as `did you mean "…"?`."""
    plain = said.replace("`", '"')
    if fix.title.replace("`", '"') in plain:
        return True
    return "did you mean" in plain and all(f'"{edit.text}"' in plain for edit in fix.edits)


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
    marked = _painted(carets + (f" {visible(label)}" if label else ""), paint, color)
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
            char = visible(char)
            width = _width(char)
            shown.append(char)
        columns.append(column + width)
    return "".join(shown), columns


def _width(char: str) -> int:
    """Terminal cells of a code point: 2 for wide ones (CJK, emoji), 0 for what joins the one before."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def visible(text: str) -> str:
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
    if found := unsuppressed(diagnostics):
        stream.write(render(found, wants_color(stream), wants_links(stream)))
        stream.write(f"\n{summary(found)}\n")
