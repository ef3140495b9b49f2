"""Conditional benchmark rows in the compiler: kept, printed, read back, compared, and counted when tools are chosen."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.load import build_catalog, load_catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.diff import differences
from costa_dsl.compiler.emit import to_json, to_yaml
from costa_dsl.compiler.graph import Case, Invocation, ToolpathGraph
from costa_dsl.compiler.read import read_graph
from costa_dsl.compiler.verify import verify
from costa_dsl.diagnostics import CostaError, Sink, SourceText
from costa_dsl.model.context import read_conditions
from costa_dsl.schema import check_document
from costa_dsl.search.context import in_vain
from costa_dsl.syntax import read_documents
from tests.compiler.scenes import PAIRS, TOOLS
from tests.conftest import assert_fits, make_plan, read

TREE = "- {do: object-removal, object: dog}"
PLAIN = "background: plain"
SMALL = "area: {at_most: 5%}, instances: 1, text: false"


def catalog_with(*cases: str, eraser: float = 0.9) -> Catalog:
    """The small catalog, its eraser with conditional rows: `conditions | quality`."""
    rows = [
        f"  - {{tool: {tool}, subtask: {subtask}, seconds: {seconds}, "
        f"quality: {eraser if tool == 'eraser' else quality}, n: 1}}"
        for (tool, subtask), (seconds, quality) in PAIRS.items()
    ]
    for case in cases:
        when, quality = case.split(" | ")
        rows.append(
            f"  - {{tool: eraser, subtask: object-removal, when: {{{when}}}, seconds: 1.5, quality: {quality}, n: 4}}"
        )
    table = "---\napiVersion: costa/v1\nkind: BenchmarkTable\ntitle: t\nsource: test\nrows:\n" + "\n".join(rows) + "\n"
    vocabulary = load_catalog("default", Sink()).vocabulary.origin.document
    sink = Sink()
    catalog = build_catalog([("SubtaskCatalog", vocabulary), *read(TOOLS + table, "catalog.yaml")], sink)
    assert not list(sink)
    return catalog


def graph(*cases: str, eraser: float = 0.9, threshold: float = 0.1) -> ToolpathGraph:
    plan = make_plan(TREE, f"policy: {{threshold: {threshold}}}")
    return compile_plan(plan, catalog_with(*cases, eraser=eraser), Sink(), assume_available=True).graph


def erasing(found: ToolpathGraph) -> Invocation:
    return next(invocation for invocation in found.invocations if invocation.tool == "eraser")


def test_a_graph_keeps_the_cases_in_the_order_of_the_table() -> None:
    assert erasing(graph(f"{PLAIN} | 0.95", f"{SMALL} | 0.7")).cases == (
        Case(read_conditions({"background": "plain"}), 1.5, 0.95, 4),
        Case(read_conditions({"area": {"at_most": 0.05}, "instances": 1, "text": False}), 1.5, 0.7, 4),
    )
    assert [found.cases for found in graph(f"{PLAIN} | 0.95").invocations if found.tool != "eraser"] == [()] * 3


def test_the_fallback_may_stand_before_or_behind_the_cases() -> None:
    """It is the row without conditions, wherever it stands."""
    found = catalog_with(f"{PLAIN} | 0.95")
    row = found.row("eraser", "object-removal")
    assert row is not None
    assert (row.quality, row.when) == (0.9, ())
    assert [case.quality for case in found.cases_of("eraser", "object-removal")] == [0.95]
    assert found.cases_of("finder", "object-detection") == ()


def test_cases_are_printed_in_one_form_and_only_where_there_are_some() -> None:
    value = graph(f"{PLAIN} | 0.95", f"{SMALL} | 0.7").to_value()
    assert_fits(value, "toolpath-graph")
    assert [entry.get("cases") for entry in value["invocations"] if entry["tool"] == "eraser"] == [
        [
            {"when": {"background": {"at_most": 0.1}}, "seconds": 1.5, "quality": 0.95, "n": 4},
            {
                "when": {"area": {"at_most": 0.05}, "instances": 1, "text": False},
                "seconds": 1.5,
                "quality": 0.7,
                "n": 4,
            },
        ]
    ]
    assert all("cases" not in entry for entry in value["invocations"] if entry["tool"] != "eraser")
    assert "cases" not in to_json(graph())


@pytest.mark.parametrize("printed", [to_json, to_yaml], ids=["json", "yaml"])
def test_printing_and_reading_change_nothing(printed: Callable[[ToolpathGraph], str]) -> None:
    catalog = catalog_with(f"{PLAIN} | 0.95", f"{SMALL} | 0.7", "contrast: {above: 2.5, below: 80} | 0.3")
    first = graph(f"{PLAIN} | 0.95", f"{SMALL} | 0.7", "contrast: {above: 2.5, below: 80} | 0.3")
    text = printed(first)
    sink = Sink()
    (document,) = read_documents(SourceText("test.yaml", text), sink)
    assert check_document(document, sink) == "ToolpathGraph"
    again = read_graph(document, catalog, sink)
    assert not list(sink)
    assert again is not None
    assert again.invocations == first.invocations
    assert again.digest == first.digest
    assert printed(again) == text


def test_a_digest_covers_the_cases() -> None:
    digests = {
        graph().digest,
        graph(f"{PLAIN} | 0.95").digest,
        graph(f"{PLAIN} | 0.94").digest,
        graph("background: busy | 0.95").digest,
        graph(f"{PLAIN} | 0.95", f"{SMALL} | 0.7").digest,
        graph(f"{SMALL} | 0.7", f"{PLAIN} | 0.95").digest,
    }
    assert len(digests) == 6
    assert graph(f"{PLAIN} | 0.95").digest == graph("background: {at_most: 10%} | 0.95").digest


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ((), (f"{PLAIN} | 0.95",), ["+ eraser for object-removal when background at most 0.1: 1.5 s, quality 0.95"]),
        ((f"{PLAIN} | 0.95",), (), ["- eraser for object-removal when background at most 0.1: 1.5 s, quality 0.95"]),
        (
            (f"{PLAIN} | 0.95",),
            (f"{PLAIN} | 0.8",),
            ["~ eraser for object-removal when background at most 0.1: 1.5 s, quality 0.95 → 1.5 s, quality 0.8"],
        ),
        (
            (f"{PLAIN} | 0.95", "text: true | 0.2"),
            ("text: true | 0.2", f"{PLAIN} | 0.95"),
            ["~ eraser for object-removal: the order of its cases"],
        ),
    ],
)
def test_differences_between_cases_are_told(first: tuple[str, ...], second: tuple[str, ...], wanted: list[str]) -> None:
    assert [str(one) for one in differences(graph(*first), graph(*second))] == wanted


def test_other_counts_of_measurements_are_a_difference() -> None:
    one = graph(f"{PLAIN} | 0.95")
    changed = tuple(replace(found, n=9) if found.tool == "eraser" else found for found in one.invocations)
    told = [str(found) for found in differences(one, replace(one, invocations=changed, digest="sha256:0"))]
    assert told == ["~ eraser for object-removal: 2 s, quality 0.9, n 1 → 2 s, quality 0.9, n 9"]


def test_a_tool_that_is_good_only_in_some_cases_is_kept() -> None:
    kept = graph(f"{PLAIN} | 0.95", eraser=0.2, threshold=0.8)
    assert erasing(kept).quality == 0.2
    with pytest.raises(CostaError) as caught:
        graph(f"{PLAIN} | 0.7", eraser=0.2, threshold=0.8)
    (found, *_) = caught.value.diagnostics
    assert "its benchmark quality 0.2 (0.7 at best) is below the threshold 0.8" in str(found) + found.help
    with pytest.raises(CostaError) as caught:
        graph(eraser=0.2, threshold=0.8)
    (found, *_) = caught.value.diagnostics
    assert "its benchmark quality 0.2 is below the threshold 0.8" in str(found) + found.help


@pytest.mark.parametrize(
    ("change", "invariant"),
    [
        ({"quality": 1.2}, "quality-in-range"),
        ({"seconds": float("inf")}, "estimates-finite"),
        ({"seconds": -1.0}, "estimates-finite"),
    ],
)
def test_the_verifier_looks_at_cases_too(change: dict[str, float], invariant: str) -> None:
    catalog = catalog_with(f"{PLAIN} | 0.95")
    found = graph(f"{PLAIN} | 0.95")
    assert verify(found, catalog) == []
    broken = tuple(
        replace(one, cases=tuple(replace(case, **change) for case in one.cases)) for one in found.invocations
    )
    assert {one.invariant for one in verify(replace(found, invocations=broken), catalog)} == {invariant}


@pytest.mark.parametrize(
    "case",
    [
        {"when": {}, "seconds": 1, "quality": 0.5, "n": 1},
        {"when": {"aera": {"at_most": 0.1}}, "seconds": 1, "quality": 0.5, "n": 1},
        {"when": {"area": {"at_most": 1.5}}, "seconds": 1, "quality": 0.5, "n": 1},
        {"when": {"background": "plain"}, "seconds": 1, "quality": 0.5, "n": 1},
        {"when": {"text": True}, "seconds": 1, "quality": 1.5, "n": 1},
        {"when": {"text": True}, "seconds": 1, "quality": 0.5},
    ],
)
def test_a_graph_with_other_cases_is_refused(case: dict[str, object]) -> None:
    value = json.loads(to_json(graph(f"{PLAIN} | 0.95")))
    (entry,) = [entry for entry in value["invocations"] if entry["tool"] == "eraser"]
    entry["cases"] = [case]
    sink = Sink()
    (document,) = read_documents(SourceText("graph.json", json.dumps(value)), sink)
    assert check_document(document, sink) is None
    assert sink.has_errors


@pytest.mark.parametrize(
    ("known", "expect", "vain"),
    [
        ({"background": 0.05}, "", False),
        ({"background": 0.6}, "", True),
        ({}, "", True),
        ({}, ", expect: [{text-present: OPEN}]", False),  # a check that measures has the last word
        ({}, ", expect: [outside-unchanged]", True),
    ],
)
def test_where_nothing_measures_a_low_estimate_is_in_vain(known: dict[str, float], expect: str, vain: bool) -> None:
    plan = make_plan(f"- {{do: object-removal, object: dog{expect}}}")
    found = compile_plan(plan, catalog_with(f"{PLAIN} | 0.95", eraser=0.2), Sink(), assume_available=True).graph
    assert in_vain(erasing(found), known, plan.policy.threshold) is vain
    assert not in_vain(erasing(found), known, 0.2)
    assert not any(in_vain(one, {}, 1.0) for one in found.invocations if one.tool != "eraser")
    assert_fits(found.to_value(), "toolpath-graph")
