"""One attempt of a run made again, alone: the same tool, parameters, seed and inputs, without the cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.runtime.attempts import IMAGE, Attempt, Means, Trial, attempt_once
from costa_dsl.runtime.executor import Executor
from costa_dsl.runtime.files import resolve_files
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.runtime.instruments import CatalogInstruments
from costa_dsl.store.artifacts import ArtifactStore
from costa_dsl.store.calls import Call
from costa_dsl.store.journal import Line
from costa_dsl.store.picture_difference import picture_difference
from costa_dsl.store.refs import ArtifactRef
from costa_dsl.store.stored_runs import StoredRun


@dataclass(frozen=True)
class Repeated:
    """An attempt that was made again.

    Attributes:
        trial: what it was made with; its store has the outputs.
        attempt: as it came out now.
        recorded: as it came out in the run; None when the run was stopped in it.
        differs: in words, what came out otherwise than recorded; empty when nothing did, or nothing is recorded.
        accepted: whether it is good enough for the plan.
    """

    trial: Trial
    attempt: Attempt
    recorded: Attempt | None
    differs: tuple[str, ...]
    accepted: bool


class _StoreOver(ArtifactStore):
    """Writes to a folder of its own, and reads what is not there from a run's."""

    def __init__(self, root: Path, below: ArtifactStore) -> None:
        super().__init__(root)
        self._below = below

    def get(self, ref: ArtifactRef) -> Any:
        return super().get(ref) if (self.root / ref.path).exists() else self._below.get(ref)


def repeat(
    run: StoredRun,
    call: Call,
    number: int | None,
    graph: ToolpathGraph,
    catalog: Catalog,
    root: Path,
    executor: Executor | None = None,
) -> Repeated:
    """Make an attempt of a run again. Nothing in the run's folder changes.

    Args:
        number: of the attempt, from 1; by default the one that counts, or the first when none has ended.
        graph, catalog: the run's.
        root: a folder for what comes out of it.

    Raises:
        CostaError: COS6608 the journal does not tell enough; COS6609 there is no such attempt; COS6801, COS6802 what
            the tool was given is missing or damaged.
    """
    recorded = _recorded(run, call, number)
    store = _StoreOver(root, ArtifactStore(run.path / "artifacts"))
    trial = _trial(run, call, graph, catalog, store)
    for ref in (trial.image, *trial.artifacts.values()):
        store.get(ref)
    executor = executor or InlineExecutor()
    means = Means(executor, CatalogInstruments(catalog, executor))
    parameters: Mapping[str, Any] = trial.tool.defaults() if recorded is None else recorded.parameters
    again = attempt_once(trial, 1 if recorded is None else recorded.number, parameters, means)
    differs = () if recorded is None else tuple(_differences(recorded, again, store))
    return Repeated(trial, again, recorded, differs, again.accepted(trial.threshold))


def _recorded(run: StoredRun, call: Call, number: int | None) -> Attempt | None:
    line: Line | None = call.best
    if number is not None:
        line = next((found for found in call.attempts if found["attempt"] == number), None)
        if line is None and (number != 1 or call.attempts):
            raise CostaError(_no_attempt(run, call, number), exit_code=3)
    try:
        return None if line is None else Attempt.from_line(line)
    except (KeyError, TypeError):
        raise CostaError(_tells_too_little(run, call)) from None


def _trial(run: StoredRun, call: Call, graph: ToolpathGraph, catalog: Catalog, store: ArtifactStore) -> Trial:
    try:
        started = call.started
        inputs = {name: ArtifactRef(name, **ref) for name, ref in started["inputs"].items()}
        image = inputs.pop(IMAGE)
        expected = float(started["expected"])
        invocation = _invocation(graph, started["invocation"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise CostaError(_tells_too_little(run, call)) from None
    step = graph.steps[invocation.step]
    arguments, target = resolve_files(step, Path(run.plan).parent)
    policy = graph.plan.policy
    return Trial(
        tool=catalog.tools[invocation.tool],
        subtask=catalog.vocabulary.subtasks[invocation.subtask],
        invocation=invocation,
        expected=expected,
        expect=step.step.expect if invocation.role == "step" else (),
        target=target,
        store=store,
        image=image,
        artifacts=inputs,
        arguments=arguments,
        kinds=catalog.vocabulary.checks,
        threshold=policy.threshold,
        attempts=policy.attempts,
        seed=policy.seed,
    )


def _invocation(graph: ToolpathGraph, name: object) -> Invocation:
    return {found.id: found for found in graph.invocations}[str(name)]


def _differences(before: Attempt, now: Attempt, store: ArtifactStore) -> list[str]:
    """What came out otherwise; how long it took does not count."""
    if before.failure is not None or now.failure is not None:
        was, found = (
            "it gave something" if attempt.failure is None else f"{attempt.failure.kind}: {attempt.failure.message}"
            for attempt in (before, now)
        )
        return [] if was == found else [f"recorded: {was}", f"now: {found}"]
    found_differences = []
    for name in sorted({*before.outputs, *now.outputs}):
        one, other = before.outputs.get(name), now.outputs.get(name)
        if one is None or other is None:
            found_differences.append(f"{name}: {'not recorded' if one is None else 'not given now'}")
        elif one.digest != other.digest:
            found_differences.append(f"{name}: {_apart(one, other, store)}")
    if before.placement != now.placement:
        found_differences.append(f"placement: {before.placement} is recorded, now {now.placement}")
    if before.quality != now.quality:
        found_differences.append(f"quality: {before.quality:.4f} is recorded, now {now.quality:.4f}")
    return found_differences


def _apart(one: ArtifactRef, other: ArtifactRef, store: ArtifactStore) -> str:
    if one.type not in (IMAGE, "mask"):
        return "not the same values"
    try:
        return picture_difference(store.get(one), store.get(other)).words
    except CostaError:
        return "not the recorded one, whose file is missing or damaged"


def _no_attempt(run: StoredRun, call: Call, number: int) -> Diagnostic:
    numbers = [str(line["attempt"]) for line in call.attempts]
    has = f"it has {', '.join(numbers)}" if numbers else "none has ended; leave --attempt out"
    message = f'invocation {call.number} ({call.tool}) of "{run.path}" has no attempt {number}'
    return Diagnostic("COS6609", message, help=has)


def _tells_too_little(run: StoredRun, call: Call) -> Diagnostic:
    return Diagnostic(
        "COS6608",
        f'the journal of "{run.path}" does not tell what invocation {call.number} ({call.tool}) was given',
        help="an older costa wrote it, or its graph.json was changed; run the plan again in a new directory",
    )
