"""The plan of a tree has exactly the tree's complete ways, and says them shortly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.exchange import import_tree as importing
from costa_dsl.exchange.languages import END, Languages
from costa_dsl.exchange.orders import compact, plain, size_of
from costa_dsl.schema.kinds import schema_of
from costa_dsl.syntax.formatter import format_text
from tests.exchange.trees import entries_of, imported, plan_of, tree_text, ways_of_plan, ways_of_tree

NAMES = [
    "Object Detection (Dog)",
    "Object Segmentation (Cat)",
    "Depth Estimation",
    "Text Removal (NO)",
    "Image Deblurring",
]
LETTERS = st.sampled_from(NAMES)


def same_ways(entries: Sequence[dict[str, Any]]) -> str:
    found, codes = imported(tree_text(entries))
    assert found is not None, codes
    assert ways_of_plan(plan_of(found.text)) == ways_of_tree(entries)
    assert found.ways == len(ways_of_tree(entries))
    formatted = format_text(SourceText("plan.yaml", found.text), schema_of, Sink())
    assert formatted == found.text, "the form of `costa fmt`"
    return found.text.partition("tree:\n")[2]


@given(st.lists(st.lists(LETTERS, min_size=1, max_size=5), min_size=1, max_size=8))
@settings(max_examples=150, deadline=None)
def test_trees_of_any_ways(ways: list[list[str]]) -> None:
    same_ways(entries_of(ways))


@st.composite
def graphs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Nodes with several parents: layers of them, and joins that skip layers."""
    entries: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 9))):
        earlier = [entry["subtask"] for entry in entries]
        parents = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=3)) if earlier else []
        entries.append({"subtask": f"{draw(LETTERS)} ({number})", "parent": parents})
    return entries


@given(graphs())
@settings(max_examples=250, deadline=None)
def test_nodes_with_several_parents(entries: list[dict[str, Any]]) -> None:
    same_ways(entries)


Shape = Any  # a letter, or ("list" | "any_order" | "one_of", [shapes])


def words(shape: Shape) -> set[tuple[str, ...]]:
    if isinstance(shape, str):
        return {(shape,)}
    construct, parts = shape
    inner = [words(part) for part in parts]
    if construct == "one_of":
        return set().union(*inner)
    found = set()
    for order in permutations(inner) if construct == "any_order" else [inner]:
        ways: set[tuple[str, ...]] = {()}
        for item in order:
            ways = {(*before, *after) for before in ways for after in item}
        found |= ways
    return found


