"""The SARIF log: exact for one finding, within a closed schema for hard ones, and true to the text by every measure."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from costa_dsl import __version__
from costa_dsl.diagnostics import Diagnostic, Edit, Fix, Severity, SourceSpan, SourceText, apply_fixes
from costa_dsl.report.sarif import artifact_uri, to_sarif
from tests.conftest import calls_of
from tests.report.findings import NAMES, PAGES, finding, hard, recolouring

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0-costa.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
BASE = "%SRCROOT%"


def log(*found: Diagnostic) -> dict[str, Any]:
    """The log of findings; it fits the schema and is JSON in UTF-8."""
    document = to_sarif(found, __version__, PAGES)
    VALIDATOR.validate(document)
    text = json.dumps(document, ensure_ascii=False)
    assert json.loads(text.encode("utf-8")) == document
    return document


def results(*found: Diagnostic) -> list[dict[str, Any]]:
    return log(*found)["runs"][0]["results"]  # type: ignore[no-any-return]


def test_the_schema_is_sound() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_whole_form() -> None:
    region = {"startLine": 3, "startColumn": 10, "endLine": 3, "endColumn": 28, "charOffset": 26, "charLength": 18}
    file = {"uri": "plans/market.yaml", "uriBaseId": BASE}
    document = log(recolouring())
    # Also the order of keys is fixed.
    assert json.dumps(document) == json.dumps({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "costa", "version": __version__, "rules": [{
                "id": "COS3104",
                "shortDescription": {"text": "An unknown subtask."},
                "fullDescription": {"text": "No such subtask."},
                "help": {
                    "text": "No such subtask.\n\nNames are in kebab case.\n\n"
                            "`costa explain COS3104` shows a wrong and a right example.",
                    "markdown": "No such subtask.\n\nNames are in kebab case.\n\n"
                                "`costa explain COS3104` shows a wrong and a right example.",
                },
                "defaultConfiguration": {"level": "error"},
            }]}},
            "invocations": [{"executionSuccessful": True}],
            "originalUriBaseIds": {
                BASE: {"description": {"text": "The folder in which costa was called; relative paths start here."}}
            },
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "results": [{
                "ruleId": "COS3104",
                "ruleIndex": 0,
                "level": "error",
                "message": {
                    "text": 'Unknown subtask "object-recolouring". Did you mean "object-recoloration"? '
                            "See `costa tools list`.\nIt was renamed."
                },
                "locations": [{"physicalLocation": {
                    "artifactLocation": file,
                    "region": {**region, "snippet": {"text": "object-recolouring"}},
                }}],
                "relatedLocations": [{
                    "id": 1,
                    "physicalLocation": {"artifactLocation": file, "region": {
                        "startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 5,
                        "charOffset": 11, "charLength": 4, "snippet": {"text": "tree"},
                    }},
                    "message": {"text": "The tree begins here."},
                }],
                "fixes": [{
                    "description": {"text": "Write `object-recoloration`."},
                    "artifactChanges": [{"artifactLocation": file, "replacements": [
                        {"deletedRegion": region, "insertedContent": {"text": "object-recoloration"}}
                    ]}],
                    "properties": {"safe": True},
                }],
                "suppressions": [],
                "partialFingerprints": {"costa/v1": "FINGERPRINT"},
            }],
        }],
    }).replace("FINGERPRINT", document["runs"][0]["results"][0]["partialFingerprints"]["costa/v1"])  # fmt: skip


def test_no_findings() -> None:
    run = log()["runs"][0]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


def test_hard_findings_fit_and_are_true() -> None:
    found = hard()
    for diagnostic, result in zip(found, results(*found), strict=True):
        if diagnostic.span is None:
            assert "locations" not in result
            continue
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert measured(diagnostic.span, region) == diagnostic.span.text
        snippet = region.get("snippet", {}).get("text")
        assert snippet == (diagnostic.span.text if 0 < len(diagnostic.span.text) <= 1000 else None)


def measured(span: SourceSpan, region: dict[str, Any]) -> str:
    """The text of a region, by lines and columns; it must be the same by offset and length."""
    lines = span.source.text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    start = starts[region["startLine"] - 1] + region["startColumn"] - 1
    end = starts[region["endLine"] - 1] + region["endColumn"] - 1
    assert (start, end - start) == (region["charOffset"], region["charLength"])
    return span.source.text[start:end]


def test_columns_count_code_points() -> None:
    (result,) = results(finding("a: 🐕🐕 e\u0301 日本 x\r\n", "x"))
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 1, "startColumn": 13, "endLine": 1, "endColumn": 14, "charOffset": 12, "charLength": 1,
        "snippet": {"text": "x"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "uri", "relative"),
    [
        ("plans/market.yaml", "plans/market.yaml", True),
        ("./plans//my plan.yaml", "plans/my%20plan.yaml", True),
        ("plans/deep/../a.yaml", "plans/a.yaml", True),
        ("a#b%c?d.yaml", "a%23b%25c%3Fd.yaml", True),
        ("c:\\plans\\a.yaml", "c%3A%5Cplans%5Ca.yaml", True),
        ("http://x/a.yaml", "http%3A/x/a.yaml", True),
        ("line\nbreak,\r\t.yaml", "line%0Abreak%2C%0D%09.yaml", True),
        ("日本.yaml", "%E6%97%A5%E6%9C%AC.yaml", True),
        ("\udcff\udc80.yaml", "%FF%80.yaml", True),
        ("\ud83d.yaml", "%ED%A0%BD.yaml", True),
        ("/tmp/a b.yaml", "file:///tmp/a%20b.yaml", False),
        ("/tmp/x/../a:b.yaml", "file:///tmp/a:b.yaml", False),
        ("//tmp/a.yaml", "file:///tmp/a.yaml", False),
    ],
)
def test_uris(name: str, uri: str, relative: bool) -> None:
    assert artifact_uri(name) == (uri, relative)


def test_what_lies_above_the_folder_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert artifact_uri("../up.yaml") == (f"file://{tmp_path}/up.yaml", False)
    assert artifact_uri("x/../../up.yaml") == (f"file://{tmp_path}/up.yaml", False)
    assert artifact_uri("..a.yaml") == ("..a.yaml", True)


def test_a_uri_leads_back_to_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = [name for name in NAMES if "/" not in name and not name.startswith("\ud83d")]
    assert len(files) >= 6
    for number, name in enumerate(files):
        Path(name).write_text(str(number))
    for number, name in enumerate(files):
        for typed in (name, str(tmp_path / name)):
            uri, relative = artifact_uri(typed)
            raw = unquote_to_bytes(uri if relative else uri.removeprefix("file://"))
            assert Path(os.fsdecode(raw)).read_text() == str(number)


def test_standard_input_has_no_path() -> None:
    (result,) = results(finding("a: x", "x", "<stdin>"))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "stdin",
        "description": {"text": "Standard input."},
    }


def test_levels_and_rules() -> None:
    warning = Diagnostic("COS2201", "no licence", severity=Severity.WARNING)
    run = log(recolouring(), warning, Diagnostic("COS9101", "m", severity=Severity.HINT), recolouring())["runs"][0]
    assert [(result["ruleId"], result["ruleIndex"], result["level"]) for result in run["results"]] == [
        ("COS3104", 1, "error"),
        ("COS2201", 0, "warning"),
        ("COS9101", 2, "note"),
        ("COS3104", 1, "error"),
    ]
    rules = run["tool"]["driver"]["rules"]
    assert [(rule["id"], rule["defaultConfiguration"]["level"]) for rule in rules] == [
        ("COS2201", "warning"),
        ("COS3104", "error"),
        ("COS9101", "note"),
    ]
    assert "help" not in rules[2]  # it has no page


def test_a_rule_without_a_page_has_the_level_of_its_first_finding() -> None:
    found = [Diagnostic("COS9101", "m", severity=severity) for severity in (Severity.HINT, Severity.ERROR)]
    assert log(*found)["runs"][0]["tool"]["driver"]["rules"] == [
        {"id": "COS9101", "defaultConfiguration": {"level": "note"}}
    ]


def test_the_level_of_a_rule_is_its_page_s_also_when_the_finding_s_was_changed() -> None:
    run = log(Diagnostic("COS3104", "m", severity=Severity.WARNING))["runs"][0]
    assert run["results"][0]["level"] == "warning"
    assert run["tool"]["driver"]["rules"][0]["defaultConfiguration"] == {"level": "error"}


def test_a_suppressed_finding_says_why() -> None:
    told, suppressed = results(recolouring(), recolouring(suppressed="the vendor's own name"))
    assert told["suppressions"] == []
    assert suppressed["suppressions"] == [{"kind": "inSource", "justification": "the vendor's own name"}]
    # They are the same otherwise, and told apart by their fingerprints.
    assert told["partialFingerprints"]["costa/v1"].endswith(":1")
    assert suppressed["partialFingerprints"]["costa/v1"].endswith(":2")


def test_fixes_applied_as_the_standard_says_give_what_costa_writes() -> None:
    text = "a: 🐕\r\nb: x y\r\n"
    found = finding(text, "x")
    assert found.span
    source = found.span.source
    edits = (Edit(found.span, "日本"), Edit(SourceSpan(source, 0, 0), "# 🐕\r\n"), Edit(SourceSpan(source, 10, 12), ""))
    fix = Fix("mend it", edits)
    (result,) = results(Diagnostic("COS3104", "m", found.span, fix=fix))
    (change,) = result["fixes"][0]["artifactChanges"]
    mended = text
    for replacement in reversed(change["replacements"]):
        region = replacement["deletedRegion"]
        start, end = region["charOffset"], region["charOffset"] + region["charLength"]
        mended = mended[:start] + replacement.get("insertedContent", {"text": ""})["text"] + mended[end:]
    assert mended == apply_fixes(source, [fix])[0] == "# 🐕\r\na: 🐕\r\nb: 日本\r\n"
    assert "insertedContent" not in change["replacements"][2]
    assert result["fixes"][0]["properties"] == {"safe": False}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("no such key", "No such key."),
        ("what now?", "What now?"),
        ('"a" stands twice', '"a" stands twice.'),
        ("object-removal needs `object`", "object-removal needs `object`."),
        ("pip install costa-dsl", "pip install costa-dsl"),
        ("write `{do: crop}`", "Write `{do: crop}`."),
        ("write {0}", "Write {{0}}."),
        ("see [a](1)", "See [a\\](1)."),
        ("half \udcff", "Half \ufffd."),
        ("日本", "日本."),
    ],
)
def test_messages_are_sentences_that_a_viewer_shows_as_they_are(message: str, text: str) -> None:
    assert results(Diagnostic("COS3104", message))[0]["message"] == {"text": text}


def test_the_same_findings_give_the_same_text() -> None:
    first, second = (json.dumps(to_sarif(hard(), "0.1.0", PAGES)) for _ in range(2))
    assert first == second


def test_ten_thousand_findings() -> None:
    def many(count: int) -> list[Diagnostic]:
        source = finding("a: x\n" * count, "x").span
        assert source
        spans = [SourceSpan(source.source, line * 5 + 3, line * 5 + 4) for line in range(count)]
        return [Diagnostic("COS3104", f"m {span.start}", span) for span in spans]

    document = to_sarif(many(10_000), "0.1.0", PAGES)
    few, more = (calls_of(lambda: to_sarif(many(count), "0.1.0", PAGES)) for count in (500, 2_000))  # noqa: B023
    assert more < 5 * few
    found = document["runs"][0]["results"]
    assert [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in found] == list(
        range(1, 10_001)
    )


@given(st.text(st.characters(), min_size=1), st.text(st.characters(), min_size=1), st.text(), st.data())
def test_any_text_gives_a_sound_log(message: str, name: str, text: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    span = SourceSpan(SourceText(f"{name}.yaml", text), start, end)  # a folder has no findings
    fix = Fix(message, (Edit(span, text),))
    (result,) = results(Diagnostic("COS3104", message, span, suppressed=message, fix=fix))
    assert measured(span, result["locations"][0]["physicalLocation"]["region"]) == text[start:end]
