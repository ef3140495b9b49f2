"""Simulated searches: what is counted, what would have been best, and what feedback is worth."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import CostaObjective, Objective, Rank, gap
from costa_dsl.search.search import foresee
from costa_dsl.search.simulate import compare, in_hindsight, regret, simulate, without_feedback
from costa_dsl.search.space import Label
from costa_dsl.search.strategies import STRATEGIES
from costa_dsl.search.world import Noise, World
from tests.conftest import said_under_hash_seeds
from tests.search.graphs import graphs, layered, least_rank, objectives, paths_of
from tests.search.test_world import NOISE, paper_graph

QUIET = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
ANALYSES = frozenset({"object-detection", "object-segmentation"})


def brute_force(graph: ToolpathGraph, objective: Objective, world: World) -> Rank:
    """The least rank of all complete paths whose every outcome is accepted, one path after the other."""
    ranks = []
    for path in paths_of(graph):
        label, accepted = Label(0, graph.start, 0.0, 1.0), True
        for found in path:
            child = Label(0, found.target, 0.0, 1.0, 0.0, label, found)
            outcome = world.outcome(child)
            accepted = accepted and outcome.accepted
            child.seconds = label.seconds + outcome.seconds
            child.quality = label.quality * outcome.quality
            child.usd = label.usd + outcome.usd
            label = child
        if accepted:
            ranks.append(label.rank(objective))
    return min(ranks, default=())


# ---- hindsight -----------------------------------------------------------------------------------------------
@QUIET
@given(graphs(), objectives(), st.integers(0, 10**6), st.booleans())
def test_hindsight_equals_brute_force(graph: ToolpathGraph, objective: Objective, seed: int, rough: bool) -> None:
    noise = Noise(0.3, 0.2, 0.8, 0.5, 0.4) if rough else NOISE
    world = World(seed, noise)
    best = in_hindsight(graph, objective, world)
    assert best.exact
    assert best.bound == best.rank == brute_force(graph, objective, world)


@QUIET
@given(graphs(), objectives(), st.integers(0, 10**6))
def test_nothing_is_better_than_hindsight(graph: ToolpathGraph, objective: Objective, seed: int) -> None:
    found = compare(graph, objective, STRATEGIES, World(seed, NOISE))
    for name, judged in found.items():
        assert judged.exact
        if judged.result.label is None:
            assert judged.regret is None
            continue
        assert judged.regret is None or judged.regret >= 0
        if name == "exhaustive":
            best = in_hindsight(graph, objective, World(seed, NOISE)).rank
            assert gap(judged.result.rank(objective), best) == 0
    lost = {name for name, judged in found.items() if judged.result.label is None}
    assert lost in (set(), {"paper"}, set(STRATEGIES)), "one number per node may lose every path; nothing else may"


@pytest.mark.parametrize("most", [1, 5, 20])
def test_a_limited_hindsight_is_a_bound_and_says_so(most: int) -> None:
    graph, objective, world = paper_graph(), CostaObjective(1.0), World(4, NOISE, analyses=ANALYSES)
    exact = in_hindsight(graph, objective, world)
    assert exact.exact
    limited = in_hindsight(graph, objective, world, most)
    assert not limited.exact
    assert limited.bound <= exact.rank
    assert not limited.rank or limited.rank >= exact.rank


@QUIET
@given(graphs(), objectives(), st.integers(0, 10**6), st.integers(1, 10))
def test_a_bound_is_never_above_the_best(graph: ToolpathGraph, objective: Objective, seed: int, most: int) -> None:
    world = World(seed, NOISE)
    best, limited = in_hindsight(graph, objective, world), in_hindsight(graph, objective, world, most)
    if best.rank:
        assert gap(limited.bound, best.rank) <= 1e-9


def test_regret() -> None:
    assert regret((11.0,), (10.0,)) == pytest.approx(0.1)
    assert regret((0.0, 12.0), (0.0, 10.0)) == pytest.approx(0.2)
    assert regret((10.0,), (10.0 + 1e-12,)) == 0.0
    assert regret((), (10.0,)) is None
    assert regret((0.1, 1.0), (0.0, 5.0)) is None


# ---- what is counted -----------------------------------------------------------------------------------------
@QUIET
@given(graphs(), objectives(), st.sampled_from(sorted(STRATEGIES)))
def test_without_noise_a_simulation_is_a_search_with_exact_estimates(
    graph: ToolpathGraph, objective: Objective, name: str
) -> None:
    found = simulate(graph, objective, STRATEGIES[name], World(0))
    assert found is not None
    assert found.label is not None
    assert found.calls <= len(found.outcomes)
    if name in ("lazy", "exhaustive"):
        assert gap(found.rank(objective), least_rank(graph, objective)) == pytest.approx(0, abs=1e-6)
    if name == "lazy":
        assert found.calls == len(found.label.path())
        assert found.seconds == pytest.approx(found.label.seconds)


def test_the_published_example_is_counted_as_published() -> None:
    """FACTS §3: replace and recolor in either order at α = 2."""
    counts = {}
    for name in ("paper", "lazy"):
        found = simulate(paper_graph(), CostaObjective(2.0), STRATEGIES[name], World(0, analyses=ANALYSES))
        assert found is not None
        assert found.label is not None
        counts[name] = (found.calls, round(found.seconds, 1), round(found.label.seconds, 1))
    assert counts == {"paper": (33, 148.1, 24.3), "lazy": (6, 24.3, 24.3)}


def test_the_same_input_is_counted_once() -> None:
    """Two orders of the same two analyses: the second one finds everything tried."""
    from dataclasses import replace

    from tests.search.graphs import call, graph_from

    looks = [
        replace(call("a1", 0, 1, 1.0, 0.9, tool="a"), step="a", subtask="look"),
        replace(call("b1", 0, 2, 2.0, 0.9, tool="b"), step="b", subtask="look"),
        replace(call("b2", 1, 3, 2.0, 0.9, tool="b"), step="b", subtask="look"),
        replace(call("a2", 2, 3, 1.0, 0.9, tool="a"), step="a", subtask="look"),
    ]
    graph = graph_from(4, looks)
    world = World(0, Noise(seconds=0.2, quality=0.02), threshold=0.0, analyses=frozenset({"look"}))
    found = simulate(graph, CostaObjective(1.0), STRATEGIES["exhaustive"], world)
    assert found is not None
    assert len(found.outcomes) == 4
    assert found.calls == 2
    assert found.seconds == pytest.approx(sum({outcome.seconds for _, outcome in found.outcomes}))
    edits = simulate(graph, CostaObjective(1.0), STRATEGIES["exhaustive"], World(0, threshold=0.0))
    assert edits is not None
    assert edits.calls == 4


def test_a_limit_of_calls_ends_a_simulation() -> None:
    graph = layered([[(1.0, 0.9), (2.0, 1.0)]] * 4)
    strategy = STRATEGIES["exhaustive"]
    assert simulate(graph, CostaObjective(1.0), strategy, World(0), most_calls=29) is None
    assert simulate(graph, CostaObjective(1.0), strategy, World(0), most_calls=30) is not None


PROGRAM = """
from costa_dsl.model.objective import CostaObjective
from costa_dsl.search.simulate import compare
from costa_dsl.search.strategies import STRATEGIES
from costa_dsl.search.world import World
from tests.search.test_world import NOISE, paper_graph
for seed in range(3):
    for name, found in compare(paper_graph(), CostaObjective(1.0), STRATEGIES, World(seed, NOISE)).items():
        result = found.result
        print(name, result.calls, result.seconds, result.certificate, found.regret)
        print([(label.number, label.invocation.id, outcome) for label, outcome in result.outcomes])
