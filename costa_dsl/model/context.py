"""Context: measured features of what a step works on, and conditions on them under which a benchmark row holds.

Painting over text is good on plain ground and bad on a brick wall; one number cannot say both. What is measured
here is data only: `checks/features.py` measures, `search/context.py` looks up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

# Feature → its value; a feature that is not known is left out. True and False stand for 1 and 0.
Features: TypeAlias = Mapping[str, float | bool]

# `background: plain` is at most this busy, `background: busy` is busier. Skies, painted walls and paper stay below
# 0.05; brick has about 0.3, grass and gravel 0.7.
PLAIN = 0.1


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that is measured of a step's target: its unit, and the range of its values (both ends included)."""

    name: str
    meaning: str
    unit: str
    low: float
    high: float
    kind: Literal["share", "number", "count", "truth"]


FEATURES: Mapping[str, Feature] = {
    feature.name: feature
    for feature in (
        Feature("area", "how much of the picture the target covers", "share of the picture", 0.0, 1.0, "share"),
        Feature(
            "background",
            "how busy the ground around the target is",
            "share of the ground that one smooth color does not explain",
            0.0,
            1.0,
            "share",
        ),
        Feature(
            "color_distance",
            "how far the target's mean color is from the color that the step asks for",
            "CIEDE2000",
            0.0,
            math.inf,
            "number",
        ),
        Feature(
            "contrast",
            "how far the target's mean color is from that of the ground around it",
            "CIEDE2000",
            0.0,
            math.inf,
            "number",
        ),
        Feature("instances", "how many separate things the target is", "things", 0.0, math.inf, "count"),
        Feature("text", "whether text stands on the target", "true or false", 0.0, 1.0, "truth"),
    )
}


@dataclass(frozen=True, slots=True)
class Condition:
    """An interval in which one feature must lie; an end that is open is not itself in it."""

    feature: str
    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    def holds(self, features: Features) -> bool:
        """Whether the feature is known and lies in the interval."""
        value = features.get(self.feature)
        if value is None or not self.low <= value <= self.high:
            return False
        return not (self.low_open and value == self.low) and not (self.high_open and value == self.high)

    @property
    def is_impossible(self) -> bool:
        """Whether no value lies in the interval."""
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def covers(self, other: Condition) -> bool:
        """Whether every value that the other one admits is admitted here."""
        if self.feature != other.feature:
            return False
        low = self.low < other.low or (self.low == other.low and (other.low_open or not self.low_open))
        high = self.high > other.high or (self.high == other.high and (other.high_open or not self.high_open))
        return (low and high) or other.is_impossible

    def to_value(self) -> Any:
        """The condition as it is written under its feature's name, in one form per interval."""
        feature = FEATURES[self.feature]
        if feature.kind == "truth" and self.low == self.high:
            return bool(self.low)
        if feature.kind == "count" and self.low == self.high and not self.is_impossible:
            return int(self.low)
        bounds: dict[str, float] = {}
        if self.low > feature.low or self.low_open:
            bounds["above" if self.low_open else "at_least"] = _number(self.low, feature)
        if self.high < feature.high or self.high_open:
            bounds["below" if self.high_open else "at_most"] = _number(self.high, feature)
        return bounds or {"at_least": _number(feature.low, feature)}

    def __str__(self) -> str:
        value = self.to_value()
        if not isinstance(value, dict):
            return f"{self.feature} {str(value).lower()}"
        return f"{self.feature} " + " and ".join(f"{word.replace('_', ' ')} {bound:g}" for word, bound in value.items())


Conditions: TypeAlias = tuple[Condition, ...]


def read_conditions(written: Mapping[str, Any]) -> Conditions:
    """A `when:` that fits the schema of benchmark tables, as conditions sorted by feature."""
    return tuple(_read(FEATURES[name], written[name]) for name in sorted(written))


def conditions_value(conditions: Conditions) -> dict[str, Any]:
    """The inverse of `read_conditions`, in one form: shares as numbers, words as the bounds that they stand for."""
    return {condition.feature: condition.to_value() for condition in conditions}


def all_hold(conditions: Iterable[Condition], features: Features) -> bool:
    """Whether every condition holds; one on a feature that is not known does not."""
    return all(condition.holds(features) for condition in conditions)


def hides(first: Conditions, later: Conditions) -> bool:
    """Whether `first` holds wherever `later` does, so that a row with `later` that stands after it never counts."""
    return all(any(mine.covers(other) for other in later) for mine in first)


def _read(feature: Feature, written: Any) -> Condition:
    if written == "plain":
        return Condition(feature.name, feature.low, PLAIN)
    if written == "busy":
        return Condition(feature.name, PLAIN, feature.high, low_open=True)
    if not isinstance(written, Mapping):
        return Condition(feature.name, float(written), float(written))
    low, low_open, high, high_open = feature.low, False, feature.high, False
    for word, bound in written.items():
        value = _share(bound) if isinstance(bound, str) else float(bound)
        is_open = word in ("above", "below")
        if feature.kind == "count":
            value, is_open = _whole(value, word), False
        if word in ("at_least", "above"):
            low, low_open = max((low, low_open), (value, is_open))
        else:
            high, not_open = min((high, not high_open), (value, not is_open))
            high_open = not not_open
    if high < feature.low:  # fewer than none
        high, high_open = feature.low, True
    return Condition(feature.name, low, high, low_open, high_open)


def _share(text: str) -> float:
    return float(text.strip().removesuffix("%") + "e-2")  # not `/ 100`, which makes 33.3% a long number


def _whole(value: float, word: str) -> float:
    """The whole number at which a bound of a count really lies."""
    if word == "above":
        return float(math.floor(value) + 1)
    if word == "below":
        return float(math.ceil(value) - 1)
    return float(math.ceil(value) if word == "at_least" else math.floor(value))


def _number(value: float, feature: Feature) -> float:
    return int(value) if feature.kind == "count" else value
