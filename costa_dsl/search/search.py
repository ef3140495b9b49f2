"""A* over toolpaths, lazily: a tool runs only when the label that ends with it is the most promising of all.

`Search` is a pure state machine: `next()` says what to do, `observe()` tells it what came of it. It touches no
image and no clock, so that the same search drives a real run, a simulation and the compiler's forecast.

A label is a path from the start with its seconds C and quality product Q. Labels of one state are compared as
pairs (C, Q), never by one number. The open list is ordered by the bound J(C + C_min, Q · Q_max), which never
overestimates; the first label popped at the goal is therefore the minimum, when outcomes equal estimates.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field

from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.search.estimates import Bounds, Estimates
from costa_dsl.search.objective import CostaObjective


@dataclass(eq=False, slots=True)
class Label:
    """One way to reach a state. `executed` is False while its last invocation is only estimated."""

    number: int
    state: str
    seconds: float
    quality: float
    parent: Label | None = None
    invocation: Invocation | None = None
    executed: bool = False
    bound: float = 0.0

    def path(self) -> list[Label]:
        """The labels from the first invocation to this one."""
        found: list[Label] = []
        label: Label | None = self
        while label is not None and label.invocation is not None:
            found.append(label)
            label = label.parent
        return found[::-1]


@dataclass(frozen=True)
class Execute:
    """Run this label's invocation. `rivals` are the other ways on from the same place, nearest bound first."""

    label: Label
    rivals: tuple[Label, ...]


@dataclass(frozen=True)
class Finished:
    """A complete path, and a proof: every other label's bound is at least `bound`."""

    label: Label
    bound: float


@dataclass(frozen=True)
class Exhausted:
    """Nothing is left to try."""


Decision = Execute | Finished | Exhausted


@dataclass
class Search:
    """The strategy `lazy`."""

    graph: ToolpathGraph
    objective: CostaObjective
    estimates: Estimates = field(default_factory=Estimates)

    def __post_init__(self) -> None:
        self._numbers = 0
        self._open: list[tuple[float, float, float, int, Label]] = []
        self._done: dict[str, list[Label]] = defaultdict(list)
        self._waiting: dict[int, list[Label]] = {}  # number of a label → what may follow it and was not chosen yet
        self._reserve: list[Label] = []  # dominated labels, for when everything better has failed
        self._bounds = Bounds.of(self.graph, self.estimates)
        root = Label(0, self.graph.start, 0.0, 1.0, executed=True)
        self._push(root)

    def _push(self, label: Label) -> None:
        label.bound = self._bound(label)
        # Ties: the surer quality first, then the faster, then the older label.
        heapq.heappush(self._open, (label.bound, -label.quality, label.seconds, label.number, label))

    def _bound(self, label: Label) -> float:
        return self.objective.value(
            label.seconds + self._bounds.least_seconds[label.state],
            label.quality * self._bounds.greatest_quality[label.state],
        )

    def next(self) -> Decision:
        """What to do now: run a tool, or stop."""
        while True:
            if not self._open:
                if not self._reserve:
                    return Exhausted()
                for label in self._reserve:
                    self._push(label)
                    self._done[label.state].append(label)
                self._reserve = []
            label = heapq.heappop(self._open)[-1]
            if not label.executed:
                self._siblings(label).remove(label)
                return Execute(label, self._rivals(label))
            if label.state == self.graph.goal:
                return Finished(label, label.bound)
            children = [self._child(label, invocation) for invocation in self.graph.outgoing[label.state]]
            self._waiting[label.number] = children
            for child in children:
                self._push(child)

    def _child(self, label: Label, invocation: Invocation) -> Label:
        self._numbers += 1
        return Label(
            self._numbers,
            invocation.target,
            label.seconds + self.estimates.seconds(invocation),
            label.quality * self.estimates.quality(invocation),
            label,
            invocation,
        )

    def _siblings(self, label: Label) -> list[Label]:
        """The labels from the same place that have not been chosen yet."""
        assert label.parent is not None
        return self._waiting[label.parent.number]

    def _rivals(self, chosen: Label) -> tuple[Label, ...]:
        return tuple(sorted(self._siblings(chosen), key=lambda rival: (rival.bound, rival.number)))

    def succeeded(self, label: Label, seconds: float, quality: float) -> None:
        """The label's invocation ran and was accepted, with these measured values (all its attempts' seconds)."""
        assert label.parent is not None
        assert label.invocation is not None
        self._learn(label.invocation, seconds, quality)
        self._settle(label, label.parent.seconds + seconds, label.parent.quality * quality)

    def assume(self, label: Label) -> None:
        """Take the label's invocation as run, exactly as estimated: nothing is learnt from it."""
        self._settle(label, label.seconds, label.quality)

    def _settle(self, label: Label, seconds: float, quality: float) -> None:
        """The label is executed and its values are final: it enters the open list, unless it is dominated."""
        label.executed, label.seconds, label.quality = True, seconds, quality
        for other in self._done[label.state]:
            if self.objective.dominates(other.seconds, other.quality, seconds, quality):
                self._reserve.append(label)
                return
        self._done[label.state].append(label)
        self._push(label)

    def failed(self, label: Label, seconds: float, quality: float) -> None:
        """The label's invocation was rejected after all attempts; the label is dropped."""
        assert label.invocation is not None
        self._learn(label.invocation, seconds, quality)

    def _learn(self, invocation: Invocation, seconds: float, quality: float) -> None:
        """Correct the estimates of this tool–subtask pair for every label that is not executed yet."""
        self.estimates.observe(invocation, seconds, quality)
        self._bounds = Bounds.of(self.graph, self.estimates)
        labels = [entry[-1] for entry in self._open]
        self._open = []
        for label in labels:
            if not label.executed and label.parent is not None and label.invocation is not None:
                label.seconds = label.parent.seconds + self.estimates.seconds(label.invocation)
                label.quality = label.parent.quality * self.estimates.quality(label.invocation)
            self._push(label)


def forecast(graph: ToolpathGraph, objective: CostaObjective) -> Label:
    """The best path if every tool behaves as its benchmark says: provably the minimum of J."""
    search = Search(graph, objective)
    while True:
        decision = search.next()
        if isinstance(decision, Finished):
            return decision.label
        if isinstance(decision, Exhausted):
            raise AssertionError("a verified graph has a complete path")
        search.assume(decision.label)
