"""`costa pareto`: everything that can be had of a plan, from the fastest path to the best one."""

from __future__ import annotations

from pathlib import Path

import click

from costa_dsl.cli.common import Wishes, load, read_compiled, tell
from costa_dsl.cli.import_ import write_text
from costa_dsl.cli.options import assume_option, catalog_option, format_option, policy_options, scope_options
from costa_dsl.compiler.cut import Scope


@click.command("pareto")
@click.argument("plan_file", metavar="PLAN")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
    help="Write there instead of to stdout: .svg is the plot, .json is JSON.",
)  # fmt: skip
@click.option(
    "--svg", "plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the plot too."
)
@click.option(
    "--most-points", type=click.IntRange(1, 10_000), default=64, show_default=True,
    help="Keep so many ways for each state; more are finer and slower.",
)  # fmt: skip
@assume_option
@scope_options
@policy_options("alpha", "objective")
@catalog_option
@format_option()
def pareto_command(
    plan_file: str,
    output: Path | None,
    plot: Path | None,
    most_points: int,
    assume_available: bool,
    scope: Scope | None,
    wishes: Wishes,
    catalog: str | None,
    output_format: str,
) -> None:
    """List the paths of PLAN that no other path beats, and for which α each is the best.

    PLAN may also be a graph that was compiled before. No tool runs: seconds, quality and dollars are estimates.

    \b
    Examples:
      costa pareto plans/astronaut.yaml
      costa pareto plans/astronaut.yaml --svg front.svg
      costa pareto plans/astronaut.yaml --only object-removal --format json
    """
    from costa_dsl.diagnostics import Sink
    from costa_dsl.report.front import describe_front, front_json
    from costa_dsl.report.front_svg import front_svg
    from costa_dsl.rules.plan.objective import objective_of
    from costa_dsl.search.pareto import pareto_front

    sink = Sink()
    known = load(catalog, sink)
    graph = read_compiled(plan_file, known, sink, wishes=wishes, scope=scope, assume_available=assume_available).graph
    tell(sink)
    objective = objective_of(graph.plan)
    front = pareto_front(graph, most_points=most_points)
    suffix = output.suffix.lower() if output else ""
    if suffix == ".svg":
        text = front_svg(graph, front, objective)
    elif suffix == ".json" or output_format == "json":
        text = front_json(graph, front, objective, most_points)
    else:
        text = describe_front(graph, front, objective, most_points)
    if plot is not None:
        write_text(plot, front_svg(graph, front, objective))
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
