"""The axes of a plot: which number stands where, and the round numbers that are written beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# From this ratio of the largest to the smallest on, the axis is logarithmic.
DECADE = 8.0
# Numbers below this, and differences below a thousandth of it, are not told apart.
SMALLEST = 1e-9


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale: `low` stands at pixel `start`, `high` at `end`; `room` pixels on both sides belong to it too."""

    low: float
    high: float
    start: float
    end: float
    room: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The pixel of a number."""
        low, high = self._inner(self.low), self._inner(self.high)
        return self.start + (self._inner(value) - low) / (high - low) * (self.end - self.start)

    def _inner(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def _reach(self) -> tuple[float, float]:
        """The numbers at both ends of the axis, with its room."""
        low, high = self._inner(self.low), self._inner(self.high)
        more = (high - low) * self.room / abs(self.end - self.start)
        return low - more, high + more

    def ticks(self, least: float, most: float = math.inf, steps: int = 6) -> list[tuple[float, str]]:
        """Round numbers from `least` to `most` within the axis, as they are written; about `steps` of them."""
        low, high = self._reach()
        if self.logarithmic:
            return [(value, words) for value, words in _decades(low, high) if least <= value <= most]
        step = _step((high - low) / steps)
        digits = min(max(0, -math.floor(math.log10(step))), 15)
        numbers = range(math.ceil(low / step), math.floor(high / step) + 1)
        return [(number * step, f"{number * step:,.{digits}f}") for number in numbers if least <= number * step <= most]


def axis_of(
    values: Sequence[float],
    start: float,
    end: float,
    room: float,
    *,
    most: float = math.inf,
    logarithmic: bool = False,
) -> Axis:
    """The axis that just holds some numbers from 0 to `most`; one number alone gets some room of its own.

    It is logarithmic when that is wanted, possible (no number is 0, or nearly), and useful (they span about a
    decade or more).
    """
    low, high = min(values), max(values)
    wide = logarithmic and low >= SMALLEST and high / low > DECADE
    if high - low <= SMALLEST / 1000 * max(1.0, high):
        low, high = (0.8 * low, min(1.2 * high, most)) if high > SMALLEST else (0.0, 1.0)
    return Axis(low, high, start, end, room, wide)


def _step(least: float) -> float:
    """1, 2 or 5 times a power of ten, at least this."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= least * (1 - 1e-9))


def _decades(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers between two powers of ten: 1, 2, 5, 10 … when there are few decades, else powers of ten."""
    steps = (1, 2, 5) if high - low < 3.5 else (1,)
    every = max(1, math.ceil((high - low) / 9))
    powers = range(math.floor(low), math.ceil(high) + 1, every)
    values = [step * 10.0**power for power in powers for step in steps]
    return [(value, f"{value:,.12g}") for value in values if low <= math.log10(value) <= high]
