"""Each pass on one page: what goes in, what must come out."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import pytest
import yaml

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.drawing.dot import to_dot
from costa_dsl.compiler.emit import to_json, to_yaml
from costa_dsl.compiler.expand import expand
from costa_dsl.compiler.verify import verify
from costa_dsl.diagnostics import CostaError, Sink
from tests.compiler.scenes import CATALOG, graph_of, paths
from tests.conftest import assert_fits, make_catalog, make_plan, make_tool, said_under_hash_seeds


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return CATALOG


# ---- expand ---------------------------------------------------------------------------------------------


def test_free_edits_give_the_lattice_of_subsets_not_every_order(catalog: Catalog) -> None:
    steps = "".join(f"    - {{do: object-recoloration, object: thing{i}, to: red, id: s{i}}}\n" for i in range(5))
    lattice = expand(make_plan(f"- any_order:\n{steps}").tree, catalog)
    assert lattice.points == 2**5
    assert len(lattice.edges) == 5 * 2**4


def test_forty_analyses_compile_to_a_line(catalog: Catalog) -> None:
    steps = "".join(f"    - {{do: object-detection, object: thing{i}}}\n" for i in range(40))
    lattice = expand(make_plan(f"- any_order:\n{steps}").tree, catalog)
    assert lattice.points == 41
    assert len(lattice.edges) == 40


def test_too_many_orders_are_refused_with_the_count(catalog: Catalog) -> None:
    steps = "".join(f"    - {{do: object-recoloration, object: thing{i}, to: red}}\n" for i in range(14))
    with pytest.raises(CostaError) as refused:
        expand(make_plan(f"- any_order:\n{steps}").tree, catalog)
    (found,) = refused.value.diagnostics
    assert found.code == "COS4001"
    assert f"{14 * 2**13:,}" in found.message
    assert found.span is not None
    assert "thing0" in found.span.text


def test_every_order_of_free_edits_is_a_path(catalog: Catalog) -> None:
    tree = (
        "- any_order:\n"
        "    - {do: outpainting, left: 10, id: a}\n"
        "    - {do: object-recoloration, object: hat, to: red, at: {color: blue}, id: b}\n"
        "    - {do: object-removal, object: cup, at: {color: green}, id: c}\n"
    )
    orders = {tuple(dict.fromkeys(word.split(":")[0] for word in path)) for path in paths(graph_of(tree))}
    assert orders == set(permutations("abc"))


# ---- backtrack, lower -----------------------------------------------------------------------------------


def test_alternatives_supply_one_need(catalog: Catalog) -> None:
    found = set(paths(graph_of("- {do: object-recoloration, object: hat, to: red, id: r}")))
    assert found == {
        ("r:finder", "r:masker", "r:painter"),
        ("r:slow-finder", "r:masker", "r:painter"),
    }


def test_a_place_by_color_needs_no_detector(catalog: Catalog) -> None:
    tree = "- {do: object-recoloration, object: hat, to: red, at: {color: blue}, id: r}"
    assert set(paths(graph_of(tree))) == {("r:color-finder", "r:painter")}


def test_two_needs_are_both_met_and_the_style_is_read_before_the_text_is_gone(catalog: Catalog) -> None:
    (path,) = paths(graph_of("- {do: text-replacement, text: CLOSED, with: OPEN, id: t}"))
    assert path == ("t:reader", "t:ocr", "t:styler", "t:wiper", "t:writer")


def test_a_mask_is_used_again_after_a_recolor_but_not_after_a_wider_canvas(catalog: Catalog) -> None:
    segment = "- {do: object-segmentation, object: hat, id: s}\n"
    recolor = "- {do: object-recoloration, object: hat, to: red, id: r}"
    again = set(paths(graph_of(segment + recolor)))
    assert ("s:finder", "s:masker", "r:painter") in again
    assert all(path[-1] == "r:painter" and len(path) == 3 for path in again)
    widened = set(paths(graph_of(segment + "- {do: outpainting, left: 10, id: w}\n" + recolor)))
    assert ("s:finder", "s:masker", "w:widener", "r:finder", "r:masker", "r:painter") in widened
    assert all(len(path) == 6 for path in widened)


def test_of_means_the_very_target_of_the_other_step(catalog: Catalog) -> None:
    tree = "- {do: object-segmentation, object: hat, id: s}\n- {do: object-removal, object: it, at: {of: s}, id: r}"
    assert ("s:finder", "s:masker", "r:eraser") in set(paths(graph_of(tree)))


def test_one_of_gives_both_branches_and_they_meet_again(catalog: Catalog) -> None:
    tree = (
        "- one_of:\n"
        "    - {do: outpainting, left: 10, id: a}\n"
        "    - [{do: object-removal, object: x, at: {color: red}, id: b}, {do: outpainting, right: 5, id: c}]\n"
        "- {do: object-detection, object: hat, id: d}"
    )
    found = set(paths(graph_of(tree)))
    assert ("a:widener", "d:finder") in found
    assert ("b:color-finder", "b:eraser", "c:widener", "d:slow-finder") in found
    assert len(found) == 4


# ---- what cannot be done --------------------------------------------------------------------------------


def test_a_subtask_without_a_tool_says_so_at_its_line(catalog: Catalog) -> None:
    with pytest.raises(CostaError) as refused:
        graph_of("- {do: depth-estimation}")
    (found,) = refused.value.diagnostics
    assert found.code == "COS4101"
    assert found.span is not None
    assert found.span.text == "depth-estimation"


def test_a_branch_that_cannot_be_done_is_only_a_warning(catalog: Catalog) -> None:
    sink = Sink()
    plan = make_plan("- one_of: [{do: depth-estimation}, {do: outpainting, left: 10}]")
    graph = compile_plan(plan, catalog, sink, assume_available=True).graph
    assert [found.code for found in sink if found.code != "COS3205"] == ["COS4101"]
    assert len(graph.invocations) == 1


def test_missing_packages_are_named_with_the_command(catalog: Catalog) -> None:
    with pytest.raises(CostaError) as refused:
        compile_plan(make_plan("- {do: outpainting, left: 10}"), catalog, Sink())
    (found,) = refused.value.diagnostics
    assert found.code == "COS4102"
    assert "widener" in found.help
    assert "pip install" in found.help


def test_a_tool_that_cannot_reach_the_threshold_is_left_out_with_that_reason() -> None:
    tools = make_tool("cheap", "outpainting") + make_tool("good", "outpainting")
    catalog = make_catalog(tools, {("cheap", "outpainting"): (0.1, 0.5), ("good", "outpainting"): (1.0, 0.9)})
    plan = make_plan("- {do: outpainting, left: 10, id: w}")
    compiled = compile_plan(plan, catalog, Sink(), assume_available=True)
    assert [call.tool for call in compiled.graph.invocations] == ["good"]
    assert compiled.selections["w"].excluded == {"cheap": "its benchmark quality 0.5 is below the threshold 0.8"}
    lenient = make_plan("- {do: outpainting, left: 10, id: w}", "policy: {threshold: 0.5}")
    graph = compile_plan(lenient, catalog, Sink(), assume_available=True).graph
    assert {call.tool for call in graph.invocations} == {"cheap", "good"}


# ---- canonical form, verifier ---------------------------------------------------------------------------


def test_the_graph_is_the_same_bytes_whatever_the_order_of_files(catalog: Catalog) -> None:
    tree = "- {do: object-recoloration, object: hat, to: red}\n- {do: text-removal, text: A}"
    other = Catalog(
        catalog.vocabulary,
        dict(reversed(catalog.tools.items())),
        dict(reversed(catalog.rows.items())),
    )
    first, second = graph_of(tree), graph_of(tree, other)
    assert to_json(first) == to_json(second)
    assert to_yaml(first) == to_yaml(second)
    assert to_dot(first) == to_dot(second)


def test_the_printed_graph_fits_its_published_schema(catalog: Catalog) -> None:
    tree = "- {do: text-removal, text: A, expect: [{text-absent: A}]}\n- {do: outpainting, left: 5%}"
    graph = graph_of(tree)
    value = json.loads(to_json(graph))
    assert_fits(value, "toolpath-graph")
    assert yaml.safe_load(to_yaml(graph)) == value
    assert to_dot(graph).count("->") == len(graph.invocations)


def test_the_digest_is_the_same_under_every_hash_seed() -> None:
    program = (
        "from costa_dsl.diagnostics import Sink\n"
        "from costa_dsl.compiler.compile import compile_plan\n"
        "from tests.compiler.scenes import PAIRS, TOOLS, make_catalog, make_plan\n"
        "tree = '- {do: text-replacement, text: A, with: B}\\n- any_order: [{do: outpainting, left: 1},"
        " {do: object-removal, object: x}]'\n"
        "print(compile_plan(make_plan(tree), make_catalog(TOOLS, PAIRS), Sink(), assume_available=True).graph.digest)"
    )
    assert said_under_hash_seeds("-c", program).startswith("sha256:")


def test_the_verifier_finds_what_is_broken(catalog: Catalog) -> None:
    tree = "- {do: object-recoloration, object: hat, to: red, id: r}\n- {do: outpainting, left: 9, id: w}"
    graph = graph_of(tree)
    assert verify(graph, catalog) == []

    def broken(**change: object) -> set[str]:
        return {found.invariant for found in verify(replace(graph, **change), catalog)}  # type: ignore[arg-type]

    calls = graph.invocations
    paint = next(call for call in calls if call.tool == "painter")
    widen = next(call for call in calls if call.tool == "widener")
    others = tuple(call for call in calls if call is not widen)
    assert "ports-satisfied" in broken(
        invocations=tuple(replace(c, source=graph.start) if c is paint else c for c in calls)
    )
    assert "no-dead-state" in broken(invocations=others)
    assert "acyclic" in broken(invocations=(*others, replace(widen, source=graph.goal, target=graph.start)))
    assert "estimates-finite" in broken(invocations=(*others, replace(widen, seconds=float("nan"))))
    assert "quality-in-range" in broken(invocations=(*others, replace(widen, quality=1.5)))
    assert "each-step-once" in broken(invocations=(*others, replace(widen, step="r")))
    assert "subtasks-covered" in broken(invocations=(*others, replace(widen, role="supply")))
    mask = next(state for state in graph.states if any(key.type == "mask" for key in state.artifacts))
    claims = tuple(replace(s, artifacts=mask.artifacts) if s.id == graph.goal else s for s in graph.states)
    assert "artifacts-fresh" in broken(states=claims)


def test_forty_analyses_in_any_order_are_one_line() -> None:
    steps = "".join(f"    - {{do: object-detection, object: thing {number}}}\n" for number in range(40))
    graph = graph_of(f"- any_order:\n{steps}")
    assert len(graph.states) == 41
    assert all(len({found.target for found in graph.outgoing[state.id]}) <= 1 for state in graph.states)


def test_eight_free_edits_compile() -> None:
    steps = "".join(f"    - {{do: outpainting, left: {number}}}\n" for number in range(1, 9))
    graph = graph_of(f"- any_order:\n{steps}")
    assert len(graph.states) == 2**8
    assert len(graph.invocations) == 8 * 2**7
