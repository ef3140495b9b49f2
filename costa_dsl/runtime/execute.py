"""`costa exec` without the command line: a compiled plan and a picture in, a run directory and a record out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.registry import run_checks
from costa_dsl.compiler.emit import plan_text, to_json
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.diagnostics import CostaError, Diagnostic, Related
from costa_dsl.model.objective import Objective
from costa_dsl.rules.plan.missing_file import plan_folder
from costa_dsl.rules.plan.objective import objective_of
from costa_dsl.runtime.attempts import IMAGE, Means
from costa_dsl.runtime.cached import RunCache
from costa_dsl.runtime.events import Observer, Resumed, ignore
from costa_dsl.runtime.executor import Executor
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.runtime.instruments import CatalogInstruments
from costa_dsl.runtime.record import run_record
from costa_dsl.runtime.result import RunResult
from costa_dsl.runtime.resume import Beginning, TakenUp
from costa_dsl.runtime.run import Run
from costa_dsl.store.action_cache import Warn
from costa_dsl.store.journal import seconds_of_sessions
from costa_dsl.store.pictures import LoadedPicture
from costa_dsl.store.run_calls import repro_command
from costa_dsl.store.run_directory import RunDirectory
from costa_dsl.store.run_folder import let_go
from costa_dsl.store.values import Image

EXIT_OK, EXIT_NOT_REACHED, EXIT_BUDGET, EXIT_INTERRUPTED = 0, 4, 5, 130


@dataclass(frozen=True)
class Outcome:
    """A finished run: the picture it ended with, its record, and what to tell the user when it fell short."""

    result: RunResult
    objective: Objective
    record: dict[str, Any]
    directory: RunDirectory
    problems: tuple[Diagnostic, ...]
    exit_code: int

    @property
    def picture(self) -> Image:
        """The finished, or furthest, picture: uint8 H×W×3|4, sRGB. Read when it is asked for."""
        found: Image = self.directory.store.get(self.result.situation.image)
        return found


def execute(
    graph: ToolpathGraph,
    catalog: Catalog,
    picture: LoadedPicture,
    run_directory: Path,
    observer: Observer = ignore,
    executor: Executor | None = None,
    cache: Warn | None = None,
) -> Outcome:
    """Run a graph on a picture. The run directory then holds everything, whatever the outcome.

    Args:
        executor: runs the tools; by default in this process.
        cache: use the user's cache of results, and tell this when that cannot be written. Only with an executor that
            runs what is installed: a result is kept under the name of the installed tool.

    Raises:
        CostaError: the run directory cannot be used or written, or a file that the plan names is missing.
    """
    directory = RunDirectory.create(run_directory)
    with _kept(directory):
        directory.write("plan.yaml", plan_text(graph.plan))
        directory.write("graph.json", to_json(graph))
        image = directory.store.put(IMAGE, picture.pixels)
        plan = plan_folder(graph.plan) / Path(graph.plan.origin.document.source.name).name
        height, width = picture.pixels.shape[:2]
        beginning = Beginning(picture.name, image, (width, height), str(plan), catalog.selector)
        return _go(graph, catalog, beginning, directory, observer, executor, cache)


def resume(
    graph: ToolpathGraph,
    catalog: Catalog,
    taken_up: TakenUp,
    observer: Observer = ignore,
    executor: Executor | None = None,
    cache: Warn | None = None,
) -> Outcome:
    """Go on with a run that was stopped: what its journal holds is not done again.

    Raises:
        CostaError: the run would not go the way that its journal tells, or its directory cannot be written.
    """
    elapsed = seconds_of_sessions(taken_up.recorded.lines)
    attempts = [line for line in taken_up.recorded.lines if line["event"] == "attempt"]
    observer(Resumed(len(attempts), sum(line["seconds"] for line in attempts)))
    directory = RunDirectory.open(taken_up.path, taken_up.recorded)
    with _kept(directory):
        directory.journal.resume()
        return _go(graph, catalog, taken_up.beginning, directory, observer, executor, cache, elapsed)


@contextmanager
def _kept(directory: RunDirectory) -> Iterator[None]:
    """Give a run's directory free in the end; when it cannot be written, what is there already can be gone on with."""
    try:
        yield
    except OSError as error:
        message = f'the run directory "{directory.path}" cannot be written: {error.strerror or error}'
        help = f"make room or name another with --run-dir; then `costa exec --resume {directory.path}` goes on"
        raise CostaError(Diagnostic("COS8205", message, help=help)) from error
    finally:
        let_go(directory.path)


