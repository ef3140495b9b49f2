"""Simulated worlds: the same for everybody who asks, and no further from the benchmark than they say."""

from __future__ import annotations

import random
import statistics
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costa_dsl.catalog.load import load_catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.graph import ArtifactKey, Invocation, ToolpathGraph
from costa_dsl.diagnostics import Sink
from costa_dsl.search.space import Label, Outcome
from costa_dsl.search.world import LEFT_OF_A_FAILURE, Noise, World
from tests.conftest import make_plan, said_under_hash_seeds
from tests.search.graphs import call, graphs

NOISE = Noise(quality=0.05, quality_bias=0.05, seconds=0.2, seconds_bias=0.2, failures=0.2)
TREE = """\
- any_order:
    - {do: object-replacement, object: dog, with: cat}
    - {do: object-recoloration, object: car, to: red}
"""


def labels(*calls: Invocation) -> list[Label]:
    """The labels of one path."""
    found = [Label(0, "s0", 0.0, 1.0, executed=True)]
    for number, one in enumerate(calls, start=1):
        found.append(Label(number, one.target, 0.0, 1.0, 0.0, found[-1], one))
    return found[1:]


def every_path(graph: ToolpathGraph, label: Label | None = None) -> list[Label]:
    """A label for each way to the end of each invocation."""
    label = label or Label(0, graph.start, 0.0, 1.0, executed=True)
    found = []
    for one in graph.outgoing[label.state]:
        child = Label(0, one.target, 0.0, 1.0, 0.0, label, one)
        found += [child, *every_path(graph, child)]
    return found


def paper_graph() -> ToolpathGraph:
    return compile_plan(make_plan(TREE), load_catalog("paper", Sink()), Sink(), assume_available=True).graph


# ---- without noise -------------------------------------------------------------------------------------------
@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(0, 1000), st.sampled_from([0.0, 0.8, 1.0]))
def test_without_noise_outcomes_equal_the_estimates(graph: ToolpathGraph, seed: int, threshold: float) -> None:
    world = World(seed, threshold=threshold)
    for label in every_path(graph):
        found = label.invocation
        assert found is not None
        assert world.outcome(label) == Outcome(True, found.seconds, found.quality, found.usd)
        assert world.tried(label).attempts == 1


# ---- the same for everybody ----------------------------------------------------------------------------------
def test_outcomes_do_not_depend_on_the_order_in_which_one_asks() -> None:
    found = every_path(paper_graph())
    world = World(3, NOISE)
    first = {id(label): world.outcome(label) for label in found}
    shuffled = found[:]
    random.Random(1).shuffle(shuffled)
    again = World(3, NOISE)
    assert [again.outcome(label) for label in shuffled] == [first[id(label)] for label in shuffled]
    assert len({outcome.seconds for outcome in first.values()}) > 20


PROGRAM = """
from tests.search.test_world import NOISE, every_path, paper_graph
from costa_dsl.search.world import World
world = World(5, NOISE, analyses=frozenset({"object-detection", "object-segmentation"}))
for label in every_path(paper_graph()):
    print(world.tried(label))
"""


def test_outcomes_are_the_same_under_every_hash_seed() -> None:
    assert len(said_under_hash_seeds("-c", PROGRAM).splitlines()) == 67


def test_other_seeds_are_other_worlds() -> None:
    (label,) = labels(call("a", 0, 1, 10.0, 0.9))
    assert len({World(seed, NOISE).outcome(label) for seed in range(50)}) == 50


# ---- what an input is ----------------------------------------------------------------------------------------
MASK = ArtifactKey("mask", "dog")


def analysis(name: str, source: int, gives: ArtifactKey = MASK) -> Invocation:
    return replace(
        call(name, source, source + 1, 0.1, 0.9), step="looks", subtask="look", role="supply", gives=(gives,)
    )


def test_an_analysis_does_not_change_the_picture() -> None:
    world = World(1, NOISE, analyses=frozenset({"look"}))
    edit = call("edit", 0, 1, 10.0, 0.9)
    (alone,) = labels(edit)
    after = labels(analysis("look", 0), edit)[-1]
    assert world.outcome(after) == world.outcome(alone)
    # For a world in which looking is an edit, that is another input.
    assert replace(world, analyses=frozenset()).outcome(after) != world.outcome(alone)


def test_what_made_a_needed_artifact_matters_and_what_made_others_does_not() -> None:
    world = World(1, NOISE, analyses=frozenset({"look"}))
    edit = replace(call("edit", 1, 2, 10.0, 0.9), needs=(MASK,))
    good, bad = (labels(analysis(name, 0), edit)[-1] for name in ("good", "bad"))
    assert world.outcome(good) != world.outcome(bad)
    other = ArtifactKey("mask", "cat")
    with_other = labels(analysis("good", 0), analysis("more", 1, other), edit)[-1]
    assert world.outcome(with_other) == world.outcome(good)
    # The last one to make it counts.
    anew = labels(analysis("bad", 0), analysis("good", 1), edit)[-1]
    assert world.outcome(anew) == world.outcome(good)


