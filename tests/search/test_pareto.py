"""The front and its α-intervals against brute force over all paths."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import QUALITY, SECONDS, USD, CostaObjective, gap
from costa_dsl.search.estimates import Estimates
from costa_dsl.search.fronts import fronts_of
from costa_dsl.search.pareto import Interval, ParetoFront, pareto_front, undominated, winning
from tests.search.graphs import QUALITIES, call, graph_from, graphs, layered, objectives, paths_of, totals

QUIET = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
GRID = [step / 200 * 2 for step in range(201)]
NEAR = 1e-8

Totals = tuple[float, float, float]


def covers(one: Totals, other: Totals, slack: float = NEAR) -> bool:
    """Whether one is nowhere worse than the other, but for `slack`."""
    return (
        one[0] <= other[0] + slack * max(1.0, other[0])
        and one[1] >= other[1] - slack
        and one[2] <= other[2] + slack * max(1.0, other[2])
    )


def rank(alpha: float, seconds: float, quality: float) -> float:
    return CostaObjective(alpha).rank(seconds, quality, 0.0)[0]


def has(wins: Interval | None, alpha: float, slack: float = 0.0) -> bool:
    if wins is None or (wins.opens and alpha <= wins.first):
        return False
    return wins.first - slack <= alpha <= wins.last + slack


def values(front: ParetoFront) -> list[Totals]:
    return [(path.seconds, path.quality, path.usd) for path in front.paths]


# ---- the front ---------------------------------------------------------------------------------------------
@QUIET
@given(graphs(6, 3))
def test_the_front_is_that_of_all_paths_and_each_of_its_paths_is_real(graph: ToolpathGraph) -> None:
    front = pareto_front(graph, most_points=10_000)
    assert front.exact
    assert front.gap == 0
    money = any(found.usd for found in graph.invocations)
    assert front.criteria == ({SECONDS, QUALITY, USD} if money else {SECONDS, QUALITY})
    every = [totals(path) for path in paths_of(graph)]
    for path, mine in zip(front.paths, values(front), strict=True):
        assert list(path.invocations) in list(paths_of(graph))
        assert totals(path.invocations) == pytest.approx(mine, rel=1e-9, abs=1e-12)
        better = [other for other in every if covers(other, mine, 0.0) and not covers(mine, other)]
        assert not better, "a path of the front is beaten"
    for other in every:
        assert any(covers(mine, other) for mine in values(front)), "a path is missing"
    assert values(front) == sorted(values(front), key=lambda it: (it[0], -it[1], it[2]))


@QUIET
@given(graphs(6, 3))
def test_no_two_paths_of_a_front_are_the_same(graph: ToolpathGraph) -> None:
    found = values(pareto_front(graph))
    for place, mine in enumerate(found):
        for other in found[place + 1 :]:
            assert not all(math.isclose(a, b, rel_tol=1e-10) for a, b in zip(mine, other, strict=True))


def test_paths_that_differ_by_rounding_only_are_one() -> None:
    seconds = (0.1, 0.2, 0.3)
    assert seconds[0] + (seconds[1] + seconds[2]) != (seconds[0] + seconds[1]) + seconds[2]
    calls = [call(f"a{place}", place, place + 1, value, 0.9) for place, value in enumerate(seconds)]
    calls += [call("b0", 0, 4, 0.3, 0.9), call("b1", 4, 5, 0.2, 0.9), call("b2", 5, 6, 0.1, 0.9)]
    calls += [call("end", 3, 6, 0.0, 1.0)]
    order = {"s3": 3, "s4": 1, "s5": 2}
    calls.sort(key=lambda found: order.get(found.source, 0))
    graph = graph_from(7, calls)
    assert len(list(paths_of(graph))) == 2
    assert len(pareto_front(graph).paths) == 1


def test_a_path_that_is_faster_by_rounding_only_is_not_on_the_front() -> None:
    assert undominated([(1.0, 0.8, 0.0), (1.0 + 1e-15, 0.9, 0.0), (2.0, 0.9, 0.0), (3.0, 1.0, 0.0)]) == [1, 3]
    assert undominated([(1.0, 0.8, 0.5), (2.0, 0.8, 0.1), (3.0, 0.8, 0.1), (3.0, 0.7, 0.0)]) == [0, 1, 3]


# ---- the intervals -----------------------------------------------------------------------------------------
@QUIET
@given(graphs(6, 3))
def test_the_intervals_are_where_a_path_is_the_minimum_of_j(graph: ToolpathGraph) -> None:
    front = pareto_front(graph)
    every = [totals(path) for path in paths_of(graph)]
    for alpha in [*GRID, *(end for path in front.paths if path.wins for end in (path.wins.first, path.wins.last))]:
        least = min(rank(alpha, seconds, quality) for seconds, quality, _ in every)
        assert any(has(path.wins, alpha) for path in front.paths), "somebody wins at every α"
        for path in front.paths:
            mine = rank(alpha, path.seconds, path.quality)
            distance = gap((mine,), (least,))
            if has(path.wins, alpha):
                assert distance <= NEAR
            elif not has(path.wins, alpha, 1e-3):
                assert distance > 0 or mine > least or mine == least == 0 or _nearly_parallel(front, alpha)


def _nearly_parallel(front: ParetoFront, alpha: float) -> bool:
    """Whether paths are so much alike that rounding decides which of them wins here."""
    ranks = sorted(rank(alpha, path.seconds, path.quality) for path in front.paths)
    return len(ranks) > 1 and ranks[1] - ranks[0] <= NEAR * max(ranks[1], 1e-300)


@QUIET
@given(st.lists(st.tuples(st.floats(0.01, 50), st.floats(0, 1)), min_size=1, max_size=12))
def test_intervals_are_the_comparisons_of_every_two_lines(paths: list[tuple[float, float]]) -> None:
    """Each interval again as what all others leave of [0, 2], one after the other."""
    for (seconds, quality), wins in zip(paths, winning(paths), strict=True):
        low, high = 0.0, 2.0
        for others, better in paths:
            at_0 = 2 * math.log(2 - quality) - 2 * math.log(2 - better)
            at_2 = 2 * math.log(seconds) - 2 * math.log(others)
            if at_0 > 1e-9 and at_2 > 1e-9:
                low, high = 1.0, -1.0
            elif at_0 > 1e-9:
                low = max(low, 2 * at_0 / (at_0 - at_2))
            elif at_2 > 1e-9:
                high = min(high, 2 * at_0 / (at_0 - at_2))
        if high - low > 1e-6:
            if wins is not None:
                assert (wins.first, wins.last) == pytest.approx((low, high), abs=1e-3) or _has_twin(paths)
            else:
                assert _has_twin(paths)
        elif high - low < -1e-6:
            assert wins is None or wins.last - wins.first <= 1e-3


def _has_twin(paths: list[tuple[float, float]]) -> bool:
    """Whether two paths are the same line, or nearly."""
    return any(
        abs(a - c) <= 1e-6 * a and abs(b - d) <= 1e-6
        for place, (a, b) in enumerate(paths)
        for c, d in paths[place + 1 :]
    )


def test_the_published_table_has_the_intervals_that_its_numbers_give() -> None:
    """Object replacement of FACTS §3: three ways, of which the middle one wins between two crossings."""
    fast, middle, best = (12.1522, 0.82 * 0.97), (12.265, 0.97), (14.265, 1.0)

    def crossing(one: tuple[float, float], other: tuple[float, float]) -> float:
        """α ln C + (2 − α) ln(2 − Q) of both are equal."""
        cost, loss = math.log(other[0] / one[0]), math.log((2 - one[1]) / (2 - other[1]))
        return 2 * loss / (cost + loss)

    wins = winning([fast, middle, best])
    upper, lower = crossing(fast, middle), crossing(middle, best)
    assert [(found.first, found.last) for found in wins if found] == [
        pytest.approx((upper, 2.0)), pytest.approx((lower, upper)), pytest.approx((0.0, lower))
    ]  # fmt: skip


def test_a_path_that_wins_at_one_point_only() -> None:
    middle = (math.sqrt(2.0 * 8.0), 2 - math.sqrt(1.5 * 1.1))
    wins = winning([(2.0, 0.5), middle, (8.0, 0.9)])
    assert wins[1] is not None
    assert wins[1].first == pytest.approx(wins[1].last)
    assert wins[0] is not None
    assert wins[1].first == pytest.approx(wins[0].first)
    worse = winning([(2.0, 0.5), (middle[0] * 1.001, middle[1]), (8.0, 0.9)])
    assert worse[1] is None, "never the best at any α"


def test_paths_that_are_equal_at_an_end_touch_there() -> None:
    for paths, touch in (([(2.0, 0.9), (2.0, 0.8)], 2.0), ([(2.0, 0.9), (3.0, 0.9)], 0.0)):
        better, worse = winning(paths)
        assert better is not None
        assert worse is not None
        assert (better.first, better.last) == pytest.approx((0.0, 2.0))
        assert (worse.first, worse.last) == pytest.approx((touch, touch))


def test_of_parallel_lines_the_lower_one_wins_everywhere() -> None:
    """C = 2 − Q in both: ln J is the same for every α."""
    assert winning([(1.5, 0.5), (1.25, 0.75)]) == [None, Interval(0.0, 2.0)]
    assert winning([(1.25, 0.75), (1.5, 0.5)]) == [Interval(0.0, 2.0), None]


def test_without_seconds_j_is_zero_but_for_alpha_0() -> None:
    assert winning([(0.0, 0.3), (1.0, 0.5), (2.0, 0.9)]) == [Interval(0.0, 2.0, opens=True), None, Interval(0.0, 0.0)]
    assert winning([(0.0, 0.9), (1.0, 0.9)]) == [Interval(0.0, 2.0), Interval(0.0, 0.0)]


# ---- thinned fronts ----------------------------------------------------------------------------------------
@QUIET
@given(graphs(7, 4), st.integers(1, 4))
def test_a_thinned_front_says_how_far_it_is_from_the_best(graph: ToolpathGraph, most: int) -> None:
    front = pareto_front(graph, most_points=most)
    every = [totals(path) for path in paths_of(graph)]
    known = list(paths_of(graph))
    assert len(front.paths) <= most
    for path in front.paths:
        assert list(path.invocations) in known
        assert totals(path.invocations) == pytest.approx((path.seconds, path.quality, path.usd), rel=1e-9, abs=1e-12)
    for alpha in GRID[::10]:
        listed = min(rank(alpha, path.seconds, path.quality) for path in front.paths)
        least = min(rank(alpha, seconds, quality) for seconds, quality, _ in every)
        assert gap((listed,), (least,)) <= front.gap + NEAR


def test_a_cap_on_a_long_plan_leaves_a_small_gap() -> None:
    tools = [(1.0 + 0.37 * place, 1 - 0.3 / (place + 1.5)) for place in range(5)]
    graph = layered([[(c * (1 + layer % 7), q) for c, q in tools] for layer in range(60)])
    rough, fine = (pareto_front(graph, most_points=most) for most in (8, 64))
    assert not rough.exact
    assert 0 < fine.gap < rough.gap < 0.5


# ---- what the fast passes rest on --------------------------------------------------------------------------
@QUIET
@given(graphs())
def test_nothing_learnt_means_the_values_that_the_graph_has(graph: ToolpathGraph) -> None:
    for found in graph.invocations:
        assert Estimates().of(found) == (found.seconds, found.quality, found.usd)


class Asked(Estimates):
    """Estimates that are no benchmark's, so that each value is asked for."""


