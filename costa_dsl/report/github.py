"""Findings as workflow commands, which GitHub Actions shows as annotations at their lines.

::error file=plans/market.yaml,line=9,col=9,endLine=9,endColumn=27,title=COS3104::Unknown subtask …
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from pathlib import PurePath

from costa_dsl.diagnostics import Diagnostic, Severity, SourceSpan
from costa_dsl.report.diagnostics import STDIN, sentences, unsuppressed, visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def to_github(diagnostics: Iterable[Diagnostic], most: int | None = None) -> str:
    """One line for each finding that no comment suppresses; empty when there are none.

    Of more than `most`, the first ones stand there and a notice counts the others. (GitHub itself draws at most ten
    annotations of each kind in a step and keeps the rest in the log.)
    """
    found = unsuppressed(diagnostics)
    lines = [_command(diagnostic) for diagnostic in found[:most]]
    if hidden := len(found) - len(lines):
        lines.append(f"::notice title=costa::and {hidden} more")
    return "".join(f"{line}\n" for line in lines)


def _command(diagnostic: Diagnostic) -> str:
    message = "\n".join(visible(line) for line in _message(diagnostic).split("\n"))
    properties = {**_place(diagnostic.span), "title": diagnostic.code}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(message)}"


def _message(diagnostic: Diagnostic) -> str:
    """The finding in sentences. Standard input is no file that GitHub could annotate: its place stands in front."""
    span = diagnostic.span
    place = f"{span}: " if span and span.source.name == STDIN else ""
    related = [f"{other.span}: note: {other.message}" for other in diagnostic.related]
    return "\n".join([f"{place}{sentences(diagnostic)}", *related])


def _place(span: SourceSpan | None) -> dict[str, str]:
    if span is None or span.source.name == STDIN:
        return {}
    end = SourceSpan(span.source, span.end, span.end)
    start_line, end_line = str(span.line), str(end.line)
    place = {"file": posixpath.normpath(PurePath(span.source.name).as_posix()), "line": start_line}
    # An annotation over several lines with columns is refused: it has columns only within one line.
    if start_line != end_line:
        return {**place, "endLine": end_line}
    return {**place, "col": str(span.column), "endLine": end_line, "endColumn": str(end.column)}


def _data(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
