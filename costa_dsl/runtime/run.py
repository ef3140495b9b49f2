"""The interpreter: drives the search, runs the tools that it asks for, and tells it what came of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import ArtifactKey, Invocation, ToolpathGraph
from costa_dsl.model.artifact import Placement
from costa_dsl.model.objective import Objective, shown
from costa_dsl.runtime.attempts import IMAGE, Attempt, Trial, attempt_all
from costa_dsl.runtime.events import AttemptEnded, Observer, ToolReused, ToolStarted, ignore
from costa_dsl.runtime.executor import Executor
from costa_dsl.runtime.files import resolve_files
from costa_dsl.runtime.instruments import CatalogInstruments
from costa_dsl.search.journal import outcome_line, search_line
from costa_dsl.search.search import Search
from costa_dsl.search.space import Certificate, Execute, Finished, Label, Outcome, Stop
from costa_dsl.search.strategies import STRATEGIES
from costa_dsl.store.artifacts import ArtifactRef
from costa_dsl.store.run_directory import RunDirectory


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
        seconds, load_seconds, usd: of all its attempts.
        quality: of the accepted attempt, or of the best one.
        outputs: what the accepted (or best) attempt gave, by artifact type.
        files: the same, as paths below the run directory.
        placement: where the picture before lies in the one that came out, when the canvas changed.
    """

    number: int
    invocation: Invocation
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
        return sum(len(trace.attempts) for trace in self.tried)


