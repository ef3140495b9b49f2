"""`costa runs`: the folders of runs, listed, shown, compared and removed."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from costa_dsl.cli.amounts import SPANS, amount
from costa_dsl.cli.options import format_option
from costa_dsl.diagnostics import CostaError, Diagnostic

if TYPE_CHECKING:
    from costa_dsl.store.stored_runs import StoredRun

_STATES = ("completed", "failed", "budget", "interrupted", "stopped", "running")
_DAY = 86400.0
_folder = click.argument("folder", metavar="[FOLDER]", default=Path("runs"), type=click.Path(path_type=Path))
_run = click.Path(path_type=Path)


@click.group("runs")
def runs_group() -> None:
    """The folders of runs: what is there, how each went, in what two differ, and removing them."""


@runs_group.command("list")
@_folder
@click.option("--status", type=click.Choice(_STATES), multiple=True, help="Only runs that are so; may be repeated.")
@click.option("--plan", metavar="NAME", help="Only runs of this plan: the name of its file, without .yaml.")
@format_option()
def list_command(folder: Path, status: tuple[str, ...], plan: str | None, output_format: str) -> None:
    """Every run in FOLDER (by default runs/), the newest first.

    `stopped` is a run that ended by a kill or a power cut: `costa exec --resume` goes on with it.
    """
    from costa_dsl.report.cache import size
    from costa_dsl.report.stored_runs import LIST_VERSION, run_table, run_value
    from costa_dsl.store.stored_runs import find_runs

    found = find_runs(folder)
    if status:
        found = [run for run in found if run.state in status]
    if plan is not None:
        found = [run for run in found if run.is_run and plan in (run.plan_name, Path(run.plan).name)]
    if output_format == "json":
        value = {"version": LIST_VERSION, "folder": str(folder), "runs": [run_value(run) for run in found]}
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
        return
    if found:
        click.echo(run_table(found), nl=False)
    number = sum(run.is_run for run in found)
    click.echo(f'{_counted(number)}, {size(sum(run.size for run in found))}, in "{folder}"')


@runs_group.command("show")
@click.argument("path", metavar="RUN", type=_run)
@click.option("--step", metavar="STEP", help="One step alone, with its attempts: its id, a subtask, or a number.")
@click.option("--check", is_flag=True, help="Print what every check measured, not only the table of steps.")
@format_option()
def show_command(path: Path, step: str | None, check: bool, output_format: str) -> None:
    """What `costa exec` printed at the end of RUN, or what it has done so far.

    \b
    Examples:
      costa runs show runs/20261201-120000-plan
      costa runs show runs/20261201-120000-plan --step paint
    """
    from costa_dsl.report.run import describe_record
    from costa_dsl.report.stored_runs import SHOW_VERSION, call_value, describe_call, describe_unfinished, run_value
    from costa_dsl.store.run_calls import calls_of
    from costa_dsl.store.stored_runs import the_run

    run = the_run(path)
    record = run.record
    calls = run.calls if step is None else calls_of(run, step)
    resume = f"costa exec --resume {shlex.quote(str(path))}" if run.state in ("stopped", "interrupted") else None
    if output_format == "json":
        value: dict[str, Any] = {"version": SHOW_VERSION, **run_value(run), "resume": resume}
        if step is None:
            value["record"] = record
        value["calls"] = [call_value(run, call) for call in calls]
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
        return
    if step is not None:
        click.echo("".join(describe_call(run, call) for call in calls), nl=False)
        return
    click.echo(describe_unfinished(run) if record is None else describe_record(record, path, checks=check), nl=False)
    if run.problem:
        click.echo(f"{run.problem}")
    if resume is not None:
        click.echo(f"goes on with: {resume}")


@runs_group.command("diff")
@click.argument("first", metavar="A", type=_run)
@click.argument("second", metavar="B", type=_run)
@format_option()
@click.pass_context
def diff_command(ctx: click.Context, first: Path, second: Path, output_format: str) -> None:
    """In what two runs differ: how they began, the tools of their paths, seconds, quality, the finished pictures.

    Exit code 0: the same path and the same picture; 1: they differ.
    """
    from costa_dsl.report.run_difference import describe_difference, difference_of, difference_value
    from costa_dsl.store.stored_runs import the_run

    one, other = the_run(first), the_run(second)
    found = difference_of(one, other, _apart(one, other))
    if output_format == "json":
        click.echo(json.dumps(difference_value(found, first, second), indent=2, ensure_ascii=False))
    else:
        click.echo(describe_difference(found, first, second), nl=False)
    ctx.exit(0 if found.is_same else 1)


def _apart(one: StoredRun, other: StoredRun) -> str | None:
    """In words how far the finished pictures are apart; None when they are equal."""
    files = [run.path / "output.png" for run in (one, other)]
    missing = [str(file.parent) for file in files if not file.is_file()]
    if missing:
        return f"no finished picture in {' and '.join(missing)}"

    # The heavy half: arrays and pictures.
    from costa_dsl.store.picture_difference import picture_difference
    from costa_dsl.store.pictures import load_picture

    pictures = []
    for file in files:
        try:
            pictures.append(load_picture(str(file)).pixels)
        except CostaError as error:
            return error.diagnostics[0].message
    found = picture_difference(pictures[0], pictures[1])
    return None if found.is_equal else found.words


@runs_group.command("rm")
@click.argument("paths", metavar="RUN...", nargs=-1, required=True, type=_run)
@click.option("--yes", is_flag=True, help="Do not ask.")
def rm_command(paths: tuple[Path, ...], yes: bool) -> None:
    """Remove runs with all that they hold. One that is running is refused, and so is what is not a run."""
    from costa_dsl.report.cache import size
    from costa_dsl.store.remove_runs import refuse_running
    from costa_dsl.store.stored_runs import the_run

    # Twice the same is once; everything is looked at before anything is removed.
    runs = list({path.resolve(): the_run(path) for path in paths}.values())
    for run in runs:
        refuse_running(run)
    if not yes:
        held = size(sum(run.size for run in runs))
        if not sys.stdin.isatty():
            message = f"{_counted(len(runs))} ({held}) would be removed for good, and nobody can be asked here"
            raise CostaError(Diagnostic("COS6605", message, help="add --yes"), exit_code=2)
        if not click.confirm(f"remove {_counted(len(runs))} ({held}) for good?", err=True):
            click.echo("nothing was removed")
            return
    _remove(runs)


@runs_group.command("gc")
@_folder
@click.option(
    "--older-than", metavar="TIME", callback=amount(SPANS, "30d"), help="Only runs that began so long ago, as in 12h."
)
@click.option("--keep", metavar="N", type=click.IntRange(min=0), help="Keep the newest N of those that would go.")
@click.option(
    "--status", type=click.Choice(_STATES[:-1]), multiple=True, help="Only runs that are so; may be repeated."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@format_option()
def gc_command(
    folder: Path,
    older_than: float | None,
    keep: int | None,
    status: tuple[str, ...],
    dry_run: bool,
    output_format: str,
) -> None:
    """Remove old runs from FOLDER (by default runs/). At least one option must say which.

    With several options a run goes that all of them allow. What is running, or is no run, always stays.

    \b
    Examples:
      costa runs gc --older-than 30d --keep 20 --dry-run
      costa runs gc --status failed
    """
    from costa_dsl.report.cache import size
    from costa_dsl.store.remove_runs import remove_left_over
    from costa_dsl.store.stored_runs import find_runs

    if older_than is None and keep is None and not status:
        raise click.UsageError("say which runs shall go: --older-than, --keep or --status")
    now = time.time()
    found = [run for run in find_runs(folder) if run.is_run and run.state != "running"]
    if status:
        found = [run for run in found if run.state in status]
    going = [
        run
        for number, run in enumerate(found)
        if (keep is None or number >= keep) and (older_than is None or now - (run.begun or now) >= older_than * _DAY)
    ]
    total = sum(run.size for run in going)
    if output_format == "json":
        names = [{"run": str(run.path), "status": run.state, "bytes": run.size} for run in going]
        removed = [] if dry_run else _removed(going)
        value = {"version": 1, "dry_run": dry_run, "runs": names, "removed": len(removed), "bytes": total}
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
        return
    if dry_run:
        for run in going:
            click.echo(f"would remove {run.path} ({run.state}, {size(run.size)})")
        click.echo(f"would remove {_counted(len(going))} ({size(total)})")
        return
    remove_left_over(folder)
    _remove(going)


def _remove(runs: Sequence[StoredRun]) -> None:
    from costa_dsl.report.cache import size

    sizes = {run.path: run.size for run in runs}
    removed = _removed(runs)
    for run in removed:
        click.echo(f"removed {run.path} ({size(sizes[run.path])})")
    click.echo(f"removed {_counted(len(removed))} ({size(sum(sizes[run.path] for run in removed))})")


def _removed(runs: Sequence[StoredRun]) -> list[StoredRun]:
    from costa_dsl.store.remove_runs import remove_run

    done = []
    for run in runs:
        remove_run(run)
        done.append(run)
    return done


def _counted(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
