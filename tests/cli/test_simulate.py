"""`costa simulate`: what is printed, what is written, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from costa_dsl.catalog.load import load_catalog
from costa_dsl.cli.main import run
from costa_dsl.compiler.load import load_graph
from costa_dsl.diagnostics import Sink
from costa_dsl.model.objective import CostaObjective
from costa_dsl.report.graph import count_ways
from costa_dsl.search.search import Search
from costa_dsl.search.space import Execute, Outcome
from costa_dsl.search.strategies import STRATEGIES
from tests.cli.test_imports import HEAVY, loaded
from tests.conftest import read, said_under_hash_seeds
from tests.search.graphs import layered

PLAN = """\
apiVersion: costa/v1
kind: Plan
task: Replace the dog and recolor the car.
tree:
  any_order:
    - {do: object-replacement, object: dog, with: cat}
    - {do: object-recoloration, object: car, to: red}
"""
QUIET = ["--noise", "0", "--latency", "0", "--failures", "0"]


@pytest.fixture
def plan(tmp_path: Path) -> str:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return str(path)


def simulate(plan: str, *more: str) -> int:
    return run(["simulate", plan, "--catalog", "paper", *more])


def document(plan: str, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert simulate(plan, "--format", "json", *more) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


# ---- what is printed -----------------------------------------------------------------------------------------
def test_a_table_with_all_strategies(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without noise it is the example of FACTS §3: 33 executions and 148 s of tool time for a path of 24.3 s."""
    assert simulate(plan, "--alpha", "2", "--runs", "1", *QUIET) == 0
    out, err = capsys.readouterr()
    assert err == ""
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.split()[:1]}
    assert rows["paper"][:4] == ["33.0", "148.1", "24.3", "0.580"]
    assert rows["lazy"][:4] == ["6.0", "24.3", "24.3", "0.580"]
    assert rows["exhaustive"][-3:] == ["1", "of", "1"]
    assert "commit" in rows
    assert "J at α 2" in out


def test_the_numbers_are_means_over_the_runs(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(plan, capsys, "--runs", "5", "--seed", "3", "--strategy", "lazy,paper")
    assert list(found["strategies"]) == ["lazy", "paper"]
    runs = found["strategies"]["lazy"]
    assert [one["seed"] for one in runs] == [3, 4, 5, 6, 7]
    assert simulate(plan, "--runs", "5", "--seed", "3", "--strategy", "lazy", "--strategy", "paper") == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("lazy"))
    assert float(row.split()[1]) == pytest.approx(sum(one["calls"] for one in runs) / 5, abs=0.05)
    assert float(row.split()[2]) == pytest.approx(sum(one["seconds"] for one in runs) / 5, rel=1e-3)
    assert float(row.split()[4]) == pytest.approx(sum(one["path"]["quality"] for one in runs) / 5, abs=1e-3)


