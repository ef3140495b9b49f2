"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
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


STRATEGY_NAMES = ("lazy", "commit", "paper", "exhaustive")


def assume_option(command: Command) -> Command:
    """`--assume-available`, given to the command as `assume_available`."""
    option = click.option(
        "--assume-available", is_flag=True, help="Compile as if every tool of the catalog were installed."
    )
    return option(command)


def policy_options(*names: str) -> Callable[[Command], Command]:
    """The options for a plan's policy that are named, given to the command together as `wishes`."""

    def number(ctx: click.Context, param: click.Parameter, value: float | None) -> None:
        if value is not None and math.isnan(value):  # a comparison with nan is never true: no range refuses it
            raise click.BadParameter("nan is not a number from 0 to 2.", ctx, param)
        _set_wish(ctx, param, value)

    options = {
        "alpha": click.option(
            "--alpha",
            type=click.FloatRange(0, 2),
            callback=number,
            expose_value=False,
            help="0 = quality only … 2 = seconds only; overrides the plan's policy.",
        ),
        "objective": click.option(
            "--objective",
            metavar="NAME[:ARGUMENT]",
            callback=_set_wish,
            expose_value=False,
            help="What the best path is: costa (the least J at α), min-quality:0.9, max-cost:30, "
            "lexicographic:quality,seconds, money and others; overrides the plan's policy.",
        ),
        "strategy": click.option(
            "--strategy",
            type=click.Choice(STRATEGY_NAMES),
            callback=_set_wish,
            expose_value=False,
            help="lazy: as few tools as prove the best path; commit: back only for much; paper: CoSTA* as published; "
            "exhaustive: everything; overrides the plan's policy.",
        ),
        "budget": click.option(
            "--budget",
            metavar="LIMIT[,LIMIT]",
            callback=_set_budget,
            expose_value=False,
            help="When to end with what there is: seconds=60, calls=20, usd=0.5; over the plan's policy.",
        ),
    }

    def add(command: Command) -> Command:
        for name in reversed(names):
            command = options[name](command)
        return command

    return add


def _set_wish(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Fill the parameter `wishes` of the command."""
    # Imported here: `costa --help` reads no plan.
    from costa_dsl.cli.common import Wishes

    wishes = ctx.params.get("wishes") or Wishes()
    ctx.params["wishes"] = replace(wishes, **{str(param.name): value}) if value is not None else wishes


def _set_budget(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Read `seconds=60,calls=20,usd=0.5`."""
    # Imported here: `costa --help` reads no plan.
    from costa_dsl.model.plan import Budget

    limits: dict[str, float | int] = {}
    for part in value.split(",") if value is not None else ():
        name, _, text = part.partition("=")
        name = name.strip()
        try:
            limit = int(text) if name == "calls" else float(text)
        except ValueError:
            limit = math.nan
        least = {"seconds": 0.0, "calls": 1, "usd": 0.0}.get(name)
        if least is None or name in limits or not least <= limit < math.inf or (name == "seconds" and limit == 0):
            message = f"{part.strip()!r} is no limit: expected seconds=60, calls=20 or usd=0.5, each once."
            raise click.BadParameter(message, ctx, param)
        limits[name] = limit
    _set_wish(ctx, param, Budget(**limits) if limits else None)  # type: ignore[arg-type]  # calls is an int above


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
