"""One invocation of one tool on one input: attempts, guarantees, checks, the retry ladder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from costa_dsl.checks.evidence import CheckResult, Evidence, Instruments
from costa_dsl.checks.guarantees import broken_guarantees
from costa_dsl.checks.region import edit_region
from costa_dsl.checks.registry import run_checks
from costa_dsl.compiler.graph import Invocation
from costa_dsl.model.artifact import Placement, Target
from costa_dsl.model.plan import Expectation
from costa_dsl.model.subtask import CheckKind, Subtask
from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.executor import Execution, Executor, Failure
from costa_dsl.store.values import Image

IMAGE = "image"


@dataclass(frozen=True)
class Attempt:
    """One try with one set of parameters.

    Attributes:
        quality: the least score of its checks, and at most the benchmark's quality when no check measured it; 0 when
            it failed.
        measured: whether some check told how good the result is.
    """

    number: int
    parameters: Mapping[str, Any]
    seconds: float
    load_seconds: float
    quality: float
    measured: bool
    checks: tuple[CheckResult, ...] = ()
    failure: Failure | None = None
    values: Mapping[str, Any] | None = None
    placement: Placement | None = None

    def to_value(self) -> dict[str, Any]:
        """The attempt as plain values, for the journal and the run record."""
        value: dict[str, Any] = {
            "attempt": self.number,
            "parameters": dict(self.parameters),
            "seconds": round(self.seconds, 4),
            "load_seconds": round(self.load_seconds, 4),
            "quality": round(self.quality, 4),
            "measured": self.measured,
            "checks": [result.to_value() for result in self.checks],
        }
        if self.failure is not None:
            value["failure"] = {"kind": self.failure.kind, "message": self.failure.message, "help": self.failure.help}
        return value

    def accepted(self, threshold: float) -> bool:
        """Whether it gave something that is good enough."""
        return self.failure is None and self.quality >= threshold

    @property
    def summary(self) -> str:
        """One sentence: the failure, or the weakest check."""
        if self.failure is not None:
            return self.failure.message
        if not self.checks:
            return "nothing could be measured"
        worst = min(self.checks, key=lambda result: result.score)
        return f"{worst.check} {worst.score:.2f}: {worst.sentence}"


@dataclass(frozen=True)
class Trial:
    """Everything that attempts on one invocation need to know."""

    tool: Tool
    subtask: Subtask
    invocation: Invocation
    expect: tuple[Expectation, ...]
    target: Target
    image: Image
    artifacts: Mapping[str, Any]
    arguments: Mapping[str, Any]
    kinds: Mapping[str, CheckKind]
    threshold: float
    attempts: int
    seed: int


def attempt_all(
    trial: Trial, executor: Executor, instruments: Instruments, report: Callable[[Attempt], None]
) -> tuple[Attempt, ...]:
    """Attempts in order until one is accepted or the ladder ends; each is reported as it ends.

    The next parameters are the manifest's remedy for the weakest failed check, else the next rung of `retries`.
    The same parameters are never tried twice.
    """
    tried: list[Attempt] = []
    seen: set[str] = set()
    rungs = iter(trial.tool.retries)
    parameters: dict[str, Any] | None = trial.tool.defaults()
    while parameters is not None and len(tried) < trial.attempts:
        seen.add(json.dumps(parameters, sort_keys=True))
        attempt = _attempt(trial, len(tried) + 1, parameters, executor, instruments)
        tried.append(attempt)
        report(attempt)
        if attempt.accepted(trial.threshold) or not _worth_repeating(attempt):
            break
        parameters = _next_parameters(trial, attempt, rungs, seen)
    return tuple(tried)


def _worth_repeating(attempt: Attempt) -> bool:
    return attempt.failure is None or attempt.failure.kind not in ("unavailable", "unsupported", "invalid-input")


def _next_parameters(
    trial: Trial, attempt: Attempt, rungs: Iterator[Mapping[str, Any]], seen: set[str]
) -> dict[str, Any] | None:
    failing = sorted(
        (result for result in attempt.checks if result.score < trial.threshold), key=lambda result: result.score
    )
    remedies = [trial.tool.remedies[result.check] for result in failing if result.check in trial.tool.remedies]
    for change in (*remedies, *rungs):
        candidate = {**trial.tool.defaults(), **change}
        if json.dumps(candidate, sort_keys=True) not in seen:
            return candidate
    return None


def _attempt(
    trial: Trial, number: int, parameters: Mapping[str, Any], executor: Executor, instruments: Instruments
) -> Attempt:
    gives = tuple(dict.fromkeys((*_image_first(trial), *(key.type for key in trial.invocation.gives))))
    call = ToolCall(
        subtask=trial.subtask.name,
        image=trial.image,
        artifacts=trial.artifacts,
        target=trial.target,
        arguments=trial.arguments,
        parameters=parameters,
        objects=trial.tool.objects,
        models=executor.models,
        seed=trial.seed * 1000 + number,
    )
    execution = executor.run(trial.tool, call, gives)
    if execution.failure is not None:
        return Attempt(
            number, parameters, execution.seconds, execution.load_seconds, 0.0, True, failure=execution.failure
        )
    evidence = _evidence(trial, parameters, execution, instruments)
    broken = broken_guarantees(trial.tool.guarantees, evidence)
    if broken:
        failure = Failure("guarantee", f"{trial.tool.name} broke its guarantee: {'; '.join(broken)}")
        return Attempt(number, parameters, execution.seconds, execution.load_seconds, 0.0, True, failure=failure)
    asked = {expectation.check for expectation in trial.expect}
    wanted: list[tuple[str, Any]] = [(check, True) for check in trial.subtask.checks if check not in asked]
    wanted += [(expectation.check, expectation.wanted) for expectation in trial.expect]
    results = tuple(run_checks(wanted, evidence))
    measures = [result for result in results if trial.kinds[result.check].measures]
    quality = min((result.score for result in results), default=1.0)
    if not measures:
        # Nothing told how good the result is, only that nothing is wrong with it: the benchmark's word stands.
        quality = min(quality, trial.invocation.quality)
    return Attempt(
        number,
        parameters,
        execution.seconds,
        execution.load_seconds,
        quality,
        bool(measures),
        results,
        values=execution.values,
        placement=execution.placement,
    )


def _image_first(trial: Trial) -> tuple[str, ...]:
    return (IMAGE,) if trial.subtask.is_edit else ()


def _evidence(trial: Trial, parameters: Mapping[str, Any], execution: Execution, instruments: Instruments) -> Evidence:
    outputs = {name: value for name, value in execution.values.items() if name != IMAGE}
    return Evidence(
        subtask=trial.subtask.name,
        before=trial.image,
        after=execution.values.get(IMAGE, trial.image),
        instruments=instruments,
        placement=execution.placement,
        target=trial.target,
        arguments=trial.arguments,
        parameters=parameters,
        artifacts=trial.artifacts,
        outputs=outputs,
        region=edit_region(
            trial.subtask.name,
            trial.artifacts,
            trial.target,
            trial.arguments,
            parameters,
            trial.image.shape[:2],
            outputs,
        )
        if trial.subtask.is_edit
        else None,
    )
