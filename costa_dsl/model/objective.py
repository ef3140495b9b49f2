"""Objectives: what a complete path is worth, by its seconds, its quality and its US dollars.

An objective is a value with a `rank`: numbers that are compared in order, the smaller the better. Every rank is
monotone: more seconds or dollars, or less quality, never make it smaller. That is what lets the search compare
paths by their criteria alone (a path that is nowhere worse is never ranked worse) and bound a path from its parts.

The default one is here; the others are in objectives.py, and objective_spec.py reads what people write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

Rank = tuple[float, ...]

SECONDS, QUALITY, USD = "seconds", "quality", "usd"
CRITERIA = (SECONDS, QUALITY, USD)

# Sums and products in another order differ in their last digits: two ranks this near are equal.
TOLERANCE = 1e-9
# Two sums that should both be 0 may differ by this.
_TINY = 1e-13


class Objective(Protocol):
    """What a path is worth.

    Attributes:
        spec: as people write it.
        title: what the numbers of a rank are, for people: `J at α 1`.
        criteria: those that a rank depends on. The others are never compared: equally good paths would pile up.
    """

    @property
    def spec(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def criteria(self) -> frozenset[str]: ...

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:
        """The rank of a path: its seconds (≥ 0), the product of its qualities (in [0, 1]), its dollars (≥ 0)."""

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:
        """Whether such a path keeps what the objective demands (`min-quality`, `max-cost`)."""


@dataclass(frozen=True, slots=True)
class CostaObjective:
    """J(C, Q) = C^α · (2 − Q)^(2 − α), the trade-off of CoSTA* (arXiv 2503.10613).

    α in [0, 2]: 0 looks at quality only, 2 at seconds only.
    """

    alpha: float

    @property
    def spec(self) -> str:
        return "costa"

    @property
    def title(self) -> str:
        return f"J at α {self.alpha:g}"

    @property
    def criteria(self) -> frozenset[str]:
        return frozenset({QUALITY} if self.alpha == 0 else {SECONDS} if self.alpha == 2 else {SECONDS, QUALITY})

    def value(self, seconds: float, quality: float) -> float:
        """J: rises in `seconds`, falls in `quality`, so that optimistic parts give an optimistic whole."""
        return float(seconds**self.alpha * (2.0 - quality) ** (2.0 - self.alpha))

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:  # noqa: ARG002
        return (seconds**self.alpha * (2.0 - quality) ** (2.0 - self.alpha),)

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:  # noqa: ARG002
        return True


def gap(rank: Rank, bound: Rank) -> float:
    """By which share `rank` is worse than `bound`, in the first number in which they differ; negative when better.

    Ranks that differ by rounding only have no gap.
    """
    for mine, other in zip(rank, bound, strict=True):
        size = max(abs(mine), abs(other))
        if abs(mine - other) > TOLERANCE * size + _TINY:
            return (mine - other) / size
    return 0.0


def shown(rank: Rank) -> str:
    """A rank for people: its numbers."""
    return ", ".join(f"{number:.4g}" for number in rank)
