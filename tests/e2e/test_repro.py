"""`costa runs` and `costa repro` as a user calls them, with packaged tools on a real photograph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.test_exec import costa, write_plan

TREE = "  - {do: object-recoloration, object: cup, at: {box: [30%, 20%, 60%, 70%]}, to: teal, id: paint}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in it, made without the cache."""
    folder = tmp_path_factory.mktemp("repro")
    plan = write_plan(folder, TREE, "policy: {threshold: 0.3, alpha: 2}\n")
    done = costa("exec", plan, "--image", "sample:coffee", "--run-dir", "runs/a", "--no-cache", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_an_attempt_comes_out_the_same_in_another_process(folder: Path) -> None:
    shown = json.loads(costa("runs", "show", "runs/a", "--format", "json", cwd=folder).stdout)
    number = next(call["number"] for call in shown["calls"] if call["subtask"] == "object-recoloration")
    done = costa("repro", "runs/a", str(number), "-o", "again", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same as in the run, bit for bit" in done.stdout
    assert (folder / "again" / "image.png").is_file()
    kept = json.loads((folder / "again" / "attempt.json").read_text())
    assert (kept["same"], kept["differs"]) == (True, [])
    refused = costa("repro", "runs/a", "3", "-o", "again", cwd=folder)
    assert refused.returncode == 2
    assert "COS6610" in refused.stderr


def test_json_and_usage(folder: Path) -> None:
    done = costa("repro", "runs/a", "[1]", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert (value["version"], value["number"], value["same"]) == (1, 1, True)
    for arguments, code, finding in (
        (("runs/a", "99"), 3, "COS6606"),
        (("runs/a", "paint"), 2, "COS6607"),
        (("runs/a", "1", "--attempt", "7"), 3, "COS6609"),
        (("runs", "1"), 3, "COS6602"),
        (("runs/a", "1", "--attempt", "0"), 2, ""),
        (("runs/a", "1", "-o", "plan.yaml"), 2, "COS6610"),
    ):
        done = costa("repro", *arguments, cwd=folder)
        assert done.returncode == code, done.stderr
        assert finding in done.stderr
        assert "Traceback" not in done.stderr


def test_a_tool_that_fails_gives_4(folder: Path) -> None:
    plan = write_plan(folder, "  - {do: object-detection, object: elephant}\n")
    done = costa("exec", plan, "--image", "sample:coffee", "--run-dir", "runs/no elephant", cwd=folder)
    assert done.returncode == 4
    assert "again, alone: costa repro 'runs/no elephant' " in done.stderr
    write_plan(folder, TREE)  # the run has a copy of its plan
    done = costa("repro", "runs/no elephant", "1", cwd=folder)
    assert done.returncode == 4, done.stderr
    assert "it fails as it did in the run" in done.stdout
    listed = costa("runs", "list", "--status", "failed", cwd=folder)
    assert "no elephant" in listed.stdout
