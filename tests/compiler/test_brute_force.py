"""The paths of a compiled graph are exactly those that trying everything finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.diagnostics import CostaError
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Step
from tests.conftest import checked_compile, make_catalog, make_plan, make_tool

# What a step's call amounts to: the step, the tools that supply it, the tool that does it.
Call = tuple[str, frozenset[str], str]


@dataclass(frozen=True)
class Toy:
    """A tool of a random catalog."""

    name: str
    subtask: str
    needs: frozenset[str]
    gives: frozenset[str]
    is_edit: bool


# subtask → (artifacts that it may give, whether it edits, what it keeps)
SUBTASKS: dict[str, tuple[tuple[str, ...], bool, frozenset[str]]] = {
    "object-detection": (("boxes",), False, frozenset()),
    "object-segmentation": (("mask",), False, frozenset()),
    "object-recoloration": ((), True, frozenset({"boxes", "mask"})),
    "object-removal": ((), True, frozenset()),  # it keeps boxes and masks, of other things
    "move": ((), True, frozenset()),
}
ARTIFACTS = ("boxes", "mask", "depth-map")
STEPS = {
    "object-detection": "object: dog",
    "object-segmentation": "object: dog",
    "object-recoloration": "object: dog, to: red",
    "object-removal": "object: dog",
    "move": "object: dog, by: [1, 1]",
}


@st.composite
def toys(draw: st.DrawFn) -> list[Toy]:
    """Two to seven tools with random needs."""
    found = []
    for number in range(draw(st.integers(2, 7))):
        subtask = draw(st.sampled_from(sorted(SUBTASKS)))
        own, is_edit, _ = SUBTASKS[subtask]
        needs = draw(st.frozensets(st.sampled_from(("boxes", "mask")), max_size=2)) - set(own)
        found.append(Toy(f"t{number}", subtask, needs, frozenset(own), is_edit))
    return found


@st.composite
def trees(draw: st.DrawFn, depth: int = 2) -> str:
    """The flow YAML of a small tree; every step is named later, by the reader."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        subtask = draw(st.sampled_from(sorted(STEPS)))
        return f"{{do: {subtask}, {STEPS[subtask]}}}"
    items = ", ".join(draw(st.lists(trees(depth - 1), min_size=1, max_size=3)))
    return draw(st.sampled_from(["[{}]", "{{any_order: [{}]}}", "{{one_of: [{}]}}"])).format(items)


def catalog_of(tools: list[Toy]) -> Catalog:
    manifests = "".join(
        make_tool(
            tool.name, tool.subtask, ", ".join(["image", *sorted(tool.needs)]), ", ".join(sorted(tool.gives)) or "image"
        )
        for tool in tools
    )
    return make_catalog(manifests, {(tool.name, tool.subtask): (1.0, 0.9) for tool in tools})


def orders(node: Node) -> Iterator[tuple[Step, ...]]:
    """Every order of steps that does a tree."""
    if isinstance(node, Step):
        yield (node,)
    elif isinstance(node, OneOf):
        for item in node.items:
            yield from orders(item)
    elif isinstance(node, AnyOrder):
        for items in permutations(node.items):
            yield from _in_sequence(items)
    else:
        yield from _in_sequence(node.items)


def _in_sequence(items: tuple[Node, ...]) -> Iterator[tuple[Step, ...]]:
    if not items:
        yield ()
        return
    for head in orders(items[0]):
        for tail in _in_sequence(items[1:]):
            yield head + tail


def after(tool: Toy, at_hand: frozenset[str]) -> frozenset[str]:
    if not tool.is_edit:
        return at_hand | tool.gives
    return (at_hand & SUBTASKS[tool.subtask][2]) | tool.gives


def runs(tools: tuple[Toy, ...], at_hand: frozenset[str]) -> frozenset[str] | None:
    """What is at hand after tools ran one after the other; None when one lacks something."""
    for tool in tools:
        if not tool.needs <= at_hand:
            return None
        at_hand = after(tool, at_hand)
    return at_hand


def supplies(main: Toy, tools: list[Toy], at_hand: frozenset[str]) -> Iterator[tuple[Toy, ...]]:
    """Every minimal set of tools that makes another one runnable, in an order that works."""
    helpers = [tool for tool in tools if tool.gives and tool is not main]
    found: list[frozenset[str]] = []
    for size in range(len(helpers) + 1):
        for chosen in combinations(helpers, size):
            names = frozenset(tool.name for tool in chosen)
            if any(smaller <= names for smaller in found):
                continue
            for order in permutations(chosen):
                if runs((*order, main), at_hand) is not None:
                    found.append(names)
                    yield order
                    break


def everything(steps: tuple[Step, ...], tools: list[Toy], at_hand: frozenset[str]) -> Iterator[tuple[Call, ...]]:
    """Every way to do steps in an order."""
    if not steps:
        yield ()
        return
    for main in tools:
        if main.subtask != steps[0].subtask:
            continue
        for order in supplies(main, tools, at_hand):
            left = runs((*order, main), at_hand)
            assert left is not None
            call = (steps[0].id, frozenset(tool.name for tool in order), main.name)
            for rest in everything(steps[1:], tools, left):
                yield (call, *rest)


def calls(graph: ToolpathGraph) -> Iterator[tuple[Call, ...]]:
    """The complete paths of a graph, each as its calls."""

    def walk(state: str, supplied: frozenset[str], done: tuple[Call, ...]) -> Iterator[tuple[Call, ...]]:
        if state == graph.goal:
            yield done
        for found in graph.outgoing[state]:
            if found.role == "supply":
                yield from walk(found.target, supplied | {found.tool}, done)
            else:
                yield from walk(found.target, frozenset(), (*done, (found.step, supplied, found.tool)))

    yield from walk(graph.start, frozenset(), ())


def up_to_commuting(
    path: tuple[Call, ...], analyses: frozenset[str]
) -> tuple[tuple[str, ...], frozenset[tuple[str, str]]]:
    """The order of the edits, and which tool does which step: what no exchange of analyses can change."""
    return tuple(step for step, _, _ in path if step not in analyses), frozenset((step, tool) for step, _, tool in path)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(trees(), toys())
def test_the_graph_holds_exactly_what_trying_everything_finds(tree: str, tools: list[Toy]) -> None:
    plan, catalog = make_plan(f"- {tree}"), catalog_of(tools)
    if sum(1 for _ in orders(plan.tree)) > 40:
        return
    expected = {path for order in orders(plan.tree) for path in everything(order, tools, frozenset())}
    try:
        graph = checked_compile(plan, catalog, lenient=True).graph
    except CostaError as error:
        codes = {found.code for found in error.diagnostics if found.severity == "error"}
        if codes & {"COS4101", "COS4103"}:
            assert expected == set()
        return
    found = set(calls(graph))
    assert found <= expected
    analyses = frozenset(step.id for step in plan.steps if not SUBTASKS[step.subtask][1])
    one_order = {up_to_commuting(path, analyses) for path in expected}
    assert {up_to_commuting(path, analyses) for path in found} == one_order
    if not analyses:
        assert found == expected
