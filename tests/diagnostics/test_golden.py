"""Golden files: NAME.yaml is validated, NAME.out is what a person sees, NAME.sarif.json what a service reads.

After a wanted change: `COSTA_REGENERATE=1 pytest tests/diagnostics/test_golden.py`, then read the difference.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from costa_dsl.cli.main import run

GOLDEN = Path(__file__).parent / "golden"
CATALOG = GOLDEN.parent / "catalog"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.yaml"))
SCHEMA = Path(__file__).parent.parent / "report" / "schemas" / "sarif-2.1.0-costa.schema.json"
# Longer lines are cut.
WHOLE = 120
SARIF_SCHEMA = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
SARIF = sorted(path.name.removesuffix(".sarif.json") for path in GOLDEN.glob("*.sarif.json"))


def seen(name: str, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What `costa validate` says about a golden file."""
    run(["validate", "--format", form, "--catalog", str(CATALOG), f"{name}.yaml"])
    return capsys.readouterr().out


def compare(text: str, expected: Path) -> None:
    if os.environ.get("COSTA_REGENERATE"):
        expected.write_text(text, encoding="utf-8", newline="\n")
    assert text == expected.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def beside_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    compare(seen(name, "text", capsys), GOLDEN / f"{name}.out")


@pytest.mark.parametrize("name", SARIF)
def test_golden_sarif(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    compare(seen(name, "sarif", capsys), GOLDEN / f"{name}.sarif.json")


def test_every_golden_file_has_its_pair() -> None:
    assert {path.stem for path in GOLDEN.glob("*.out")} == set(NAMES)
    assert set(SARIF) < set(NAMES)
    assert len(NAMES) >= 80
    assert len(SARIF) >= 15
    for name in NAMES:
        assert name.startswith("valid-") == (", no findings" in (GOLDEN / f"{name}.out").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SARIF)
def test_sarif_is_ascii_json_that_fits_the_standard(name: str) -> None:
    text = (GOLDEN / f"{name}.sarif.json").read_text(encoding="ascii")
    SARIF_SCHEMA.validate(json.loads(text))


@pytest.mark.parametrize("name", SARIF)
def test_sarif_and_text_tell_the_same(name: str) -> None:
    """Every finding that a person sees is there, in the same order; what was suppressed says so."""
    run = json.loads((GOLDEN / f"{name}.sarif.json").read_text(encoding="ascii"))["runs"][0]
    told = [result["ruleId"] for result in run["results"] if not result["suppressions"]]
    assert told == re.findall(r"^\S+ ?(?:error|warning|hint)\[(COS\d{4})\]: ", read(f"{name}.out"), re.MULTILINE)
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {result["ruleId"] for result in run["results"]}


def test_sarif_shows_all_that_it_can_say() -> None:
    """Among the files: fixes, notes elsewhere, suppressions, columns behind emoji, and a finding about a whole file."""
    results = {name: json.loads(read(f"{name}.sarif.json"))["runs"][0]["results"] for name in SARIF}
    every = [result for found in results.values() for result in found]
    assert {True, False} == {fix["properties"]["safe"] for result in every for fix in result.get("fixes", ())}
    assert any(result.get("relatedLocations") for result in every)
    assert any(result["suppressions"] for result in every)
    (whole,) = results["nul-bytes"]
    assert whole["locations"][0]["physicalLocation"]["region"]["charLength"] == 0
    (color,) = [result for result in results["semantic-wide-characters"] if "\u8d64\u3044" in result["message"]["text"]]
    region = color["locations"][0]["physicalLocation"]["region"]
    line = read("semantic-wide-characters.yaml").splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "\u8d64\u3044"
    assert len(line[: region["startColumn"] - 1].encode("utf-16-le")) // 2 != region["startColumn"] - 1


@pytest.mark.parametrize("name", NAMES)
def test_carets_stand_under_what_the_finding_is_about(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever a line can be shown as it is: whole, without tabs and without wide characters."""
    told = [one for one in json.loads(seen(name, "json", capsys))["diagnostics"] if not one["suppressed"]]
    out = read(f"{name}.out")
    if "•" in out:
        return  # the line is not shown as it is: it holds a secret
    for span in [span for one in told for span in (one["span"], *(other["span"] for other in one["related"])) if span]:
        start, end = span["start"], span["end"]
        line = read(span["file"]).split("\n")[start["line"] - 1].removesuffix("\r")
        if (
            start["line"] == end["line"]
            and start != end
            and len(line) <= WHOLE
            and line.isascii()
            and line.isprintable()
        ):
            carets = " " * (start["column"] - 1) + "^" * (end["column"] - start["column"])
            gutter = f"  {start['line']} | "
            assert f"{gutter}{line.rstrip()}\n{' ' * (len(gutter) - 2)}| {carets}" in out


def read(name: str) -> str:
    return (GOLDEN / name).read_bytes().decode("utf-8-sig", "replace")
