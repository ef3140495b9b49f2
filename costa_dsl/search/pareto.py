"""Everything that can be had: the estimated Pareto front of a graph, and for which α each of its paths is the best.

The front comes from the one backward pass that every search makes. The α-intervals are exact: ln J = α ln C +
(2 − α) ln(2 − Q) is linear in α, so each path is a line over [0, 2], and the paths that are the best somewhere are
those on the lower envelope of the lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.model.objective import QUALITY, SECONDS, TOLERANCE, USD, CostaObjective, gap
from costa_dsl.search.estimates import Estimates
from costa_dsl.search.fronts import MOST_POINTS, Totals, fronts_of

LAST_ALPHA = 2.0
# Logarithms of J that are this near touch each other.
TOUCH = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """The α from `first` to `last`, both included; `first` is not when `opens`."""

    first: float
    last: float
    opens: bool = False


@dataclass(frozen=True, slots=True)
class ParetoPath:
    """One path of the front.

    Attributes:
        invocations: from the start to the goal.
        seconds, quality, usd: its totals by the estimates: sums, and the product of the qualities.
        wins: the α at which no path of the front has a smaller J; None when there is no such α.
    """

    invocations: tuple[Invocation, ...]
    seconds: float
    quality: float
    usd: float
    wins: Interval | None


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """The paths that no other path of the graph equals or beats in all criteria, by the estimates.

    Attributes:
        paths: by seconds, rising. Of those that differ by rounding only, one.
        criteria: seconds and quality, and usd when anything in the graph costs money.
        exact: whether these are all of them. When fronts were thinned on the way, each path is still real, and none
            beats another, but the graph may have paths that beat one of them, and `wins` is among these paths only.
        gap: 0 when exact. Else: at every α in [0, 2], no path of the graph has a J that is smaller than the least J of
            these paths by more than this share of it. It says nothing about dollars.
    """

    paths: tuple[ParetoPath, ...]
    criteria: frozenset[str]
    exact: bool
    gap: float


def pareto_front(
    graph: ToolpathGraph, estimates: Estimates | None = None, most_points: int = MOST_POINTS
) -> ParetoFront:
    """The front of all complete paths of a graph.

    Args:
        graph: any verified graph.
        estimates: what tools cost and give; the benchmark's values unless given.
        most_points: so many ways (≥ 1) are kept for each state; more make the front finer and the pass slower.
    """
    money = any(call.usd > 0 for call in graph.invocations)
    criteria = frozenset({SECONDS, QUALITY, USD} if money else {SECONDS, QUALITY})
    fronts = fronts_of(graph, estimates or Estimates(), criteria, most_points)
    points = fronts.points[graph.start]
    found = sorted(points, key=lambda point: (point.totals[0], -point.totals[1], point.totals[2]))
    kept = [found[place] for place in undominated([point.totals for point in found])]
    wins = winning([(point.totals[0], point.totals[1]) for point in kept])
    paths = tuple(
        ParetoPath(tuple(point.path()), *point.totals, interval) for point, interval in zip(kept, wins, strict=True)
    )
    distance = 0.0
    if not fronts.exact:
        distance = largest_gap(
            [(point.totals[0], point.totals[1]) for point in kept],
            [(point.least[0], point.least[1]) for point in points],
        )
    return ParetoFront(paths, criteria, fronts.exact, distance)


def undominated(totals: Sequence[Totals]) -> list[int]:
    """The places of those that no other one equals or beats, the difference of roundings aside.

    Args:
        totals: seconds, quality and dollars, sorted by seconds rising, quality falling, dollars rising.
    """
    money = any(usd for _, _, usd in totals)
    kept: list[int] = []
    for place, mine in enumerate(totals):
        # Without dollars the last one kept has the best quality of all before.
        if any(_covers(totals[other], mine) for other in (kept if money else kept[-1:])):
            continue
        # What was kept can only be beaten by a later one when their seconds are the same but for the last digits.
        start = len(kept)
        while start and totals[kept[start - 1]][0] * (1 + TOLERANCE) >= mine[0]:
            start -= 1
        kept[start:] = [other for other in kept[start:] if not _covers(mine, totals[other])]
        kept.append(place)
    return kept


def _covers(one: Totals, other: Totals) -> bool:
    """Whether `one` is nowhere worse, but for rounding."""
    return (
        one[0] <= other[0] * (1 + TOLERANCE)
        and one[1] >= other[1] * (1 - TOLERANCE)
        and one[2] <= other[2] * (1 + TOLERANCE)
    )


# ---- the best by α -----------------------------------------------------------------------------------------
_Line = tuple[float, float]  # ln J at α = 0 and at α = 2


def _line(seconds: float, quality: float) -> _Line:
    return 2.0 * math.log(2.0 - quality), 2.0 * math.log(seconds)


def _at(line: _Line, alpha: float) -> float:
    share = alpha / LAST_ALPHA
    return line[0] * (1.0 - share) + line[1] * share


def winning(paths: Sequence[tuple[float, float]]) -> list[Interval | None]:
    """For each path (seconds ≥ 0, quality in [0, 1]) the α in [0, 2] at which no other one has a smaller J.

    A path without seconds has J = 0 for every α but 0, where 0⁰ = 1 leaves the quality alone: it wins all of (0, 2],
    and 0 as well when no quality is better; then all others can win at 0 only.
    """
    best = max((quality for _, quality in paths), default=1.0)
    if any(seconds == 0 for seconds, _ in paths):
        found: list[Interval | None] = []
        for seconds, quality in paths:
            at_0 = quality >= best * (1 - TOUCH)
            if seconds == 0:
                found.append(Interval(0.0, LAST_ALPHA, opens=not at_0))
            else:
                found.append(Interval(0.0, 0.0) if at_0 else None)
        return found
    lines = [_line(*path) for path in paths]
    hull, borders = _envelope(lines)
    floor = [(alpha, min(_at(lines[place], alpha) for place in hull)) for alpha in borders]
    wins: list[Interval | None] = []
    stretches = {place: (borders[number], borders[number + 1]) for number, place in enumerate(hull)}
    for place, line in enumerate(lines):
        if place in stretches:
            wins.append(Interval(*stretches[place]))
            continue
        # A line above the envelope touches it, if at all, in one of its corners or at an end.
        over, alpha = min((_at(line, alpha) - low, alpha) for alpha, low in floor)
        wins.append(Interval(alpha, alpha) if over <= TOUCH else None)
    return wins


def _envelope(lines: Sequence[_Line]) -> tuple[list[int], list[float]]:
    """The lower envelope over [0, 2]: its lines in the order in which they follow each other, and the α between.

    Returns:
        The places of n lines, and n + 1 borders from 0 to 2: line k is the lowest from border k to border k + 1.
    """

    def crossing(one: int, other: int) -> float:
        """Where `other`, which is less steep, becomes the lower one."""
        return LAST_ALPHA * (lines[other][0] - lines[one][0]) / (steepness(one) - steepness(other))

    def steepness(place: int) -> float:
        return lines[place][1] - lines[place][0]

    # The steeper a line, the further left it is the lowest. Among parallels the lowest counts.
    order = sorted(range(len(lines)), key=lambda place: (-steepness(place), lines[place][0]))
    hull: list[int] = []
    begins: list[float] = []
    for place in order:
        if hull and steepness(place) == steepness(hull[-1]):
            continue
        begin = -math.inf
        while hull:
            begin = crossing(hull[-1], place)
            if begin > begins[-1]:
                break
            hull.pop()
            begins.pop()
        hull.append(place)
        begins.append(begin)
    ends = [*begins[1:], math.inf]
    inside = [number for number in range(len(hull)) if ends[number] > 0.0 and begins[number] < LAST_ALPHA]
    borders = [0.0, *(begins[number] for number in inside[1:]), LAST_ALPHA]
    return [hull[number] for number in inside], borders


def largest_gap(real: Sequence[tuple[float, float]], least: Sequence[tuple[float, float]]) -> float:
    """By which share of itself the least J of `real` exceeds the least J of `least` at most, over α in [0, 2].

    Between two corners of the envelopes the logarithm of their ratio is linear in α: the corners are all there is
    to look at, and a place beside 0 when there are no seconds.
    """
    if any(seconds == 0 for seconds, _ in (*real, *least)):
        alphas = {0.0, math.nextafter(0.0, 1.0), LAST_ALPHA}
        if all(seconds > 0 for seconds, _ in real):
            return 1.0
    else:
        alphas = {alpha for paths in (real, least) for alpha in _envelope([_line(*path) for path in paths])[1]}
    found = 0.0
    for alpha in alphas:
        rank = CostaObjective(alpha).rank
        found = max(
            found,
            gap(
                min(rank(seconds, quality, 0.0) for seconds, quality in real),
                min(rank(seconds, quality, 0.0) for seconds, quality in least),
            ),
        )
    return found
