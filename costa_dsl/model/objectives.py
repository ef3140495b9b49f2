"""The built-in objectives besides J: weighted, lexicographic, with a demand, by money, and by several levels."""

from __future__ import annotations

from dataclasses import dataclass

from costa_dsl.model.objective import CRITERIA, QUALITY, SECONDS, TOLERANCE, USD, CostaObjective, Rank


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """The sum of seconds, lost quality 1 − Q, and dollars, each times its weight (≥ 0)."""

    seconds: float = 0.0
    quality: float = 0.0
    usd: float = 0.0

    @property
    def spec(self) -> str:
        return "weighted-sum:" + ",".join(
            f"{name}={getattr(self, name):g}" for name in CRITERIA if name in self.criteria
        )

    @property
    def title(self) -> str:
        return "weighted sum"

    @property
    def criteria(self) -> frozenset[str]:
        return frozenset(name for name in CRITERIA if getattr(self, name) > 0)

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:
        return (self.seconds * seconds + self.quality * (1.0 - quality) + self.usd * usd,)

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:  # noqa: ARG002
        return True


@dataclass(frozen=True, slots=True)
class Lexicographic:
    """The first criterion decides, among equals the second, then the third."""

    order: tuple[str, ...]

    @property
    def spec(self) -> str:
        return "lexicographic:" + ",".join(self.order)

    @property
    def title(self) -> str:
        return ", ".join("lost quality" if name == QUALITY else name for name in self.order)

    @property
    def criteria(self) -> frozenset[str]:
        return frozenset(self.order)

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:
        values = {SECONDS: seconds, QUALITY: 1.0 - quality, USD: usd}
        return tuple(values[name] for name in self.order)

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:  # noqa: ARG002
        return True


@dataclass(frozen=True, slots=True)
class MinQuality:
    """The fastest path whose quality reaches `least`; when none does, the one that lacks least."""

    least: float

    @property
    def spec(self) -> str:
        return f"min-quality:{self.least:g}"

    @property
    def title(self) -> str:
        return f"quality missing to {self.least:g}, seconds, lost quality"

    @property
    def criteria(self) -> frozenset[str]:
        return frozenset({SECONDS, QUALITY})

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:  # noqa: ARG002
        return (_beyond(self.least - quality), seconds, 1.0 - quality)

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:  # noqa: ARG002
        return _beyond(self.least - quality) == 0.0


@dataclass(frozen=True, slots=True)
class MaxCost:
    """The best quality within `most` seconds (or dollars); when nothing fits, what exceeds it least."""

    most: float
    unit: str = SECONDS

    @property
    def spec(self) -> str:
        return f"max-cost:{self.most:g}" + (USD if self.unit == USD else "")

    @property
    def title(self) -> str:
        return f"{self.unit} beyond {self.most:g}, lost quality, {self.unit}"

    @property
    def criteria(self) -> frozenset[str]:
        return frozenset({self.unit, QUALITY})

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:
        cost = usd if self.unit == USD else seconds
        return (_beyond(cost - self.most), 1.0 - quality, cost)

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:  # noqa: ARG002
        return _beyond((usd if self.unit == USD else seconds) - self.most) == 0.0


@dataclass(frozen=True, slots=True)
class Money:
    """The fewest dollars; among equally dear paths the least J at α."""

    alpha: float

    @property
    def spec(self) -> str:
        return "money"

    @property
    def title(self) -> str:
        return f"USD, J at α {self.alpha:g}"

    @property
    def criteria(self) -> frozenset[str]:
        return CostaObjective(self.alpha).criteria | {USD}

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:
        return (usd, *CostaObjective(self.alpha).rank(seconds, quality, usd))

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:  # noqa: ARG002
        return True


@dataclass(frozen=True, slots=True)
class Criteria:
    """Several criteria with a level hoped for each; the one that misses its level by the largest factor decides.

    An achievement function of the kind that Wierzbicki proposed (1980): the largest ratio of a value to its level,
    and among equals their sum. Quality enters as (2 − Q), as it does in J.
    """

    levels: tuple[tuple[str, float], ...]

    @property
    def spec(self) -> str:
        return "criteria:" + ",".join(f"{name}={level:g}" for name, level in self.levels)

    @property
    def title(self) -> str:
        return "largest ratio to its level, sum of the ratios"

    @property
    def criteria(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.levels)

    def rank(self, seconds: float, quality: float, usd: float) -> Rank:
        values = {SECONDS: seconds, QUALITY: 2.0 - quality, USD: usd}
        ratios = [values[name] / (2.0 - level if name == QUALITY else level) for name, level in self.levels]
        return (max(ratios), sum(ratios))

    def is_met(self, seconds: float, quality: float, usd: float) -> bool:  # noqa: ARG002
        return True


def _beyond(excess: float) -> float:
    return excess if excess > TOLERANCE else 0.0
