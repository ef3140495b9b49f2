"""What tools are expected to cost and to give, and the bounds that follow for the rest of a path."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from costa_dsl.compiler.graph import Invocation, ToolpathGraph

# A benchmark row speaks with the weight of this many runs against what is observed now.
PRIOR_WEIGHT = 3.0

# "This machine is as fast as the benchmark's" speaks with the weight of this many runs: it is only a guess.
SPEED_WEIGHT = 0.5


@dataclass
class _Seen:
    """What this run has observed of one tool at one subtask."""

    count: int = 0
    seconds: float = 0.0
    quality: float = 0.0


@dataclass
class Estimates:
    """Expected seconds and quality per tool and subtask: the benchmark, corrected by what this run has seen.

    The corrected value is the mean of the benchmark (with weight PRIOR_WEIGHT) and the observations. The benchmark's
    seconds are first brought to this machine: one that is twice as slow at some tools is expected to be slow at
    the others too, otherwise every tool that has not run yet would look better than those that have.
    """

    _seen: dict[tuple[str, str], _Seen] = field(default_factory=dict)
    _ratios: list[float] = field(default_factory=list)  # log of observed over benchmarked seconds

    def observe(self, invocation: Invocation, seconds: float, quality: float) -> None:
        """Learn from one invocation: the seconds of all its attempts, the quality of its best one."""
        seen = self._seen.setdefault((invocation.tool, invocation.subtask), _Seen())
        seen.count += 1
        seen.seconds += seconds
        seen.quality += quality
        if seconds > 0 and invocation.seconds > 0:
            self._ratios.append(math.log(seconds / invocation.seconds))

    @property
    def slowness(self) -> float:
        """How many times slower than the benchmark's this machine is: the geometric mean of all ratios, drawn to 1."""
        return math.exp(sum(self._ratios) / (SPEED_WEIGHT + len(self._ratios)))

    def seconds(self, invocation: Invocation) -> float:
        seen = self._seen.get((invocation.tool, invocation.subtask), _Seen())
        expected = invocation.seconds * self.slowness
        return (PRIOR_WEIGHT * expected + seen.seconds) / (PRIOR_WEIGHT + seen.count)

    def quality(self, invocation: Invocation) -> float:
        seen = self._seen.get((invocation.tool, invocation.subtask), _Seen())
        return (PRIOR_WEIGHT * invocation.quality + seen.quality) / (PRIOR_WEIGHT + seen.count)


@dataclass(frozen=True)
class Bounds:
    """The least seconds and the greatest quality product still to come, per state.

    Each is a backward pass of its own, so that J(C + C_min, Q · Q_max) never overestimates (FACTS §3, ours).
    """

    least_seconds: dict[str, float]
    greatest_quality: dict[str, float]

    @staticmethod
    def of(graph: ToolpathGraph, estimates: Estimates) -> Bounds:
        seconds = {graph.goal: 0.0}
        quality = {graph.goal: 1.0}
        for state in reversed(graph.states):
            if state.id == graph.goal:
                continue
            ways = graph.outgoing[state.id]
            seconds[state.id] = min(seconds[way.target] + estimates.seconds(way) for way in ways)
            quality[state.id] = max(quality[way.target] * estimates.quality(way) for way in ways)
        return Bounds(seconds, quality)
