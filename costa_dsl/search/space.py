"""The core that all strategies share: labels of one graph, what they promise, and what was learnt on the way.

A label is one way to reach a state, with its totals. It is made when the label before it is expanded, with its
last invocation only estimated; once a tool has run, its totals are measured and final.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, TypeAlias

from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.model.context import Features
from costa_dsl.model.objective import TOLERANCE, Objective, Rank, gap
from costa_dsl.search.estimates import Estimate, Estimates, Pair
from costa_dsl.search.fronts import fronts_of

Status = Literal["optimal", "feasible", "infeasible", "budget", "cancelled"]
# Why a search ended before its end; empty when it did not.
Stop = Literal["", "budget", "cancelled"]


@dataclass(eq=False, slots=True)
class Label:
    """One way to reach a state.

    Attributes:
        seconds, quality, usd: totals of the path; the last invocation is estimated while `executed` is False.
        depth: how many invocations its path has.
        bound: no complete path through it ranks below this, by the estimates.
        promise: the rank of the best complete path through it, by the estimates: `bound`, unless fronts were thinned.
    """

    number: int
    state: str
    seconds: float
    quality: float
    usd: float = 0.0
    parent: Label | None = None
    invocation: Invocation | None = None
    executed: bool = False
    depth: int = 0
    bound: Rank = ()
    promise: Rank = ()

    def path(self) -> list[Label]:
        """The labels from the first invocation to this one."""
        found: list[Label] = []
        label: Label | None = self
        while label is not None and label.invocation is not None:
            found.append(label)
            label = label.parent
        return found[::-1]

    def rank(self, objective: Objective) -> Rank:
        """What the path to here is worth by itself."""
        return objective.rank(self.seconds, self.quality, self.usd)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an invocation: whether it was accepted, and its totals over all attempts (quality of the best).

    `ran`: false when it was not run, being in vain by what had become known of its target; nothing is learnt then.
    """

    accepted: bool
    seconds: float
    quality: float
    usd: float = 0.0
    ran: bool = True


@dataclass(frozen=True)
class Execute:
    """Run this label's invocation. `rivals` are the other ways on from the same place, the most promising first."""

    label: Label
    rivals: tuple[Label, ...]


@dataclass(frozen=True)
class Finished:
    """A complete path was chosen."""

    label: Label


@dataclass(frozen=True)
class Exhausted:
    """Nothing is left to try, and no path is complete."""


Decision = Execute | Finished | Exhausted
Course: TypeAlias = Generator[Execute, Outcome, Finished | Exhausted]


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a result is worth as a proof.

    Attributes:
        status: `optimal`: no other path can rank lower, by the estimates; `feasible`: a path that might be beaten, by
            at most `gap`; `infeasible`: no path is complete, or none that was found keeps what the objective demands;
            `budget` and `cancelled`: ended before its end.
        rank: of the path; empty when there is none.
        bound: no path can rank below this; empty when nothing is known.
        gap: the share of the rank by which it exceeds the bound, in the first number in which they differ.
    """

    status: Status
    rank: Rank = ()
    bound: Rank = ()
    gap: float | None = None

    @staticmethod
    def of(objective: Objective, path: Label | None, bound: Rank, stopped: Stop = "") -> Certificate:
        """What is proven about a complete path, when no path can rank below `bound`."""
        if path is None:
            return Certificate(stopped or "infeasible", (), bound)
        rank = path.rank(objective)
        distance = max(0.0, gap(rank, bound))
        met = objective.is_met(path.seconds, path.quality, path.usd)
        status: Status = stopped or ("infeasible" if not met else "feasible" if distance > 0 else "optimal")
        return Certificate(status, rank, bound, distance)


# ---- events: what a visitor is told -------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Popped:
    """A label was taken from the open list; `instead_of` are the next ones there, with what they promised."""

    label: Label
    bound: Rank
    promise: Rank
    instead_of: tuple[tuple[Label, Rank], ...]
    open_labels: int


@dataclass(frozen=True, slots=True)
class Ran:
    """A label's invocation ran; `expected` is what the estimates said before."""

    label: Label
    expected: Estimate
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Learnt:
    """The estimates of one tool at one subtask changed; `slowness` is that of this machine from now on."""

    pair: Pair
    before: Estimate
    after: Estimate
    slowness: float


@dataclass(frozen=True, slots=True)
class Known:
    """The target of a step was measured: from now on the benchmark's rows for such targets count."""

    step: str
    features: Features


@dataclass(frozen=True, slots=True)
class Completed:
    """A complete path; `best` when it ranks lower than all before it."""

    label: Label
    rank: Rank
    best: bool


Event = Popped | Ran | Learnt | Known | Completed
Visitor = Callable[[Event], None]


def nobody(event: Event) -> None:
    """The visitor that does not listen."""


