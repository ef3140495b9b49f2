"""The paper's tables with the inconsistencies that were published: each is found at its place, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from costa_dsl.catalog.load import catalog_folder
from costa_dsl.cli.main import run
from tests.diagnostics.test_golden import compare

FIXTURES = Path(__file__).parent.parent / "fixtures"
FOLDER = "paper-as-published"
TOOLS = 28

# Each with its code, its severity, its file, and the text that the carets stand under.
INCONSISTENCIES = {
    ("COS1015", "error", "benchmark.yaml", "MiDaS"),
    ("COS1015", "error", "benchmark.yaml", "YOLOv7"),
    ("COS1015", "error", "benchmark.yaml", "CRAFT"),
    ("COS1015", "error", "benchmark.yaml", "EasyOCR"),
    ("COS2017", "hint", "subtasks.yaml", "keyword-highlighting"),
    ("COS2001", "error", "tools.yaml", "text-style-detection"),
    ("COS2008", "error", "tools.yaml", "text-removal", "dall-e-text"),
    ("COS2008", "error", "tools.yaml", "text-removal", "sd-erase-text"),
    ("COS2008", "error", "tools.yaml", "text-addition", "pillow-addition"),
}


@pytest.fixture(autouse=True)
def beside_the_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)


def validated(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The findings, each with the text of its place and the name of the manifest around it."""
    assert run(["validate", "--format", "json", "--catalog", FOLDER, FOLDER]) == 1
    return [with_text(found) for found in json.loads(capsys.readouterr().out)["diagnostics"]]


def with_text(found: dict[str, Any]) -> dict[str, Any]:
    span = found["span"]
    text = Path(span["file"]).read_text(encoding="utf-8")
    start, end = span["start"], span["end"]
    line = text.split("\n")[start["line"] - 1]
    assert line[start["column"] - 1 : end["column"] - 1] == text[start["offset"] : end["offset"]]
    manifest = text[: start["offset"]].rpartition("\nname: ")[2]
    return {
        **found,
        "file": Path(span["file"]).name,
        "text": text[start["offset"] : end["offset"]],
        "tool": manifest.partition("\n")[0],
    }


def test_every_inconsistency_is_found_at_its_place_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    found = [one for one in validated(capsys) if one["code"] != "COS2007"]
    told = [
        (one["code"], one["severity"], one["file"], one["text"]) + ((one["tool"],) if one["code"] == "COS2008" else ())
        for one in found
    ]
    assert sorted(told) == sorted(INCONSISTENCIES)


def test_names_that_differ_in_case_are_mended_without_risk(capsys: pytest.CaptureFixture[str]) -> None:
    printed = {one["text"]: one["fix"] for one in validated(capsys) if one["code"] == "COS1015"}
    assert {name: fix["edits"][0]["text"] for name, fix in printed.items()} == {
        name: name.lower() for name in ("MiDaS", "YOLOv7", "CRAFT", "EasyOCR")
    }
    assert all(fix["safe"] for fix in printed.values())


def test_nobody_has_the_paper_s_implementations(capsys: pytest.CaptureFixture[str]) -> None:
    missing = [one for one in validated(capsys) if one["code"] == "COS2007"]
    assert len(missing) == TOOLS
    assert {(one["severity"], one["file"]) for one in missing} == {("warning", "tools.yaml")}
    # Of each manifest its own: in this table tools and implementations have the same names.
    assert all(one["text"] == one["tool"] for one in missing)


def test_what_a_person_sees(capsys: pytest.CaptureFixture[str]) -> None:
    run(["validate", "--catalog", FOLDER, FOLDER])
    compare(capsys.readouterr().out, FIXTURES / FOLDER / "findings.out")


def test_the_mended_tables_are_free_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    run(["validate", "--format", "json", "--catalog", "paper", str(catalog_folder("paper"))])
    assert {one["code"] for one in json.loads(capsys.readouterr().out)["diagnostics"]} == {"COS2007"}
