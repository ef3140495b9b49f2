"""`costa repro`: one attempt of a run again, alone."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from costa_dsl.cli.common import load_recorded
from costa_dsl.cli.executors import Wanted, executor_options
from costa_dsl.cli.options import format_option
from costa_dsl.diagnostics import CostaError, Diagnostic

if TYPE_CHECKING:
    from costa_dsl.store.calls import Call
    from costa_dsl.store.stored_runs import StoredRun

SAME, DIFFERENT, FAILED = 0, 1, 4


@click.command("repro")
@click.argument("path", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("step", metavar="STEP")
@click.option("--attempt", type=click.IntRange(min=1), help="Which one.  [default: the one that counted]")
@click.option(
    "-o", "--output", metavar="DIR", type=click.Path(path_type=Path), help="Keep what comes of it in this new folder."
)
@executor_options
@format_option()
def repro_command(
    path: Path, step: str, attempt: int | None, output: Path | None, wanted: Wanted, output_format: str
) -> None:
    """Run one attempt of RUN again, alone, and compare what comes of it with what is recorded.

    STEP is the number that progress lines and `costa runs show` tell, or the id of a step, a subtask or a tool that
    only one invocation has. The tool gets the same parameters, seed and inputs; the cache is not asked.

    Exit code 0: the same, bit for bit; 1: it differs; 4: the tool fails.

    \b
    Examples:
      costa repro runs/20261201-120000-plan 3
      costa repro runs/20261201-120000-plan paint --attempt 2 -o again
    """
    from costa_dsl.store.run_calls import one_call
    from costa_dsl.store.stored_runs import the_run

    run = the_run(path)
    call = one_call(run, step)
    with TemporaryDirectory(prefix="costa-repro-") as scratch:
        if output is not None:
            _make(output)
        try:
            code = _repeat(run, call, attempt, Path(scratch), output, wanted, output_format)
        except OSError as error:
            message = f"what comes of the attempt cannot be written: {error.strerror or error}"
            raise CostaError(Diagnostic("COS6610", message, help="make room, or name another folder: -o")) from error
    click.get_current_context().exit(code)


def _repeat(
    run: StoredRun,
    call: Call,
    attempt: int | None,
    scratch: Path,
    output: Path | None,
    wanted: Wanted,
    output_format: str,
) -> int:
    known, compiled = load_recorded(run.path, run.plan, str(run.lines[0]["catalog"]))

    # The heavy half: arrays and pictures, only when there is something to run.
    from costa_dsl.report.repro import describe_repeated, keep, repeated_value
    from costa_dsl.runtime.repro import repeat

    # A tool that crashed its worker in the run must not take this process down with it.
    with wanted.open() as executor:
        repeated = repeat(run, call, attempt, compiled.graph, known, scratch, executor)
    files = {} if output is None else keep(repeated, output)
    value = repeated_value(repeated, call, files)
    if output is not None:
        (output / "attempt.json").write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if output_format == "json":
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
    else:
        click.echo(describe_repeated(repeated, call, files), nl=False)
    if repeated.attempt.failure is not None:
        return FAILED
    return DIFFERENT if repeated.differs else SAME


def _make(folder: Path) -> None:
    """Make a folder that is new or empty.

    Raises:
        CostaError: COS6610 it cannot be made, or is not empty.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except (OSError, ValueError) as error:
        message = f'cannot make the folder "{folder}": {getattr(error, "strerror", None) or error}'
        raise CostaError(Diagnostic("COS6610", message, help="name another: -o"), exit_code=2) from None
    if taken:
        message = f'the folder "{folder}" is not empty'
        raise CostaError(Diagnostic("COS6610", message, help="name a new one: -o"), exit_code=2)