def steps_in(shape: Shape) -> int:
    return 1 if isinstance(shape, str) else sum(map(steps_in, shape[1]))


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """A tree of constructs in which each step stands once."""
    free = [f"Object Detection ({chr(97 + number)})" for number in range(8)]

    def shape(depth: int, most: int) -> Shape:
        if depth == 0 or most == 1 or draw(st.booleans()):
            return free.pop()
        construct = draw(st.sampled_from(["list", "any_order", "one_of"]))
        count = draw(st.integers(2, min(3, most)))
        return (construct, [shape(depth - 1, most // count) for _ in range(count)])

    return shape(3, 8)


@given(shapes())
@settings(max_examples=150, deadline=None)
def test_a_plan_that_was_unfolded_is_found_again(shape: Shape) -> None:
    ways = sorted(words(shape))
    found, codes = imported(tree_text(entries_of(ways)))
    assert found is not None, codes
    assert len(ways_of_plan(plan_of(found.text))) == len(ways)
    assert size_of(found.tree) <= steps_in(shape), "each step once, as the plan had it"


MARKET = entries_of(
    [
        ["Outpainting", *order, "Object Recoloration (Leaves -> Red Leaves)"]
        for order in permutations(["Object Segmentation (Dog)", "Object Detection (Person)"])
    ]
)


def test_both_orders_are_any_order() -> None:
    assert same_ways(MARKET) == (
        "  # Missing: one of left, right, top, bottom, aspect.\n"
        "  - {do: outpainting}\n"
        "  - any_order:\n"
        "      - {do: object-segmentation, object: dog}\n"
        "      - {do: object-detection, object: person}\n"
        '  # Assumed: "Red Leaves" means the color red.\n'
        "  - {do: object-recoloration, object: leaves, to: red}\n"
    )


def test_the_same_text_with_two_parents_is_one_node() -> None:
    """The last node of the reference implementation's own example stands twice."""
    entries = [
        {"subtask": "Image Deblurring (1)", "parent": []},
        {"subtask": "Object Detection (Dog) (2)", "parent": ["Image Deblurring (1)"]},
        {"subtask": "Depth Estimation (3)", "parent": ["Object Detection (Dog) (2)"]},
        {"subtask": "Object Detection (Cat) (2)", "parent": ["Image Deblurring (1)"]},
        {"subtask": "Depth Estimation (3)", "parent": ["Object Detection (Cat) (2)"]},
    ]
    assert imported(tree_text(entries))[1] == []
    assert same_ways(entries) == (
        "  - {do: image-deblurring}\n"
        "  - one_of:\n"
        "      - {do: object-detection, object: dog}\n"
        "      - {do: object-detection, object: cat}\n"
        "  - {do: depth-estimation}\n"
    )


def test_steps_that_stay_together_are_one_item() -> None:
    a, b, c = NAMES[:3]
    assert same_ways(entries_of([[a, b, c], [c, a, b]])) == (
        "  - any_order:\n"
        "      - - {do: object-detection, object: dog}\n"
        "        - {do: object-segmentation, object: cat}\n"
        "      - {do: depth-estimation}\n"
    )


def test_any_order_in_any_order() -> None:
    a, b, c = NAMES[:3]
    assert same_ways(entries_of([[a, b, c], [b, a, c], [c, a, b], [c, b, a]])) == (
        "  - any_order:\n"
        "      - any_order:\n"
        "          - {do: object-detection, object: dog}\n"
        "          - {do: object-segmentation, object: cat}\n"
        "      - {do: depth-estimation}\n"
    )


def test_a_way_that_ends_where_another_goes_on() -> None:
    a, b, c = NAMES[:3]
    entries = [
        {"subtask": f"{a} (1)", "parent": []},
        {"subtask": f"{a} (2)", "parent": []},
        {"subtask": f"{b} (3)", "parent": [f"{a} (2)"]},
        {"subtask": f"{c} (4)", "parent": [f"{b} (3)"]},
    ]
    assert same_ways(entries) == (
        "  - one_of:\n"
        "      - {do: object-detection, object: dog}\n"
        "      - - {do: object-detection, object: dog}\n"
        "        - {do: object-segmentation, object: cat}\n"
        "        - {do: depth-estimation}\n"
    )


def test_six_steps_in_all_orders() -> None:
    steps = [f"Object Detection (thing {number})" for number in range(6)]
    found, _ = imported(tree_text(entries_of([["Image Deblurring", *order] for order in permutations(steps)])))
    assert found is not None
    assert (found.ways, size_of(found.tree)) == (720, 7)


def test_a_chain_of_ten_thousand_steps() -> None:
    found, codes = imported(tree_text(entries_of([[f"Object Detection (thing {number})" for number in range(10_000)]])))
    assert found is not None, codes
    assert len(plan_of(found.text).steps) == 10_000


def test_a_wide_tree() -> None:
    ways = [["Image Deblurring", f"Object Detection (thing {number})", "Depth Estimation"] for number in range(2_000)]
    found, _ = imported(tree_text(entries_of(ways)))
    assert found is not None
    assert (found.ways, size_of(found.tree)) == (2_000, 2_002)


def test_thousands_of_choices_are_no_explosion() -> None:
    """2^1000 ways in a line of 2,000 steps."""
    entries: list[dict[str, Any]] = [{"subtask": "Image Deblurring (0)", "parent": []}]
    before = ["Image Deblurring (0)"]
    for number in range(1_000):
        pair = [f"Object Detection (thing {number}) ({number})", f"Object Removal (thing {number}) ({number})"]
        entries += [{"subtask": text, "parent": before} for text in pair]
        before = pair
    found, codes = imported(tree_text(entries))
    assert found is not None, codes
    assert (found.ways, size_of(found.tree)) == (2**1000, 2_001)


def test_what_is_nested_too_deep_is_written_out() -> None:
    steps = [f"Object Detection (thing {number})" for number in range(70)]
    entries = entries_of([[*steps[:length], "Depth Estimation"] for length in range(70)])
    same_ways(entries)
    found, _ = imported(tree_text(entries))
    assert found is not None
    assert size_of(found.tree) == sum(range(1, 71))


def test_too_many_ways_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_STEPS", 10)
    ways = [["Image Deblurring", f"Object Detection (thing {number})"] for number in range(20)]
    found, codes = imported(tree_text(entries_of(ways)))
    assert (found, codes) == (None, ["COS3310"])


def test_a_net_without_a_short_form_is_refused() -> None:
    """Every node may follow every node of the layer before that has another letter; 40 layers."""
    layers = 40
    entries = [{"subtask": f"{name} (0{index})", "parent": []} for index, name in enumerate(NAMES)]
    for layer in range(1, layers):
        for index, name in enumerate(NAMES):
            parents = [f"{other} ({layer - 1}{at})" for at, other in enumerate(NAMES) if at != index]
            entries.append({"subtask": f"{name} ({layer}{index})", "parent": parents})
    found, codes = imported(tree_text(entries))
    assert found is None
    assert "COS3310" in codes


def test_plain_counts_before_it_writes() -> None:
    languages = Languages()
    state = END
    for letter in range(40):
        state = languages.state(False, [(2 * letter, state), (2 * letter + 1, state)])
    assert plain(languages, state, 20_000) is None
    small = compact(languages, state)
    assert small is not None
    assert size_of(small) == 80
