"""`--executor`, `--jobs` and `--memory`: where the tools of a run run, and what they may use."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from costa_dsl.diagnostics import CostaError, Diagnostic

if TYPE_CHECKING:
    from costa_dsl.runtime.executor import Executor

Command = TypeVar("Command", bound=Callable[..., Any])

KINDS = ("process", "inline")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line says about it; None leaves it to this machine."""

    kind: str
    jobs: int | None
    memory: int | None

    def open(self) -> Executor:
        """The executor, to be closed by the caller.

        Raises:
            CostaError: COS8206 no process can be started here.
        """
        # A system without groups of processes cannot end a tool with all that it started.
        if self.kind == "inline" or not hasattr(os, "killpg"):
            from costa_dsl.runtime.inline import InlineExecutor

            return InlineExecutor()
        from costa_dsl.runtime.process import ProcessExecutor

        try:
            return ProcessExecutor(self.jobs, self.memory)
        except OSError as error:
            message = f"tools cannot be run in processes of their own here: {error.strerror or error}"
            help = "set TMPDIR to a folder with room, or run them in costa's own process: --executor inline"
            raise CostaError(Diagnostic("COS8206", message, help=help)) from error


def executor_options(command: Command) -> Command:
    """`--executor`, `--jobs` and `--memory`, given to the command together as `wanted`."""

    def remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        given = ctx.meta.setdefault("costa.executor", {})
        given[param.name] = value
        if len(given) == len(options):
            ctx.params["wanted"] = Wanted(given["executor"], given["jobs"], given["memory"])

    options = (
        click.option(
            "--executor",
            type=click.Choice(KINDS),
            default=KINDS[0],
            show_default=True,
            callback=remember,
            expose_value=False,
            help="process: tools run in processes of their own, and none can harm the run; inline: in costa's own, "
            "without limits of time and memory.",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(1, 64),
            callback=remember,
            expose_value=False,
            metavar="N",
            help="How many tools may run side by side.  [default: one a core, at most 4]",
        ),
        click.option(
            "--memory",
            callback=lambda ctx, param, value: remember(ctx, param, _size(ctx, param, value)),
            expose_value=False,
            metavar="SIZE",
            help="What one tool may use, like 4GB.  [default: 80 % of the machine's memory, divided by the jobs]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    # Imported here: `costa exec --help` looks at no memory.
    from costa_dsl.runtime.limits import parse_memory

    try:
        return parse_memory(value)
    except ValueError as error:
        raise click.BadParameter(f"{error}.", ctx, param) from None
