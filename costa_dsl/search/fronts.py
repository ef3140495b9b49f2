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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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

    points: dict[str, list[Point]]
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
    prune = _pruner(criteria)
    values: dict[tuple[object, ...], Estimate] = {}
    points: dict[str, list[Point]] = {graph.goal: [_DONE]}
    exact = True
    for state in reversed(graph.states):
        if state.id == graph.goal:
            continue
        found: list[Point] = []
        for way in graph.outgoing[state.id]:
            key = (way.tool, way.subtask, way.step, way.seconds, way.quality)
            value = values.get(key)
            if value is None:
                value = values[key] = estimates.of(way)
            seconds, quality, usd = value
            for point in points[way.target]:
                (a, b, c), real = point.least, point.real
                least = (a + seconds, b * quality, c + usd)
                if real is not None:
                    real = (real[0] + seconds, real[1] * quality, real[2] + usd)
                found.append(Point(least, real, way, point))
        kept = prune(found)
        if len(kept) > most:
            kept = thinned(kept, most)
            exact = False
        points[state.id] = kept
    return Fronts(points, exact)


# ---- dominance ---------------------------------------------------------------------------------------------
_BADNESS: dict[str, Callable[[Point], float]] = {
    SECONDS: lambda point: point[0][0],
    QUALITY: lambda point: -point[0][1],
    USD: lambda point: point[0][2],
}


def _order_of(criteria: frozenset[str]) -> list[Callable[[Point], float]]:
    return [badness for name, badness in _BADNESS.items() if name in criteria] or [_BADNESS[SECONDS]]


def _pruner(criteria: frozenset[str]) -> Callable[[list[Point]], list[Point]]:
    """Keeps the points that no other one equals or beats in all of the criteria, sorted by the first of them."""
    order = _order_of(criteria)
    if len(order) == 1:
        return lambda points: [min(points, key=order[0])]
    first, second = order[0], order[1]
    if len(order) == 2:

        def sweep(points: list[Point]) -> list[Point]:
            if len(points) == 1:
                return points
            kept: list[Point] = []
            best = None
            for point in sorted(points, key=lambda point: (first(point), second(point))):
                bad = second(point)
                if best is None or bad < best:
                    kept.append(point)
                    best = bad
            return kept

        return sweep

    def compare(points: list[Point]) -> list[Point]:
        kept: list[Point] = []
        corners: list[tuple[float, ...]] = []
        for point in sorted(points, key=lambda point: tuple(bad(point) for bad in order)):
            mine = tuple(bad(point) for bad in order)
            if not any(all(other <= one for other, one in zip(corner, mine, strict=True)) for corner in corners):
                kept.append(point)
                corners.append(mine)
        return kept

    return compare


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """At most `most` points (≥ 1): neighbors merged. The two ends stay as they are when there is room for them."""
    inner = points[1:-1] if most > 2 else points
    room = most - 2 if most > 2 else most
    size = -(-len(inner) // room)
    merged = [_merged(inner[start : start + size]) for start in range(0, len(inner), size)]
    return [points[0], *merged, points[-1]] if most > 2 else merged


def _merged(group: Sequence[Point]) -> Point:
    if len(group) == 1:
        return group[0]
    keeper = group[len(group) // 2]
    least = (
        min(point.least[0] for point in group),
        max(point.least[1] for point in group),
        min(point.least[2] for point in group),
    )
    return Point(least, keeper.totals, keeper.invocation, keeper.rest)
