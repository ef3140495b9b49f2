"""What tools are expected to cost and to give, and the bounds that follow for the rest of a path."""

from __future__ import annotations

from dataclasses import dataclass, field

from costa_dsl.compiler.graph import Invocation, ToolpathGraph

# A benchmark row speaks with the weight of this many runs against what is observed now.
PRIOR_WEIGHT = 3.0


@dataclass
class Estimates:
    """Expected seconds and quality per tool and subtask: the benchmark, corrected by what this run has seen.

    The corrected value is the mean of the benchmark (with weight PRIOR_WEIGHT) and the observations.
    """

    _seen: dict[tuple[str, str], tuple[float, float, float]] = field(default_factory=dict)

    def observe(self, invocation: Invocation, seconds: float, quality: float) -> None:
        count, total_seconds, total_quality = self._seen.get((invocation.tool, invocation.subtask), (0.0, 0.0, 0.0))
        self._seen[invocation.tool, invocation.subtask] = (
            count + 1,
            total_seconds + seconds,
            total_quality + quality,
        )

    def seconds(self, invocation: Invocation) -> float:
        count, seconds, _ = self._seen.get((invocation.tool, invocation.subtask), (0.0, 0.0, 0.0))
        return (PRIOR_WEIGHT * invocation.seconds + seconds) / (PRIOR_WEIGHT + count)

    def quality(self, invocation: Invocation) -> float:
        count, _, quality = self._seen.get((invocation.tool, invocation.subtask), (0.0, 0.0, 0.0))
        return (PRIOR_WEIGHT * invocation.quality + quality) / (PRIOR_WEIGHT + count)


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
