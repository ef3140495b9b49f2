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
    """

    @property
    def name(self) -> str: ...

    def search(self, space: Space) -> Course:
        """Decide what to run next, until a path is chosen or nothing is left."""


def _rounded(rank: Rank) -> Rank:
    """Without the last digits, in which sums of the same numbers in another order differ."""
    return tuple(float(f"{number:.9e}") for number in rank)


def _most_promising(labels: Iterable[Label]) -> Label:
    """The label whose best completion ranks lowest; of equals the one that came furthest, then the oldest."""
    return min(labels, key=lambda label: (_rounded(label.promise), -label.depth, label.number))


@dataclass(frozen=True, slots=True)
class Lazy:
    """A* over real outcomes: the label with the most promising completion runs, wherever it stands.

    With exact estimates it runs the tools of one path, a provably best one. When an outcome differs from its estimate,
    it goes on from whichever place now promises most. Running tools for little costs more than it brings: it leaves the
    path that it is on, or looks beyond a complete one, only for a promise that is better by more than the share
    `patience` of its rank.
    """

    name: ClassVar[str] = "lazy"
    patience: float = 0.0

    def search(self, space: Space) -> Course:
        here = space.expand(space.root)
        while True:
            if not space.open and space.complete is None:
                space.resort()
            best = space.complete
            if not space.open:
                return Exhausted() if best is None else Finished(best)
            label = _most_promising(space.open.values())
            if best is not None and not self._tempts(label.promise, best.rank(space.objective)):
                return Finished(best)
            ahead = [one for one in here if one.number in space.open]
            if ahead and not self._tempts(label.promise, (onward := _most_promising(ahead)).promise):
                label = onward
            accepted = yield from space.run(label)
            if accepted and label.state != space.graph.goal and not space.is_dominated(label):
                here = space.expand(label)

    def _tempts(self, promise: Rank, instead: Rank) -> bool:
        return gap(instead, promise) > max(self.patience, TOLERANCE)


@dataclass(frozen=True, slots=True)
class Commit:
    """Forward with the best plan, never back while there is a way on; it plans anew after every outcome.

    For when every tool is dear. It runs one path and what failed on the way, and reports how far from the best it
    might be.
    """

    name: ClassVar[str] = "commit"

    def search(self, space: Space) -> Course:
        ways = [space.expand(space.root)]
        while ways:
            here = [label for label in ways[-1] if label.number in space.open]
            if not here:
                ways.pop()
                continue
            label = _most_promising(here)
            accepted = yield from space.run(label)
            if accepted and label.state == space.graph.goal:
                return Finished(label)
            if accepted:
                ways.append(space.expand(label))
        return Exhausted()


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Runs every tool on every path and takes the best: the oracle that the others are compared with."""

    name: ClassVar[str] = "exhaustive"

    def search(self, space: Space) -> Course:
        todo = space.expand(space.root)[::-1]
        while todo:
            label = todo.pop()
            accepted = yield from space.run(label)
            if accepted and label.state != space.graph.goal:
                todo.extend(space.expand(label)[::-1])
        return Exhausted() if space.complete is None else Finished(space.complete)


STRATEGIES: dict[str, Strategy] = {one.name: one for one in (Lazy(), Commit(), Paper(), Exhaustive())}
