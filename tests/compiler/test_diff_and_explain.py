"""`costa diff`, `costa compile --explain`, `--print-after`, `--estimate`: what people see of the compiler."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from costa_dsl.cli.main import run
from costa_dsl.compiler.compile import Compiled
from costa_dsl.compiler.diff import differences
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import CostaObjective
from costa_dsl.report.explain_step import best_through, explain_step
from costa_dsl.search.search import forecast
from tests.compiler.scenes import CATALOG, PAIRS, TOOLS
from tests.conftest import checked_compile, make_catalog, make_plan

HEAD = "apiVersion: costa/v1\nkind: Plan\ntask: t\npolicy: {threshold: 0.1}\n"
TREE = "- {do: object-removal, object: dog}\n- {do: outpainting, left: 10%}"

Capture = pytest.CaptureFixture[str]


def graph(tree: str = TREE, head: str = "") -> ToolpathGraph:
    return checked_compile(make_plan(tree, head), CATALOG).graph


def test_the_same_graph_has_no_differences() -> None:
    assert differences(graph(), graph()) == []


@pytest.mark.parametrize(
    ("tree", "head", "wanted"),
    [
        (
            TREE + "\n- {do: text-detection}",
            "",
            ["+ step text-detection: text-detection", "+ reader for text-detection"],
        ),
        (
            "- {do: outpainting, left: 10%}",
            "",
            ["- step object-removal: object-removal dog", "- eraser for object-removal"],
        ),
        (TREE.replace("10%", "20%"), "", ["~ step outpainting: outpainting left=10% → outpainting left=20%"]),
        (TREE, "policy: {alpha: 2}", ["~ policy: {'alpha': 1.0} → {'alpha': 2.0}"]),
        (
            TREE.replace("dog}", "dog, tools: {avoid: [finder]}}"),
            "",
            ["- finder for object-removal (object-detection)"],
        ),
    ],
)
def test_what_differs_is_named(tree: str, head: str, wanted: list[str]) -> None:
    found = [str(entry) for entry in differences(graph(), graph(tree, head))]
    assert all(entry in found for entry in wanted), found


def test_other_estimates_are_a_difference() -> None:
    other = make_catalog(TOOLS, {**PAIRS, ("eraser", "object-removal"): (2.0, 0.95)})
    second = checked_compile(make_plan(TREE), other).graph
    assert [str(entry) for entry in differences(graph(), second)] == [
        "~ eraser for object-removal: 2 s, quality 0.9 → 2 s, quality 0.95"
    ]


def test_more_measurements_and_a_price_are_differences() -> None:
    first = graph()
    calls = [replace(found, n=9, usd=0.02) if found.tool == "eraser" else found for found in first.invocations]
    second = replace(first, invocations=tuple(calls), digest="sha256:other")
    assert [str(entry) for entry in differences(first, second)] == [
        "~ eraser for object-removal: 2 s, quality 0.9, n 1 → 2 s, quality 0.9, 0.02 USD, n 9"
    ]


def test_the_best_path_through_each_tool_is_never_better_than_the_best() -> None:
    whole, objective = graph("- {do: object-detection, object: dog, id: find}\n" + TREE), CostaObjective(1.0)
    best = forecast(whole, objective)
    through = {tool: best_through(whole, "find", tool, objective) for tool in ("finder", "slow-finder")}
    values = {tool: objective.value(path.seconds, path.quality) for tool, path in through.items() if path}
    assert len(values) == 2
    assert min(values.values()) == pytest.approx(objective.value(best.seconds, best.quality))
    assert max(values.values()) > min(values.values())
    assert best_through(whole, "find", "eraser", objective) is None


def test_a_step_is_explained() -> None:
    compiled: Compiled = checked_compile(
        make_plan("- {do: object-removal, object: dog, tools: {avoid: [finder]}}"), CATALOG
    )
    text = explain_step(compiled, "object-removal", CostaObjective(1.0))
    assert text.startswith("object-removal: object-removal of dog\n")
    assert re.search(r"^\* +eraser +2 +0.90 +3.5 +0.810 +[\d.]+ +slow-finder → masker$", text, re.MULTILINE)


@pytest.fixture
def plan_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(
        HEAD + "tree:\n  - {do: sharpen, id: first}\n  - {do: image-deblurring}\n  - {do: image-upscaling, scale: 2}\n"
    )
    return "plan.yaml"


def test_diff_on_the_command_line(plan_file: str, capsys: Capture) -> None:
    Path("other.yaml").write_text(Path(plan_file).read_text().replace("scale: 2", "scale: 3"))
    assert run(["diff", plan_file, "other.yaml"]) == 1
    assert "~ step image-upscaling: image-upscaling scale=2 → image-upscaling scale=3" in capsys.readouterr().out
    assert run(["diff", plan_file, "other.yaml", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["first"] != document["second"]
    assert document["differences"][0]["sign"] == "~"


def test_passes_are_printed_and_stopped_after(plan_file: str, capsys: Capture) -> None:
    assert run(["compile", plan_file, "--print-after", "expand", "--stop-after", "select"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"// after (\w+):", out) == ["expand", "select"]
    assert "p0 -- first --> p2" in out
    assert run(["compile", plan_file, "--print-after", "all"]) == 0
    out = capsys.readouterr().out
    assert len(re.findall(r"// after (\w+):", out)) == 6
    assert "best path by benchmark" in out


def test_parts_and_estimates(plan_file: str, capsys: Capture) -> None:
    assert run(["compile", plan_file, "--only", "image-deblurring"]) == 0
    out = capsys.readouterr().out
    assert "image-deblurring" in out
    assert "sharpen" not in out
    assert run(["compile", plan_file, "--from", "image-deblurring", "--estimate"]) == 0
    assert re.search(r"^goal +0 +1.000", capsys.readouterr().out, re.MULTILINE)
    assert run(["compile", plan_file, "--only", "first", "--until", "first"]) == 2
    assert run(["compile", plan_file, "--until", "fist"]) == 1
    assert 'did you mean "first"?' in capsys.readouterr().err


def test_explain_on_the_command_line(plan_file: str, capsys: Capture) -> None:
    assert run(["compile", plan_file, "--explain", "image-upscaling"]) == 0
    out = capsys.readouterr().out
    assert "lanczos" in out
    assert "realesr-fast" in out
    assert run(["compile", plan_file, "--explain", "upscaling"]) == 3
    assert "COS4202" in capsys.readouterr().err
