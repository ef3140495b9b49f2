"""`costa exec`: runs a plan on a picture."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from costa_dsl.cli.common import NO_WISHES, Wishes, load, load_recorded, read_compiled, tell, tell_all
from costa_dsl.cli.executors import Wanted, executor_options
from costa_dsl.cli.options import catalog_option, format_option, policy_options, scope_options
from costa_dsl.cli.stopping import stoppable
from costa_dsl.compiler.cut import Scope
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink

if TYPE_CHECKING:
    from costa_dsl.compiler.select import Selection
    from costa_dsl.runtime.execute import Outcome
    from costa_dsl.runtime.executor import Executor
    from costa_dsl.store.action_cache import Warn


@click.command("exec")
@click.argument("plan_file", metavar="[PLAN]", required=False)
@click.option("--image", metavar="FILE|sample:NAME", help="The picture; overrides the plan's `inputs: {image: …}`.")
@click.option("-o", "--output", metavar="FILE", help="Also write the finished picture there.")
@click.option(
    "--run-dir", type=click.Path(path_type=Path), help="Where the run is kept.  [default: runs/<time>-<plan>]"
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Go on with a run that was stopped, in its directory: what finished is not run again.",
)
@click.option("--no-cache", is_flag=True, help="Run every tool, and keep nothing in the cache (`costa cache`).")
@click.option("--check", is_flag=True, help="Print what every check measured, not only the table of steps.")
@scope_options
@policy_options("alpha", "objective", "strategy", "budget")
@executor_options
@catalog_option
@format_option()
def exec_command(
    plan_file: str | None,
    image: str | None,
    output: str | None,
    run_dir: Path | None,
    resume: Path | None,
    no_cache: bool,
    check: bool,
    scope: Scope | None,
    wishes: Wishes,
    wanted: Wanted,
    catalog: str | None,
    output_format: str,
) -> None:
    """Run PLAN, or a graph that `costa compile` printed, on a picture.

    Exit code 0: done; 4: some step could not be done well enough (the furthest picture is kept in the run
    directory); 5: the budget is spent; 130, 143, 129: stopped by Ctrl-C, SIGTERM or SIGHUP (the record is written).

    \b
    Examples:
      costa exec plans/astronaut.yaml --image sample:astronaut -o edited.png
      costa exec plan.yaml --image photo.jpg --alpha 0 --run-dir runs/best
      costa exec plan.yaml --image photo.jpg --objective min-quality:0.8 --strategy commit
      costa exec plan.yaml --image photo.jpg --budget seconds=60,usd=0.20
      costa exec --resume runs/best -o edited.png
    """
    cache = None if no_cache else _warn
    if resume is not None:
        _refuse_beside_resume(plan_file=plan_file, image=image, run_dir=run_dir, scope=scope, catalog=catalog)
        if replace(wishes, budget=None) != NO_WISHES:
            raise click.UsageError("--resume goes on as the run began: leave --alpha, --objective and --strategy out")
    elif plan_file is None:
        raise click.UsageError("Missing argument 'PLAN'.")
    with stoppable() as stop, ExitStack() as stack:

        def start() -> Executor:
            return stack.enter_context(wanted.open())

        if plan_file is None:
            assert resume is not None
            prepared = _taken_up(resume, output, cache, wishes, start)
        else:
            prepared = _begun(plan_file, image, output, run_dir, scope, wishes, catalog, cache, start)
        outcome = prepared.go()
    _show(outcome, prepared, output, check, output_format)
    click.get_current_context().exit(stop.exit_code(outcome.exit_code))


def _show(outcome: Outcome, prepared: _Prepared, output: str | None, check: bool, output_format: str) -> None:
    """The overlay, the finished picture, and the report."""
    from costa_dsl.report.overlay import write_overlay
    from costa_dsl.report.run import describe_run
    from costa_dsl.runtime.execute import EXIT_OK
    from costa_dsl.store.pictures import save_picture

    overlay = write_overlay(outcome)
    if overlay is not None:
        outcome.record["overlay"] = overlay
        outcome.directory.write_json("run.json", outcome.record)
    if output is not None and outcome.exit_code == EXIT_OK:
        tell_all(save_picture(outcome.picture, output))
    if output_format == "json":
        click.echo(json.dumps(outcome.record, indent=2, ensure_ascii=False))
    else:
        written = output if outcome.exit_code == EXIT_OK else None
        click.echo(describe_run(outcome, prepared.selections, written, checks=check), nl=False)
    tell_all(outcome.problems)


@dataclass(frozen=True)
class _Prepared:
    """A run that is ready to start, or to go on; `selections` is what the compiler chose from, for the report."""

    go: Callable[[], Outcome]
    selections: Mapping[str, Selection]


def _begun(
    plan_file: str,
    image: str | None,
    output: str | None,
    run_dir: Path | None,
    scope: Scope | None,
    wishes: Wishes,
    catalog: str | None,
    cache: Warn | None,
    start: Callable[[], Executor],
) -> _Prepared:
    """A new run."""
    from costa_dsl.runtime.files import input_picture

    sink = Sink()
    known = load(catalog, sink)
    if known.is_paper:
        raise _no_code()
    compiled = read_compiled(plan_file, known, sink, wishes=wishes, scope=scope)
    plan = compiled.graph.plan
    name = input_picture(plan) if image is None else image
    if name is None:
        raise _no_picture()
    tell(sink)

    # The heavy half: arrays and pictures, only when there is a graph to run. A worker starts meanwhile.
    executor = start()
    from costa_dsl.report.progress import Progress
    from costa_dsl.runtime.execute import execute
    from costa_dsl.store.pictures import check_output_path, load_picture
    from costa_dsl.store.run_directory import RunDirectory

    if output is not None:
        check_output_path(output)
    picture = load_picture(name)
    tell_all(picture.notices)
    folder = run_dir or RunDirectory.default_path(plan.name)
    executor = start()

    def go() -> Outcome:
        return execute(compiled.graph, known, picture, folder, Progress(sys.stderr), executor, cache)

    return _Prepared(go, compiled.selections)


def _taken_up(
    run: Path, output: str | None, cache: Warn | None, wishes: Wishes, start: Callable[[], Executor]
) -> _Prepared:
    """A run that goes on."""
    from costa_dsl.report.progress import Progress
    from costa_dsl.runtime.execute import resume as go_on
    from costa_dsl.runtime.resume import take_up
    from costa_dsl.store.pictures import check_output_path

    if output is not None:
        check_output_path(output)
    taken_up = take_up(run)
    tell_all(taken_up.notices)
    known, compiled = load_recorded(run, taken_up.beginning.plan, taken_up.beginning.catalog)
    graph = replace(compiled.graph, plan=wishes.over(compiled.graph.plan))
    executor = start()

    def go() -> Outcome:
        return go_on(graph, known, taken_up, Progress(sys.stderr), executor, cache)

    return _Prepared(go, compiled.selections)


def _warn(diagnostic: Diagnostic) -> None:
    tell_all([diagnostic])


def _refuse_beside_resume(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            word = "PLAN" if name == "plan_file" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"--resume goes on as the run began: leave {word} out")


def _no_code() -> CostaError:
    return CostaError(
        Diagnostic(
            "COS2104",
            "no code stands behind the tools of the papers' table",
            help="`--catalog paper` is for `compile`; leave it out to run with the tools that come with costa",
        ),
        exit_code=2,
    )


def _no_picture() -> CostaError:
    return CostaError(
        Diagnostic(
            "COS3002",
            "no picture was named",
            help="add `--image FILE` (or `--image sample:coffee`), or `inputs: {image: FILE}` to the plan",
        ),
        exit_code=2,
    )
