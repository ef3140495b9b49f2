"""The trace of a search as plain values: what was taken, instead of what, what came of it, and what was learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.model.objective import Objective, Rank
from costa_dsl.search.estimates import Estimate
from costa_dsl.search.fronts import Totals
from costa_dsl.search.journal import Line
from costa_dsl.search.space import Certificate, Label, Learnt, Outcome
from costa_dsl.search.strategies import Strategy

# Where a label stands, seen from the tool that ran before: at the start of all, further on from there, another way
# on from the same place, or somewhere else.
Place = Literal["start", "onward", "beside", "back"]
# Why it was taken: it was the only one open; it promised the least rank; it promised the same as another; another
# promised less, and the strategy's patience spoke for going on; it promised no less than the best complete path, and
# the strategy's curiosity spoke for looking; the strategy does not go by promises.
Reason = Literal["only", "least", "equal", "patience", "curiosity", "order"]


@dataclass(frozen=True, slots=True)
class Way:
    """A label as it was at one moment.

    Attributes:
        number: the label's.
        labels, path: the numbers of the labels on its path and what they ran, from the start; the label's come last.
        seconds, quality, usd: totals of the path, the last invocation as measured or, before it ran, as estimated.
        bound: no complete path through it ranks below this, by the estimates of that moment.
        promise: the rank of the best complete path through it, by the same estimates.
    """

    number: int
    labels: tuple[int, ...]
    path: tuple[Invocation, ...]
    seconds: float
    quality: float
    usd: float
    bound: Rank
    promise: Rank

    @property
    def invocation(self) -> Invocation:
        """What the label runs."""
        return self.path[-1]

    @staticmethod
    def of(label: Label) -> Way:
        """The label now; it may change later."""
        parts = label.path()
        return Way(
            label.number,
            tuple(part.number for part in parts),
            tuple(part.invocation for part in parts if part.invocation is not None),
            label.seconds,
            label.quality,
            label.usd,
            label.bound,
            label.promise,
        )


@dataclass(frozen=True, slots=True)
class Rival:
    """Another open label; `excess`: the share of the rank by which it promises more than what was taken, or less."""

    way: Way
    excess: float


@dataclass(frozen=True, slots=True)
class Pop:
    """A label that was taken from the open list, and why.

    Attributes:
        number: the place in the order in which labels were taken, from 1.
        before: seconds, quality and dollars of the path to where it starts, as measured.
        rivals: the most promising ones that were left, with what they promised.
        open_labels: how many were open, this one included.
        failed: what had run just before and was not good enough.
        expected: what the estimates said of its invocation.
        complete: the rank of the best complete path until then; empty when there was none.
        surprise: how widely outcomes had changed promises until then (`Space.surprise`).
    """

    number: int
    way: Way
    before: Totals
    rivals: tuple[Rival, ...]
    open_labels: int
    place: Place
    reason: Reason
    failed: Invocation | None
    expected: Estimate
    complete: Rank
    surprise: float


@dataclass(frozen=True, slots=True)
class Arrival:
    """A path became complete: what it is worth, and whether that was the best so far."""

    rank: Rank
    best: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A pop with what came of it.

    Attributes:
        after: the label once it had run, its totals measured; None when it was not accepted.
        slowness: of this machine before, as a factor on the benchmark's seconds; `learnt` has the one after.
        completed: set when the path became complete.
        told: what else the journal says of it.
    """

    pop: Pop
    outcome: Outcome
    after: Way | None
    slowness: float
    learnt: Learnt | None
    completed: Arrival | None
    told: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class End:
    """How the search ended.

    Attributes:
        kind: `finished` with a path, `exhausted` without one, or `stopped` before it knew.
        path: the one that was chosen, or the best complete one so far.
        met: whether that path keeps what the objective demands.
        still_open: the most promising labels that were left; `excess` counts from the path's rank.
        pending: what would have run next; None when the search had come to its end.
    """

    kind: Literal["finished", "exhausted", "stopped"]
    path: Way | None
    met: bool
    certificate: Certificate
    still_open: tuple[Rival, ...]
    open_labels: int
    surprise: float
    pending: Pop | None


@dataclass(frozen=True, slots=True)
class Trace:
    """One search, step by step."""

    graph: ToolpathGraph
    objective: Objective
    strategy: Strategy
    steps: tuple[Step, ...]
    end: End
