"""`costa export`: writes the best path of a plan as a workflow of another program."""

from __future__ import annotations

import json
from pathlib import Path

import click

from costa_dsl.cli.common import Wishes, load, read_compiled, tell
from costa_dsl.cli.import_ import write_text
from costa_dsl.cli.options import assume_option, catalog_option, format_option, policy_options
from costa_dsl.diagnostics import Sink


@click.command("export")
@click.argument("plan_file", metavar="PLAN")
@click.option("--to", "form", type=click.Choice(["comfyui"]), required=True, help="The program to write for.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write there instead of to stdout.")
@assume_option
@policy_options("alpha", "objective")
@catalog_option
@format_option(help="How an error is told; the workflow itself is always JSON.")
def export_command(
    plan_file: str,
    form: str,  # noqa: ARG001  (there is one form so far)
    output: Path | None,
    assume_available: bool,
    wishes: Wishes,
    catalog: str | None,
    output_format: str,  # noqa: ARG001  (read where errors are told)
) -> None:
    """Write the path of PLAN that the benchmark would choose as a workflow of ComfyUI.

    PLAN may also be a graph that was compiled before.

    Every tool on the path must name its nodes under `comfyui:` in its manifest; few of the packaged tools have a
    counterpart among ComfyUI's own nodes.

    \b
    Examples:
      costa export plan.yaml --to comfyui -o workflow.json
      costa export plan.yaml --to comfyui --alpha 2 --catalog my-tools/
    """
    from costa_dsl.exchange.comfyui import to_comfyui
    from costa_dsl.rules.plan.objective import objective_of
    from costa_dsl.search.search import forecast

    sink = Sink()
    known = load(catalog, sink)
    graph = read_compiled(plan_file, known, sink, wishes=wishes, assume_available=assume_available).graph
    best = forecast(graph, objective_of(graph.plan))
    path = [label.invocation for label in best.path() if label.invocation is not None]
    workflow = to_comfyui(graph, path, known, sink)
    sink.raise_if_errors()
    assert workflow is not None
    tell(sink)
    text = json.dumps(workflow, ensure_ascii=False, indent=2) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
