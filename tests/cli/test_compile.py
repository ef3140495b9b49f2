"""`costa compile` and `costa tools` as a user calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from costa_dsl.catalog.load import catalog_folder
from costa_dsl.cli.main import run
from tests.conftest import assert_fits

PLAN = """apiVersion: costa/v1
kind: Plan
task: a test
policy: {alpha: 1}
tree:
  - {do: object-replacement, object: cat, with: dog}
"""
PAPER = ["--catalog", "paper"]


@pytest.fixture
def plan(tmp_path: Path) -> str:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return str(path)


def test_the_text_shows_every_invocation_and_the_best_path(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", plan, *PAPER]) == 0
    text = capsys.readouterr().out
    for tool in ("grounding-dino", "yolov7", "sam", "sd-inpaint", "dall-e"):
        assert tool in text
    assert "best path by benchmark: 12.3 s, quality 0.970, J at α 1: 12.63 (provably the best by the estimates)" in text
    starred = [line.split()[2] for line in text.splitlines() if line.startswith("* ") and "object-" in line]
    assert len(starred) == 3


def test_alpha_on_the_command_line_overrides_the_plan(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", plan, *PAPER, "--alpha", "2", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["alpha"] == 2
    assert [part["tool"] for part in value["path"]] == ["yolov7", "sam", "sd-inpaint"]
    assert run(["compile", plan, *PAPER, "--alpha", "0", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert [part["tool"] for part in value["path"]] == ["grounding-dino", "sam", "dall-e"]


def test_the_graph_goes_to_a_file_in_the_form_of_its_suffix(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compile", plan, *PAPER, "-o", str(tmp_path / "graph.json")]) == 0
    assert_fits(json.loads((tmp_path / "graph.json").read_text()), "toolpath-graph")
    assert run(["compile", plan, *PAPER, "-o", str(tmp_path / "graph.dot")]) == 0
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")
    assert run(["compile", plan, *PAPER, "-o", str(tmp_path / "no" / "graph.yaml")]) == 1
    assert "COS8203" in capsys.readouterr().err


def test_a_plan_with_errors_is_told_at_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("object-replacement", "object-replacment"))
    assert run(["compile", str(path), *PAPER]) == 1
    error = capsys.readouterr().err
    assert f"{path}:6:10: error[COS3104]" in error
    assert 'did you mean "object-replacement"?' in error


def test_a_manifest_is_no_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", str(catalog_folder("paper") / "benchmark.yaml")]) == 1
    assert "COS3001" in capsys.readouterr().err


def test_tools_list_has_every_subtask_and_says_where_there_is_no_tool_yet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tools", "list", "--format", "json"]) == 0
    entries = json.loads(capsys.readouterr().out)["tools"]
    costa = {entry["subtask"] for entry in entries if entry["source"] == "costa"}
    assert len(costa - {"grounding", "text-style-detection"}) == 24
    assert run(["tools", "list"]) == 0
    assert "no tool yet" in capsys.readouterr().out


def test_at_least_three_subtasks_have_competing_tools(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tools", "list", "--format", "json"]) == 0
    entries = json.loads(capsys.readouterr().out)["tools"]
    by_subtask: dict[str, set[tuple[float, float]]] = {}
    for entry in entries:
        if entry["tool"]:
            assert entry["available"], entry
            by_subtask.setdefault(entry["subtask"], set()).add((entry["seconds"], entry["quality"]))
    competing = [
        name
        for name, pairs in by_subtask.items()
        if len({seconds for seconds, _ in pairs}) > 1 and len({quality for _, quality in pairs}) > 1
    ]
    assert len(competing) >= 3


def test_tools_show_tells_what_feeds_a_tool(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tools", "show", "sam", "--catalog", "paper", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["fed by"] == ["grounding-dino", "yolov7"]
    assert value["feeds"] == ["dall-e", "sd-erase", "sd-inpaint"]
    assert run(["tools", "show", "sem", "--catalog", "paper"]) == 3
    assert 'did you mean "sam"?' in capsys.readouterr().err


def test_the_doctor_names_what_is_missing_and_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tools", "doctor"]) == 0
    assert "tools are ready" in capsys.readouterr().out
    assert run(["tools", "doctor", "--catalog", "paper"]) == 1
    output = capsys.readouterr().out
    assert "0 of 28 tools are ready" in output
    assert "to get more: pip install" in output


def test_nan_is_no_alpha(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", plan, *PAPER, "--alpha", "nan"]) == 2
    assert "nan is not a number from 0 to 2" in capsys.readouterr().err


def test_several_reasons_stand_on_lines_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    assert run(["compile", str(path), "--catalog", str(catalog_folder("paper"))]) == 1
    error = capsys.readouterr().err
    assert "\ufffd" not in error
    assert "  help: dall-e: " in error
    assert "\n        sd-inpaint: " in error


def test_a_full_disk_behind_standard_output_is_one_message() -> None:
    for arguments in (["tools", "list"], ["compile", "no-such-plan.yaml", "--format", "json"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "costa_dsl", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
            )
        assert done.returncode == 1
        assert done.stderr.count("error[") == 1
        assert "error[COS8204]: standard output cannot be written" in done.stderr
        assert "Traceback" not in done.stderr


def test_the_papers_table_is_compiled_and_never_run(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exec", plan, "--catalog", "paper", "--image", "sample:coffee"]) == 2
    assert "error[COS2104]" in capsys.readouterr().err
