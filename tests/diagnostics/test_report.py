"""How findings look: alignment, color, fixes, JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from costa_dsl.cli.main import run
from costa_dsl.diagnostics import Diagnostic, Edit, Fix, Related, Severity, SourceSpan, SourceText, replace_with
from costa_dsl.report.diagnostics import print_report, render, summary, to_json, wants_color
from costa_dsl.resources import data_folder
from tests.conftest import assert_fits
from tests.report.findings import hard, recolouring


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


def test_one_place_is_drawn_once() -> None:
    found = finding("a: &x b\nc: *x\n", "b")
    assert found.span
    same = SourceSpan(found.span.source, found.span.start, found.span.end)
    other = SourceSpan(found.span.source, 8, 9)
    related = (Related("the same", same), Related("used here", other), Related("and again", other))
    assert render([replace(found, related=related)]) == (
        "a.yaml:1:7: error[COS9999]: message\n"
        "  1 | a: &x b\n"
        "    |       ^\n"
        "  a.yaml:1:7: note: the same\n"
        "  a.yaml:2:1: note: used here\n"
        "  2 | c: *x\n"
        "    | ^\n"
        "  a.yaml:2:1: note: and again\n"
    )


def test_a_fix_is_a_line_of_its_own() -> None:
    found = finding("a: no\n", "no", help="quote it")
    assert found.span
    fix = replace_with(found.span, '"no"', title='write "no"', safe=True)
    *before, last = render([replace(found, fix=fix)]).splitlines()
    assert (before[-1], last) == ("  help: quote it", '  fix: write "no" (safe: costa validate --fix)')
    unsafe = render([replace(found, fix=replace(fix, safe=False))])
    assert unsafe.splitlines()[-1] == '  fix: write "no" (costa validate --fix=all)'
    assert "\x1b[1mfix\x1b[0m: write" in render([replace(found, fix=fix)], color=True)
    hidden = render([replace(found, fix=replace(fix, title="\x1b[2J\n"))])
    assert hidden.splitlines()[-1] == "  fix: \ufffd[2J\ufffd (safe: costa validate --fix)"


@pytest.mark.parametrize(
    ("label", "help_", "title", "text", "told"),
    [
        ('did you mean "tree"?', "", "write `tree`", "tree", False),
        ("", 'did you mean "tree"?', "write `tree`", "tree", False),
        ("", 'write "tree"', "write `tree`", "tree", False),
        ('did you mean "tree"?', "", "write `task`", "task", True),
        ('did you mean "trees"?', "", "write `tree`", "tree", True),
        ("this is no tree", "", "write `tree`", "tree", True),
        ("", "keep one of them", "delete the second one", "", True),
        ('did you mean "tree"?', "", "delete it", "", True),
        ("", "", "write `tree`", "tree", True),
    ],
)
def test_a_fix_is_not_told_twice(label: str, help_: str, title: str, text: str, told: bool) -> None:
    found = finding("tre: 1\n", "tre", label=label, help=help_)
    assert found.span
    assert ("  fix: " in render([replace(found, fix=Fix(title, (Edit(found.span, text),)))])) is told


def test_the_first_ones_and_how_many_more() -> None:
    found = [Diagnostic("COS0001", f"m{number}", severity=Severity.HINT) for number in range(139)]
    found += [Diagnostic("COS0001", "an error"), Diagnostic("COS0001", "x", suppressed="why")]
    text = render(found, most=100)
    assert text.startswith("hint[COS0001]: m0\n\nhint[COS0001]: m1\n")
    assert text.endswith("\n\nhint[COS0001]: m99\n\nand 40 more\n")
    assert text.count("hint[") == 100
    assert "more" not in render(found, most=140)
    assert render(found, most=140) == render(found)
    assert render([], most=0) == ""


def test_suppressed_findings_are_not_shown() -> None:
    told, suppressed = Diagnostic("COS0001", "m"), Diagnostic("COS0002", "m", suppressed="why")
    assert render([suppressed, told]) == "error[COS0001]: m\n"
    assert summary([suppressed, told]) == "1 error"
    assert (render([suppressed]), summary([suppressed])) == ("", "")


def test_a_report_on_a_stream() -> None:
    stream = io.StringIO()
    print_report([Diagnostic("COS0002", "m", suppressed="why")], stream)
    assert stream.getvalue() == ""
    print_report([Diagnostic("COS0001", "m"), Diagnostic("COS0002", "m", suppressed="why")], stream)
    assert stream.getvalue() == "error[COS0001]: m\n\n1 error\n"


def test_json() -> None:
    warning = Diagnostic("COS0001", "m", severity=Severity.WARNING)
    document = to_json([finding("a: 日本 b", "b", help="h"), warning])
    assert_fits(document, "diagnostics")
    assert document["version"] == 1
    assert document["summary"] == {"errors": 1, "warnings": 1, "hints": 0, "suppressed": 0}
    first, second = document["diagnostics"]
    assert first["span"] == {
        "file": "a.yaml",
        "start": {"line": 1, "column": 7, "offset": 6},
        "end": {"line": 1, "column": 8, "offset": 7},
    }
    assert (first["severity"], first["help"], second["span"]) == ("error", "h", None)
    assert (first["fix"], first["suppressed"]) == (None, "")


def test_json_has_fixes_reasons_and_fingerprints() -> None:
    told, suppressed = to_json([recolouring(), recolouring(suppressed="the vendor's own name")])["diagnostics"]
    assert told["fix"] == {
        "title": "write `object-recoloration`",
        "safe": True,
        "edits": [{"span": told["span"], "text": "object-recoloration"}],
    }
    assert (told["suppressed"], suppressed["suppressed"]) == ("", "the vendor's own name")
    unsafe = Fix("guess", (), safe=False)
    assert to_json([Diagnostic("COS0001", "m", fix=unsafe)])["diagnostics"][0]["fix"] == {
        "title": "guess",
        "safe": False,
        "edits": [],
    }
    digits, first = told["fingerprint"].split(":")
    assert (len(digits), first, suppressed["fingerprint"]) == (16, "1", f"{digits}:2")
    both = [recolouring(suppressed="why"), recolouring(severity=Severity.HINT)]
    assert to_json(both)["summary"] == {"errors": 0, "warnings": 0, "hints": 1, "suppressed": 1}


def test_hard_findings_fit_the_schema() -> None:
    document = to_json(hard())
    assert_fits(document, "diagnostics")
    assert json.loads(json.dumps(document)) == document
    assert document["summary"]["suppressed"] == 1


def test_what_the_command_prints_fits_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["explain", "--format", "json", "COS99"], ["validate", "--format", "json", "no-such-file"]):
        assert run(arguments) in (1, 3)
        document = json.loads(capsys.readouterr().out)
        assert_fits(document, "diagnostics")
        assert document["summary"]["errors"] == 1


def test_the_example_of_the_schema_is_what_costa_says() -> None:
    schema = json.loads((data_folder("schemas") / "diagnostics.schema.json").read_text(encoding="utf-8"))
    (example,) = schema["examples"]
    assert_fits(example, "diagnostics")
    assert example == {**to_json([recolouring()]), "files": 1}


def test_the_schema_describes_every_field() -> None:
    schema = json.loads((data_folder("schemas") / "diagnostics.schema.json").read_text(encoding="utf-8"))
    parts = [schema, *schema["$defs"].values()]
    objects = [part for part in parts if "properties" in part]
    assert len(objects) == 8
    for part in objects:
        assert part["additionalProperties"] is False
        for name, field in part["properties"].items():
            target = schema["$defs"][field["$ref"].rsplit("/", 1)[1]] if "$ref" in field else field
            assert {"title", "description"} <= set(target), name