@QUIET
@given(graphs(), objectives())
def test_values_that_are_asked_for_give_the_same_fronts(graph: ToolpathGraph, objective: object) -> None:
    for criteria in ({SECONDS}, {QUALITY}, {USD}, {SECONDS, QUALITY}, {QUALITY, USD}, {SECONDS, QUALITY, USD}):
        written = fronts_of(graph, Estimates(), frozenset(criteria))
        asked = fronts_of(graph, Asked(), frozenset(criteria))
        assert dict(written.points) == dict(asked.points)


@QUIET
@given(graphs(), st.sampled_from([SECONDS, QUALITY, USD]))
def test_fronts_of_one_criterion_are_made_when_asked_for_and_hold_what_was_known_then(
    graph: ToolpathGraph, criterion: str
) -> None:
    assume(all(found.seconds == 0 or found.seconds > 1e-6 for found in graph.invocations))
    estimates = Estimates()
    estimates.observe(graph.invocations[0], 7.0, 0.5, 0.3)
    late, early = (fronts_of(graph, estimates, frozenset({criterion})) for _ in range(2))
    before = {state.id: early.points[state.id] for state in reversed(graph.states)}
    estimates.observe(graph.invocations[0], 90.0, 0.1, 3.0)
    assert len(late.points) == len(graph.states)
    assert dict(late.points) == before
    for state in graph.states:
        (point,) = late.points[state.id]
        assert list(point.path()) in list(paths_of(graph, state.id))
    with pytest.raises(KeyError):
        late.points["nowhere"]


@QUIET
@given(st.lists(st.tuples(st.floats(0, 9), QUALITIES, st.sampled_from([0.0, 0.1, 0.2])), min_size=1, max_size=30))
def test_three_criteria_keep_what_nothing_beats(tools: list[Totals]) -> None:
    graph = graph_from(2, [call(f"t{place}", 0, 1, c, q, usd=u) for place, (c, q, u) in enumerate(tools)])
    points = fronts_of(graph, Estimates(), frozenset({SECONDS, QUALITY, USD})).points["s0"]
    kept = [point.least for point in points]
    assert len(kept) == len(set(kept))
    brute = {mine for mine in tools if not any(covers(other, mine, 0.0) and other != mine for other in tools)}
    assert set(kept) == brute