# ---- the space ------------------------------------------------------------------------------------------------
@dataclass
class Space:
    """A graph with estimates and an objective, and the labels that a strategy made so far.

    Attributes:
        open: made and not executed, by their numbers, in the order in which they were made.
        running: the one whose invocation is under way.
        frontier: executed and not expanded, by their numbers.
        complete: the best complete path so far.
        learns: whether outcomes correct the estimates.
    """

    graph: ToolpathGraph
    objective: Objective
    estimates: Estimates = field(default_factory=Estimates)
    visitor: Visitor = nobody
    learns: bool = True

    def __post_init__(self) -> None:
        self._numbers = 0
        self.open: dict[int, Label] = {}
        self.running: Label | None = None
        self.frontier: dict[int, Label] = {}
        self.complete: Label | None = None
        self._surprises: list[float] = []
        self.refresh()
        self.root = Label(0, self.graph.start, 0.0, 1.0, executed=True)
        self.root.bound, self.root.promise = self._outlook(self.root)

    def refresh(self) -> None:
        """The estimates changed: bring fronts and open labels up to date."""
        self.fronts = fronts_of(self.graph, self.estimates, self.objective.criteria)
        running = [] if self.running is None else [self.running]
        for label in (*self.open.values(), *running):
            assert label.parent is not None
            assert label.invocation is not None
            self._estimate(label, label.parent, label.invocation)
        for label in self.frontier.values():
            label.bound, label.promise = self._outlook(label)

    def know(self, step: str, features: Features) -> None:
        """The target of a step has these features."""
        self.estimates.know(step, features)
        self.visitor(Known(step, features))
        self.refresh()

    def _estimate(self, label: Label, parent: Label, invocation: Invocation) -> None:
        expected = self.estimates.of(invocation)
        label.seconds = parent.seconds + expected.seconds
        label.quality = parent.quality * expected.quality
        label.usd = parent.usd + expected.usd
        label.bound, label.promise = self._outlook(label)

    def _outlook(self, label: Label) -> tuple[Rank, Rank]:
        """The label's bound and promise."""
        totals = (label.seconds, label.quality, label.usd)
        promise, _ = self.fronts.promise(self.objective, label.state, *totals)
        return (promise if self.fronts.exact else self.fronts.bound(self.objective, label.state, *totals)), promise

    def expand(self, label: Label) -> list[Label]:
        """A label for each way on, its invocation estimated; they are open from now on."""
        self.frontier.pop(label.number, None)
        found = []
        for invocation in self.graph.outgoing[label.state]:
            self._numbers += 1
            child = Label(self._numbers, invocation.target, 0.0, 1.0, 0.0, label, invocation, depth=label.depth + 1)
            self._estimate(child, label, invocation)
            self.open[child.number] = child
            found.append(child)
        return found

    def run(self, label: Label) -> Generator[Execute, Outcome, bool]:
        """Have the label's invocation run, and learn from what came of it; whether it was accepted."""
        assert label.parent is not None
        assert label.invocation is not None
        siblings = (other for other in self.open.values() if other.parent is label.parent and other is not label)
        rivals = tuple(sorted(siblings, key=lambda rival: (rival.promise, rival.number)))
        self._announce(label)
        del self.open[label.number]
        self.running = label
        outcome = yield Execute(label, rivals)
        promised = label.promise  # what was measured of targets meanwhile is in it: no surprise about tools
        self.running = None
        expected = self.estimates.of(label.invocation)
        self.visitor(Ran(label, expected, outcome))
        if outcome.accepted:
            label.executed = True
            label.seconds = label.parent.seconds + outcome.seconds
            label.quality = label.parent.quality * outcome.quality
            label.usd = label.parent.usd + outcome.usd
            if label.state == self.graph.goal:
                self._arrive(label)
        if self.learns and outcome.ran:
            self.estimates.observe(label.invocation, outcome.seconds, outcome.quality, outcome.usd)
            pair = Pair(label.invocation.tool, label.invocation.subtask)
            self.visitor(Learnt(pair, expected, self.estimates.of(label.invocation), self.estimates.slowness))
            self.refresh()
        if outcome.accepted:
            label.bound, label.promise = self._outlook(label)
            self._surprises.append(gap(label.promise, promised))
            if label.state != self.graph.goal:
                self.frontier[label.number] = label
        return outcome.accepted

    @property
    def surprise(self) -> float:
        """How widely the shares by which outcomes changed their labels' promises are spread; 0 when all were exact.

        The median absolute deviation, as a standard deviation: the first outcomes tell how slow this machine is, and
        once that is known it is no surprise any more.
        """
        if not self._surprises:
            return 0.0
        middle = median(self._surprises)
        found = 1.4826 * median(abs(share - middle) for share in self._surprises)
        return found if found > 10 * TOLERANCE else 0.0

    def _announce(self, label: Label) -> None:
        if self.visitor is nobody:
            return
        others = sorted(
            (one for one in self.open.values() if one is not label), key=lambda one: (one.promise, one.number)
        )
        nearest = tuple((one, one.promise) for one in others[:3])
        self.visitor(Popped(label, label.bound, label.promise, nearest, len(self.open)))

    def _arrive(self, label: Label) -> None:
        rank = label.rank(self.objective)
        best = self.complete is None or rank < self.complete.rank(self.objective)
        if best:
            self.complete = label
        self.visitor(Completed(label, rank, best))

    # ---- what is proven --------------------------------------------------------------------------------------
    def bound(self) -> Rank:
        """No complete path can rank below this, by the estimates; empty when there is none at all."""
        ranks = [label.bound for label in (*self.open.values(), *self.frontier.values())]
        if self.running is not None:
            ranks.append(self.running.bound)
        if self.complete is not None:
            ranks.append(self.complete.rank(self.objective))
        return min(ranks, default=())
