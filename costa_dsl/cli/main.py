"""The command `costa`: finds the sub-command, and turns whatever ends it into words and an exit code.

Exit codes: 0 ok, 1 findings, 2 usage, 3 nothing matched, 4 the run ended without its goal, 5 budget or
deadline, 70 internal error, 130 interrupted.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

import click

from costa_dsl import __version__
from costa_dsl.cli.lazy import LazyGroup
from costa_dsl.cli.options import FORMAT, wanted_format
from costa_dsl.diagnostics import CostaError, Diagnostic

OUTPUT_LOST, USAGE, INTERNAL, INTERRUPTED, BROKEN_PIPE = 1, 2, 70, 130, 141
# What writing ends in at a full disk, a quota, a limit, a terminal that is gone, a file open for reading only.
_LOST = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)

COMMANDS = {
    "validate": (
        "costa_dsl.cli.validate:validate_command",
        "Check plans, manifests and tables; say what is wrong and where.",
    ),
    "fmt": ("costa_dsl.cli.fmt:fmt_command", "Put plans and manifests into one form; comments stay."),
    "compile": ("costa_dsl.cli.compile:compile_command", "Turn a plan into a graph of tools, with estimates."),
    "diff": ("costa_dsl.cli.diff:diff_command", "Compare two graphs, or what two plans compile to."),
    "import": ("costa_dsl.cli.import_:import_command", "Make a plan of a subtask tree (Tree.json)."),
    "export": ("costa_dsl.cli.export:export_command", "Write the best path of a plan for another program."),
    "pareto": ("costa_dsl.cli.pareto:pareto_command", "List the paths worth having, from the fastest to the best."),
    "simulate": ("costa_dsl.cli.simulate:simulate_command", "Try strategies out on simulated tools."),
    "exec": ("costa_dsl.cli.exec:exec_command", "Run a plan or a graph on a picture."),
    "runs": ("costa_dsl.cli.runs:runs_group", "List, show, compare and remove the folders of runs."),
    "repro": ("costa_dsl.cli.repro:repro_command", "Run one attempt of a run again, alone."),
    "trace": ("costa_dsl.cli.trace:trace_command", "Explain every decision of a run or a simulation."),
    "tools": ("costa_dsl.cli.tools:tools_group", "List the tools, and what they lack on this machine."),
    "cache": ("costa_dsl.cli.cache:cache_group", "What finished results are kept, and why one was not."),
    "schema": ("costa_dsl.cli.schema:schema_group", "Print the JSON Schema of a kind of file."),
    "explain": ("costa_dsl.cli.explain:explain_command", "Explain the code of a finding, with an example."),
}


@click.group(
    name="costa",
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: costa validate plans/   ·   costa explain COS1012",
)
@click.version_option(__version__, "--version", prog_name="costa", message="%(prog)s %(version)s")
def costa() -> None:
    """Image editing from declarative plans: check them, compile them, run them."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The entry point of `costa` and of `python -m costa_dsl`."""
    # A command lives for seconds and makes many small things that stay: looking through them ever again for
    # circles took a fifth of the time of validating and compiling large plans.
    gc.set_threshold(50_000, 20, 100)
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code. No exception leaves this function."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal without α prints \u03b1 and goes on.
            stream.reconfigure(errors="backslashreplace")
    # Filled by the context of the command; it outlives the context, for the report of what ended it.
    meta: dict[str, Any] = {}
    try:
        code = _call(list(arguments), meta)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough; without this, Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return INTERRUPTED
    except CostaError as error:
        if error.exit_code == USAGE and _wants_json(list(arguments)):
            meta[FORMAT] = "json"
        return _told(list(error.diagnostics), meta, error.exit_code)
    except Exception as error:
        if _is_full(error):
            return _output_lost(error)
        return _told([_internal(error)], meta, INTERNAL)
    return code


def _open_closed_streams() -> None:
    """Read nothing from, and write nothing to, a stream that the caller has closed (`costa … >&-`).

    In the order of their numbers, so that each takes its own, and no file that is opened later stands in for it.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  (open until the end)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _told(diagnostics: list[Diagnostic], meta: dict[str, Any], code: int) -> int:
    try:
        _report(diagnostics, meta)
    except OSError as error:
        return _output_lost(error)
    return code


def _is_full(error: Exception) -> bool:
    """Whether standard output (the one file that has no name here) could not take what was written to it."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _LOST


def _output_lost(error: BaseException) -> int:
    """Say on stderr that the results could not be written, and keep Python from trying once more at exit."""
    from costa_dsl.report.diagnostics import print_report

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    reason = getattr(error, "strerror", None) or str(error)
    message = f"standard output cannot be written: {reason}"
    print_report(
        [Diagnostic("COS8204", message, help="send the output elsewhere; a run's results are in its run directory")],
        sys.stderr,
    )
    return OUTPUT_LOST


def _call(arguments: list[str], meta: dict[str, Any]) -> int:
    try:
        with costa.make_context("costa", arguments) as context:
            try:
                costa.invoke(context)
            finally:
                meta.update(context.meta)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        if _wants_json(arguments):
            caller = getattr(error, "ctx", None)
            help = f"`{caller.command_path} --help` shows the options" if caller else ""
            raise CostaError(Diagnostic("COS8401", error.format_message(), help=help), exit_code=USAGE) from error
        error.show(sys.stderr)
        return USAGE
    return 0


def _wants_json(arguments: list[str]) -> bool:
    """Whether a command line that cannot be understood asks for JSON all the same."""
    return "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def _report(diagnostics: list[Diagnostic], meta: dict[str, Any]) -> None:
    """Findings on stderr, or as the one JSON document on stdout of a command called with `--format json`."""
    # Imported here: a command that goes well has no findings to draw.
    from costa_dsl.report.diagnostics import print_report, to_json

    if wanted_format(meta) == "json":
        import json

        sys.stdout.write(json.dumps(to_json(diagnostics), ensure_ascii=False, indent=2) + "\n")
        sys.stdout.flush()
    else:
        print_report(diagnostics, sys.stderr)


def _internal(error: Exception) -> Diagnostic:
    """A fault of costa itself. With COSTA_DEBUG=1 the traceback goes to stderr, else into a file."""
    import traceback

    story = "".join(traceback.format_exception(error))
    if os.environ.get("COSTA_DEBUG") == "1":
        sys.stderr.write(story)
        where = "the traceback stands above"
    else:
        import tempfile

        try:
            with tempfile.NamedTemporaryFile(
                "w", prefix="costa-traceback-", suffix=".txt", delete=False, encoding="utf-8"
            ) as file:
                file.write(f"costa {__version__}, Python {sys.version}\n{story}")
            where = f'the traceback is in "{file.name}"'
        except OSError:
            where = "COSTA_DEBUG=1 shows the traceback"
    return Diagnostic(
        "COS6900",
        f"internal error: {type(error).__name__}: {error}",
        help=f"this is a fault of costa, not of your files; please report it ({where})",
    )
