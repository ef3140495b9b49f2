"""Objectives: what a complete path is worth, by its seconds, its quality and its US dollars.

An objective is a value with a `rank`: numbers that are compared in order, the smaller the better. Every rank is
monotone: more seconds or dollars, or less quality, never make it smaller. That is what lets the search compare
paths by their criteria alone (a path that is nowhere worse is never ranked worse) and bound a path from its parts.

People write one as `name` or `name:argument`: `costa`, `min-quality:0.9`, `lexicographic:quality,seconds`. More come as
entry points in the group `costa.objectives`: a callable that takes the argument and α and gives an Objective.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Protocol

Rank = tuple[float, ...]

SECONDS, QUALITY, USD = "seconds", "quality", "usd"
CRITERIA = (SECONDS, QUALITY, USD)
GROUP = "costa.objectives"

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


class ObjectiveError(ValueError):
    """An objective that cannot be read: what is wrong, and what to write instead."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.message = message
        self.help = help


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


# ---- reading what people wrote ------------------------------------------------------------------------------
_NUMBER_HELP = "write it as in `min-quality:0.9` or `max-cost:30` (seconds) or `max-cost:0.05usd`"


def _number(name: str, argument: str, least: float, most: float) -> float:
    try:
        value = float(argument)
    except ValueError:
        value = math.nan
    if not (least <= value <= most and value < math.inf):
        wanted = f"a number from {least:g} to {most:g}" if most < math.inf else f"a number from {least:g}"
        raise ObjectiveError(f'"{name}" needs {wanted}, not "{argument}"', _NUMBER_HELP)
    return value


def _levels(name: str, argument: str, least: Mapping[str, float]) -> dict[str, float]:
    """`seconds=1,quality=60` as a mapping."""
    found: dict[str, float] = {}
    for part in argument.split(","):
        key, sign, number = part.partition("=")
        key = key.strip()
        if key not in CRITERIA or not sign or key in found:
            raise ObjectiveError(
                f'"{name}" needs seconds, quality and usd at most once each, as `name=number`; found "{part.strip()}"',
                f"write it as in `{name}:seconds=30,quality=0.9`",
            )
        found[key] = _number(f"{name}: {key}", number.strip(), least[key], math.inf)
    return found


def _weighted_sum(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    found = WeightedSum(**_levels("weighted-sum", argument, dict.fromkeys(CRITERIA, 0.0)))
    if not found.criteria:
        raise ObjectiveError(
            "every weight is 0", "give one of them a weight, as in `weighted-sum:seconds=1,quality=60`"
        )
    return found


def _lexicographic(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    order = tuple(part.strip() for part in argument.split(","))
    if len(set(order)) != len(order) or not set(order) <= set(CRITERIA):
        raise ObjectiveError(
            f'"lexicographic" needs some of seconds, quality and usd, each once; found "{argument}"',
            "write it as in `lexicographic:quality,seconds`",
        )
    return Lexicographic(order)


def _min_quality(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    return MinQuality(_number("min-quality", argument, 0.0, 1.0))


def _max_cost(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    text = argument.strip().lower()
    if text.endswith(USD):
        return MaxCost(_number("max-cost", text.removesuffix(USD).strip(), 0.0, math.inf), USD)
    return MaxCost(_number("max-cost", text.removesuffix("s").strip(), 0.0, math.inf))


def _criteria(argument: str, alpha: float) -> Objective:  # noqa: ARG001
    levels = _levels("criteria", argument, dict.fromkeys(CRITERIA, 0.0))
    for name, level in levels.items():
        if level <= 0 or (name == QUALITY and level > 1):
            raise ObjectiveError(
                f'"criteria" needs levels above 0, and for quality at most 1; found {name}={level:g}',
                "write it as in `criteria:seconds=30,quality=0.9`",
            )
    return Criteria(tuple(levels.items()))


_ARGUED: dict[str, Callable[[str, float], Objective]] = {
    "weighted-sum": _weighted_sum,
    "lexicographic": _lexicographic,
    "min-quality": _min_quality,
    "max-cost": _max_cost,
    "criteria": _criteria,
}
_PLAIN: dict[str, Callable[[float], Objective]] = {"costa": CostaObjective, "money": Money}

# Each as people write it, with what it asks for.
BUILT_IN = {
    "costa": "the least J at α, the default",
    "weighted-sum:seconds=1,quality=60,usd=10": "the least weighted sum of seconds, lost quality and dollars",
    "lexicographic:quality,seconds": "the first criterion decides, among equals the next",
    "min-quality:0.9": "the fastest path whose quality reaches 0.9",
    "max-cost:30": "the best quality within 30 seconds (`max-cost:0.05usd`: within 0.05 dollars)",
    "money": "the fewest dollars, among equals the least J",
    "criteria:seconds=30,quality=0.9": "the least largest ratio of a criterion to the level hoped for",
}


def read_objective(spec: str, alpha: float) -> Objective:
    """The objective that somebody wrote.

    Raises:
        ObjectiveError: there is none of that name, its argument is wrong, or a plug-in is not monotone.
    """
    name, colon, argument = spec.strip().partition(":")
    if name in _PLAIN:
        if colon:
            raise ObjectiveError(f'"{name}" takes no argument, found "{argument}"', f"write `{name}`")
        return _PLAIN[name](alpha)
    if name in _ARGUED:
        return _ARGUED[name](argument, alpha)
    # Imported here: it takes longer than all the rest of this room.
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP, name=name)
    if len(found) > 1:
        raise ObjectiveError(
            f'{len(found)} installed packages define an objective "{name}"', "uninstall all of them but one"
        )
    for plug_in in found:
        try:
            objective: Objective = plug_in.load()(argument, alpha)
            _demand_monotone(name, objective)
        except ObjectiveError:
            raise
        except Exception as error:
            raise ObjectiveError(
                f'the objective "{name}" does not work: {type(error).__name__}: {error}',
                "see the documentation of the package that defines it",
            ) from error
        return objective
    raise ObjectiveError(
        f'there is no objective "{name}"', "write one of: " + ", ".join(f"`{one}`" for one in BUILT_IN)
    )


_SAMPLES = {SECONDS: (0.0, 0.04, 1.0, 30.0, 500.0), QUALITY: (1.0, 0.97, 0.8, 0.3, 0.0), USD: (0.0, 0.01, 2.0)}


def _demand_monotone(name: str, objective: Objective) -> None:
    """Refuse a plug-in with a rank that falls where a path gets worse: the search would prove what is not true."""
    for point in product(*_SAMPLES.values()):
        for index, (criterion, samples) in enumerate(_SAMPLES.items()):
            place = samples.index(point[index])
            if place + 1 == len(samples):
                continue
            worse = (*point[:index], samples[place + 1], *point[index + 1 :])
            before, after = objective.rank(*point), objective.rank(*worse)
            if after < before or (criterion not in objective.criteria and after != before):
                what = "falls" if after < before else f"changes, though {criterion} is not among its criteria,"
                raise ObjectiveError(
                    f'the objective "{name}" {what} from {shown(before)} to {shown(after)} as {criterion} gets worse, '
                    f"from {point[index]:g} to {samples[place + 1]:g}",
                    "an objective's rank must never fall as seconds or dollars grow or quality falls",
                )
