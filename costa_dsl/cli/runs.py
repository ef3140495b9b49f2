"""`costa runs`: what past runs came to, and removing them."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from costa_dsl.cli.options import format_option
from costa_dsl.diagnostics import CostaError, Diagnostic

if TYPE_CHECKING:
    from costa_dsl.store.runs import RunSummary

DEFAULT = Path("runs")
_STATUSES = ("completed", "failed", "budget", "interrupted", "stopped", "running", "damaged")
_folder = click.argument("folder", type=click.Path(path_type=Path), default=DEFAULT, metavar="[FOLDER]")


@click.group("runs")
def runs_group() -> None:
    """Past runs: list them, show one, remove them. `costa exec --resume RUN` goes on with one that was stopped."""


@runs_group.command("list")
@_folder
@click.option("--status", type=click.Choice(_STATUSES), help="Only these.")
@click.option("--plan", metavar="NAME", help="Only the runs of this plan.")
@format_option()
def list_command(folder: Path, status: str | None, plan: str | None, output_format: str) -> None:
    """The runs in FOLDER (runs/ unless given), the newest first.

    `stopped` is a run that ended without a word (a kill, a power cut); somebody is at work on one that is `running`.
    """
    from costa_dsl.report.cache import size
    from costa_dsl.report.runs import run_value, runs_table
    from costa_dsl.store.runs import runs_in

    found = [run for run in runs_in(folder) if status in (None, run.status) and plan in (None, run.plan)]
    if output_format == "json":
        value = {"version": 1, "folder": str(folder), "runs": [run_value(run) for run in found]}
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
        return
    if found:
        click.echo(runs_table(found), nl=False)
    click.echo(f'{_counted(len(found))}, {size(sum(run.size for run in found))}, in "{folder}"')


@runs_group.command("show")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Print what every check measured, too.")
@format_option()
def show_command(run: Path, check: bool, output_format: str) -> None:
    """What RUN came to: the table that `costa exec` printed, or how far it is.

    `costa trace RUN` explains its decisions.
    """
    from costa_dsl.report.run import describe_run
    from costa_dsl.report.runs import describe_unfinished, run_value
    from costa_dsl.store.runs import summary

    found = summary(_real(run))
    record = _record(run) if found.status not in ("stopped", "running", "damaged") else None
    if output_format == "json":
        value = {"version": 1, **run_value(found), "record": record}
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
    elif record is None:
        click.echo(describe_unfinished(found), nl=False)
    else:
        click.echo(describe_run(record, run, _title(record), checks=check), nl=False)


@runs_group.command("rm")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option("--yes", is_flag=True, help="Do not ask.")
def rm_command(runs: tuple[Path, ...], yes: bool) -> None:
    """Remove runs with all that they hold.

    Nothing but the folder of a run is removed, and none that somebody is at work on.
    """
    from costa_dsl.store.runs import summary

    _remove([summary(_real(run)) for run in runs], yes, dry_run=False)


@runs_group.command("gc")
@_folder
@click.option("--older-than", type=click.FloatRange(min=0), metavar="DAYS", help="Only runs that began before.")
@click.option("--keep", type=click.IntRange(min=0), default=20, show_default=True, help="So many of the newest stay.")
@click.option("--status", type=click.Choice(_STATUSES), help="Only these.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def gc_command(folder: Path, older_than: float | None, keep: int, status: str | None, dry_run: bool, yes: bool) -> None:
    """Remove old runs from FOLDER (runs/ unless given)."""
    from costa_dsl.store.runs import runs_in

    before = time.time() - 86400 * older_than if older_than is not None else float("inf")
    old = [run for run in runs_in(folder)[keep:] if run.began is not None and run.began < before]
    _remove([run for run in old if run.status != "running" and status in (None, run.status)], yes, dry_run)


def _remove(runs: list[RunSummary], yes: bool, dry_run: bool) -> None:
    from costa_dsl.report.cache import size
    from costa_dsl.store.runs import is_run

    for run in runs:
        if run.status == "running":
            message = f'somebody is at work on the run "{run.path}"'
            raise CostaError(Diagnostic("COS6403", message, help="wait until it has ended, or stop it"))
    for run in runs:
        click.echo(f"{run.path}  {run.status}, {size(run.size)}")
    told = f"{_counted(len(runs))}, {size(sum(run.size for run in runs))}"
    if dry_run or not runs:
        click.echo(f"{told}: nothing was removed" if runs else "there is nothing to remove")
        return
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("nobody can be asked here: --yes removes them.")
        click.confirm(f"Remove {told}?", abort=True)
    for run in runs:
        if not is_run(run.path):  # gone meanwhile
            continue
        try:
            shutil.rmtree(run.path)
        except OSError as error:
            message = f'"{run.path}" cannot be removed: {error.strerror or error}'
            raise CostaError(Diagnostic("COS6603", message, help="check its permissions")) from error
    click.echo(f"{told}: removed")


def _real(run: Path) -> Path:
    """The folder of a run.

    Raises:
        CostaError: COS6602 it is none.
    """
    from costa_dsl.store.runs import is_run

    if is_run(run):
        return run
    reason = "is a link" if run.is_symlink() else "holds no journal.jsonl" if run.is_dir() else "is no folder"
    message = f'"{run}" is not the folder of a run: it {reason}'
    raise CostaError(Diagnostic("COS6602", message, help="`costa runs list` lists those in runs/"))


def _record(run: Path) -> dict[str, Any] | None:
    """The record; None when it is missing, or of another version."""
    from costa_dsl.runtime.record_version import RECORD_VERSION

    try:
        record: Any = json.loads((run / "run.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and record.get("version") == RECORD_VERSION else None


def _title(record: dict[str, Any]) -> str:
    from costa_dsl.model.objective_spec import ObjectiveError, read_objective

    try:
        return read_objective(record["policy"]["objective"], record["policy"]["alpha"]).title
    except ObjectiveError:  # of a package that is not installed any more
        return str(record["policy"]["objective"])


def _counted(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
