"""The JUnit report: its structure as Jenkins and GitLab expect it, its counts, and text that XML cannot hold."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.diagnostics import Diagnostic, Severity, SourceSpan, SourceText
from costa_dsl.report.junit import to_junit
from tests.report.findings import MESSAGES, NAMES, finding, hard, recolouring

COUNTS = {"name", "tests", "failures", "errors", "skipped"}


def checked(report: str) -> ElementTree.Element:
    """The report as a tree, after a check of every element, attribute and count that it may have."""
    assert report.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ')
    assert report.isascii()
    root = ElementTree.fromstring(report.encode("ascii"))
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert root.attrib == suite.attrib
    assert COUNTS <= set(root.attrib) <= COUNTS | {"time"}
    cases = list(suite)
    for case in cases:
        assert case.tag == "testcase"
        assert {"classname", "name"} <= set(case.attrib) <= {"classname", "name", "file"}
        assert [child.tag for child in case] in ([], ["failure"], ["system-out"], ["failure", "system-out"])
        for child in case:
            assert set(child.attrib) == ({"message", "type"} if child.tag == "failure" else set())
            assert (child.text or "").strip()
            assert len(child) == 0
    names = [case.attrib["name"] for case in cases]
    assert len(names) == len(set(names)), "services tell test cases apart by their names"
    assert (suite.attrib["errors"], suite.attrib["skipped"]) == ("0", "0")
    assert int(suite.attrib["tests"]) == len(cases)
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
    return suite


def test_the_whole_form() -> None:
    warning = finding("a: x\n", "x", "a.yaml", code="COS2201", message="no licence <&>", severity=Severity.WARNING)
    report = to_junit(["plans/market.yaml", "a.yaml", "good.yaml"], [recolouring(), warning], seconds=1.23456)
    checked(report)
    assert report == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="costa validate" tests="3" failures="1" errors="0" skipped="0" time="1.235">\n'
        '  <testsuite name="costa validate" tests="3" failures="1" errors="0" skipped="0" time="1.235">\n'
        '    <testcase classname="costa.validate" name="plans/market.yaml" file="plans/market.yaml">\n'
        '      <failure message="unknown subtask &quot;object-recolouring&quot;" type="COS3104">\n'
        'plans/market.yaml:3:10: error[COS3104]: unknown subtask "object-recolouring"\n'
        "  3 |   - {do: object-recolouring, object: leaves}\n"
        '    |          ^^^^^^^^^^^^^^^^^^ did you mean "object-recoloration"?\n'
        "  plans/market.yaml:2:1: note: the tree begins here\n"
        "  2 | tree:\n"
        "    | ^^^^\n"
        "  help: see `costa tools list`\n"
        "        it was renamed\n"
        "</failure>\n"
        "    </testcase>\n"
        '    <testcase classname="costa.validate" name="a.yaml" file="a.yaml">\n'
        "      <system-out>\n"
        "a.yaml:1:4: warning[COS2201]: no licence &lt;&amp;&gt;\n"
        "  1 | a: x\n"
        "    |    ^\n"
        "</system-out>\n"
        "    </testcase>\n"
        '    <testcase classname="costa.validate" name="good.yaml" file="good.yaml" />\n'
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_nothing_found_and_nothing_looked_at() -> None:
    assert [case.attrib["name"] for case in checked(to_junit(["a.yaml", "a.yaml"], []))] == ["a.yaml"]
    assert list(checked(to_junit([], []))) == []
    assert "time" not in checked(to_junit([], [])).attrib


def test_a_file_fails_once() -> None:
    found = [recolouring()] * 2
    hint = finding("a: x", "x", code="COS2201", message="h", severity=Severity.HINT)
    suite = checked(to_junit(["plans/market.yaml"], [*found, hint]))
    (failure,) = suite.findall("testcase/failure")
    assert failure.attrib["message"] == '2 errors, the first: unknown subtask "object-recolouring"'
    assert (failure.text or "").count("error[COS3104]") == 2
    (out,) = suite.findall("testcase/system-out")
    assert out.text == "\nplans/market.yaml:1:4: hint[COS2201]: h\n  1 | a: x\n    |    ^\n"


def test_findings_without_a_place() -> None:
    missing = Diagnostic("COS0001", 'there is no file "god.yaml"')
    machine = Diagnostic("COS8001", "the package onnxruntime is missing")
    hint = Diagnostic("COS8002", "it is slow", severity=Severity.HINT)
    suite = checked(to_junit(["god.yaml", "a.yaml"], [missing, machine, hint]))
    failures = {case.attrib["name"]: [child.tag for child in case] for case in suite}
    assert failures == {"god.yaml": ["failure"], "a.yaml": [], "(no file)": ["failure", "system-out"]}
    assert "file" not in suite[2].attrib


def test_a_file_of_the_catalog_is_told_too() -> None:
    suite = checked(to_junit(["a.yaml"], [finding("a: x", "x", "tools/b.yaml")]))
    assert [(case.attrib["name"], len(case)) for case in suite] == [("a.yaml", 0), ("tools/b.yaml", 1)]


def test_standard_input() -> None:
    suite = checked(to_junit(["-"], [finding("a: x", "x", "<stdin>")]))
    assert [case.attrib for case in suite] == [{"classname": "costa.validate", "name": "<stdin>"}]
    assert suite.attrib["failures"] == "1"


def test_suppressed_findings_are_left_out() -> None:
    suite = checked(to_junit(["plans/market.yaml"], [recolouring(suppressed="the vendor's own name")]))
    assert (suite.attrib["failures"], len(suite[0])) == ("0", 0)


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    (case,) = checked(to_junit([name], []))
    assert case.attrib["name"] == re.sub("[\ud800-\udfff]", "\ufffd", name)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("it ends ]]> here <&>\"'", "it ends ]]> here <&>\"'"),
        ("100%0A &#10; &amp;", "100%0A &#10; &amp;"),
        ("two\r\nlines\t", "two\r\nlines\t"),
        ("\x00\x08\x1b\ufffe\uffff\ud800", "\ufffd" * 6),
        ("日本 🐕 e\u0301 \x85", "日本 🐕 e\u0301 \x85"),
    ],
)
def test_messages_come_back(message: str, expected: str) -> None:
    suite = checked(to_junit(["a.yaml"], [Diagnostic("COS0001", message)]))
    (failure,) = suite.findall("testcase/failure")
    assert failure.attrib["message"] == expected


def test_hard_findings() -> None:
    found = hard()
    told = [diagnostic for diagnostic in found if not diagnostic.suppressed]
    suite = checked(to_junit(NAMES, found))
    text = "".join(child.text or "" for case in suite for child in case)
    for severity in Severity:
        count = sum(diagnostic.severity is severity for diagnostic in told)
        assert len(re.findall(rf"^(?:.*: )?{severity}\[COS\d{{4}}\]: ", text, re.MULTILINE)) == count > 0
    assert len(MESSAGES) > 5


def test_ten_thousand_findings() -> None:
    found = [finding("a: x", "x", f"{number % 100}.yaml") for number in range(10_000)]
    suite = checked(to_junit([f"{number}.yaml" for number in range(200)], found))
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("200", "100")
    assert "".join(child.text or "" for child in suite[0]).count("error[") == 100


@given(st.text(st.characters()), st.text(st.characters(), min_size=1), st.text(st.characters()))
def test_any_text_gives_a_sound_report(message: str, name: str, text: str) -> None:
    span = SourceSpan(SourceText(name, text), 0, len(text))
    suite = checked(to_junit([name, "other"], [Diagnostic("COS0001", message, span)]))
    assert suite.attrib["failures"] == "1"