def test_edits_before_make_another_input() -> None:
    world = World(1, NOISE)
    edit = call("edit", 1, 2, 10.0, 0.9)
    ways = [labels(call(name, 0, 1, 1.0, 0.9), edit)[-1] for name in ("a", "b")]
    assert world.outcome(ways[0]) != world.outcome(ways[1])


# ---- what noise does -----------------------------------------------------------------------------------------
def sample(noise: Noise, one: Invocation, count: int = 2000, **more: float) -> list[Outcome]:
    """Outcomes of one invocation in many worlds."""
    (label,) = labels(one)
    return [World(seed, noise, **more).outcome(label) for seed in range(count)]  # type: ignore[arg-type]


def test_noise_has_the_size_that_it_says_and_seconds_keep_their_mean() -> None:
    found = sample(Noise(quality=0.03, seconds=0.2), call("a", 0, 1, 10.0, 0.5), threshold=0.0)
    assert statistics.mean(one.quality for one in found) == pytest.approx(0.5, abs=0.003)
    assert statistics.stdev(one.quality for one in found) == pytest.approx(0.03, rel=0.1)
    assert statistics.mean(one.seconds for one in found) == pytest.approx(10.0, rel=0.02)
    assert statistics.stdev(one.seconds for one in found) == pytest.approx(2.0, rel=0.1)


def test_a_bias_belongs_to_a_pair_and_stays() -> None:
    world = World(2, Noise(quality_bias=0.05, seconds_bias=0.3))
    paths = [labels(call(name, 0, 1, 1.0, 0.5), replace(call("x", 1, 2, 8.0, 0.7), tool="same")) for name in "abc"]
    assert len({(world.outcome(path[-1]).seconds, world.outcome(path[-1]).quality) for path in paths}) == 1
    others = {world.outcome(path[0]).seconds for path in paths}
    assert len(others) == 3


def test_of_splits_the_variance() -> None:
    noise = Noise.of(0.1, 0.2, 0.25, 0.0)
    assert noise.spread == pytest.approx((0.1, 0.2))
    assert noise.quality_bias == pytest.approx(0.05)
    assert Noise.of(0.1, 0.2, 1.0, 0.0).quality == 0.0


def test_a_failed_attempt_costs_its_seconds_and_dollars_and_a_retry_may_help() -> None:
    one = replace(call("a", 0, 1, 10.0, 0.9), usd=0.5)
    world = World(0, Noise(failures=1.0, recovery=1.0))
    tried = world.tried(labels(one)[0])
    assert (tried.attempts, tried.outcome) == (2, Outcome(True, 20.0, 0.9, 1.0))
    never = World(0, Noise(failures=1.0, recovery=0.0), attempts=3).tried(labels(one)[0])
    assert (never.attempts, never.outcome) == (3, Outcome(False, 30.0, 0.9 * LEFT_OF_A_FAILURE, 1.5))


def test_failures_are_as_frequent_as_they_say_and_retries_repair_their_share() -> None:
    one = call("a", 0, 1, 10.0, 0.9)
    once = sample(Noise(failures=0.2), one, attempts=1)
    assert sum(not found.accepted for found in once) / len(once) == pytest.approx(0.2, abs=0.03)
    thrice = sample(Noise(failures=0.2, recovery=0.4), one, attempts=3)
    assert sum(not found.accepted for found in thrice) / len(thrice) == pytest.approx(0.2 * 0.6 * 0.6, abs=0.02)


def test_risky_pairs_fail_at_their_own_rate() -> None:
    world = World(0, Noise(recovery=0.0), risky={("a", "x"): 1.0})
    assert not world.outcome(labels(call("a", 0, 1, 1.0, 1.0))[0]).accepted
    assert world.outcome(labels(call("b", 0, 1, 1.0, 1.0))[0]).accepted


def test_a_result_below_the_threshold_is_retried_and_not_accepted() -> None:
    (label,) = labels(call("a", 0, 1, 10.0, 0.95))
    noise = Noise(quality=0.2)
    found = [World(seed, noise, attempts=2).tried(label) for seed in range(200)]
    assert {one.attempts for one in found} == {1, 2}
    for one in found:
        assert one.outcome.accepted == (one.outcome.quality >= 0.8)
        assert one.outcome.seconds == pytest.approx(10.0 * one.attempts)


@settings(max_examples=50, deadline=None)
@given(graphs(4, 2), st.integers(0, 10**6))
def test_no_outcome_is_luckier_than_the_luckiest(graph: ToolpathGraph, seed: int) -> None:
    world = World(seed, NOISE)
    for label in every_path(graph):
        found = label.invocation
        assert found is not None
        seconds, quality = world.luckiest(found)
        outcome = world.outcome(label)
        assert outcome.seconds >= seconds * (1 - 1e-12)
        assert 0 <= outcome.quality <= quality <= 1
