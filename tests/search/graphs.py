"""Small graphs for the search, without a plan behind them, and all of their paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from costa_dsl.compiler.graph import Invocation, State, ToolpathGraph
from costa_dsl.model.objective import CostaObjective, Objective, Rank
from costa_dsl.model.objectives import Criteria, Lexicographic, MaxCost, MinQuality, Money, WeightedSum
from tests.conftest import make_plan

Tool = tuple[float, float]  # seconds, quality
ALPHAS = (0.0, 0.3, 0.5, 1.0, 1.5, 1.9, 2.0)


def graph_from(states: int, calls: Sequence[Invocation]) -> ToolpathGraph:
    """A graph whose states are s0 (start) to the last (goal)."""
    places = tuple(State(f"s{index}", ()) for index in range(states))
    return ToolpathGraph(make_plan("- {do: depth-estimation}"), {}, places, tuple(calls), "s0", f"s{states - 1}")


def call(
    name: str, source: int, target: int, seconds: float, quality: float, tool: str = "", usd: float = 0.0
) -> Invocation:
    """An invocation between two states; its tool has its own name unless one is given."""
    ends = (f"s{source}", f"s{target}")
    return Invocation(name, *ends, f"step{source}", "step", tool or name, "x", (), (), seconds, quality, 1, usd)


def layered(layers: Sequence[Sequence[Tool]]) -> ToolpathGraph:
    """One state between layers; each layer offers tools."""
    calls = [call(f"t{i}-{j}", i, i + 1, *tool) for i, tools in enumerate(layers) for j, tool in enumerate(tools)]
    return graph_from(len(layers) + 1, calls)


def paths_of(graph: ToolpathGraph, state: str = "") -> Iterator[list[Invocation]]:
    """Every path from a state (the start) to the goal."""
    state = state or graph.start
    if state == graph.goal:
        yield []
    for found in graph.outgoing[state]:
        for rest in paths_of(graph, found.target):
            yield [found, *rest]


def totals(path: Sequence[Invocation]) -> tuple[float, float, float]:
    """Seconds, quality and dollars of a path, by the estimates."""
    seconds, quality, usd = 0.0, 1.0, 0.0
    for found in path:
        seconds, quality, usd = seconds + found.seconds, quality * found.quality, usd + found.usd
    return seconds, quality, usd


def least_rank(graph: ToolpathGraph, objective: Objective) -> Rank:
    """Brute force: the least rank of all paths."""
    return min(objective.rank(*totals(path)) for path in paths_of(graph))


# ---- for property tests ------------------------------------------------------------------------------------
# Ties are common, 0 seconds and quality 0 and 1 are among them. What differs, differs by more than rounding.
SECONDS = st.floats(0, 20).map(lambda value: round(value, 3)) | st.sampled_from([0.0, 1.0, 2.0])
QUALITIES = st.floats(0, 1).map(lambda value: round(value, 3)) | st.sampled_from([0.0, 0.5, 0.9, 1.0])
PRICES = st.sampled_from([0.0, 0.0, 0.01, 0.5]) | st.floats(0, 2).map(lambda value: round(value, 3))


@st.composite
def graphs(draw: st.DrawFn, most_states: int = 5, most_ways: int = 3) -> ToolpathGraph:
    """Graphs in which some ways skip states, some tools come back in several places, and paths meet again."""
    count = draw(st.integers(2, most_states))
    calls = []
    for source in range(count - 1):
        for way in range(draw(st.integers(1, most_ways))):
            # The first way leads to the next state, so that no state is a dead end or out of reach.
            target = source + 1 if way == 0 else draw(st.integers(source + 1, count - 1))
            values = (draw(SECONDS), draw(QUALITIES))
            calls.append(call(f"t{source}-{way}", source, target, *values, usd=draw(PRICES)))
    return graph_from(count, calls)


def objectives() -> st.SearchStrategy[Objective]:
    """Every built-in objective, at the ends of its range too."""
    weight = st.sampled_from([0.0, 1.0, 60.0])
    orders = st.permutations(["seconds", "quality", "usd"]).flatmap(
        lambda order: st.integers(1, 3).map(lambda length: Lexicographic(tuple(order[:length])))
    )
    sums = st.tuples(weight, weight, weight).filter(any).map(lambda found: WeightedSum(*found))
    levels = st.sampled_from(
        [
            (("seconds", 10.0), ("quality", 0.9)),
            (("quality", 1.0), ("usd", 0.1)),
            (("seconds", 3.0), ("quality", 0.5), ("usd", 1.0)),
        ]
    )
    return st.one_of(
        st.sampled_from(ALPHAS).map(CostaObjective),
        sums,
        orders,
        st.sampled_from([0.0, 0.3, 0.8, 1.0]).map(MinQuality),
        st.tuples(st.sampled_from([0.0, 2.0, 15.0]), st.sampled_from(["seconds", "usd"])).map(lambda it: MaxCost(*it)),
        st.sampled_from(ALPHAS).map(Money),
        levels.map(Criteria),
    )