def _go(
    graph: ToolpathGraph,
    catalog: Catalog,
    beginning: Beginning,
    directory: RunDirectory,
    observer: Observer,
    executor: Executor | None,
    cache: Warn | None,
    elapsed: float = 0.0,
) -> Outcome:
    objective = objective_of(graph.plan)
    executor = executor or InlineExecutor()
    instruments = CatalogInstruments(catalog, executor)
    known = None if cache is None else RunCache.of(catalog, directory.path, cache)
    means = Means(executor, instruments, known)
    directory.journal.event(**beginning.to_line())
    folder = Path(beginning.plan).parent
    run = Run(graph, catalog, beginning.image, directory, means, objective, folder, observer, elapsed)
    result = run.execute()
    # Not a link: who opens the finished picture in a program that writes it would change what the run has kept.
    directory.copy(result.situation.image, "output.png")
    expectations: Sequence[CheckResult] = ()
    if result.status == "completed" and graph.plan.expect:
        before, after = (directory.store.get(ref) for ref in (beginning.image, result.situation.image))
        expectations = _measure(graph, before, after, result, instruments)
    problems = _problems(graph, result, objective, expectations, directory.path)
    record = run_record(graph, result, objective, beginning.name, beginning.size, "output.png", expectations)
    if problems and result.status == "completed":
        record["status"] = "failed"
    directory.write_json("run.json", record)
    directory.journal.end(record["status"])
    codes = {"completed": EXIT_OK, "failed": EXIT_NOT_REACHED, "budget": EXIT_BUDGET, "interrupted": EXIT_INTERRUPTED}
    return Outcome(result, objective, record, directory, tuple(problems), codes[record["status"]])


def _measure(
    graph: ToolpathGraph, before: Image, after: Image, result: RunResult, instruments: CatalogInstruments
) -> list[CheckResult]:
    evidence = Evidence("plan", before, after, instruments, placement=result.situation.placement)
    return run_checks([(found.check, found.wanted) for found in graph.plan.expect], evidence)


def _problems(
    graph: ToolpathGraph, result: RunResult, objective: Objective, expectations: Sequence[CheckResult], run: Path
) -> list[Diagnostic]:
    if result.status == "budget":
        return [
            Diagnostic(
                "COS6201", _short(graph, result, "the budget is spent"), graph.plan.origin.span("policy", "budget")
            )
        ]
    if result.status == "interrupted":
        return [Diagnostic("COS6202", _short(graph, result, "interrupted"))]
    if result.status == "failed":
        found = []
        for step, said in result.stuck.items():
            origin = graph.steps[step].step.origin
            found.append(
                Diagnostic(
                    "COS6101",
                    f'no tool could do the step "{step}" well enough (threshold {graph.plan.policy.threshold:g})',
                    origin.span("do"),
                    label="this step failed",
                    help="\n".join([*dict.fromkeys(said), *_again(result, step, run)]),
                )
            )
        return found
    threshold = graph.plan.policy.threshold
    if result.certificate.status == "infeasible":
        return [_unmet(graph, result, objective)]
    by_check = {expectation.check: expectation for expectation in graph.plan.expect}
    return [
        Diagnostic(
            "COS6102",
            f"the finished picture does not meet `{check.check}` ({check.score:.2f} < {threshold:g}): {check.sentence}",
            by_check[check.check].origin.span(),
            related=(Related("the task", graph.plan.origin.span("task")),),
        )
        for check in expectations
        if check.score < threshold
    ]


def _again(result: RunResult, step: str, run: Path) -> list[str]:
    """Where to look further: the log of the last tool that failed at a step, and what runs it again alone."""
    failed = [trace for trace in result.tried if trace.invocation.step == step and not trace.accepted]
    if not failed:
        return []
    last = failed[-1]
    log = run / last.folder / f"attempt-{last.best.number}.log"
    logged = [f"log of {last.invocation.tool}: {log}"] if log.is_file() else []
    return [*logged, f"again, alone: {repro_command(run, last.number)}"]


def _unmet(graph: ToolpathGraph, result: RunResult, objective: Objective) -> Diagnostic:
    label = result.label
    return Diagnostic(
        "COS6103",
        f"no path was found that keeps what `{objective.spec}` demands: the best one takes {label.seconds:.3g} s"
        + (f" and {label.usd:.3g} USD" if label.usd else "")
        + f", with quality {label.quality:.3g}",
        graph.plan.origin.span("policy", "objective"),
        help="demand less, or let other tools take part (`costa pareto` shows what can be had)",
    )


def _short(graph: ToolpathGraph, result: RunResult, reason: str) -> str:
    done = sum(trace.invocation.role == "step" for trace in result.path)
    return f"{reason}; executions: {result.executions}, steps done: {done} of {len(graph.steps)}"
