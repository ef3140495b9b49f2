"""`costa exec` runs what `costa compile` printed, with and without the plan's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from costa_dsl.cli.main import run

PLAN = """\
apiVersion: costa/v1
kind: Plan
task: Sharpen, then enlarge.
policy: {threshold: 0.5}
inputs: {image: "sample:coffee"}
tree:
  - {do: sharpen, id: first}
  - {do: image-upscaling, scale: 2, tools: {only: [lanczos]}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(PLAN)
    return tmp_path


def test_a_graph_runs_as_its_plan_does(folder: Path) -> None:
    assert run(["compile", "plan.yaml", "-o", "graph.json"]) == 0
    assert run(["exec", "plan.yaml", "--run-dir", "one", "-o", "one.png"]) == 0
    assert run(["exec", "graph.json", "--run-dir", "two", "-o", "two.png"]) == 0
    assert Path("one.png").read_bytes() == Path("two.png").read_bytes()
    Path("plan.yaml").unlink()
    assert run(["exec", "graph.json", "--run-dir", "three", "-o", "three.png"]) == 0
    assert Path("one.png").read_bytes() == Path("three.png").read_bytes()
    # The plan in the run directory is one that can be run again, wherever it came from.
    assert run(["compile", "three/plan.yaml"]) == 0
    digests = {json.loads((Path(name) / "graph.json").read_text())["digest"] for name in ("one", "two", "three")}
    assert len(digests) == 1


def test_a_run_time_failure_of_a_graph_points_to_the_plan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.yaml").write_text(
        PLAN.replace("{do: sharpen, id: first}", "{do: object-removal, object: cup, at: {text: NOTHING}}")
    )
    assert run(["compile", "plan.yaml", "-o", "graph.yaml"]) == 0
    assert run(["exec", "graph.yaml", "--run-dir", "run"]) == 4
    assert "plan.yaml:7:10" in capsys.readouterr().err
    Path("plan.yaml").unlink()
    assert run(["exec", "graph.yaml", "--run-dir", "again"]) == 4
    err = capsys.readouterr().err
    assert "graph.yaml:" in err
    assert "object-removal" in err


def test_a_part_of_a_plan_runs(folder: Path) -> None:
    assert run(["exec", "plan.yaml", "--only", "first", "--run-dir", "run", "-o", "out.png"]) == 0
    record = json.loads(Path("run/run.json").read_text())
    assert [step["id"] for step in record["steps"]] == ["first"]


def test_another_alpha_for_a_graph(folder: Path) -> None:
    assert run(["compile", "plan.yaml", "--alpha", "2", "-o", "graph.json"]) == 0
    assert json.loads(Path("graph.json").read_text())["plan"]["policy"]["alpha"] == 2
    assert run(["exec", "graph.json", "--alpha", "0", "--run-dir", "run"]) == 0
    assert json.loads(Path("run/run.json").read_text())["policy"]["alpha"] == 0
