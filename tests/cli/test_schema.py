"""`costa schema`: what is printed is what is packaged, under every spelling of a kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from costa_dsl.cli.main import run
from costa_dsl.resources import data_folder
from costa_dsl.schema import KINDS
from costa_dsl.schema.kinds import PUBLISHED, schema_file

Capture = pytest.CaptureFixture[str]


def packaged(kind: str) -> str:
    return (data_folder("schemas") / schema_file(kind)).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", PUBLISHED)
def test_print_a_kind(kind: str, capsys: Capture) -> None:
    assert run(["schema", "print", kind]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == (packaged(kind), "")
    Draft202012Validator.check_schema(json.loads(out))


@pytest.mark.parametrize(
    "name",
    ["SubtaskCatalog", "subtaskcatalog", "SUBTASKCATALOG", "subtask-catalog", "Subtask_Catalog", "subtask catalog",
     "subtask-catalog.schema.json"],
)  # fmt: skip
def test_every_spelling_of_a_kind(name: str, capsys: Capture) -> None:
    assert run(["schema", "print", name]) == 0
    assert capsys.readouterr().out == packaged("SubtaskCatalog")


@pytest.mark.parametrize(
    ("name", "guess"),
    [("Plam", "Plan"), ("tol", "Tool"), ("benchmark", "BenchmarkTable"), ("run_recrod", "RunRecord"),
     ("zzzz", None), ("", None)],
)  # fmt: skip
def test_an_unknown_kind(name: str, guess: str | None, capsys: Capture) -> None:
    assert run(["schema", "print", name]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert f'error[COS1006]: there is no schema for the kind "{name}"' in err
    assert (f'did you mean "{guess}"?' in err) if guess else ("did you mean" not in err)
    assert all(kind in err for kind in PUBLISHED)
    assert "Traceback" not in err


def test_an_unknown_kind_as_json(capsys: Capture) -> None:
    assert run(["schema", "print", "Plam", "--format", "json"]) == 3
    out, err = capsys.readouterr()
    (found,) = json.loads(out)["diagnostics"]
    assert (found["code"], found["label"], err) == ("COS1006", 'did you mean "Plan"?', "")


def test_list(capsys: Capture) -> None:
    assert run(["schema", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[:3] for line in lines] == [
        [kind, schema_file(kind), "people" if kind in KINDS else "costa"] for kind in PUBLISHED
    ]


def test_list_as_json(capsys: Capture) -> None:
    assert run(["schema", "list", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert [entry["kind"] for entry in document["schemas"]] == list(PUBLISHED)
    for entry in document["schemas"]:
        schema = json.loads(packaged(entry["kind"]))
        assert (entry["id"], entry["description"]) == (schema["$id"], schema["description"])


def test_print_all(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "new" / "schemas"
    assert run(["schema", "print", "--all", "-o", str(folder)]) == 0
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == {
        schema_file(kind): packaged(kind) for kind in PUBLISHED
    }
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("wrote ") == len(PUBLISHED)


def test_print_into_a_file(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "plan.json"
    assert run(["schema", "print", "plan", "--output", str(target)]) == 0
    assert target.read_text(encoding="utf-8") == packaged("Plan")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("arguments", [["--all", "-o", "taken/schemas"], ["Plan", "-o", "missing/plan.json"]])
def test_a_place_that_cannot_be_written(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("a file")
    assert run(["schema", "print", *arguments]) == 1
    err = capsys.readouterr().err
    assert "error[COS8203]: cannot write" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [([], "name one KIND"), (["Plan", "--all"], "name one KIND"), (["--all"], "--all needs a folder")],
)
def test_usage(arguments: list[str], words: str, capsys: Capture) -> None:
    assert run(["schema", "print", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, words in err) == ("", True)
