"""Runs a strategy against a simulated world, and finds out what would have been best in hindsight."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, replace

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import Objective, Rank, gap
from costa_dsl.search.estimates import Estimates
from costa_dsl.search.fronts import Fronts, fronts_of
from costa_dsl.search.search import Forecast, Search, foresee
from costa_dsl.search.space import Certificate, Execute, Finished, Label, Outcome, Visitor, nobody
from costa_dsl.search.strategies import Strategy
from costa_dsl.search.world import Lineage, Tried, World, content_of

# The best in hindsight is looked for until so many invocations were tried.
MOST_TRIED = 20_000


@dataclass(frozen=True, slots=True)
class Result:
    """How one search of one world went.

    Attributes:
        calls: attempts of tools, those that led nowhere included; the same input is counted once.
        seconds, usd: of all of these attempts.
        label: the path that was chosen; None when nothing was left to try.
        certificate: what is proven about it, by the estimates.
        outcomes: what was observed, in order, with the label that it was observed of.
    """

    calls: int
    seconds: float
    usd: float
    label: Label | None
    certificate: Certificate
    outcomes: tuple[tuple[Label, Outcome], ...]

    def rank(self, objective: Objective) -> Rank:
        """What the path is worth; empty when there is none."""
        return self.label.rank(objective) if self.label is not None else ()


@dataclass(frozen=True, slots=True)
class Hindsight:
    """The best complete path of a world.

    Attributes:
        rank: of the best that was found; empty when there is none.
        bound: no path ranks below this; equal to `rank` when `exact`.
        exact: whether all paths were looked at, or ruled out.
    """

    rank: Rank
    bound: Rank
    exact: bool


class _Memory:
    """What was tried in a world: no tool runs twice on the same input."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lineages: dict[int, Lineage] = {0: Lineage()}
        self._tried: dict[str, Tried] = {}
        self.calls, self.seconds, self.usd = 0, 0.0, 0.0

    def try_(self, label: Label) -> Outcome:
        """What comes of a label's invocation; labels before it on its path were tried before."""
        assert label.invocation is not None
        assert label.parent is not None
        before = self._lineages[label.parent.number]
        content = content_of(label.invocation, before)
        tried = self._tried.get(content)
        if tried is None:
            tried = self._tried[content] = self._world.on(label.invocation, content)
            self.calls += tried.attempts
            self.seconds += tried.outcome.seconds
            self.usd += tried.outcome.usd
        self._lineages[label.number] = self._world.after(before, label.invocation, content)
        return tried.outcome


def simulate(
    graph: ToolpathGraph,
    objective: Objective,
    strategy: Strategy,
    world: World,
    *,
    visitor: Visitor = nobody,
    most_calls: int | None = None,
) -> Result | None:
    """Search a world to the end; None when that would take more than `most_calls` attempts."""
    search = Search(graph, objective, strategy, visitor=visitor)
    memory = _Memory(world)
    outcomes: list[tuple[Label, Outcome]] = []
    while isinstance(decision := search.next(), Execute):
        outcome = memory.try_(decision.label)
        if most_calls is not None and memory.calls > most_calls:
            return None
        outcomes.append((decision.label, outcome))
        search.observe(outcome)
    label = decision.label if isinstance(decision, Finished) else None
    return Result(memory.calls, memory.seconds, memory.usd, label, search.certificate(), tuple(outcomes))


@dataclass(frozen=True, slots=True)
class Judged:
    """A result beside the best in hindsight.

    Attributes:
        regret: by which share its rank exceeds the best (see `regret`); None without a path or without a measure.
        exact: the best is known; otherwise `regret` is at most what it says.
    """

    result: Result
    regret: float | None
    exact: bool


