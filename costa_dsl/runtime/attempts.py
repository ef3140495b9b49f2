"""One invocation of one tool on one input: attempts, guarantees, checks, the retry ladder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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
from costa_dsl.runtime.action import attempt_preimage, measurement_preimage
from costa_dsl.runtime.cached import Made, Measured, RunCache
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.executor import Executor, Failure
from costa_dsl.store.artifacts import ArtifactStore
from costa_dsl.store.refs import ArtifactRef

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
        cached: its result was found in the shared cache; the seconds are those of the time when the tool really ran.
        action, measurement: the keys under which the cache keeps its result and what was measured of it.
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
    cached: bool = False
    action: str | None = None
    measurement: str | None = None
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
            "cached": self.cached,
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
            "cached": self.cached,
            "action": self.action,
            "measurement": self.measurement,
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
            cached=line["cached"],
            action=line["action"],
            measurement=line["measurement"],
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
        expected: the quality in [0, 1] that the benchmark expects, by what is known of the target.
        image, artifacts: what the tool is given, in `store`, into which what it gives goes.
    """

    tool: Tool
    subtask: Subtask
    invocation: Invocation
    expected: float
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


def started_line(number: int, trial: Trial, why: str) -> dict[str, Any]:
    """The event of the journal before the first attempt: all that `costa repro` needs to make one again."""
    inputs = {IMAGE: trial.image, **trial.artifacts}
    return {
        "event": "started",
        "number": number,
        "tool": trial.invocation.tool,
        "step": trial.invocation.step,
        "why": why,
        "invocation": trial.invocation.id,
        "inputs": {name: {"digest": ref.digest, "path": ref.path} for name, ref in sorted(inputs.items())},
        "expected": float(trial.expected),
    }


@dataclass(frozen=True)
class Means:
    """What attempts are made with: what runs the tools, what measures, and the shared cache, when one is used."""

    executor: Executor
    instruments: Instruments
    cache: RunCache | None = None


def attempt_all(
    trial: Trial,
    means: Means,
    report: Callable[[Attempt], None],
    before_retry: Callable[[Sequence[Attempt]], None],
    done: Sequence[Attempt] = (),
) -> tuple[Attempt, ...]:
    """Attempts in order until one is accepted or the ladder ends; each is reported as it ends.

    The next parameters are the manifest's remedy for the weakest failed check, else the next rung of `retries`.
    The same parameters are never tried twice.

    Args:
        before_retry: called with the attempts made so far; it may raise, to end them all.
        done: the first attempts, when they were made before the run was taken up again; they are reported too.
    """
    tried: list[Attempt] = []
    seen: set[str] = set()
    rungs = iter(trial.tool.retries)
    parameters: dict[str, Any] | None = trial.tool.defaults()
    while parameters is not None and len(tried) < trial.attempts:
        seen.add(json.dumps(parameters, sort_keys=True))
        known = len(tried) < len(done)
        if tried and not known:
            before_retry(tried)
        attempt = done[len(tried)] if known else attempt_once(trial, len(tried) + 1, parameters, means)
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


def attempt_once(trial: Trial, number: int, parameters: Mapping[str, Any], means: Means) -> Attempt:
    """One attempt with given parameters; its number, from 1, and the trial's seed make the seed that the tool gets."""
    call = _Call(trial, parameters, trial.seed * 1000 + number)
    made, cached, action = _make(call, means)
    attempt = Attempt(
        number,
        parameters,
        made.seconds,
        made.load_seconds,
        0.0,
        True,
        failure=made.failure,
        cached=cached,
        action=action,
        log=made.log,
    )
    if made.failure is not None:
        return attempt
    measured, measurement = _measure(call, made, means)
    attempt = replace(attempt, measurement=measurement)
    if measured.broken:
        broken = f"{trial.tool.name} broke its guarantee: {'; '.join(measured.broken)}"
        return replace(attempt, failure=Failure("guarantee", broken))
    measures = any(trial.kinds[result.check].measures for result in measured.results)
    quality = min((result.score for result in measured.results), default=1.0)
    if not measures:
        # Nothing told how good the result is, only that nothing is wrong with it: the benchmark's word stands.
        quality = min(quality, trial.expected)
    return replace(
        attempt,
        quality=quality,
        measured=measures,
        checks=measured.results,
        outputs=made.outputs,
        placement=made.placement,
    )


