"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

FORMAT = "costa.format"


def format_option(
    forms: Sequence[str] = ("text", "json"),
    help: str = "What stands on stdout: words for people, or one JSON document.",
) -> Callable[[Command], Command]:
    """`--format`, given to the command as `output_format`; an error that ends it follows the same format."""

    def remember(ctx: click.Context, param: click.Parameter, value: str) -> str:  # noqa: ARG001
        ctx.meta[FORMAT] = value
        return value

    return click.option(
        "--format",
        "output_format",
        type=click.Choice(forms),
        default="text",
        show_default=True,
        callback=remember,
        # First of all, so that a fault in another option is told in this format too.
        is_eager=True,
        help=help,
    )


def catalog_option(command: Command) -> Command:
    """`--catalog DIR|paper|default`, given to the command as `catalog`; None leaves it to the configuration."""
    option = click.option(
        "--catalog",
        default=None,
        metavar="DIR|paper|default",
        help="Where manifests, vocabulary and benchmark table are; `paper` is the tables of CoSTA*, to compile only.",
    )
    return option(command)


def alpha_option(command: Command) -> Command:
    """`--alpha`, given to the command as `alpha`; None leaves the plan's own."""

    def number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
        if value is not None and math.isnan(value):  # a comparison with nan is never true: no range refuses it
            raise click.BadParameter("nan is not a number from 0 to 2.", ctx, param)
        return value

    option = click.option(
        "--alpha",
        type=click.FloatRange(0, 2),
        callback=number,
        help="0 = quality only … 2 = seconds only; overrides the plan's policy.",
    )
    return option(command)


def scope_options(command: Command) -> Command:
    """`--from`, `--until` and `--only`, given to the command as `scope`."""

    def first(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001
        _set_scope(ctx, first=value)

    def last(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001
        _set_scope(ctx, last=value)

    def only(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001
        _set_scope(ctx, first=value, last=value)

    for name, remember, help in (
        ("--only", only, "This step alone (its id)."),
        ("--until", last, "What is needed to have done this step."),
        ("--from", first, "This step, and what is not certainly done before it."),
    ):
        command = click.option(name, metavar="STEP", callback=remember, expose_value=False, help=help)(command)
    return command


def _set_scope(ctx: click.Context, first: str | None = None, last: str | None = None) -> None:
    """Fill the parameter `scope` of the command."""
    scope = ctx.params.setdefault("scope", None)
    if not (first or last):
        return
    # Imported here: `costa --help` loads no compiler.
    from costa_dsl.compiler.cut import Scope

    scope = scope or Scope()
    if (first and scope.first) or (last and scope.last):
        raise click.BadParameter("--only stands alone, without --from and --until.", ctx)
    ctx.params["scope"] = Scope(first or scope.first, last or scope.last)


def wanted_format(meta: dict[str, Any]) -> str:
    """The format that the command of this context was called with."""
    return str(meta.get(FORMAT, "text"))
