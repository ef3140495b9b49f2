"""What tools are expected to cost and to give: the benchmark, corrected by what this run has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from costa_dsl.compiler.graph import Invocation
from costa_dsl.model.context import Conditions, Features
from costa_dsl.search.context import Prior, case_of, prior_of

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

    What is known of the targets of steps chooses the benchmark's row (docs/context.md). Observations in one case say
    little about another: they are kept apart.
    """

    _seen: dict[tuple[Pair, Conditions], _Seen] = field(default_factory=dict)
    _features: dict[str, Features] = field(default_factory=dict)  # by step
    _ratios: list[float] = field(default_factory=list)  # log of observed over benchmarked seconds

    def of(self, invocation: Invocation) -> Estimate:
        """What the invocation is expected to cost and to give."""
        seconds, quality, n = self.prior(invocation)
        seconds *= self.slowness
        seen = self._seen.get(self._key(invocation))
        if seen is None:
            return Estimate(seconds, quality, invocation.usd)
        weight = n + seen.count
        return Estimate(
            (n * seconds + seen.seconds) / weight,
            (n * quality + seen.quality) / weight,
            (n * invocation.usd + seen.usd) / weight,
        )

    def know(self, step: str, features: Features) -> None:
        """From now on a step's target has these features, as far as they are known."""
        self._features[step] = features

    def prior(self, invocation: Invocation) -> Prior:
        """What the benchmark says, by what is known of the target of the invocation's step."""
        return prior_of(invocation, self._features.get(invocation.step, {}))

    def _key(self, invocation: Invocation) -> tuple[Pair, Conditions]:
        case = case_of(invocation, self._features.get(invocation.step, {})) if invocation.cases else None
        return Pair(invocation.tool, invocation.subtask), case.when if case is not None else ()

    @property
    def slowness(self) -> float:
        """How many times slower than the benchmark's this machine is: the geometric mean of all ratios, drawn to 1."""
        return math.exp(sum(self._ratios) / (SPEED_WEIGHT + len(self._ratios))) if self._ratios else 1.0

    def observe(self, invocation: Invocation, seconds: float, quality: float, usd: float = 0.0) -> None:
        """Learn from one invocation: the seconds and dollars of all its attempts, the quality of its best one."""
        seen = self._seen.setdefault(self._key(invocation), _Seen())
        seen.count += 1
        seen.seconds += seconds
        seen.quality += quality
        seen.usd += usd
        expected = self.prior(invocation).seconds
        if seconds > 0 and expected > 0:
            # Not the logarithm of their ratio, which may be too small for a number.
            self._ratios.append(math.log(seconds) - math.log(expected))