@dataclass(frozen=True)
class _Call:
    """One attempt's inputs, by reference: nothing is read from the store before a tool or a check needs it."""

    trial: Trial
    parameters: Mapping[str, Any]
    seed: int

    @property
    def inputs(self) -> dict[str, ArtifactRef]:
        return {IMAGE: self.trial.image, **self.trial.artifacts}

    @property
    def words(self) -> dict[str, Any]:
        return {"parameters": self.parameters, "arguments": self.trial.arguments, "target": self.trial.target}

    @property
    def gives(self) -> tuple[str, ...]:
        image = (IMAGE,) if self.trial.subtask.is_edit else ()
        return tuple(dict.fromkeys((*image, *(key.type for key in self.trial.invocation.gives))))

    @property
    def checks(self) -> list[tuple[str, Any]]:
        """What is measured, with the wanted values: what the plan expects, and what the subtask does besides."""
        asked = {expectation.check for expectation in self.trial.expect}
        wanted: list[tuple[str, Any]] = [(check, True) for check in self.trial.subtask.checks if check not in asked]
        return wanted + [(expectation.check, expectation.wanted) for expectation in self.trial.expect]

    def read(self) -> ToolCall:
        """The call with the values themselves."""
        trial = self.trial
        return ToolCall(
            subtask=trial.subtask.name,
            image=trial.store.get(trial.image),
            artifacts={name: trial.store.get(ref) for name, ref in trial.artifacts.items()},
            **self.words,
            objects=trial.tool.objects,
            seed=self.seed,
        )


def _make(call: _Call, means: Means) -> tuple[Made, bool, str | None]:
    """What the tool gives, whether that was found in the cache, and the key that it has there."""
    trial = call.trial

    def run() -> Made:
        done = means.executor.run(trial.tool, call.read(), call.gives).or_stop()
        outputs = {name: trial.store.put(name, value) for name, value in done.values.items()}
        return Made(done.seconds, done.load_seconds, outputs, done.placement, done.failure, done.log)

    if means.cache is None:
        return run(), False, None
    preimage = attempt_preimage(
        trial.tool, trial.subtask.name, inputs=call.inputs, gives=call.gives, seed=call.seed, **call.words
    )
    return means.cache.attempt(preimage, trial.store, run)


def _measure(call: _Call, made: Made, means: Means) -> tuple[Measured, str | None]:
    """What guarantees and checks say of a result, and the key that this has in the cache."""
    trial = call.trial

    def run() -> Measured:
        evidence = _evidence(trial, call.read(), made, means.instruments)
        broken = tuple(broken_guarantees(trial.tool.guarantees, evidence))
        return Measured(broken, () if broken else tuple(run_checks(call.checks, evidence)))

    if means.cache is None:
        return run(), None
    preimage = measurement_preimage(
        call.checks,
        trial.tool.guarantees,
        trial.subtask.name,
        inputs=call.inputs,
        outputs=made.outputs,
        placement=made.placement,
        instruments=means.cache.instruments,
        **call.words,
    )
    return means.cache.measurement(preimage, trial.store, run)


def _evidence(trial: Trial, call: ToolCall, made: Made, instruments: Instruments) -> Evidence:
    given = {name: trial.store.get(ref) for name, ref in made.outputs.items()}
    outputs = {name: value for name, value in given.items() if name != IMAGE}
    where = (call.subtask, call.artifacts, call.target, call.arguments, call.parameters, call.image.shape[:2], outputs)
    return Evidence(
        subtask=call.subtask,
        before=call.image,
        after=given.get(IMAGE, call.image),
        instruments=instruments,
        placement=made.placement,
        target=call.target,
        arguments=call.arguments,
        parameters=call.parameters,
        artifacts=call.artifacts,
        outputs=outputs,
        region=edit_region(*where) if trial.subtask.is_edit else None,
    )
