"""Workflow commands: each is read back as the runner reads it, and says what the finding says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.diagnostics import Diagnostic, Related, Severity, SourceSpan, SourceText
from costa_dsl.report.github import to_github
from tests.report.findings import MESSAGES, NAMES, finding, hard, recolouring


def read_back(line: str) -> tuple[str, dict[str, str], str]:
    """A command as GitHub's documentation says that it is read: name, properties, message."""
    match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
    assert match, line
    name, listed, message = match.groups()
    properties = dict(entry.split("=", 1) for entry in listed.split(","))
    return name, {key: unescaped(value, ":,") for key, value in properties.items()}, unescaped(message)


def unescaped(text: str, more: str = "") -> str:
    for char in "\r\n" + more:
        text = text.replace(f"%{ord(char):02X}", char)
    return text.replace("%25", "%")


def test_the_whole_form() -> None:
    assert to_github([recolouring()]) == (
        "::error file=plans/market.yaml,line=3,col=10,endLine=3,endColumn=28,title=COS3104"
        '::Unknown subtask "object-recolouring". Did you mean "object-recoloration"? See `costa tools list`.'
        "%0AIt was renamed.%0Aplans/market.yaml:2:1: note: the tree begins here\n"
    )


def test_nothing_to_say() -> None:
    assert to_github([]) == ""
    assert to_github([recolouring(suppressed="the vendor's own name")]) == ""


def test_severities() -> None:
    found = [Diagnostic("COS0001", f"{severity}", severity=severity) for severity in Severity]
    assert to_github(found) == (
        "::error title=COS0001::Error.\n::warning title=COS0001::Warning.\n::notice title=COS0001::Hint.\n"
    )


def test_several_lines_have_no_columns() -> None:
    found = finding("a: |\n  b\n  c\nd: 1\n", "|\n  b\n  c", message="m")
    assert to_github([found]) == "::error file=plans/market.yaml,line=1,endLine=3,title=COS3104::M.\n"


def test_columns_count_code_points_and_an_empty_place_stays_one() -> None:
    found = finding("a: 🐕🐕 e\u0301 x\r\n", "x", message="m")
    assert ",line=1,col=10,endLine=1,endColumn=11," in to_github([found])
    source = SourceText("end.yaml", "a: 1\n")
    end = Diagnostic("COS0001", "m", SourceSpan(source, 5, 5))
    assert to_github([end]) == "::error file=end.yaml,line=2,col=1,endLine=2,endColumn=1,title=COS0001::M.\n"


def test_standard_input_is_no_file() -> None:
    found = finding("a: x", "x", "<stdin>", message="m")
    assert to_github([found]) == "::error title=COS3104::<stdin>:1:4: M.\n"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "<stdin>"])
def test_names(name: str) -> None:
    (line,) = to_github([finding("a: x", "x", name, message="m")]).splitlines()
    kind, properties, message = read_back(line)
    expected = {"./plans//my plan.yaml": "plans/my plan.yaml", "plans/../../up.yaml": "../up.yaml"}.get(name, name)
    expected = expected.replace("//", "/") if name.startswith("http") else expected
    expected = re.sub("[\ud800-\udfff]", "\ufffd", expected)
    assert (kind, properties, message) == (
        "error",
        {"file": expected, "line": "1", "col": "4", "endLine": "1", "endColumn": "5", "title": "COS3104"},
        "M.",
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("100%0A %25 :: ::error::x", "100%250A %2525 :: ::error::x."),
        ("ends ]]> here, <&>", "Ends ]]> here, <&>."),
        ("two\r\nlines", "Two\ufffd%0Alines."),
        ("red \x1b[31m \u202e \ud800", "Red \ufffd[31m \ufffd \ufffd."),
        ("日本 🐕", "日本 🐕."),
    ],
)
def test_messages(message: str, expected: str) -> None:
    assert to_github([Diagnostic("COS0001", message)]) == f"::error title=COS0001::{expected}\n"


def test_a_related_place_cannot_break_out() -> None:
    span = SourceSpan(SourceText("a\n::error::b.yaml", "a: 1"), 0, 1)
    found = Diagnostic("COS0001", "m", span, related=(Related("n\n::error::o", span),))
    assert to_github([found]).count("\n") == 1


def test_hard_findings_are_one_line_each() -> None:
    told = [diagnostic for diagnostic in hard() if not diagnostic.suppressed]
    text = to_github(told)
    text.encode("utf-8")
    lines = text.split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(told) > len(NAMES) + len(MESSAGES)
    for line in lines:
        read_back(line)


def test_ten_thousand_findings_and_the_first_few() -> None:
    found = [Diagnostic("COS0001", f"m{number}") for number in range(10_000)]
    assert to_github(found).count("\n") == 10_000
    assert to_github(found, most=2) == (
        "::error title=COS0001::m0.\n::error title=COS0001::m1.\n::notice title=costa::and 9998 more\n"
    )
    assert to_github(found[:2], most=2).count("\n") == 2


@given(st.text(st.characters()), st.text(st.characters(), min_size=1), st.text(st.characters()))
def test_no_text_breaks_out_of_its_command(message: str, name: str, label: str) -> None:
    span = SourceSpan(SourceText(name, "a: 1\n"), 0, 1)
    text = to_github([Diagnostic("COS0001", message or "m", span, label=label), Diagnostic("COS0002", "the next")])
    text.encode("utf-8")
    first, second, nothing = text.split("\n")
    kind, properties, _ = read_back(first)
    expected = ["title"] if name == "<stdin>" else ["file", "line", "col", "endLine", "endColumn", "title"]
    assert (kind, list(properties), properties["title"]) == ("error", expected, "COS0001")
    assert (second, nothing) == ("::error title=COS0002::The next.", "")
