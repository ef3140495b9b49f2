"""What is still to come: for each state of a graph the Pareto front of all ways to its goal, by the estimates.

One backward pass gives everything that the strategies compare. For a label with totals (C, Q, U) at a state, the
least rank of (C + c, Q · q, U + u) over the points (c, q, u) of the front is the best that any complete path through
it can reach: an exact lower bound, at least as tight as J(C + C_min, Q · Q_max), which is the same with one point
per state (FACTS §3, ours; docs/adr/0007).

A front that grows beyond `most` points is thinned: neighbors are merged into one point that claims the best of each
criterion (`least`, so that bounds stay bounds) and keeps one way that really exists (`real`). Then bound and promise
differ, and their difference is the gap that the search reports.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import NamedTuple

from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.model.objective import QUALITY, SECONDS, USD, Objective, Rank
from costa_dsl.search.estimates import Estimate, Estimates

MOST_POINTS = 64

Totals = tuple[float, float, float]  # seconds, quality, US dollars


class Point(NamedTuple):
    """A way to the goal.

    Attributes:
        least: no way that this point stands for has less seconds, more quality or less dollars.
        real: the totals of the way that begins with `invocation` and goes on with `rest`; None when it is `least`.
    """

    least: Totals
    real: Totals | None = None
    invocation: Invocation | None = None
    rest: Point | None = None

    @property
    def totals(self) -> Totals:
        return self.real or self.least

    def path(self) -> Iterator[Invocation]:
        """The invocations of the way, in order."""
        point: Point | None = self
        while point is not None and point.invocation is not None:
            yield point.invocation
            point = point.rest


_DONE = Point((0.0, 1.0, 0.0))


@dataclass(frozen=True, slots=True)
class Fronts:
    """The front of each state, by its id; `exact` when no front was thinned."""

    points: Mapping[str, Sequence[Point]]
    exact: bool

    def bound(self, objective: Objective, state: str, seconds: float, quality: float, usd: float) -> Rank:
        """No complete path through the state with these totals can rank below this."""
        rank = objective.rank
        return min(
            rank(seconds + point.least[0], quality * point.least[1], usd + point.least[2])
            for point in self.points[state]
        )

    def promise(
        self, objective: Objective, state: str, seconds: float, quality: float, usd: float
    ) -> tuple[Rank, Point]:
        """The best way that is known from here: the rank of the whole path, and the way."""
        best: tuple[Rank, Point] | None = None
        for point in self.points[state]:
            more, times, extra = point.real or point.least
            found = objective.rank(seconds + more, quality * times, usd + extra)
            if best is None or found < best[0]:
                best = (found, point)
        assert best is not None, "every state leads to the goal"
        return best


def fronts_of(graph: ToolpathGraph, estimates: Estimates, criteria: frozenset[str], most: int = MOST_POINTS) -> Fronts:
    """The fronts of all states, from the goal backwards; only `criteria` are compared."""
    places = [place for place, name in enumerate((SECONDS, QUALITY, USD)) if name in criteria] or [0]
    expected = _written if estimates == Estimates() else _memory(estimates)
    if len(places) == 1:
        return Fronts(_Trails(graph, expected, _ways_on(graph, expected, places[0])), True)
    prune = _pruner(places)
    points: dict[str, list[Point]] = {graph.goal: [_DONE]}
    exact = True
    for state in reversed(graph.states):
        if state.id == graph.goal:
            continue
        ways = graph.outgoing[state.id]
        fronts = [points[way.target] for way in ways]
        values = [expected(way) for way in ways]
        kept = prune(_candidates(values, fronts))
        groups: list[Sequence[_Candidate]] = [(one,) for one in kept]
        if len(kept) > most:
            groups, exact = _neighbors(kept, most), False
        points[state.id] = [_point(group, ways, values, fronts) for group in groups]
    return Fronts(points, exact)


Expected = Callable[[Invocation], Totals]
# Badness in seconds, quality and dollars (the less the better), then which way on and which point of its front: most
# of them are dominated, so that a whole Point is made of those alone that stay.
_Candidate = tuple[float, float, float, int, int]


def _written(way: Invocation) -> Totals:
    """What the benchmark says: all that is known before anything was observed. Asking the estimates takes longer."""
    return way.seconds, way.quality, way.usd


def _memory(estimates: Estimates) -> Expected:
    """Estimates that are asked for once for each kind of invocation."""
    values: dict[tuple[object, ...], Estimate] = {}

    def expected(way: Invocation) -> Totals:
        key = (way.tool, way.subtask, way.step, way.seconds, way.quality, way.usd, way.n)
        value = values.get(key)
        if value is None:
            value = values[key] = estimates.of(way)
        return value

    return expected


def _ways_on(graph: ToolpathGraph, expected: Expected, place: int) -> dict[str, Invocation]:
    """Each state's best way on by one criterion alone; the first among equals.

    Plain numbers alone are made here: this loop decides how fast a large graph is searched.
    """
    worth: Callable[[Invocation], float]
    if expected is _written:
        worth = attrgetter(("seconds", "quality", "usd")[place])
    else:
        worth = lambda way: expected(way)[place]  # noqa: E731
    outgoing = graph.outgoing
    badness = {graph.goal: -1.0 if place == 1 else 0.0}
    ways_on: dict[str, Invocation] = {}
    for state in reversed(graph.states):
        least, best = math.inf, None
        for way in outgoing[state.id]:
            bad = badness[way.target] * worth(way) if place == 1 else badness[way.target] + worth(way)
            if best is None or bad < least:
                least, best = bad, way
        if best is not None:  # the goal has none
            badness[state.id] = least
            ways_on[state.id] = best
    return ways_on


class _Trails(Mapping[str, Sequence[Point]]):
    """The fronts of one criterion: one point each, made when somebody asks for it. Most never are."""

    def __init__(self, graph: ToolpathGraph, expected: Expected, ways_on: Mapping[str, Invocation]) -> None:
        self._graph, self._expected, self._ways_on = graph, expected, ways_on
        self._made: dict[str, tuple[Point]] = {graph.goal: (_DONE,)}

    def __getitem__(self, state: str) -> Sequence[Point]:
        missing: list[Invocation] = []
        while state not in self._made:
            missing.append(self._ways_on[state])
            state = missing[-1].target
        found = self._made[state]
        for way in reversed(missing):
            found = self._made[way.source] = (_joined(way, self._expected(way), found[0]),)
        return found

    def __iter__(self) -> Iterator[str]:
        return (state.id for state in self._graph.states)

    def __len__(self) -> int:
        return len(self._graph.states)


def _joined(way: Invocation, value: Totals, point: Point) -> Point:
    """The way to the goal that begins with an invocation and goes on with a point."""
    seconds, quality, usd = value
    (a, b, c), real = point.least, point.real
    if real is not None:
        real = (real[0] + seconds, real[1] * quality, real[2] + usd)
    return Point((a + seconds, b * quality, c + usd), real, way, point)


def _candidates(values: Sequence[Totals], fronts: Sequence[Sequence[Point]]) -> list[_Candidate]:
    """The value of each way on, joined with each point of the front to which it leads."""
    found: list[_Candidate] = []
    for number, ((seconds, quality, usd), front) in enumerate(zip(values, fronts, strict=True)):
        found += [
            (a + seconds, -(b * quality), c + usd, number, place) for place, ((a, b, c), _, _, _) in enumerate(front)
        ]
    return found


# ---- dominance ---------------------------------------------------------------------------------------------
def _pruner(places: Sequence[int]) -> Callable[[list[_Candidate]], list[_Candidate]]:
    """Keeps what no other candidate equals or beats in all of the criteria, sorted by the first of them.

    Among equals the first stays. Sorted by the first criterion, a candidate can only be dominated by one before it:
    with two criteria by the best so far in the second, with three by one on the staircase of the other two (Kung,
    Luccio and Preparata, "On finding the maxima of a set of vectors", 1975).
    """
    if len(places) < 3:
        order = itemgetter(*places)
        second = places[-1]

        def sweep(candidates: list[_Candidate]) -> list[_Candidate]:
            candidates.sort(key=order)
            kept: list[_Candidate] = []
            best = math.inf
            for candidate in candidates:
                if candidate[second] < best:
                    kept.append(candidate)
                    best = candidate[second]
            return kept

        return sweep

    def stairs(candidates: list[_Candidate]) -> list[_Candidate]:
        candidates.sort(key=_THREE)
        kept: list[_Candidate] = []
        losses: list[float] = []  # lost quality, rising …
        prices: list[float] = []  # … and the least dollars of all kept that lose no more: falling
        for candidate in candidates:
            loss, price = candidate[1], candidate[2]
            step = bisect_right(losses, loss)
            if step and prices[step - 1] <= price:
                continue
            kept.append(candidate)
            end = start = step - 1 if step and losses[step - 1] == loss else step
            while end < len(prices) and prices[end] >= price:
                end += 1
            losses[start:end], prices[start:end] = [loss], [price]
        return kept

    return stairs


_THREE = itemgetter(0, 1, 2)


# ---- thinning ----------------------------------------------------------------------------------------------
def _neighbors(candidates: Sequence[_Candidate], most: int) -> list[Sequence[_Candidate]]:
    """At most `most` groups (≥ 1) of neighbors. The two ends stay by themselves when there is room for them."""
    inner = candidates[1:-1] if most > 2 else candidates
    room = most - 2 if most > 2 else most
    size = -(-len(inner) // room)
    groups = [inner[start : start + size] for start in range(0, len(inner), size)]
    return [candidates[:1], *groups, candidates[-1:]] if most > 2 else groups


def _point(
    group: Sequence[_Candidate],
    ways: Sequence[Invocation],
    values: Sequence[Totals],
    fronts: Sequence[Sequence[Point]],
) -> Point:
    """The point that stands for a group: the least of all in each criterion, and the way of the one in its middle."""
    _, _, _, number, place = group[len(group) // 2]
    keeper = _joined(ways[number], values[number], fronts[number][place])
    if len(group) == 1:
        return keeper
    seconds, losses, usd, _, _ = zip(*group, strict=True)
    return Point((min(seconds), -min(losses), min(usd)), keeper.totals, keeper.invocation, keeper.rest)
