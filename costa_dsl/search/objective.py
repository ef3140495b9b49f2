"""What a complete path is worth: one number, smaller is better, that never falls as seconds grow or quality falls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CostaObjective:
    """J(C, Q) = C^α · (2 − Q)^(2 − α), the trade-off of CoSTA* (arXiv 2503.10613).

    C is a path's seconds (≥ 0), Q the product of its steps' qualities (in [0, 1]); α in [0, 2] weighs them:
    0 looks at quality only, 2 at seconds only.
    """

    alpha: float

    def value(self, seconds: float, quality: float) -> float:
        """J: rises in `seconds`, falls in `quality`, so that optimistic parts give an optimistic whole."""
        return float(seconds**self.alpha * (2.0 - quality) ** (2.0 - self.alpha))

    def dominates(self, seconds: float, quality: float, other_seconds: float, other_quality: float) -> bool:
        """Whether no continuation of the other can beat the same continuation of this one.

        At α = 0 seconds do not count, at α = 2 quality does not: there only the other dimension is compared,
        otherwise equally good labels would pile up.
        """
        faster = self.alpha == 0 or seconds <= other_seconds
        better = self.alpha == 2 or quality >= other_quality
        return faster and better
