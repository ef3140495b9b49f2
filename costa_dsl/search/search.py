"""The search as a state machine: `next` says what to do, `observe` tells it what came of it.

Search = graph + estimates + objective + strategy + visitor. It is deterministic: the same outcomes in the same order
lead to the same decisions, so that a recorded run can be replayed and explained.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.context import Features
from costa_dsl.model.objective import Objective
from costa_dsl.search.estimates import Estimates
from costa_dsl.search.fronts import MOST_POINTS, fronts_of
from costa_dsl.search.space import (
    Certificate,
    Course,
    Decision,
    Execute,
    Finished,
    Label,
    Outcome,
    Space,
    Stop,
    Visitor,
    nobody,
)
from costa_dsl.search.strategies import STRATEGIES, Strategy


@dataclass
class Search:
    """One search of one graph."""

    graph: ToolpathGraph
    objective: Objective
    strategy: Strategy = field(default_factory=lambda: STRATEGIES["lazy"])
    estimates: Estimates = field(default_factory=Estimates)
    visitor: Visitor = nobody

    def __post_init__(self) -> None:
        self.space = Space(self.graph, self.objective, self.estimates, self.visitor, self.strategy.learns)
        self._course: Course = self.strategy.search(self.space)
        self._decision: Decision | None = None

    def next(self) -> Decision:
        """What to do now: run a tool, or stop. Asking again without an outcome gives the same answer."""
        if self._decision is None:
            self._advance(None)
        assert self._decision is not None
        return self._decision

    def observe(self, outcome: Outcome) -> None:
        """What came of the invocation that `next` asked for."""
        assert isinstance(self._decision, Execute), "nothing was asked for"
        self._advance(outcome)

    def know(self, step: str, features: Features) -> None:
        """What has been measured of the target of a step (`costa_dsl.model.context`): later decisions go by it.

        To be told before the outcome of what is under way, or before the first question.
        """
        self.space.know(step, features)

    def _advance(self, outcome: Outcome | None) -> None:
        try:
            self._decision = next(self._course) if outcome is None else self._course.send(outcome)
        except StopIteration as stop:
            self._decision = stop.value

    def certificate(self, stopped: Stop = "") -> Certificate:
        """What is proven about the path that was chosen, or about the best one when the search was stopped."""
        return Certificate.of(self.objective, self.best, self.space.bound(), stopped)

    @property
    def best(self) -> Label | None:
        """The path that was chosen; before that, the best complete one."""
        return self._decision.label if isinstance(self._decision, Finished) else self.space.complete


@dataclass(frozen=True)
class Forecast:
    """The best path if every tool behaves as estimated, with what proves it."""

    label: Label
    certificate: Certificate


def foresee(graph: ToolpathGraph, objective: Objective, most_points: int = MOST_POINTS) -> Forecast:
    """The best path by the benchmark: provably, or with the gap that thinning the fronts left."""
    estimates = Estimates()
    fronts = fronts_of(graph, estimates, objective.criteria, most_points)
    rank, way = fronts.promise(objective, graph.start, 0.0, 1.0, 0.0)
    bound = rank if fronts.exact else fronts.bound(objective, graph.start, 0.0, 1.0, 0.0)
    label = Label(0, graph.start, 0.0, 1.0, executed=True, bound=bound, promise=rank)
    for number, invocation in enumerate(way.path(), start=1):
        seconds, quality, usd = estimates.of(invocation)
        label = Label(
            number,
            invocation.target,
            label.seconds + seconds,
            label.quality * quality,
            label.usd + usd,
            label,
            invocation,
            executed=True,
            bound=bound,
            promise=rank,
        )
    return Forecast(label, Certificate.of(objective, label, bound))


def forecast(graph: ToolpathGraph, objective: Objective) -> Label:
    """The best path if every tool behaves as its benchmark says."""
    return foresee(graph, objective).label
