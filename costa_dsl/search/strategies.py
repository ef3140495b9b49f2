"""Strategies: in which order labels are run, and when a path is good enough. Each is a value with one method.

A strategy is a coroutine over a Space: it yields what to run, is sent what came of it, and returns the path that it
settles on. It touches no image and no clock, so that the same strategy drives a real run, a simulation and a replay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from costa_dsl.model.objective import TOLERANCE, Rank, gap
from costa_dsl.search.paper import Paper
from costa_dsl.search.space import Course, Exhausted, Finished, Label, Space


class Strategy(Protocol):
    """How to search.

    Attributes:
        name: as people write it.
        learns: whether outcomes correct the estimates.
    """

    @property
    def name(self) -> str: ...
    @property
    def learns(self) -> bool: ...

    def search(self, space: Space) -> Course:
        """Decide what to run next, until a path is chosen or nothing is left."""


def _rounded(rank: Rank) -> Rank:
    """Without the last digits, in which sums of the same numbers in another order differ."""
    return tuple(float(f"{number:.9e}") for number in rank)


def _most_promising(labels: Iterable[Label]) -> Label:
    """The label whose best completion ranks lowest; of equals the one that came furthest, then the oldest."""
    return min(labels, key=lambda label: (_rounded(label.promise), -label.depth, label.number))


@dataclass(frozen=True, slots=True)
class BestFirst:
    """A* over real outcomes: what promises the best complete path runs. The strategies `lazy` and `commit`.

    With exact estimates it runs the tools of one path, a provably best one. When an outcome differs from its estimate,
    it plans anew, from whichever place promises most.

    Attributes:
        patience: it goes on from where it is, and ends at a complete path, unless another place promises more than this
            share less of the rank: running tools for less costs more than it brings.
        curiosity: promises are as uncertain as outcomes have turned out to be. Before it ends, it also looks into those
            that fall short of the complete path by at most so many times the surprise so far (`Space.surprise`).
    """

    learns: ClassVar[bool] = True
    name: str
    patience: float = 0.0
    curiosity: float = 0.0

    def search(self, space: Space) -> Course:
        here = space.expand(space.root)
        while True:
            best = space.complete
            if not space.open:
                return Exhausted() if best is None else Finished(best)
            label = _most_promising(space.open.values())
            doubt = self.curiosity * space.surprise
            if best is not None and gap(best.rank(space.objective), label.promise) <= TOLERANCE + self.patience - doubt:
                return Finished(best)
            ahead = [one for one in here if one.number in space.open]
            if ahead and gap((onward := _most_promising(ahead)).promise, label.promise) <= TOLERANCE + self.patience:
                label = onward
            accepted = yield from space.run(label)
            if accepted and label.state != space.graph.goal:
                here = space.expand(label)


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Runs every tool on every path and takes the best: the oracle that the others are compared with."""

    name: ClassVar[str] = "exhaustive"
    learns: ClassVar[bool] = True

    def search(self, space: Space) -> Course:
        todo = space.expand(space.root)[::-1]
        while todo:
            label = todo.pop()
            accepted = yield from space.run(label)
            if accepted and label.state != space.graph.goal:
                todo.extend(space.expand(label)[::-1])
        return Exhausted() if space.complete is None else Finished(space.complete)


# As few tools as prove the best path, and a look at what may be better still.
LAZY = BestFirst("lazy", curiosity=3.0)
# For when every tool is dear: back only for much.
COMMIT = BestFirst("commit", patience=0.02)

STRATEGIES: dict[str, Strategy] = {one.name: one for one in (LAZY, COMMIT, Paper(), Exhaustive())}