def compare(
    graph: ToolpathGraph,
    objective: Objective,
    strategies: Mapping[str, Strategy],
    world: World,
    most: int = MOST_TRIED,
) -> dict[str, Judged]:
    """Strategies in the same world, by name, and how far each is from the best in hindsight."""
    results = {}
    for name, strategy in strategies.items():
        found = simulate(graph, objective, strategy, world)
        assert found is not None, "no limit was given"
        results[name] = found
    ranks = [found.rank(objective) for found in results.values() if found.label is not None]
    best = in_hindsight(graph, objective, world, most, known=min(ranks, default=()))
    return {
        name: Judged(found, regret(found.rank(objective), best.bound), best.exact) for name, found in results.items()
    }


def without_feedback(
    graph: ToolpathGraph, objective: Objective, world: World, forecast: Forecast | None = None
) -> Result:
    """The best path by the benchmark (`forecast`, when it is known already), run once from start to end: an ablation.

    Nobody looks at a result: one below the threshold stays in the picture, nothing is retried and no tool changed.
    """
    forecast = forecast or foresee(graph, objective)
    lineage = Lineage()
    label = Label(0, graph.start, 0.0, 1.0, executed=True)
    outcomes = []
    for number, part in enumerate(forecast.label.path(), start=1):
        found = part.invocation
        assert found is not None
        content = content_of(found, lineage)
        outcome = world.unseen(found, content)
        lineage = world.after(lineage, found, content)
        label = _onward(label, Label(number, found.target, 0.0, 1.0, 0.0, label, found), outcome)
        outcomes.append((label, outcome))
    return Result(len(outcomes), label.seconds, label.usd, label, forecast.certificate, tuple(outcomes))


def _onward(before: Label, label: Label, outcome: Outcome) -> Label:
    """The label with measured totals."""
    label.executed = True
    label.seconds = before.seconds + outcome.seconds
    label.quality = before.quality * outcome.quality
    label.usd = before.usd + outcome.usd
    return label


def in_hindsight(
    graph: ToolpathGraph, objective: Objective, world: World, most: int = MOST_TRIED, known: Rank = ()
) -> Hindsight:
    """The least rank of all complete paths whose every outcome is accepted in this world.

    It goes through the paths in the order of what they could still become in this world at best (`World.luckiest`), and
    stops when none can rank below the best found, or when `most` invocations were tried.

    Args:
        known: a rank that some path is known to reach.
    """
    limits, memory = _limits(graph, objective, world), _Memory(world)
    root = Label(0, graph.start, 0.0, 1.0, executed=True)
    best = known
    queue = [(limits.bound(objective, graph.start, 0.0, 1.0, 0.0), 0, root)]
    count = 0
    while queue and (not best or queue[0][0] < best):
        bound, _, label = queue[0]
        if count >= most:
            return Hindsight(best, bound, exact=False)
        heapq.heappop(queue)
        for invocation in graph.outgoing[label.state]:
            count += 1
            child = Label(count, invocation.target, 0.0, 1.0, 0.0, label, invocation)
            outcome = memory.try_(child)
            if not outcome.accepted:
                continue
            _onward(label, child, outcome)
            if child.state == graph.goal:
                rank = child.rank(objective)
                best = min(best, rank) if best else rank
                continue
            bound = limits.bound(objective, child.state, child.seconds, child.quality, child.usd)
            if not best or bound < best:
                # The newest first among equals: it is nearest to the goal.
                heapq.heappush(queue, (bound, -count, child))
    return Hindsight(best, best, exact=True)


def _limits(graph: ToolpathGraph, objective: Objective, world: World) -> Fronts:
    """What is to come at best, if each invocation had all the luck that this world allows."""
    lucky = []
    for found in graph.invocations:
        seconds, quality = world.luckiest(found)
        lucky.append(replace(found, seconds=seconds, quality=quality))
    return fronts_of(replace(graph, invocations=tuple(lucky)), Estimates(), objective.criteria)


def regret(rank: Rank, best: Rank) -> float | None:
    """By which share a rank exceeds the best, in the first number in which they differ.

    None when there is nothing to compare, or when the best is 0 there and a share means nothing.
    """
    if not rank or not best:
        return None
    # The gap is a share of the greater of both.
    share = gap(rank, best)
    return share if share <= 0 else None if share == 1 else share / (1 - share)
