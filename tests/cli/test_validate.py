"""`costa validate`, `costa explain`, and how the command ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from costa_dsl import __version__
from costa_dsl.cli.main import COMMANDS, costa, run

PLAN = "apiVersion: costa/v1\nkind: Plan\ntask: Remove the cup.\ntree: {do: object-removal, object: cup}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plans" / "deep").mkdir(parents=True)
    (tmp_path / "plans" / ".hidden").mkdir()
    (tmp_path / "plans" / "good.yaml").write_text(PLAN)
    (tmp_path / "plans" / "deep" / "bad.yml").write_text(PLAN.replace("tree:", "tre:"))
    (tmp_path / "plans" / ".hidden" / "worse.yaml").write_text("a: [")
    (tmp_path / "plans" / "notes.txt").write_text("a: [")
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_a_good_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "plans/good.yaml"]) == 0
    assert capsys.readouterr() == ("1 file, no findings\n", "")


def test_folders_are_searched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "plans", "plans/good.yaml"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith('plans/deep/bad.yml:4:1: error[COS1012]: unknown key "tre" in a Plan\n')
    assert 'did you mean "tree"?' in out
    assert out.endswith("\n2 files, 1 error\n1 can be mended by a good guess: costa validate --fix=all\n")


def test_json_is_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--format", "json", "plans"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["version"], document["files"], document["summary"]["errors"]) == (1, 2, 1)
    (found,) = document["diagnostics"]
    assert (found["code"], found["span"]["file"]) == ("COS1012", "plans/deep/bad.yml")


def test_warnings_alone_are_no_failure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("old.yaml").write_text("%YAML 1.1\n---\n" + PLAN)
    assert run(["validate", "old.yaml"]) == 0
    assert "1 file, 1 warning" in capsys.readouterr().out


def test_a_finding_of_the_rules(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.yaml").write_text(PLAN.replace("object-removal", "object-removel"))
    assert run(["validate", "wrong.yaml"]) == 1
    assert 'unknown subtask "object-removel"' in capsys.readouterr().out


def test_nothing_matched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "empty"]) == 3
    out, err = capsys.readouterr()
    assert (out, "error[COS0008]" in err) == ("", True)
    assert run(["validate", "--format", "json", "empty"]) == 3
    out, err = capsys.readouterr()
    assert (json.loads(out)["diagnostics"][0]["code"], err) == ("COS0008", "")


def test_a_missing_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "plans/god.yaml"]) == 1
    assert "good.yaml" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["validat", "x"], 'Did you mean "validate"?'),
        (["qqq"], "The commands are validate"),
        (["validate"], "PATHS"),
        (["validate", "--format", "xml", "x"], "xml"),
        (["validate", "--fromat", "json", "x"], "--format"),
        (["explain"], "CODE"),
        ([], "Commands"),
    ],
)
def test_usage(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert out == ""


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "cos1012"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("COS1012: An unknown key (error; `costa validate --fix=all` mends it)\n")
    assert "    polcy: {alpha: 1.0}\n" in out
    assert run(["explain", "1012", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "An unknown key"


def test_explain_an_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "COS102"]) == 3
    err = capsys.readouterr().err
    assert 'there is no code "COS102"' in err
    assert "did you mean" in err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"costa {__version__}\n"
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)
    assert run(["validate", "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a command that ends in an error which no real command should end in."""

    @click.command("explain")
    def command() -> None:
        raise error

    monkeypatch.setattr(costa, "get_command", lambda *_: command)


def test_an_internal_error_asks_for_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("COSTA_DEBUG", raising=False)
    raising(ValueError("boom"), monkeypatch)
    assert run(["explain"]) == 70
    err = capsys.readouterr().err
    assert "error[COS6900]: internal error: ValueError: boom" in err
    assert "Traceback" not in err
    (file,) = tmp_path.glob("costa-traceback-*.txt")
    assert "ValueError: boom" in file.read_text()
    monkeypatch.setenv("COSTA_DEBUG", "1")
    assert run(["explain"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    raising(KeyboardInterrupt(), monkeypatch)
    assert run(["explain"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: 1\n---\n" * 3000)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "costa_dsl", "validate", str(tmp_path / "bad.yaml")],
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_terminal_without_unicode(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("日本: 1\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "costa_dsl", "validate", str(tmp_path / "bad.yaml")],
        capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 1
    assert b"\\u65e5\\u672c: 1" in done.stdout


def test_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "costa_dsl", "validate", "-"],
        input=PLAN.replace("task:", "tsk:"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout.startswith("<stdin>:3:1: error[COS1012]")
