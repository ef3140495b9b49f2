"""`costa exec` with every strategy and with objectives, on a real picture with real models."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import assert_fits
from tests.e2e.test_exec import costa, write_plan

TREE = """\
  - {do: object-detection, object: cup, id: found}
  - {do: object-recoloration, object: cup, to: teal, id: paint}
"""


def execute(folder: Path, *options: str, head: str = "") -> subprocess.CompletedProcess[str]:
    """Run the two steps on the coffee cup, in a folder of their own."""
    plan = write_plan(folder, TREE, head)
    return costa("exec", plan, "--image", "sample:coffee", "--run-dir", "run", *options, cwd=folder)


def record_of(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "run" / "run.json").read_text())
    assert_fits(record, "run-record")
    return record


def lines_of(folder: Path, event: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (folder / "run" / "journal.jsonl").read_text().splitlines())
    return [line for line in lines if line["event"] == event]


@pytest.mark.parametrize("strategy", ["lazy", "commit", "paper", "exhaustive"])
def test_each_strategy_does_the_job(tmp_path: Path, strategy: str) -> None:
    done = execute(tmp_path, "--alpha", "0", "--strategy", strategy)
    assert done.returncode == 0, done.stderr
    record = record_of(tmp_path)
    assert record["policy"]["strategy"] == strategy
    assert record["path"]["proof"]["status"] in ("optimal", "feasible")
    assert [step["id"] for step in record["steps"] if step["role"] == "step"] == ["found", "paint"]
    assert record["path"]["proof"]["bound"][0] <= record["path"]["objective"][0]
    # What a replay needs: how it was searched, and each outcome with all of its digits.
    assert [line["strategy"] for line in lines_of(tmp_path, "search")] == [strategy]
    outcomes = lines_of(tmp_path, "outcome")
    assert sum(line["seconds"] for line in outcomes) >= record["totals"]["seconds"] - 1e-3
    tools_run = {(step["tool"], step["id"]) for step in record["steps"]}
    assert len(outcomes) >= len(tools_run)
    if strategy == "commit":
        assert len(outcomes) <= 6
    # Explained afterwards: every outcome, and the same proof.
    told = costa("trace", "run", "--format", "json", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    trace = json.loads(told.stdout)
    assert [step["label"]["number"] for step in trace["steps"]] == [line["label"] for line in outcomes]
    assert trace["end"]["proof"]["status"] == record["path"]["proof"]["status"]


def test_paper_runs_more_than_commit(tmp_path: Path) -> None:
    executions = {}
    for strategy in ("commit", "paper"):
        folder = tmp_path / strategy
        folder.mkdir()
        done = execute(folder, "--strategy", strategy)
        assert done.returncode == 0, done.stderr
        executions[strategy] = record_of(folder)["totals"]["executions"]
    assert executions["commit"] < executions["paper"]


def test_min_quality_that_is_reached(tmp_path: Path) -> None:
    done = execute(tmp_path, head="policy: {objective: 'min-quality:0.5'}\n")
    assert done.returncode == 0, done.stderr
    record = record_of(tmp_path)
    assert record["policy"]["objective"] == "min-quality:0.5"
    assert record["path"]["quality"] >= 0.5
    assert record["path"]["objective"][0] == 0
    assert "quality missing to 0.5, seconds, lost quality: 0, " in done.stdout


def test_min_quality_that_nothing_reaches(tmp_path: Path) -> None:
    """The best path is kept, and one diagnostic says what was found; the option of the command line has no place."""
    done = execute(tmp_path, "-o", "out.png", "--objective", "min-quality:1")
    assert done.returncode == 4
    assert done.stderr.count("error[COS6103]") == 1
    assert "`min-quality:1` demands" in done.stderr
    record = record_of(tmp_path)
    assert record["status"] == "failed"
    assert record["path"]["proof"]["status"] == "infeasible"
    assert [step["id"] for step in record["steps"] if step["role"] == "step"] == ["found", "paint"]
    assert (tmp_path / "run" / "output.png").exists()


def test_an_objective_that_cannot_be_read_runs_nothing(tmp_path: Path) -> None:
    done = execute(tmp_path, "--objective", "min-quality:9")
    assert done.returncode == 3
    assert "error[COS3124]: --objective: " in done.stderr
    assert not (tmp_path / "run").exists()


def test_the_budget_proves_what_it_can(tmp_path: Path) -> None:
    done = execute(tmp_path, head="policy: {budget: {calls: 1}}\n")
    assert done.returncode == 5
    proof = record_of(tmp_path)["path"]["proof"]
    assert (proof["status"], proof["gap"]) == ("budget", None)
    assert proof["bound"][0] > 0
