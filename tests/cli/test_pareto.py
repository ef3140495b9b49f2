"""`costa pareto` as a user calls it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from costa_dsl.cli.main import run
from tests.cli.test_imports import HEAVY, loaded
from tests.cli.test_imports import PLAN as SMALL

PLAN = """apiVersion: costa/v1
kind: Plan
task: Cats & dogs <both>.
policy: {alpha: 1}
tree:
  - {do: object-replacement, object: cat, with: dog, id: swap}
  - {do: image-upscaling, id: enlarge}
"""
PAPER = ["--catalog", "paper"]


@pytest.fixture
def plan(tmp_path: Path) -> str:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return str(path)


def value_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert run(["pareto", *arguments, "--format", "json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_the_table_has_each_path_of_the_front_and_what_tells_it_apart(
    plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pareto", plan, *PAPER]) == 0
    text = capsys.readouterr().out
    assert "plan: 3 of 4 paths are worth having, by the estimates" in text
    rows = [line for line in text.splitlines() if "swap: " in line and "to" in line]
    assert [row.split("swap: ")[1] for row in rows] == [
        "yolov7 → sd-inpaint", "grounding-dino → sd-inpaint", "grounding-dino → dall-e"
    ]  # fmt: skip
    assert [row.startswith("*") for row in rows] == [False, True, False]
    assert "* the plan's choice, at α 1" in text
    assert "All paths: swap: sam, enlarge: real-esrgan" in text
    assert text.count("real-esrgan") == 1, "what all paths share is told once"


def test_json_is_complete_and_fits_what_compile_says(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = value_of([plan, *PAPER], capsys)
    assert value["version"] == 1
    assert value["exact"] is True
    assert value["gap"] == 0
    front = value["front"]
    assert isinstance(front, list)
    for path in front:
        assert path["seconds"] == pytest.approx(sum(call["seconds"] for call in path["path"]))
        quality = 1.0
        for call in path["path"]:
            quality *= call["quality"]
        assert path["quality"] == pytest.approx(quality)
    for slower, faster in pairwise(reversed(front)):
        assert slower["wins"]["to"] == pytest.approx(faster["wins"]["from"])
    assert front[0]["wins"]["to"] == 2
    assert front[-1]["wins"]["from"] == 0
    for path in front:
        middle = (path["wins"]["from"] + path["wins"]["to"]) / 2
        assert run(["compile", plan, *PAPER, "--alpha", str(middle), "--format", "json"]) == 0
        best = json.loads(capsys.readouterr().out)
        assert [call["tool"] for call in best["path"]] == [call["tool"] for call in path["path"]]
        chosen = value_of([plan, *PAPER, "--alpha", str(middle)], capsys)
        assert front[chosen["chosen"]] == {**path, "rank": front[chosen["chosen"]]["rank"]}  # type: ignore[index]


def test_a_graph_file_has_the_front_of_its_plan(plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = str(tmp_path / "graph.json")
    assert run(["compile", plan, *PAPER, "-o", graph]) == 0
    capsys.readouterr()
    assert value_of([graph, *PAPER], capsys) == value_of([plan, *PAPER], capsys)
    assert run(["pareto", graph, *PAPER, "--only", "swap"]) == 2
    assert "COS4203" in capsys.readouterr().err


def test_a_part_of_a_plan_alone(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = value_of([plan, *PAPER, "--only", "enlarge"], capsys)
    front = value["front"]
    assert isinstance(front, list)
    assert [call["step"] for path in front for call in path["path"]] == ["enlarge"]
    assert run(["pareto", plan, *PAPER, "--only", "enlarge"]) == 0
    text = capsys.readouterr().out
    assert "one path, no choice" in text
    assert "Its tools: enlarge: real-esrgan" in text


def test_the_plot_goes_to_a_file_beside_the_table_or_instead_of_it(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside, instead = tmp_path / "beside.svg", tmp_path / "instead.svg"
    assert run(["pareto", plan, *PAPER, "--svg", str(beside)]) == 0
    found = capsys.readouterr()
    assert "worth having" in found.out
    assert f"wrote {beside}" in found.err
    assert run(["pareto", plan, *PAPER, "-o", str(instead)]) == 0
    assert capsys.readouterr().out == ""
    assert beside.read_bytes() == instead.read_bytes()
    root = ElementTree.fromstring(beside.read_text())
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Cats & dogs <both>." in texts
    assert run(["pareto", plan, *PAPER, "-o", str(tmp_path / "front.json")]) == 0
    assert json.loads((tmp_path / "front.json").read_text())["version"] == 1
    assert run(["pareto", plan, *PAPER, "-o", str(tmp_path / "front.txt")]) == 0
    assert "worth having" in (tmp_path / "front.txt").read_text()


def test_a_cap_is_told_with_the_gap_that_it_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.yaml"
    steps = "".join(f"  - {{do: object-removal, object: thing {number}}}\n" for number in range(5))
    plan.write_text(f"apiVersion: costa/v1\nkind: Plan\ntask: Much.\ntree:\n{steps}")
    assert run(["pareto", str(plan), *PAPER, "--most-points", "3"]) == 0
    text = capsys.readouterr().out
    value = value_of([str(plan), *PAPER, "--most-points", "3"], capsys)
    assert value["exact"] is False
    assert isinstance(value["gap"], float)
    assert f"No other path has a J that is more than {value['gap']:.2%} less, at any α." in text
    assert value_of([str(plan), *PAPER], capsys)["exact"] is True


def test_other_objectives_choose_otherwise(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pareto", plan, *PAPER, "--objective", "min-quality:0.99"]) == 0
    text = capsys.readouterr().out
    assert "* the plan's choice, by min-quality:0.99" in text
    assert "J at" not in text
    (row,) = [line for line in text.splitlines() if line.startswith("* ") and "swap" in line]
    assert "dall-e" in row
    assert run(["pareto", plan, *PAPER, "--objective", "max-cost:1"]) == 0
    assert "* the nearest to the plan's objective max-cost:1, which no path meets" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["no-such.yaml"], 1, "COS0"),
        (["PLAN", "--most-points", "0"], 2, "0 is not in the range"),
        (["PLAN", "--alpha", "nan"], 2, "nan is not a number"),
        (["PLAN", "--objective", "nothing"], 3, "there is no objective"),
        (["PLAN", "--only", "nowhere"], 1, "nowhere"),
        (["PLAN", "-o", "FOLDER/no/front.svg"], 1, "COS8203"),
        (["PLAN", "--svg", "FOLDER/no/front.svg"], 1, "COS8203"),
    ],
)
def test_what_cannot_be_done_is_one_message(
    arguments: list[str], code: int, words: str, plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [part.replace("PLAN", plan).replace("FOLDER", str(tmp_path)) for part in arguments]
    assert run(["pareto", *given, *PAPER]) == code
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


def test_no_heavy_library_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(SMALL)
    code, modules = loaded(["pareto", "plan.yaml", "--svg", "front.svg"], tmp_path)
    assert code == 0
    assert [name for name in HEAVY if name in modules] == []
