"""Learns conditional benchmark rows: where one measured feature parts good results from bad ones.

A regression stump (the first split of CART; Breiman, Friedman, Olshen, Stone 1984): of every feature and every
limit, the one that leaves the least squared error of the quality. It is believed only when enough cases lie on
both sides, when it explains a good part of the spread, and when chance would hardly ever explain as much
(a permutation test, which makes up for all the limits that were tried).
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from costa_dsl.model.context import FEATURES, Condition, Conditions, Features

# At least so many cases on either side of a limit.
LEAST = 4
# The means on the two sides differ at least by this quality.
APART = 0.1
# What the split leaves of the squared error, at most.
LEFT = 2 / 3
# Of so many shuffles of the qualities at most this share may be explained as well.
SHUFFLES, BY_CHANCE = 300, 0.01


@dataclass(frozen=True)
class Sample:
    """One measurement of one tool at one subtask, and what was known of the target before it."""

    seconds: float
    quality: float
    features: Features


@dataclass(frozen=True)
class LearntCase:
    """A conditional row: its condition, and the samples that meet it."""

    when: Conditions
    samples: tuple[Sample, ...]


def learn_cases(samples: Sequence[Sample]) -> tuple[LearntCase, ...]:
    """Two rows, for both sides of the limit that explains the quality best; none when no limit is to be believed."""
    ordered = sorted(samples, key=lambda one: (sorted(one.features.items()), one.quality, one.seconds))
    best = _best_split(ordered)
    if best is None:
        return ()
    low, high = (tuple(one for one in ordered if condition.holds(one.features)) for condition in best)
    means = [statistics.fmean(one.quality for one in side) for side in (low, high)]
    left = _left(ordered, best)
    if abs(means[0] - means[1]) < APART or left > LEFT * _error(ordered) or _by_chance(ordered, left) > BY_CHANCE:
        return ()
    return tuple(LearntCase((condition,), side) for condition, side in zip(best, (low, high), strict=True))


def _by_chance(samples: Sequence[Sample], left: float) -> float:
    """The share of shuffles of the qualities, over the same features, of which some split leaves no more."""
    draw = random.Random(0)
    qualities = [one.quality for one in samples]
    hits = 0
    for _ in range(SHUFFLES):
        draw.shuffle(qualities)
        mixed = [Sample(0.0, quality, one.features) for quality, one in zip(qualities, samples, strict=True)]
        best = _best_split(mixed)
        hits += best is not None and _left(mixed, best) <= left
    return hits / SHUFFLES


Split = tuple[Condition, Condition]


def _best_split(samples: Sequence[Sample]) -> Split | None:
    """Of the splits with enough samples on both sides the one that leaves the least error; the first of equals."""
    return min(_splits(samples), key=lambda split: _left(samples, split), default=None)


def _splits(samples: Sequence[Sample]) -> Iterator[Split]:
    for name, feature in FEATURES.items():
        values = sorted(float(one.features[name]) for one in samples if name in one.features)
        for index in range(LEAST, len(values) - LEAST + 1):
            low, high = values[index - 1], values[index]
            if low == high:
                continue
            if feature.kind == "truth":
                yield Condition(name, 0.0, 0.0), Condition(name, 1.0, 1.0)
            elif feature.kind == "count":
                yield Condition(name, feature.low, low), Condition(name, low + 1, feature.high)
            else:
                limit = round_between(low, high)
                yield Condition(name, feature.low, limit), Condition(name, limit, feature.high, low_open=True)


def round_between(low: float, high: float) -> float:
    """The number of the fewest digits in [low, high), near the middle: a limit that a person would write."""
    middle = (low + high) / 2
    first = -math.floor(math.log10(high - low))
    for digits in range(min(first, 0) - 2, first + 3):
        limit = round(middle, digits)
        if low <= limit < high:
            return limit
    return low


def _error(samples: Sequence[Sample]) -> float:
    """The sum of the squared distances of the qualities from their mean."""
    if not samples:
        return 0.0
    mean = statistics.fmean(one.quality for one in samples)
    return sum((one.quality - mean) ** 2 for one in samples)


def _left(samples: Sequence[Sample], split: Split) -> float:
    """The squared error that a split leaves; samples of which its feature is not known keep the mean of all."""
    mean = statistics.fmean(one.quality for one in samples)
    sides: Mapping[Condition, list[Sample]] = {condition: [] for condition in split}
    left = 0.0
    for one in samples:
        condition = next((found for found in split if found.holds(one.features)), None)
        if condition is None:
            left += (one.quality - mean) ** 2
        else:
            sides[condition].append(one)
    return left + sum(_error(side) for side in sides.values())
