"""What tools are expected to cost and to give: the benchmark, corrected by what this run has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from costa_dsl.compiler.graph import Invocation

# "This machine is as fast as the benchmark's" speaks with the weight of this many runs: it is only a guess.
SPEED_WEIGHT = 0.5


class Estimate(NamedTuple):
    """Seconds (≥ 0), quality in [0, 1] and US dollars of one invocation, all of its attempts."""

    seconds: float
    quality: float
    usd: float


class Pair(NamedTuple):
    """What is learnt about: one tool at one subtask."""

    tool: str
    subtask: str


@dataclass(slots=True)
class _Seen:
    """What this run has observed of one pair: the number of invocations, and sums over them."""

    count: int = 0
    seconds: float = 0.0
    quality: float = 0.0
    usd: float = 0.0


@dataclass
class Estimates:
    """Expected seconds, quality and dollars of each invocation.

    The corrected value is the posterior mean of the benchmark's value, with the weight of the n measurements that it
    is made of, and of the observations of the same tool at the same subtask. The benchmark's seconds are first
    brought to this machine: one that is twice as slow at some tools is expected to be slow at the others
    too, otherwise every tool that has not run yet would look better than those that have.
    """

    _seen: dict[Pair, _Seen] = field(default_factory=dict)
    _ratios: list[float] = field(default_factory=list)  # log of observed over benchmarked seconds

    def of(self, invocation: Invocation) -> Estimate:
        """What the invocation is expected to cost and to give."""
        seconds, quality, n = invocation.seconds * self.slowness, invocation.quality, invocation.n
        seen = self._seen.get(Pair(invocation.tool, invocation.subtask))
        if seen is None:
            return Estimate(seconds, quality, invocation.usd)
        weight = n + seen.count
        return Estimate(
            (n * seconds + seen.seconds) / weight,
            (n * quality + seen.quality) / weight,
            (n * invocation.usd + seen.usd) / weight,
        )

    @property
    def slowness(self) -> float:
        """How many times slower than the benchmark's this machine is: the geometric mean of all ratios, drawn to 1."""
        return math.exp(sum(self._ratios) / (SPEED_WEIGHT + len(self._ratios))) if self._ratios else 1.0

    def observe(self, invocation: Invocation, seconds: float, quality: float, usd: float = 0.0) -> None:
        """Learn from one invocation: the seconds and dollars of all its attempts, the quality of its best one."""
        seen = self._seen.setdefault(Pair(invocation.tool, invocation.subtask), _Seen())
        seen.count += 1
        seen.seconds += seconds
        seen.quality += quality
        seen.usd += usd
        if seconds > 0 and invocation.seconds > 0:
            # Not the logarithm of their ratio, which may be too small for a number.
            self._ratios.append(math.log(seconds) - math.log(invocation.seconds))