"""


def test_simulations_are_the_same_under_every_hash_seed() -> None:
    assert len(said_under_hash_seeds("-c", PROGRAM).splitlines()) == 24


# ---- the ablation --------------------------------------------------------------------------------------------
LAYERS = [[(3.0, 0.9), (10.0, 1.0)]] * 4


def test_without_feedback_the_best_path_by_the_benchmark_runs_once_and_its_failures_stay() -> None:
    graph, objective = layered(LAYERS), CostaObjective(0.0)
    risky = {("t1-1", "x"): 1.0}
    found = without_feedback(graph, objective, World(0, risky=risky))
    assert found.label is not None
    tools = [part.invocation.tool for part in found.label.path() if part.invocation]
    planned = [part.invocation.tool for part in foresee(graph, objective).label.path() if part.invocation]
    assert tools == planned == ["t0-1", "t1-1", "t2-1", "t3-1"]
    assert found.calls == 4
    assert found.seconds == 40.0
    assert found.label.quality == pytest.approx(1 / 3)
    seen = simulate(graph, objective, STRATEGIES["lazy"], World(0, Noise(recovery=0.0), risky=risky))
    assert seen is not None
    assert seen.label is not None
    assert seen.label.quality == pytest.approx(0.9), "the other tool was taken"
    assert seen.calls == 7
    assert seen.seconds == pytest.approx(3 * 10.0 + 3 * 10.0 + 3.0)


@pytest.mark.parametrize("name", ["lazy", "paper", "commit"])
def test_feedback_pays_on_risky_tasks(name: str) -> None:
    """The sign of the paper's ablation (FACTS §4); benchmarks/feedback.py tells its size."""
    graph, objective = layered(LAYERS), CostaObjective(0.0)
    noise = Noise(0.03, 0.03, 0.15, 0.15, 0.05)
    without, having = [], []
    for seed in range(60):
        world = World(seed, noise, risky={("t1-1", "x"): 0.6, ("t2-1", "x"): 0.6})
        blind = without_feedback(graph, objective, world)
        seeing = simulate(graph, objective, STRATEGIES[name], world)
        assert blind.label is not None
        assert seeing is not None
        assert seeing.label is not None
        without.append(blind.label.quality)
        having.append(seeing.label.quality)
    assert statistics.mean(having) > statistics.mean(without) + 0.2
    assert all(better >= worse - 1e-9 for better, worse in zip(having, without, strict=True) if worse < 0.5)
