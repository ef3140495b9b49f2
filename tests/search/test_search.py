"""The search against brute force, and what it learns while it goes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import Invocation, State, ToolpathGraph
from costa_dsl.search.estimates import PRIOR_WEIGHT, SPEED_WEIGHT
from costa_dsl.search.objective import CostaObjective
from costa_dsl.search.search import Execute, Exhausted, Finished, Search, forecast
from tests.conftest import make_plan


def layered(layers: list[list[tuple[float, float]]], skip: bool = False) -> ToolpathGraph:
    """A graph with one state between layers; each layer offers tools with (seconds, quality)."""
    states = [State(f"s{index}", ()) for index in range(len(layers) + 1)]
    calls = [
        Invocation(f"i{i}-{j}", f"s{i}", f"s{i + 1}", f"step{i}", "step", f"tool{i}-{j}", "x", (), (), seconds, quality)
        for i, tools in enumerate(layers)
        for j, (seconds, quality) in enumerate(tools)
    ]
    if skip and len(layers) > 1:
        calls.append(Invocation("skip", "s0", "s2", "both", "step", "both", "x", (), (), 3.0, 0.5))
    plan = make_plan("- {do: depth-estimation}")
    return ToolpathGraph(plan, {}, tuple(states), tuple(calls), "s0", f"s{len(layers)}")


def all_paths(graph: ToolpathGraph, state: str) -> Iterator[tuple[float, float]]:
    if state == graph.goal:
        yield (0.0, 1.0)
    for call in graph.outgoing[state]:
        for seconds, quality in all_paths(graph, call.target):
            yield (seconds + call.seconds, quality * call.quality)


seconds = st.floats(0, 20, allow_nan=False) | st.sampled_from([0.0, 1.0, 2.0])
quality = st.floats(0, 1, allow_nan=False) | st.sampled_from([0.0, 0.5, 1.0])
layers = st.lists(st.lists(st.tuples(seconds, quality), min_size=1, max_size=4), min_size=1, max_size=4)
alphas = st.sampled_from([0.0, 0.3, 0.5, 1.0, 1.5, 1.9, 2.0])


@settings(max_examples=300, deadline=None)
@given(layers, alphas, st.booleans())
def test_the_forecast_equals_brute_force(tools: list[list[tuple[float, float]]], alpha: float, skip: bool) -> None:
    graph = layered(tools, skip)
    objective = CostaObjective(alpha)
    best = forecast(graph, objective)
    least = min(objective.value(*path) for path in all_paths(graph, graph.start))
    assert objective.value(best.seconds, best.quality) == pytest.approx(least, rel=1e-9, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(seconds, quality, seconds, quality, alphas)
def test_the_objective_rises_with_seconds_and_falls_with_quality(
    c: float, q: float, more: float, better: float, alpha: float
) -> None:
    objective = CostaObjective(alpha)
    assert objective.value(c + more, q) >= objective.value(c, q) - 1e-9
    assert objective.value(c, max(q, better)) <= objective.value(c, q) + 1e-9


@settings(max_examples=150, deadline=None)
@given(layers, alphas)
def test_with_exact_estimates_every_bound_is_at_most_the_minimum(
    tools: list[list[tuple[float, float]]], alpha: float
) -> None:
    graph = layered(tools)
    objective = CostaObjective(alpha)
    least = min(objective.value(*path) for path in all_paths(graph, graph.start))
    search = Search(graph, objective)
    while not isinstance(decision := search.next(), Finished):
        assert isinstance(decision, Execute)
        assert decision.label.bound <= least + 1e-9 * max(1.0, least)
        search.assume(decision.label)


def test_only_promising_tools_run() -> None:
    """Three steps with four tools each: the best path alone is run when outcomes equal estimates."""
    graph = layered([[(1.0, 0.9), (5.0, 0.95), (9.0, 0.97), (30.0, 0.99)]] * 3)
    search = Search(graph, CostaObjective(2.0))
    ran = 0
    while isinstance(decision := search.next(), Execute):
        assert decision.label.invocation is not None
        ran += 1
        search.succeeded(decision.label, decision.label.invocation.seconds, decision.label.invocation.quality)
    assert isinstance(decision, Finished)
    assert ran == 3


def test_a_failing_tool_makes_way_for_the_next_and_all_failing_ends() -> None:
    graph = layered([[(1.0, 0.9), (5.0, 0.9)]])
    search = Search(graph, CostaObjective(1.0))
    tools = []
    while isinstance(decision := search.next(), Execute):
        assert decision.label.invocation is not None
        tools.append(decision.label.invocation.tool)
        search.failed(decision.label, 1.0, 0.0)
    assert tools == ["tool0-0", "tool0-1"]
    assert isinstance(decision, Exhausted)


def test_what_was_seen_once_changes_what_is_expected_next() -> None:
    """The same tool twice in a row: slow the first time, it is not chosen the second time."""
    states = tuple(State(f"s{index}", ()) for index in range(3))
    calls = tuple(
        Invocation(f"{tool}{i}", f"s{i}", f"s{i + 1}", f"step{i}", "step", tool, "x", (), (), cost, 0.9)
        for i in range(2)
        for tool, cost in (("quick", 1.0), ("steady", 2.0))
    )
    graph = ToolpathGraph(make_plan("- {do: depth-estimation}"), {}, states, calls, "s0", "s2")
    search = Search(graph, CostaObjective(2.0))
    first = search.next()
    assert isinstance(first, Execute)
    assert first.label.invocation is not None
    assert first.label.invocation.tool == "quick"
    search.failed(first.label, 30.0, 0.0)
    assert search.estimates.slowness == pytest.approx(30 ** (1 / (SPEED_WEIGHT + 1)))
    assert search.estimates.seconds(first.label.invocation) == pytest.approx(
        (PRIOR_WEIGHT * search.estimates.slowness + 30.0) / (PRIOR_WEIGHT + 1)
    )
    path = []
    while isinstance(decision := search.next(), Execute):
        assert decision.label.invocation is not None
        path.append(decision.label.invocation.tool)
        search.succeeded(decision.label, 2.0, 0.9)
    assert path == ["steady", "steady"]


def test_a_slow_machine_does_not_make_tools_that_have_not_run_look_better() -> None:
    """Everything takes three times as long as in the benchmark: still only the best path runs."""
    graph = layered([[(1.0, 0.9), (1.8, 0.9)]] * 6)
    search = Search(graph, CostaObjective(1.0))
    ran = []
    while isinstance(decision := search.next(), Execute):
        assert decision.label.invocation is not None
        ran.append(decision.label.invocation.tool)
        search.succeeded(decision.label, 3 * decision.label.invocation.seconds, 0.9)
    assert ran == [f"tool{layer}-0" for layer in range(6)]


def test_failed_attempts_are_not_charged_to_the_other_tools_path() -> None:
    graph = layered([[(1.0, 0.9), (5.0, 0.9)]])
    search = Search(graph, CostaObjective(1.0))
    first = search.next()
    assert isinstance(first, Execute)
    search.failed(first.label, 100.0, 0.0)
    second = search.next()
    assert isinstance(second, Execute)
    search.succeeded(second.label, 5.0, 0.9)
    done = search.next()
    assert isinstance(done, Finished)
    assert done.label.seconds == 5.0
    assert math.isclose(done.bound, CostaObjective(1.0).value(5.0, 0.9))