def test_json_holds_each_run(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(plan, capsys, "--runs", "2", "--persistence", "0.25", "--noise", "0.04")
    assert found["noise"]["quality_bias"] == pytest.approx(0.02)
    assert (found["threshold"], found["attempts"], found["objective"], found["alpha"]) == (0.8, 3, "costa", 1.0)
    for runs in found["strategies"].values():
        for one in runs:
            assert one["regret_is_exact"]
            assert one["regret"] >= 0
            path = one["path"]
            assert path["rank"] == [pytest.approx(path["seconds"] * (2 - path["quality"]))]
            assert [tool["step"] for tool in path["tools"]]
            assert one["seconds"] >= path["seconds"] - 1e-9
    assert all(one["regret"] == 0 for one in found["strategies"]["exhaustive"])


def test_the_policy_of_the_plan_says_what_is_good_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "strict.yaml"
    path.write_text(PLAN.replace("tree:", "policy: {threshold: 0.95, attempts: 1}\ntree:"))
    found = document(str(path), capsys, "--runs", "4", "--noise", "0.2")
    assert (found["threshold"], found["attempts"]) == (0.95, 1)
    assert any(one["path"] is None for one in found["strategies"]["lazy"])


def test_a_world_in_which_nothing_works_has_no_path(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("text", "json"):
        assert simulate(plan, "--runs", "30", "--failures", "1", "--noise", "0.9", "--format", form) == 0
    out = capsys.readouterr().out
    assert "of 30" in out
    assert "in which every strategy found one" in out


@pytest.mark.parametrize("objective", ["min-quality:0.9", "money", "lexicographic:quality,seconds"])
def test_every_objective(plan: str, objective: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(plan, capsys, "--runs", "2", "--objective", objective)
    assert found["objective"] == objective
    assert all(one["path"]["rank"] for one in found["strategies"]["lazy"])


def test_a_large_graph_is_not_searched_exhaustively(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large.yaml"
    steps = "".join(f"    - {{do: object-replacement, object: dog {n}, with: cat {n}}}\n" for n in range(4))
    path.write_text(PLAN.split("    -")[0] + steps)
    assert simulate(str(path), "--runs", "1") == 0
    out = capsys.readouterr().out
    assert "not exhaustive: it would run" in out
    assert "\nexhaustive" not in out
    assert simulate(str(path), "--runs", "1", "--strategy", "exhaustive") == 2
    assert "it would run" in capsys.readouterr().err


def test_how_many_tools_exhaustive_runs_is_counted() -> None:
    assert count_ways(layered([[(1.0, 1.0)] * 4] * 3)) == 84


def test_the_same_command_prints_the_same_under_every_hash_seed(plan: str) -> None:
    command = ["-m", "costa_dsl", "simulate", plan, "--catalog", "paper", "--runs", "3", "--format", "json"]
    assert json.loads(said_under_hash_seeds(*command))


@pytest.mark.parametrize("more", [["--runs", "2"], ["--run-dir", "kept"]], ids=["table", "kept"])
def test_no_heavy_library_is_loaded(plan: str, more: list[str], tmp_path: Path) -> None:
    code, modules = loaded(["simulate", plan, "--catalog", "paper", *more], tmp_path)
    assert code == 0
    assert [name for name in HEAVY if name in modules] == []


# ---- what is written -----------------------------------------------------------------------------------------
def test_a_run_directory_holds_what_a_replay_needs(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs" / "seven"
    shown = document(plan, capsys, "--strategy", "lazy", "--seed", "7", "--run-dir", str(folder))
    assert sorted(file.name for file in folder.iterdir()) == ["graph.json", "journal.jsonl", "plan.yaml"]
    assert (folder / "plan.yaml").read_text() == PLAN
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines[:3]] == ["simulated", "search", "outcome"]
    assert (lines[0]["seed"], lines[1]["strategy"], lines[1]["graph"]) == (7, "lazy", shown["digest"])
    # Replayed without the world: the same decisions, the same end.
    [(_, graph_document)] = read((folder / "graph.json").read_text(), "graph.json")
    graph = load_graph(graph_document, load_catalog("paper", Sink()), Sink(), None, assume_available=True).graph
    search = Search(graph, CostaObjective(lines[1]["alpha"]), STRATEGIES[lines[1]["strategy"]])
    for line in lines[2:]:
        decision = search.next()
        assert isinstance(decision, Execute)
        assert decision.label.invocation is not None
        assert (decision.label.number, decision.label.invocation.id) == (line["label"], line["invocation"])
        search.observe(Outcome(line["accepted"], line["seconds"], line["quality"], line["usd"]))
    assert not isinstance(search.next(), Execute)
    assert search.best is not None
    assert search.best.seconds == shown["strategies"]["lazy"][0]["path"]["seconds"]


def test_the_strategy_of_the_plan_is_kept_when_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("tree:", "policy: {strategy: commit}\ntree:"))
    assert simulate(str(path), "--run-dir", str(tmp_path / "kept")) == 0
    assert '"strategy": "commit"' in (tmp_path / "kept" / "journal.jsonl").read_text()


def test_a_folder_that_is_not_empty_is_left_alone(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(plan, "--run-dir", str(tmp_path)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "COS8202" in err
    assert [file.name for file in tmp_path.iterdir()] == ["plan.yaml"]
    (tmp_path / "file").write_text("")
    assert simulate(plan, "--run-dir", str(tmp_path / "file" / "below")) == 1
    assert "COS8201" in capsys.readouterr().err


# ---- what is refused -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["--strategy", "fast"], 2, 'there is no strategy "fast"'),
        (["--strategy", "lazy,,paper"], 2, 'there is no strategy ""'),
        (["--noise", "nan"], 2, "nan is not a number"),
        (["--failures", "1.5"], 2, "1.5 is not in the range"),
        (["--latency", "-1"], 2, "-1.0 is not in the range"),
        (["--runs", "0"], 2, "0 is not in the range"),
        (["--seed", "-1"], 2, "-1 is not in the range"),
        (["--run-dir", "x", "--runs", "2"], 2, "one run of one strategy"),
        (["--run-dir", "x", "--strategy", "lazy,paper"], 2, "one run of one strategy"),
        (["--objective", "least"], 3, "COS3124"),
        (["--objective", "min-quality:2"], 3, "COS3124"),
    ],
)
def test_what_cannot_be_understood_is_refused(
    plan: str, more: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(plan, *more) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_an_objective_of_the_plan_is_checked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("tree:", "policy: {objective: least}\ntree:"))
    assert simulate(str(path)) != 0
    assert "COS3124" in capsys.readouterr().err


def test_a_missing_plan_is_told_in_the_format_that_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["simulate", str(tmp_path / "none.yaml"), "--format", "json"]) != 0
    assert json.loads(capsys.readouterr().out)["diagnostics"]
