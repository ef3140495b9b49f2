"""`costa simulate`: tries strategies out on simulated tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from costa_dsl.cli.common import Wishes, load, read_compiled, tell
from costa_dsl.cli.options import (
    STRATEGY_NAMES,
    assume_option,
    catalog_option,
    format_option,
    policy_options,
    scope_options,
)
from costa_dsl.compiler.cut import Scope

if TYPE_CHECKING:
    from costa_dsl.compiler.graph import ToolpathGraph
    from costa_dsl.model.objective import Objective
    from costa_dsl.search.simulate import Judged, Result
    from costa_dsl.search.world import World

RUNS = 20
# `exhaustive` tries every way to every state: beyond so many it is no use to wait for.
MOST_EXHAUSTIVE = 500
# So many invocations at most are tried in each run to find what would have been best.
MOST_HINDSIGHT = 5_000


class Share(click.FloatRange):
    """A number in a range; `nan`, which no comparison refuses, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if found != found:
            self.fail(f"nan is not a number from {self.min:g} to {self.max:g}.", param, ctx)
        return found


def _names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The strategies that are named, each once: the option may be repeated and may hold several, with commas."""
    names = dict.fromkeys(name.strip() for value in values for name in value.split(","))
    for name in names:
        if name not in STRATEGY_NAMES:
            raise click.BadParameter(
                f'there is no strategy "{name}"; choose from {", ".join(STRATEGY_NAMES)}.', ctx, param
            )
    return tuple(names)


@click.command("simulate")
@click.argument("plan_file", metavar="PLAN")
@click.option(
    "--strategy", "names", multiple=True, metavar="NAME[,NAME]", callback=_names,
    help=f"Of {', '.join(STRATEGY_NAMES)}; may be repeated.  [default: all]",
)  # fmt: skip
@click.option(
    "--runs", type=click.IntRange(1, 100_000), default=None, help=f"How many worlds to try.  [default: {RUNS}]"
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True,
    help="The first world; the next ones are seed + 1 and so on.",
)  # fmt: skip
@click.option(
    "--noise", type=Share(0, 1), default=0.05, show_default=True,
    help="How far qualities are from their estimates: the standard deviation, where 1 is perfect quality.",
)  # fmt: skip
@click.option(
    "--latency", type=Share(0, 2), default=0.2, show_default=True,
    help="How far seconds are from their estimates: the standard deviation of their logarithm; 0.2 is about 20 %.",
)  # fmt: skip
@click.option(
    "--persistence", type=Share(0, 1), default=0.5, show_default=True,
    help="Which share of both belongs to a tool at this task, and can be learnt; the rest comes anew with every input.",
)  # fmt: skip
@click.option(
    "--failures", type=Share(0, 1), default=0.05, show_default=True,
    help="How often a tool fails at an input at first; a retry helps in 43 % of these cases.",
)  # fmt: skip
@click.option(
    "--run-dir", type=click.Path(path_type=Path), metavar="DIR",
    help="Keep one run of one strategy there: its plan, its graph, and a journal of its outcomes.",
)  # fmt: skip
@assume_option
@scope_options
@policy_options("alpha", "objective")
@catalog_option
@format_option()
def simulate_command(
    plan_file: str,
    names: tuple[str, ...],
    runs: int | None,
    seed: int,
    noise: float,
    latency: float,
    persistence: float,
    failures: float,
    run_dir: Path | None,
    assume_available: bool,
    scope: Scope | None,
    wishes: Wishes,
    catalog: str | None,
    output_format: str,
) -> None:
    """Search PLAN with simulated tools: what each strategy would run, and how good its path is.

    PLAN may also be a graph that was compiled before. No picture is touched and no tool runs. A world makes up how
    each tool does at each input, from its estimate and a seed; all strategies meet the same worlds. The plan's
    policy says when a result is good enough, and how often a tool may try.

    \b
    Examples:
      costa simulate plans/astronaut.yaml
      costa simulate plan.yaml --catalog paper --strategy lazy,paper --alpha 2 --runs 100
      costa simulate plan.yaml --strategy lazy --seed 7 --run-dir runs/seven
    """
    from costa_dsl.diagnostics import Sink
    from costa_dsl.report.simulation import describe_simulation, simulation_json
    from costa_dsl.rules.plan.objective import objective_of
    from costa_dsl.search.simulate import compare
    from costa_dsl.search.strategies import STRATEGIES
    from costa_dsl.search.world import Noise, World

    if run_dir is not None and (len(names) > 1 or (runs or 1) > 1):
        raise click.UsageError(
            "--run-dir keeps one run of one strategy: name one with --strategy, and leave --runs out."
        )
    sink = Sink()
    known = load(catalog, sink)
    graph = read_compiled(plan_file, known, sink, wishes=wishes, scope=scope, assume_available=assume_available).graph
    tell(sink)
    objective, policy = objective_of(graph.plan), graph.plan.policy
    if run_dir is not None:
        runs, names = 1, names or (policy.strategy,)
    left_out = _left_out(graph, names)
    chosen = {name: STRATEGIES[name] for name in names or STRATEGY_NAMES if name not in left_out}
    worlds = [
        World(
            seed=number,
            noise=Noise.of(noise, latency, persistence, failures),
            threshold=policy.threshold,
            attempts=policy.attempts,
            analyses=frozenset(name for name, one in known.vocabulary.subtasks.items() if not one.is_edit),
        )
        for number in range(seed, seed + (runs or RUNS))
    ]
    found: dict[str, list[Judged]] = {name: [] for name in chosen}
    for world in worlds:
        for name, judged in compare(graph, objective, chosen, world, MOST_HINDSIGHT).items():
            found[name].append(judged)
    report = simulation_json if output_format == "json" else describe_simulation
    text = report(graph, objective, worlds, found, left_out)
    if run_dir is not None:
        _keep(run_dir, graph, objective, next(iter(chosen)), worlds[0], found[next(iter(chosen))][0].result)
    click.echo(text, nl=False)


def _left_out(graph: ToolpathGraph, names: tuple[str, ...]) -> dict[str, str]:
    """Strategies that are not tried, with the reason.

    Raises:
        UsageError: that leaves none.
    """
    from costa_dsl.report.graph import count_ways

    calls = count_ways(graph)
    if (names and "exhaustive" not in names) or calls <= MOST_EXHAUSTIVE:
        return {}
    reason = f"it would run {calls:,} tools in each run, more than {MOST_EXHAUSTIVE}"
    if names == ("exhaustive",):
        raise click.UsageError(
            f"--strategy exhaustive: {reason}. Choose another strategy, or a part of the plan (--only)."
        )
    return {"exhaustive": reason}


def _keep(folder: Path, graph: ToolpathGraph, objective: Objective, name: str, world: World, result: Result) -> None:
    """Write what a replay of the search needs.

    Raises:
        CostaError: the folder is not empty, or cannot be written.
    """
    import json
    from dataclasses import asdict

    from costa_dsl.compiler.emit import plan_text, to_json
    from costa_dsl.diagnostics import CostaError, Diagnostic
    from costa_dsl.search.journal import outcome_line, search_line
    from costa_dsl.search.search import Search
    from costa_dsl.search.strategies import STRATEGIES
    from costa_dsl.store.atomic import write_whole
    from costa_dsl.store.run_folder import make_run_folder

    search = Search(graph, objective, STRATEGIES[name])
    lines: list[dict[str, Any]] = [
        {"event": "simulated", "seed": world.seed, "noise": asdict(world.noise)},
        search_line(search),
        *(outcome_line(label, outcome) for label, outcome in result.outcomes),
    ]
    files = {
        "plan.yaml": plan_text(graph.plan),
        "graph.json": to_json(graph),
        "journal.jsonl": "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines),
    }
    make_run_folder(folder)
    try:
        for file, text in files.items():
            write_whole(folder / file, text.encode())
    except OSError as error:
        message = f'cannot write to the run directory "{folder}": {error.strerror}'
        raise CostaError(Diagnostic("COS8201", message, help="name another: --run-dir")) from error
    click.echo(f"wrote {folder}", err=True)
