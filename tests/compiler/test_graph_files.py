"""A printed graph reads back, is proven again, and is refused where it is broken."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.cut import Scope
from costa_dsl.compiler.emit import plan_text, to_json, to_yaml
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.compiler.load import without_tools
from costa_dsl.compiler.read import read_graph
from costa_dsl.diagnostics import Diagnostic, Sink, SourceText
from costa_dsl.model.plan import Plan
from costa_dsl.schema import check_document
from costa_dsl.syntax import Document, read_documents
from tests.compiler.scenes import CATALOG
from tests.conftest import assert_fits, make_plan

TREE = """\
  - any_order:
      - {do: object-recoloration, object: dog, to: red, at: {color: green}}
      - {do: object-removal, object: cat}
  - one_of:
      - {do: text-replacement, text: CLOSED, with: "12:30", expect: [{text-present: "1e-3"}]}
      - [{do: text-removal, text: CLOSED}, {do: outpainting, left: 10%}]
"""
HEAD = "policy: {alpha: 0.5, threshold: 0.5}\nvars: {unused: 017}"


def compiled(tree: str = TREE, head: str = HEAD, scope: Scope | None = None) -> ToolpathGraph:
    return compile_plan(make_plan(tree, head), CATALOG, Sink(), scope=scope, assume_available=True).graph


def document_of(text: str, name: str = "graph.yaml") -> Document:
    (document,) = read_documents(SourceText(name, text), Sink())
    return document


def read(
    text: str, plan: Plan | None = None, catalog: Catalog = CATALOG
) -> tuple[ToolpathGraph | None, list[Diagnostic]]:
    document, sink = document_of(text), Sink()
    kind = check_document(document, sink)
    assert kind == "ToolpathGraph", [str(found) for found in sink]
    return read_graph(document, catalog, sink, plan), sink.sorted()


@pytest.mark.parametrize("printed", [to_json, to_yaml], ids=["json", "yaml"])
@pytest.mark.parametrize("scope", [None, Scope("object-removal", "")], ids=["whole", "part"])
def test_printing_and_reading_change_nothing(printed: Callable[[ToolpathGraph], str], scope: Scope | None) -> None:
    graph = compiled(scope=scope)
    assert_fits(graph.to_value(), "toolpath-graph")
    again, found = read(printed(graph))
    assert [one for one in found if one.severity == "error"] == []
    assert again is not None
    assert again.digest == graph.digest
    assert again.states == graph.states
    assert again.invocations == graph.invocations
    # The name of the file is another one now; all the rest is the same to the byte.
    value, value_again = graph.to_value(), again.to_value()
    value_again["source"] = value["source"]
    assert json.dumps(value) == json.dumps(value_again)


def test_yaml_means_the_same_to_readers_of_both_versions() -> None:
    graph = compiled()
    assert yaml.safe_load(to_yaml(graph)) == json.loads(to_json(graph))
    assert document_of(to_yaml(graph)).value == json.loads(to_json(graph))


def test_steps_keep_their_places_in_the_plan_while_it_is_the_same() -> None:
    plan = make_plan(TREE, HEAD)
    text = to_yaml(compile_plan(plan, CATALOG, Sink(), assume_available=True).graph)
    again, _ = read(text, plan)
    assert again is not None
    step = again.steps["object-removal"].step
    assert str(step.origin.span("do")) == "test.yaml:9:14"
    other, _ = read(text, make_plan(TREE.replace("cat", "cow"), HEAD))
    assert other is not None
    span = other.steps["object-removal"].step.origin.span("object")
    assert (span.source.name, span.text) == ("graph.yaml", "cat")


def test_the_plan_comes_out_of_its_graph() -> None:
    plan = make_plan(TREE, HEAD)
    graph = compile_plan(plan, CATALOG, Sink(), assume_available=True).graph
    assert plan_text(plan) == plan.origin.document.source.text
    again, _ = read(to_json(graph))
    assert again is not None
    sink = Sink()
    once_more = Plan.from_document(document_of(plan_text(again.plan), "plan.yaml"), sink)
    assert compile_plan(once_more, CATALOG, sink, assume_available=True).graph.digest == graph.digest


def first(value: Any, key: str, **wanted: str) -> Any:
    return next(one for one in value[key] if all(one[name] == entry for name, entry in wanted.items()))


def break_unknown_tool(value: Any) -> None:
    first(value, "invocations", tool="eraser")["tool"] = "erasor"


def break_other_subtask(value: Any) -> None:
    first(value, "invocations", tool="eraser")["subtask"] = "outpainting"


def break_needs(value: Any) -> None:
    first(value, "invocations", tool="eraser")["needs"] = []


def break_double_id(value: Any) -> None:
    value["states"][2]["id"] = value["states"][1]["id"]


def break_unknown_state(value: Any) -> None:
    value["invocations"][0]["target"] = "s-nowhere"


def break_goal(value: Any) -> None:
    value["goal"] = value["states"][1]["id"]


def break_order(value: Any) -> None:
    value["states"][1], value["states"][2] = value["states"][2], value["states"][1]
    value["states"].reverse()


def break_made_up_artifact(value: Any) -> None:
    value["states"][1]["artifacts"].append("depth-map")


def break_quality(value: Any) -> None:
    value["invocations"][0]["seconds"] = 10.0**400  # read as infinity


def break_step(value: Any) -> None:
    value["steps"][0]["owner"] = "somebody else"


def break_plan(value: Any) -> None:
    value["plan"]["tree"][0]["any_order"][1]["object"] = "cow"


def break_path(value: Any) -> None:
    last = value["invocations"][-1]
    value["invocations"] = [one for one in value["invocations"] if one["target"] != last["target"]] + [last]


@pytest.mark.parametrize(
    ("breaks", "code", "marked"),
    [
        (break_unknown_tool, "COS5003", "erasor"),
        (break_other_subtask, "COS5003", "outpainting"),
        (break_needs, "COS5003", "[]"),
        (break_double_id, "COS5002", "s-"),
        (break_unknown_state, "COS5002", "s-nowhere"),
        (break_goal, "COS5005", "s-"),
        (break_order, "COS5005", "i-"),
        (break_made_up_artifact, "COS5005", "s-"),
        (break_step, "COS5006", "somebody else"),
        (break_plan, "COS5006", ""),
        (break_path, "COS5005", ""),
    ],
)
def test_a_broken_graph_is_refused_at_its_place(breaks: Callable[[Any], None], code: str, marked: str) -> None:
    value = json.loads(to_json(compiled()))
    breaks(value)
    graph, found = read(json.dumps(value, indent=1))
    assert graph is None
    errors = [one for one in found if one.severity == "error"]
    assert code in {one.code for one in errors} <= {code, "COS5003"}
    assert all(one.span is not None for one in errors)
    assert any(one.span and marked in one.span.text for one in errors)


def test_a_graph_that_was_edited_and_is_sound_is_read_with_a_warning() -> None:
    value = json.loads(to_json(compiled()))
    value["invocations"][0]["seconds"] = 7.5
    graph, found = read(json.dumps(value))
    assert graph is not None
    assert graph.digest != value["digest"]
    assert [one.code for one in found if one.code.startswith("COS5")] == ["COS5004"]


def test_a_plan_inside_with_errors_is_told_at_its_place() -> None:
    value = json.loads(to_json(compiled()))
    value["plan"]["policy"]["alpha"] = 3
    graph, found = read(json.dumps(value, indent=1))
    assert graph is None
    assert [(one.code, one.span.text) for one in found if one.span] == [("COS5006", '"plan"'), ("COS1014", "3")]


def test_ways_through_tools_that_are_missing_are_left_out() -> None:
    graph = compiled("  - {do: object-removal, object: dog}\n", "")
    less = without_tools(graph, frozenset({"slow-finder"}))
    assert less is not None
    assert {found.tool for found in less.invocations} == {"finder", "masker", "eraser"}
    assert less.states != graph.states or len(less.invocations) < len(graph.invocations)
    assert without_tools(graph, frozenset({"eraser"})) is None


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from costa_dsl.cli.main import run

    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(
        "apiVersion: costa/v1\nkind: Plan\ntask: t\ntree: {do: image-deblurring}\npolicy: {threshold: 0.1}\n"
    )
    assert run(["compile", "plan.yaml", "-o", "graph.yaml"]) == 0
    assert run(["compile", "graph.yaml", "-o", "again.json"]) == 0
    assert run(["compile", "graph.yaml", "--emit", "json"]) == 0
    assert capsys.readouterr().out == Path("again.json").read_text()
    assert run(["diff", "plan.yaml", "again.json"]) == 0
    assert capsys.readouterr().out == "the same\n"
    assert run(["validate", "graph.yaml"]) == 0
    Path("graph.yaml").write_text(Path("graph.yaml").read_text().replace("tool: unsharp", "tool: unsharb"))
    capsys.readouterr()
    assert run(["validate", "graph.yaml"]) == 1
    assert 'error[COS5003]: unknown tool "unsharb"' in capsys.readouterr().out
    assert run(["compile", "graph.yaml"]) == 1
    assert 'unknown tool "unsharb"' in capsys.readouterr().err
    assert run(["compile", "graph.yaml", "--only", "x"]) == 2
    assert "COS4203" in capsys.readouterr().err


def shuffled(value: Any, numbers: random.Random) -> Any:
    """The same value with the keys of all mappings in another order."""
    if isinstance(value, dict):
        keys = list(value)
        numbers.shuffle(keys)
        return {key: shuffled(value[key], numbers) for key in keys}
    return [shuffled(item, numbers) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_keys_and_the_layout_of_the_plan_change_no_byte(seed: int) -> None:
    plan = make_plan(TREE, HEAD)
    wanted = to_json(compile_plan(plan, CATALOG, Sink(), assume_available=True).graph)
    value = shuffled(plan.origin.document.value, random.Random(seed))
    text = json.dumps(value, indent=seed or None)
    (other,) = read_documents(SourceText("test.yaml", text), Sink())
    sink = Sink()
    again = compile_plan(Plan.from_document(other, sink), CATALOG, sink, assume_available=True).graph
    assert to_json(again) == wanted
