"""How findings look: alignment, color, JSON."""

from __future__ import annotations

import io

import pytest

from costa_dsl.diagnostics import Diagnostic, Related, Severity, SourceSpan, SourceText
from costa_dsl.report.diagnostics import render, summary, to_json, wants_color


def finding(text: str, piece: str, **more: object) -> Diagnostic:
    start = text.index(piece)
    span = SourceSpan(SourceText("a.yaml", text), start, start + len(piece))
    return Diagnostic("COS9999", "message", span, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "piece", "column", "width"),
    [
        ("ab: cd", "cd", 4, 2),
        ("日本: cd", "cd", 6, 2),
        ("a: 🐕🐕 x", "🐕🐕", 3, 4),
        ("a:\tb", "b", 4, 1),
        ("e\u0301: b", "b", 3, 1),
        ("a: |\n  b\n  c\n", "|\n  b\n  c", 3, 1),
        ("a: b", "", 0, 1),
    ],
)
def test_carets_stand_under_their_text(text: str, piece: str, column: int, width: int) -> None:
    _, source_line, marks = render([finding(text, piece)]).splitlines()
    assert source_line.startswith("  1 | ")
    assert marks == "    | " + " " * column + "^" * width


def test_the_whole_form() -> None:
    text = "tree:\n  - {do: object-recolouring, object: leaves}\n"
    span = SourceSpan(SourceText("plans/market.yaml", text), 14, 33)
    related = Related("begins here", SourceSpan(span.source, 0, 4))
    found = Diagnostic(
        "COS3104", "unknown subtask", span, label='did you mean "x"?', help="do this", related=(related,)
    )
    assert render([found]) == (
        "plans/market.yaml:2:9: error[COS3104]: unknown subtask\n"
        "  2 |   - {do: object-recolouring, object: leaves}\n"
        '    |         ^^^^^^^^^^^^^^^^^^^ did you mean "x"?\n'
        "  plans/market.yaml:1:1: note: begins here\n"
        "  1 | tree:\n"
        "    | ^^^^\n"
        "  help: do this\n"
    )


def test_the_gutter_is_as_wide_as_the_number() -> None:
    text = "\n" * 99 + "a: b"
    assert render([finding(text, "b")]).splitlines()[1:] == ["  100 | a: b", "      |    ^"]


def test_a_finding_without_a_text() -> None:
    found = Diagnostic("COS0001", "there is no file", label="look", help="check the path")
    assert render([found]) == "error[COS0001]: there is no file\n  look\n  help: check the path\n"


def test_a_long_line_is_cut_around_the_finding() -> None:
    text = "x" * 5000 + "HERE" + "y" * 5000
    _, line, marks = render([finding(text, "HERE")]).splitlines()
    assert len(line) < 140
    assert line[marks.index("^") : marks.rindex("^") + 1] == "HERE"


def test_what_hides_is_shown() -> None:
    found = finding("a: \u202eb\x1b[31m\x07", "b")
    text = render([Diagnostic("COS1", "m\x1b[2J\n", found.span)])
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("\n") == 3


def test_summary_counts() -> None:
    error, warning = Diagnostic("COS1", "a"), Diagnostic("COS2", "b", severity=Severity.WARNING)
    assert summary([error, error, warning]) == "2 errors, 1 warning"
    assert summary([Diagnostic("COS3", "c", severity=Severity.HINT)]) == "1 hint"
    assert summary([]) == ""
    assert render([]) == ""


def test_color_only_for_a_person_at_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert wants_color(Terminal(), {})
    assert wants_color(Terminal(), {"NO_COLOR": ""})
    for environment in [{"NO_COLOR": "1"}, {"CI": "true"}, {"TERM": "dumb"}]:
        assert not wants_color(Terminal(), environment)
    assert not wants_color(io.StringIO(), {})
    assert "\x1b[1;31merror[COS9999]\x1b[0m" in render([finding("a: b", "b")], color=True)


def test_json() -> None:
    document = to_json([finding("a: 日本 b", "b", help="h"), Diagnostic("COS1", "m", severity=Severity.WARNING)])
    assert document["version"] == 1
    assert document["summary"] == {"errors": 1, "warnings": 1, "hints": 0}
    first, second = document["diagnostics"]
    assert first["span"] == {
        "file": "a.yaml",
        "start": {"line": 1, "column": 7, "offset": 6},
        "end": {"line": 1, "column": 8, "offset": 7},
    }
    assert (first["severity"], first["help"], second["span"]) == ("error", "h", None)
