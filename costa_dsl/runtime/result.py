"""What a run has come to: what is at hand at a label, each invocation as it really went, and how it all ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from costa_dsl.compiler.graph import ArtifactKey, Invocation
from costa_dsl.model.artifact import Placement
from costa_dsl.runtime.attempts import Attempt
from costa_dsl.search.context import Prior
from costa_dsl.search.space import Certificate, Label
from costa_dsl.store.artifacts import ArtifactRef
from costa_dsl.store.run_folder import step_folder


@dataclass(frozen=True)
class Situation:
    """What is at hand at a label: the picture, the artifacts, and where the first picture lies in this one."""

    image: ArtifactRef
    artifacts: Mapping[ArtifactKey, ArtifactRef]
    placement: Placement


@dataclass(frozen=True)
class Trace:
    """One invocation as it really went.

    Attributes:
        number: its place in the order in which tools ran, from 1.
        estimate: the benchmark's word on it, by what was known of the target.
        seconds, load_seconds, usd: of all its attempts.
        quality: of the accepted attempt, or of the best one.
        outputs: what the accepted (or best) attempt gave, by artifact type.
        files: the same, as paths below the run directory.
        placement: where the picture before lies in the one that came out, when the canvas changed.
    """

    number: int
    invocation: Invocation
    estimate: Prior
    why: str
    attempts: tuple[Attempt, ...]
    accepted: bool
    seconds: float
    load_seconds: float
    quality: float
    usd: float
    outputs: Mapping[str, ArtifactRef]
    files: Mapping[str, str]
    placement: Placement | None

    @property
    def folder(self) -> str:
        """Where its files lie, as a path below the run directory."""
        return step_folder(self.number, self.invocation.subtask, self.invocation.tool)

    @property
    def usd_spent(self) -> float:
        """US dollars of the attempts that really ran."""
        return self.usd * ran([self]) / len(self.attempts)

    @property
    def best(self) -> Attempt:
        """The accepted attempt, or the best of those that were not."""
        return best_attempt(self.attempts)


@dataclass(frozen=True)
class RunResult:
    """How a run ended.

    Attributes:
        status: `completed`, `failed` (no tool was left for some step), `budget` or `interrupted`.
        label: the best complete path, or the furthest partial one.
        path: its invocations as they went, in order.
        tried: every invocation that ran, in the order in which it ran.
        situation: the final picture and artifacts.
        certificate: what is proven about the path, by the estimates.
        stuck: the steps that the path lacks and that some tool failed at, with what each said.
    """

    status: str
    label: Label
    path: tuple[Trace, ...]
    tried: tuple[Trace, ...]
    situation: Situation
    certificate: Certificate
    wall_seconds: float
    stuck: Mapping[str, Sequence[str]]

    @property
    def executions(self) -> int:
        """The attempts of all tools, those included whose results were found in the cache."""
        return sum(len(trace.attempts) for trace in self.tried)

    @property
    def cached(self) -> int:
        """How many of them were found in the cache."""
        return self.executions - ran(self.tried)


def ran(traces: Iterable[Trace]) -> int:
    """How many attempts really ran a tool; the others were found in the cache."""
    return sum(not attempt.cached for trace in traces for attempt in trace.attempts)


def progress(label: Label) -> tuple[int, float, int]:
    """How far a partial path came: steps done, then quality, then age."""
    return (len(steps_done(label)), label.quality, -label.number)


def steps_done(label: Label) -> set[str]:
    found = (part.invocation for part in label.path())
    return {invocation.step for invocation in found if invocation is not None and invocation.role == "step"}


def best_attempt(attempts: Iterable[Attempt]) -> Attempt:
    """The attempt with the highest quality; of equals one that gave something, then the last."""
    return max(attempts, key=lambda attempt: (attempt.quality, attempt.failure is None, attempt.number))