class Run:
    """One execution of one graph on one picture.

    Args:
        image: the picture, in the directory's store.
        directory: of a new run, or of one that goes on: what its journal holds is not done again.
        folder: where the files lie that the plan names.
        elapsed: seconds that the run has taken before, in other processes.
    """

    def __init__(
        self,
        graph: ToolpathGraph,
        catalog: Catalog,
        image: ArtifactRef,
        directory: RunDirectory,
        executor: Executor,
        objective: Objective,
        folder: Path,
        observer: Observer = ignore,
        elapsed: float = 0.0,
    ) -> None:
        self._graph = graph
        self._catalog = catalog
        self._directory = directory
        self._executor = executor
        self._journal = directory.journal
        self._observer = observer
        self._objective = objective
        self._elapsed_before = elapsed
        self._search = Search(graph, objective, STRATEGIES[graph.plan.policy.strategy])
        self._journal.event(**search_line(self._search))
        self._instruments = CatalogInstruments(catalog, executor)
        self._inputs = {name: resolve_files(step, folder) for name, step in graph.steps.items()}
        self._states = {state.id: state for state in graph.states}
        root = Label(0, graph.start, 0.0, 1.0, executed=True)
        self._situations = {0: Situation(image, {}, Placement())}
        self._reached: list[Label] = [root]
        self._traces: dict[int, Trace] = {}
        self._tried: list[Trace] = []
        self._memory: dict[str, Trace] = {}
        self._went_wrong: dict[str, list[str]] = {}  # step id → what failed there, for the next tool's `why`

    def execute(self) -> RunResult:
        """Run to the end, to the budget or to an interruption; what was reached is never lost."""
        started = time.perf_counter() - self._elapsed_before
        status = "failed"
        try:
            while isinstance(decision := self._search.next(), Execute):
                if not self._journal.is_replaying and self._budget_spent(time.perf_counter() - started):
                    status = "budget"
                    break
                self._follow(decision)
            if isinstance(decision, Finished):
                status = "completed"
        except KeyboardInterrupt:
            status = "interrupted"
        label = self._search.best or max(self._reached, key=_progress)
        stopped: Stop = "budget" if status == "budget" else "cancelled" if status == "interrupted" else ""
        if status == "budget" and self._is_done(self._search.best):
            # Only the look at what may be better still has ended.
            status = "completed"
        return RunResult(
            status=status,
            label=label,
            path=tuple(self._traces[part.number] for part in label.path()),
            tried=tuple(self._tried),
            situation=self._situations[label.number],
            certificate=self._search.certificate(stopped),
            wall_seconds=time.perf_counter() - started,
            stuck={step: said for step, said in self._went_wrong.items() if step not in _steps_done(label)},
        )

    def _is_done(self, label: Label | None) -> bool:
        """Whether a complete path is there that keeps what the objective demands."""
        return label is not None and self._objective.is_met(label.seconds, label.quality, label.usd)

    def _budget_spent(self, elapsed: float) -> bool:
        policy = self._graph.plan.policy
        executions = sum(len(trace.attempts) for trace in self._tried)
        return (policy.seconds is not None and elapsed >= policy.seconds) or (
            policy.calls is not None and executions >= policy.calls
        )

    def _follow(self, decision: Execute) -> None:
        """Run one invocation, or take its result from memory, and tell the search."""
        label = decision.label
        assert label.invocation is not None
        assert label.parent is not None
        invocation = label.invocation
        before = self._situations[label.parent.number]
        key = self._memory_key(invocation, before)
        trace = self._memory.get(key)
        if trace is None:
            trace = self._memory[key] = self._run(invocation, before, self._why(decision))
        else:
            if not self._journal.is_replaying:
                self._observer(ToolReused(trace.number, invocation))
        if trace.accepted:
            self._traces[label.number] = trace
            self._situations[label.number] = self._after(before, trace, invocation)
            self._reached.append(label)
        else:
            self._went_wrong.setdefault(invocation.step, []).append(f"{invocation.tool} failed ({trace.best.summary})")
        outcome = Outcome(trace.accepted, trace.seconds, trace.quality, trace.usd)
        self._journal.event(**outcome_line(label, outcome))
        self._search.observe(outcome)

    def _memory_key(self, invocation: Invocation, before: Situation) -> str:
        arguments, target = self._inputs[invocation.step]
        inputs = [before.image.digest, *(before.artifacts[key].digest for key in invocation.needs)]
        content = [invocation.tool, invocation.subtask, arguments, target.object, target.at, inputs, invocation.role]
        return json.dumps(content, sort_keys=True, default=list)

    def _run(self, invocation: Invocation, before: Situation, why: str) -> Trace:
        number = len(self._tried) + 1
        folder = f"{number:02d}-{invocation.subtask}-{invocation.tool}"
        policy = self._graph.plan.policy
        arguments, target = self._inputs[invocation.step]
        step = self._graph.steps[invocation.step]
        trial = Trial(
            tool=self._catalog.tools[invocation.tool],
            subtask=self._catalog.vocabulary.subtasks[invocation.subtask],
            invocation=invocation,
            expect=step.step.expect if invocation.role == "step" else (),
            target=target,
            store=self._directory.store,
            image=before.image,
            artifacts={key.type: before.artifacts[key] for key in invocation.needs},
            arguments=arguments,
            kinds=self._catalog.vocabulary.checks,
            threshold=policy.threshold,
            attempts=policy.attempts,
            seed=policy.seed,
        )
        self._journal.event("started", number=number, tool=invocation.tool, step=invocation.step, why=why)
        if not self._journal.is_replaying:
            self._observer(ToolStarted(number, invocation, why))
        done = [Attempt.from_line(line) for line in self._journal.ahead("attempt", number=number)]

        def ended(attempt: Attempt) -> None:
            if attempt.log:
                self._directory.write(f"steps/{folder}/attempt-{attempt.number}.log", attempt.log)
            if self._journal.event("attempt", number=number, **attempt.to_line()):
                self._observer(AttemptEnded(number, invocation, attempt, policy.threshold))

        attempts = attempt_all(trial, self._executor, self._instruments, ended, done)
        best = best_attempt(attempts)
        trace = Trace(
            number=number,
            invocation=invocation,
            why=why,
            attempts=attempts,
            accepted=best.accepted(policy.threshold),
            seconds=sum(attempt.seconds for attempt in attempts),
            load_seconds=sum(attempt.load_seconds for attempt in attempts),
            quality=best.quality,
            usd=invocation.usd * len(attempts),
            outputs=best.outputs,
            files={name: self._directory.show(folder, name, ref) for name, ref in best.outputs.items()},
            placement=best.placement,
        )
        self._tried.append(trace)
        self._write_step(folder, trace)
        return trace

    def _write_step(self, folder: str, trace: Trace) -> None:
        self._directory.write_json(
            f"steps/{folder}/attempts.json",
            {
                "tool": trace.invocation.tool,
                "subtask": trace.invocation.subtask,
                "step": trace.invocation.step,
                "accepted": trace.accepted,
                "why": trace.why,
                "attempts": [attempt.to_value() for attempt in trace.attempts],
            },
        )

    def _after(self, before: Situation, trace: Trace, invocation: Invocation) -> Situation:
        """What is at hand afterwards: exactly what the graph's state claims."""
        given = {key: trace.outputs[key.type] for key in invocation.gives}
        return Situation(
            image=trace.outputs.get(IMAGE, before.image),
            artifacts={
                key: given.get(key) or before.artifacts[key] for key in self._states[invocation.target].artifacts
            },
            placement=before.placement.then(trace.placement) if trace.placement else before.placement,
        )

    def _why(self, decision: Execute) -> str:
        """One sentence: what spoke for this tool, by the numbers that decided."""
        label = decision.label
        assert label.invocation is not None
        mine = label.invocation
        wrong = "; ".join(self._went_wrong.get(mine.step, []))
        after = f"after {wrong}" if wrong else ""
        rivals: dict[str, Label] = {}
        for rival in decision.rivals:
            found = rival.invocation
            if found is not None and (found.tool, found.step) != (mine.tool, mine.step):
                name = found.tool if found.step == mine.step else f"{found.step} first"
                rivals.setdefault(name, rival)
        if not rivals:
            ways = len(self._graph.outgoing[mine.source])
            return after or (
                "the only way on" if ways == 1 else "the others from here have run; this may still be better"
            )
        others = ", ".join(f"{name} {shown(rival.promise)}" for name, rival in list(rivals.items())[:3])
        reason = f"least {self._objective.title}: {shown(label.promise)} against {others}"
        return f"{after}; {reason}" if after else reason


def _progress(label: Label) -> tuple[int, float, int]:
    """How far a partial path came: steps done, then quality, then age."""
    return (len(_steps_done(label)), label.quality, -label.number)


def _steps_done(label: Label) -> set[str]:
    found = (part.invocation for part in label.path())
    return {invocation.step for invocation in found if invocation is not None and invocation.role == "step"}


def best_attempt(attempts: Iterable[Attempt]) -> Attempt:
    """The attempt with the highest quality; of equals one that gave something, then the last."""
    return max(attempts, key=lambda attempt: (attempt.quality, attempt.failure is None, attempt.number))
