"""Runs of graphs whose tools are good for some targets only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.load import build_catalog, load_catalog
from costa_dsl.checks.features import measure_features
from costa_dsl.diagnostics import Sink
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.events import ToolLeftOut
from costa_dsl.runtime.execute import execute, resume
from costa_dsl.runtime.resume import take_up
from costa_dsl.store.journal import FILE_NAME, read_journal
from tests.conftest import make_catalog, make_tool, read
from tests.runtime.small import GUARANTEES, compiled, executor_with, picture

REMOVE = "- {do: object-removal, object: square, at: {color: blue}, id: away}"
# The square in `picture()` lies on a grey gradient: plain ground, and 9.8 % of the picture.
HERE, ELSEWHERE = "when: {background: plain}", "when: {background: busy}"


def catalog(cheap: str, fallback: float = 0.5) -> Catalog:
    """A finder, a cheap remover whose quality depends on the target, and a dear one that is good everywhere."""
    tools = (
        make_tool("finder", "grounding", gives="mask", more="grounds: [color]")
        + make_tool("cheap", "object-removal", needs="image, mask", more=GUARANTEES)
        + make_tool("dear", "object-removal", needs="image, mask", more=GUARANTEES)
    )
    table = f"""---
apiVersion: costa/v1
kind: BenchmarkTable
title: t
source: test
rows:
  - {{tool: finder, subtask: grounding, seconds: 0.01, quality: 1.0, n: 1}}
  - {{tool: cheap, subtask: object-removal, seconds: 0.1, quality: {fallback}, n: 3}}
  - {{tool: cheap, subtask: object-removal, {cheap}, n: 5}}
  - {{tool: dear, subtask: object-removal, seconds: 50, quality: 0.9, n: 1}}
"""
    sink = Sink()
    vocabulary = load_catalog("default", Sink()).vocabulary.origin.document
    found = build_catalog([("SubtaskCatalog", vocabulary), *read(tools + table, "catalog.yaml")], sink)
    assert not list(sink)
    return found


def erase(call: ToolCall) -> Mapping[str, Any]:
    image = call.image.copy()
    image[call.mask] = (120, 120, 120)
    return {"image": image}


EDITORS = {"cheap": erase, "dear": erase}


@pytest.mark.parametrize(
    ("cheap", "fallback", "tool", "quality"),
    [
        (f"{HERE}, seconds: 0.1, quality: 0.95", 0.5, "cheap", 0.95),
        (f"{ELSEWHERE}, seconds: 0.1, quality: 0.95", 0.5, "dear", 0.9),
        (f"{HERE}, seconds: 0.1, quality: 0.2", 0.95, "dear", 0.9),
        (f"{ELSEWHERE}, seconds: 0.1, quality: 0.2", 0.95, "cheap", 0.95),
    ],
)
def test_the_row_that_holds_decides(tmp_path: Path, cheap: str, fallback: float, tool: str, quality: float) -> None:
    known = catalog(cheap, fallback)
    seen: list[object] = []
    outcome = execute(compiled(known, REMOVE), known, picture(), tmp_path / "run", seen.append, executor_with(EDITORS))
    assert outcome.exit_code == 0
    step = outcome.record["steps"][-1]
    assert (step["tool"], step["quality"], step["measured"]) == (tool, quality, False)
    assert step["estimate"]["quality"] == quality
    left_out = [event.invocation.tool for event in seen if isinstance(event, ToolLeftOut)]
    assert left_out == (["cheap"] if tool == "dear" else [])
    lines = read_journal(tmp_path / "run" / FILE_NAME).lines
    assert [line["step"] for line in lines if line["event"] == "known"] == ["away"]
    assert [line["ran"] for line in lines if "ran" in line] == [False] * len(left_out)


def test_a_step_that_no_tool_is_good_enough_for_says_why(tmp_path: Path) -> None:
    known = catalog(f"{HERE}, seconds: 0.1, quality: 0.2", 0.95)
    tree = REMOVE.replace("id: away", "id: away, tools: {only: [cheap]}")
    outcome = execute(compiled(known, tree), known, picture(), tmp_path / "run", executor=executor_with(EDITORS))
    assert outcome.exit_code == 4
    (problem,) = outcome.problems
    assert problem.code == "COS6101"
    assert "cheap was left out (0.20 is to be expected of it here: background" in problem.help


def test_a_target_is_measured_once_for_each_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, ...]] = []

    def counted(*arguments: Any) -> Any:
        calls.append(arguments[0].shape)
        return measure_features(*arguments)

    monkeypatch.setattr("costa_dsl.runtime.context.measure_features", counted)
    known = catalog(f"{HERE}, seconds: 0.1, quality: 0.95")
    graph = compiled(known, REMOVE, "policy: {strategy: exhaustive}")
    outcome = execute(graph, known, picture(), tmp_path / "run", executor=executor_with(EDITORS))
    assert outcome.result.executions == 3  # finder and both removers, on the same place
    assert len(calls) == 1


def test_a_graph_without_cases_measures_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("measured for nothing")

    monkeypatch.setattr("costa_dsl.runtime.context.measure_features", never)
    tools = make_tool("finder", "grounding", gives="mask", more="grounds: [color]")
    tools += make_tool("dear", "object-removal", needs="image, mask", more=GUARANTEES)
    known = make_catalog(tools, {("finder", "grounding"): (0.01, 1.0), ("dear", "object-removal"): (1.0, 0.9)})
    assert (
        execute(compiled(known, REMOVE), known, picture(), tmp_path / "run", executor=executor_with(EDITORS)).exit_code
        == 0
    )


def test_it_goes_on_as_it_would_have_gone(tmp_path: Path) -> None:
    """Stopped behind any line, with one tool left out and another chosen by what was measured."""
    known = catalog(f"{ELSEWHERE}, seconds: 0.1, quality: 0.95")
    graph = compiled(known, REMOVE)
    whole = execute(graph, known, picture(), tmp_path / "run", executor=executor_with(EDITORS))
    recorded = read_journal(tmp_path / "run" / FILE_NAME)
    data = (tmp_path / "run" / FILE_NAME).read_bytes()
    for count in range(1, len(recorded.lines)):
        (tmp_path / "run" / FILE_NAME).write_bytes(data[: recorded.ends[count - 1]])
        again = resume(graph, known, take_up(tmp_path / "run"), executor=executor_with(EDITORS))
        assert json.dumps(again.record["steps"]) == json.dumps(whole.record["steps"])
