"""One invocation of one tool on one input: attempts, guarantees, checks, the retry ladder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
from costa_dsl.store.artifacts import ArtifactRef, ArtifactStore

IMAGE = "image"


@dataclass(frozen=True)
class Attempt:
    """One try with one set of parameters.

    Attributes:
        quality: the least score of its checks, and at most the benchmark's quality when no check measured it; 0 when
            it failed.
        measured: whether some check told how good the result is.
        outputs: what it gave, by artifact type, in the run's store; empty when it failed.
        placement: where the picture before lies in the one that came out, when the canvas changed.
        log: what the tool printed, and the traceback of what it raised; in a file of the run directory only.
    """

    number: int
    parameters: Mapping[str, Any]
    seconds: float
    load_seconds: float
    quality: float
    measured: bool
    checks: tuple[CheckResult, ...] = ()
    failure: Failure | None = None
    outputs: Mapping[str, ArtifactRef] = field(default_factory=dict)
    placement: Placement | None = None
    log: str = ""

    def to_value(self) -> dict[str, Any]:
        """The attempt as plain values, rounded, for people."""
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

    def to_line(self) -> dict[str, Any]:
        """The attempt as plain values in full, for the journal: a run that is taken up again decides by them alike."""
        line: dict[str, Any] = {
            "attempt": self.number,
            "parameters": dict(self.parameters),
            "seconds": self.seconds,
            "load_seconds": self.load_seconds,
            "quality": float(self.quality),
            "measured": self.measured,
            "checks": [result.to_line() for result in self.checks],
            "outputs": {name: {"digest": ref.digest, "path": ref.path} for name, ref in self.outputs.items()},
        }
        if self.placement is not None:
            line["placement"] = asdict(self.placement)
        if self.failure is not None:
            line["failure"] = {"kind": self.failure.kind, "message": self.failure.message, "help": self.failure.help}
        return line

    @staticmethod
    def from_line(line: Mapping[str, Any]) -> Attempt:
        """The inverse of `to_line`; the log is a file of its own."""
        placement, failure = line.get("placement"), line.get("failure")
        return Attempt(
            number=line["attempt"],
            parameters=line["parameters"],
            seconds=line["seconds"],
            load_seconds=line["load_seconds"],
            quality=line["quality"],
            measured=line["measured"],
            checks=tuple(CheckResult.from_line(result) for result in line["checks"]),
            failure=None if failure is None else Failure(**failure),
            outputs={name: ArtifactRef(name, **ref) for name, ref in line["outputs"].items()},
            placement=None if placement is None else Placement(**placement),
        )

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
    """Everything that attempts on one invocation need to know.

    Attributes:
        image, artifacts: what the tool is given, in `store`, into which what it gives goes.
    """

    tool: Tool
    subtask: Subtask
    invocation: Invocation
    expect: tuple[Expectation, ...]
    target: Target
    store: ArtifactStore
    image: ArtifactRef
    artifacts: Mapping[str, ArtifactRef]
    arguments: Mapping[str, Any]
    kinds: Mapping[str, CheckKind]
    threshold: float
    attempts: int
    seed: int


def attempt_all(
    trial: Trial,
    executor: Executor,
    instruments: Instruments,
    report: Callable[[Attempt], None],
    done: Sequence[Attempt] = (),
) -> tuple[Attempt, ...]:
    """Attempts in order until one is accepted or the ladder ends; each is reported as it ends.

    The next parameters are the manifest's remedy for the weakest failed check, else the next rung of `retries`.
    The same parameters are never tried twice.

    Args:
        done: the first attempts, when they were made before the run was taken up again; they are reported too.
    """
    tried: list[Attempt] = []
    seen: set[str] = set()
    rungs = iter(trial.tool.retries)
    parameters: dict[str, Any] | None = trial.tool.defaults()
    while parameters is not None and len(tried) < trial.attempts:
        seen.add(json.dumps(parameters, sort_keys=True))
        known = len(tried) < len(done)
        attempt = done[len(tried)] if known else _attempt(trial, len(tried) + 1, parameters, executor, instruments)
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
    get = trial.store.get
    call = ToolCall(
        subtask=trial.subtask.name,
        image=get(trial.image),
        artifacts={name: get(ref) for name, ref in trial.artifacts.items()},
        target=trial.target,
        arguments=trial.arguments,
        parameters=parameters,
        objects=trial.tool.objects,
        seed=trial.seed * 1000 + number,
    )
    execution = executor.run(trial.tool, call, gives).or_stop()
    seconds, loading, log = execution.seconds, execution.load_seconds, execution.log
    if execution.failure is not None:
        return Attempt(number, parameters, seconds, loading, 0.0, True, failure=execution.failure, log=log)
    evidence = _evidence(trial, call, execution, instruments)
    broken = broken_guarantees(trial.tool.guarantees, evidence)
    if broken:
        failure = Failure("guarantee", f"{trial.tool.name} broke its guarantee: {'; '.join(broken)}")
        return Attempt(number, parameters, seconds, loading, 0.0, True, failure=failure, log=log)
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
        seconds,
        loading,
        quality,
        bool(measures),
        results,
        outputs={name: trial.store.put(name, value) for name, value in execution.values.items()},
        placement=execution.placement,
        log=log,
    )


def _image_first(trial: Trial) -> tuple[str, ...]:
    return (IMAGE,) if trial.subtask.is_edit else ()


def _evidence(trial: Trial, call: ToolCall, execution: Execution, instruments: Instruments) -> Evidence:
    outputs = {name: value for name, value in execution.values.items() if name != IMAGE}
    where = (call.subtask, call.artifacts, call.target, call.arguments, call.parameters, call.image.shape[:2], outputs)
    return Evidence(
        subtask=call.subtask,
        before=call.image,
        after=execution.values.get(IMAGE, call.image),
        instruments=instruments,
        placement=execution.placement,
        target=call.target,
        arguments=call.arguments,
        parameters=call.parameters,
        artifacts=call.artifacts,
        outputs=outputs,
        region=edit_region(*where) if trial.subtask.is_edit else None,
    )
