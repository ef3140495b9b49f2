"""`costa compile`: shows what a plan becomes, and the path that the benchmark would choose."""

from __future__ import annotations

from pathlib import Path

import click

from costa_dsl.cli.common import load, read_plan, tell
from costa_dsl.cli.options import alpha_option, catalog_option, format_option


@click.command("compile")
@click.argument("plan_file", metavar="PLAN")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write there instead of to stdout."
)
@click.option("--emit", type=click.Choice(["yaml", "json", "dot"]), help="Print the graph itself in this form.")
@click.option("--assume-available", is_flag=True, help="Compile as if every tool of the catalog were installed.")
@alpha_option
@catalog_option
@format_option()
def compile_command(
    plan_file: str,
    output: Path | None,
    emit: str | None,
    assume_available: bool,
    alpha: float | None,
    catalog: str | None,
    output_format: str,
) -> None:
    """Lower PLAN to a toolpath graph and forecast the best path.

    \b
    Examples:
      costa compile plans/astronaut.yaml
      costa compile plans/astronaut.yaml --alpha 2 --emit dot | dot -Tsvg > graph.svg
      costa compile plans/astronaut.yaml -o graph.json
    """
    from costa_dsl.compiler.compile import compile_plan
    from costa_dsl.compiler.emit import to_dot, to_json, to_yaml
    from costa_dsl.diagnostics import Sink
    from costa_dsl.report.graph import describe, forecast_value
    from costa_dsl.search.objective import CostaObjective
    from costa_dsl.search.search import forecast

    sink = Sink()
    plan = read_plan(plan_file, sink, alpha)
    compiled = compile_plan(plan, load(catalog, sink), sink, assume_available=assume_available)
    tell(sink)
    objective = CostaObjective(plan.policy.alpha)
    best = forecast(compiled.graph, objective)
    if emit is None and output is not None:
        emit = {".json": "json", ".dot": "dot", ".gv": "dot"}.get(output.suffix, "yaml")
    if emit == "json":
        text = to_json(compiled.graph)
    elif emit == "yaml":
        text = to_yaml(compiled.graph)
    elif emit == "dot":
        text = to_dot(compiled.graph, {part.invocation.id for part in best.path() if part.invocation})
    elif output_format == "json":
        text = forecast_value(compiled.graph, best, objective)
    else:
        text = describe(compiled, best, objective)
    if output is None:
        click.echo(text, nl=False)
        return
    from costa_dsl.diagnostics import CostaError, Diagnostic

    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CostaError(
            Diagnostic("COS8203", f'cannot write "{output}": {error.strerror}', help="name another file with -o")
        ) from error
    click.echo(f"wrote {output}", err=True)
