"""The interpreter: drives the search, runs the tools that it asks for, and tells it what came of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import GraphStep, Invocation, ToolpathGraph
from costa_dsl.model.artifact import Placement
from costa_dsl.model.context import Features
from costa_dsl.model.objective import Objective, shown
from costa_dsl.runtime.attempts import IMAGE, Attempt, Means, Trial, attempt_all, started_line
from costa_dsl.runtime.context import Context, watched
from costa_dsl.runtime.events import AttemptEnded, Observer, ToolLeftOut, ToolReused, ToolStarted, ignore
from costa_dsl.runtime.files import resolve_files
from costa_dsl.runtime.result import RunResult, Situation, Trace, best_attempt, progress, ran, steps_done
from costa_dsl.search.context import described, in_vain, prior_of
from costa_dsl.search.journal import known_line, outcome_line, search_line
from costa_dsl.search.search import Search
from costa_dsl.search.space import Execute, Finished, Label, Outcome, Stop
from costa_dsl.search.strategies import STRATEGIES
from costa_dsl.store.artifacts import ArtifactRef
from costa_dsl.store.run_directory import RunDirectory
from costa_dsl.store.run_folder import step_folder


class BudgetSpent(Exception):  # noqa: N818  (no error: the run ends with what there is)
    """Another attempt would take more than the plan's budget."""


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
        means: Means,
        objective: Objective,
        folder: Path,
        observer: Observer = ignore,
        elapsed: float = 0.0,
    ) -> None:
        self._graph = graph
        self._catalog = catalog
        self._directory = directory
        self._means = means
        self._journal = directory.journal
        self._observer = observer
        self._objective = objective
        self._started = time.perf_counter() - elapsed
        self._search = Search(graph, objective, STRATEGIES[graph.plan.policy.strategy])
        self._inputs = {name: resolve_files(step, folder) for name, step in graph.steps.items()}
        self._states = {state.id: state for state in graph.states}
        self._context = Context(directory.store.get)
        self._watched = watched(graph)
        self._known: dict[str, Features] = {}
        root = Label(0, graph.start, 0.0, 1.0, executed=True)
        self._situations = {0: Situation(image, {}, Placement())}
        self._reached: list[Label] = [root]
        self._traces: dict[int, Trace] = {}
        self._tried: list[Trace] = []
        self._memory: dict[str, Trace] = {}
        self._went_wrong: dict[str, list[str]] = {}  # step id → what failed there, for the next tool's `why`

    def _begin(self) -> None:
        """Tell the search what is known of targets at once, and the journal what is searched."""
        for step in self._watched:
            found = self._context.features(step, self._situations[0].image, {})
            if found:
                self._known[step.id] = found
                self._search.know(step.id, found)
        self._journal.event(**search_line(self._search, self._known))

    def execute(self) -> RunResult:
        """Run to the end, to the budget or to an interruption; what was reached is never lost."""
        started = self._started
        status = "failed"
        try:
            self._begin()
            while isinstance(decision := self._search.next(), Execute):
                self._follow(decision)
            if isinstance(decision, Finished):
                status = "completed"
        except BudgetSpent:
            status = "budget"
        except KeyboardInterrupt:
            status = "interrupted"
        label = self._search.best or max(self._reached, key=progress)
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
            stuck={step: said for step, said in self._went_wrong.items() if step not in steps_done(label)},
        )

    def _is_done(self, label: Label | None) -> bool:
        """Whether a complete path is there that keeps what the objective demands."""
        return label is not None and self._objective.is_met(label.seconds, label.quality, label.usd)

    def _check_budget(self, made: Sequence[Attempt], price: float) -> None:
        """Whether another attempt may be made.

        Args:
            made: the attempts of the invocation under way.
            price: of one more, in US dollars.

        Raises:
            BudgetSpent: it would take more than the budget allows.
        """
        budget = self._graph.plan.policy.budget
        calls = ran(self._tried) + sum(not attempt.cached for attempt in made)
        usd = sum(trace.usd_spent for trace in self._tried) + price * sum(not attempt.cached for attempt in made)
        if (
            (budget.seconds is not None and time.perf_counter() - self._started >= budget.seconds)
            or (budget.calls is not None and calls >= budget.calls)
            # Prices are added up: what is left over by rounding is no reason to stop.
            or (budget.usd is not None and usd + price > budget.usd + 1e-9)
        ):
            raise BudgetSpent

    def _follow(self, decision: Execute) -> None:
        """Run one invocation, or take its result from memory, and tell the search."""
        label = decision.label
        assert label.invocation is not None
        assert label.parent is not None
        invocation = label.invocation
        before = self._situations[label.parent.number]
        features = self._features(invocation, before)
        if in_vain(invocation, features, self._graph.plan.policy.threshold):
            outcome = self._left_out(invocation, features)
        else:
            outcome = self._result(decision, before)
        self._journal.event(**outcome_line(label, outcome))
        self._search.observe(outcome)

    def _features(self, invocation: Invocation, before: Situation) -> Features:
        """What is known of the target of an invocation's step, here; the search is told."""
        step = self._graph.steps[invocation.step]
        if step not in self._watched:
            return {}
        self._look((step,), before, here=True)
        return self._known.get(step.id, {})

    def _look(self, steps: Iterable[GraphStep], situation: Situation, here: bool = False) -> None:
        """Measure the targets of steps, and tell the search what is new.

        Args:
            here: also tell that nothing is known here of a target that was measured elsewhere.
        """
        for step in steps:
            found = self._context.features(step, situation.image, situation.artifacts)
            if (found or here) and found != self._known.get(step.id, {}):
                self._known[step.id] = found
                self._journal.event(**known_line(step.id, found))
                self._search.know(step.id, found)

    def _left_out(self, invocation: Invocation, features: Features) -> Outcome:
        """A tool that is not good enough for what it would work on."""
        quality = prior_of(invocation, features).quality
        measured = described(invocation, features)
        reason = f"{quality:.2f} is to be expected of it here" + (f": {measured}" if measured else "")
        self._went_wrong.setdefault(invocation.step, []).append(f"{invocation.tool} was left out ({reason})")
        if not self._journal.is_replaying:
            self._observer(ToolLeftOut(invocation, reason))
        return Outcome(False, 0.0, quality, 0.0, ran=False)

    def _result(self, decision: Execute, before: Situation) -> Outcome:
        """What a tool gives, now or when it ran on the same before."""
        label = decision.label
        assert label.invocation is not None
        invocation = label.invocation
        key = self._memory_key(invocation, before)
        trace = self._memory.get(key)
        if trace is None:
            if not self._journal.is_replaying:
                self._check_budget((), invocation.usd)
            trace = self._memory[key] = self._run(invocation, before, self._why(decision))
        elif not self._journal.is_replaying:
            self._observer(ToolReused(trace.number, invocation))
        if trace.accepted:
            self._traces[label.number] = trace
            after = self._situations[label.number] = self._after(before, trace, invocation)
            self._reached.append(label)
            done = steps_done(label)
            self._look((step for step in self._watched if step.id not in done), after)
        else:
            self._went_wrong.setdefault(invocation.step, []).append(f"{invocation.tool} failed ({trace.best.summary})")
        return Outcome(trace.accepted, trace.seconds, trace.quality, trace.usd)

    def _memory_key(self, invocation: Invocation, before: Situation) -> str:
        arguments, target = self._inputs[invocation.step]
        inputs = [before.image.digest, *(before.artifacts[key].digest for key in invocation.needs)]
        estimate = self._search.estimates.prior(invocation)
        content = [
            *(invocation.tool, invocation.subtask, arguments, target.object, target.at, inputs, invocation.role),
            estimate,
        ]
        return json.dumps(content, sort_keys=True, default=list)

    def _run(self, invocation: Invocation, before: Situation, why: str) -> Trace:
        number = len(self._tried) + 1
        folder = step_folder(number, invocation.subtask, invocation.tool).removeprefix("steps/")
        policy = self._graph.plan.policy
        arguments, target = self._inputs[invocation.step]
        step = self._graph.steps[invocation.step]
        trial = Trial(
            tool=self._catalog.tools[invocation.tool],
            subtask=self._catalog.vocabulary.subtasks[invocation.subtask],
            invocation=invocation,
            expected=self._search.estimates.prior(invocation).quality,
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
        self._journal.event(**started_line(number, trial, why))
        if not self._journal.is_replaying:
            self._observer(ToolStarted(number, invocation, why))
        done = [Attempt.from_line(line) for line in self._journal.ahead("attempt", number=number)]

        made: list[Attempt] = []

        def ended(attempt: Attempt) -> None:
            made.append(attempt)
            if attempt.log:
                self._directory.write(f"steps/{folder}/attempt-{attempt.number}.log", attempt.log)
            if self._journal.event("attempt", number=number, **attempt.to_line()):
                self._observer(AttemptEnded(number, invocation, attempt, policy.threshold))

        try:
            attempt_all(trial, self._means, ended, partial(self._check_budget, price=invocation.usd), done)
        except (BudgetSpent, KeyboardInterrupt):
            if made:  # they have run, and count
                self._conclude(number, invocation, why, made)
            raise
        return self._conclude(number, invocation, why, made)

    def _conclude(self, number: int, invocation: Invocation, why: str, attempts: Sequence[Attempt]) -> Trace:
        """An invocation as it went, kept in the run's folder."""
        folder = step_folder(number, invocation.subtask, invocation.tool).removeprefix("steps/")
        best = best_attempt(attempts)
        trace = Trace(
            number=number,
            invocation=invocation,
            estimate=self._search.estimates.prior(invocation),
            why=why,
            attempts=tuple(attempts),
            accepted=best.accepted(self._graph.plan.policy.threshold),
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
        measured = described(mine, self._known.get(mine.step, {}))
        reason += f"; {measured}" if measured else ""
        return f"{after}; {reason}" if after else reason
