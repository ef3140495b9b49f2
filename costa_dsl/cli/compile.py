"""`costa compile`: shows what a plan becomes, and the path that the benchmark would choose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from costa_dsl.cli.common import Wishes, load, plan_of, read_compiled, read_one, tell
from costa_dsl.cli.options import assume_option, catalog_option, format_option, policy_options, scope_options
from costa_dsl.compiler.cut import Scope

if TYPE_CHECKING:
    from costa_dsl.catalog.catalog import Catalog
    from costa_dsl.compiler.compile import Compiled, Observer
    from costa_dsl.compiler.graph import ToolpathGraph
    from costa_dsl.compiler.passes import Pass, Unit
    from costa_dsl.diagnostics import Sink
    from costa_dsl.model.objective import Objective

FORMS = ("yaml", "json", "dot", "mermaid", "svg", "ascii")
PASS_NAMES = ("resolve", "expand", "select", "backtrack", "lower", "canonicalize")
_BY_SUFFIX = {".json": "json", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".svg": "svg", ".txt": "ascii"}


@click.command("compile")
@click.argument("plan_file", metavar="PLAN")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write there instead of to stdout."
)
@click.option("--emit", type=click.Choice(FORMS), help="Print the graph itself in this form.")
@assume_option
@click.option(
    "--print-after", type=click.Choice([*PASS_NAMES, "all"]), multiple=True, metavar="PASS",
    help=f"Print what a pass made: {', '.join(PASS_NAMES)}, or all.",
)  # fmt: skip
@click.option(
    "--stop-after", type=click.Choice(PASS_NAMES), metavar="PASS", help="Print what this pass made, and stop."
)
@click.option("--estimate", is_flag=True, help="Show the least seconds and best quality to come, per state.")
@click.option("--explain", metavar="STEP", help="Say why these tools for a step, and why not the others.")
@scope_options
@policy_options("alpha", "objective", "strategy")
@catalog_option
@format_option()
def compile_command(
    plan_file: str,
    output: Path | None,
    emit: str | None,
    assume_available: bool,
    print_after: tuple[str, ...],
    stop_after: str | None,
    estimate: bool,
    explain: str | None,
    scope: Scope | None,
    wishes: Wishes,
    catalog: str | None,
    output_format: str,
) -> None:
    """Lower PLAN to a toolpath graph and forecast the best path.

    PLAN may also be a graph that was compiled before: it is proven again, and printed in any form.

    \b
    Examples:
      costa compile plans/astronaut.yaml
      costa compile plans/astronaut.yaml --alpha 2 --emit svg -o graph.svg
      costa compile plans/astronaut.yaml --explain object-recoloration
      costa compile plans/astronaut.yaml --print-after select --stop-after backtrack
    """
    from costa_dsl.diagnostics import Sink
    from costa_dsl.report.graph import describe, estimates, forecast_value
    from costa_dsl.rules.plan.objective import objective_of
    from costa_dsl.search.search import foresee

    sink = Sink()
    known = load(catalog, sink)
    shown = frozenset(PASS_NAMES) if "all" in print_after else frozenset(print_after)
    if stop_after is not None:
        _stop(plan_file, known, sink, stop_after, shown, scope, wishes, assume_available)
        return
    program = read_compiled(
        plan_file, known, sink,
        wishes=wishes, scope=scope, assume_available=assume_available, observer=_printer(shown) if shown else None,
    )  # fmt: skip
    tell(sink)
    graph = program.graph
    objective = objective_of(graph.plan)
    best = foresee(graph, objective)
    if emit is None and output is not None and explain is None:
        emit = _BY_SUFFIX.get(output.suffix, "yaml")
    if explain is not None:
        text = _explained(program, explain, objective)
    elif emit is not None:
        text = _emitted(emit, graph, {part.invocation.id for part in best.label.path() if part.invocation})
    elif estimate:
        text = estimates(graph)
    elif output_format == "json":
        text = forecast_value(graph, best, objective)
    else:
        text = describe(graph, program.selections, best, objective)
    _write(text, output)


def _stop(
    plan_file: str, catalog: Catalog, sink: Sink, last: str, shown: frozenset[str],
    scope: Scope | None, wishes: Wishes, assume_available: bool,
) -> None:  # fmt: skip
    """Run the passes up to one, printing what it made."""
    from costa_dsl.compiler.compile import run_passes

    plan = plan_of(read_one(plan_file, ("Plan",), sink), sink, wishes)
    run_passes(
        plan, catalog, sink,
        scope=scope, assume_available=assume_available or catalog.is_paper,
        observer=_printer(shown | {last}), last=last,
    )  # fmt: skip
    tell(sink)


def _printer(names: frozenset[str]) -> Observer:
    """Prints what each of some passes made."""
    from costa_dsl.compiler.show import show

    def observe(one: Pass, unit: Unit) -> None:
        if one.name in names:
            click.echo(show(one, unit))

    return observe


def _emitted(form: str, graph: ToolpathGraph, path: set[str]) -> str:
    if form in ("json", "yaml"):
        from costa_dsl.compiler.emit import to_json, to_yaml

        return to_json(graph) if form == "json" else to_yaml(graph)
    from costa_dsl.compiler import drawing

    draw = {"dot": drawing.to_dot, "mermaid": drawing.to_mermaid, "svg": drawing.to_svg, "ascii": drawing.to_ascii}
    text: str = draw[form](graph, path)
    return text


def _explained(program: Compiled, name: str, objective: Objective) -> str:
    from costa_dsl.diagnostics import CostaError, Diagnostic, closest
    from costa_dsl.report.explain_step import explain_step

    known = [step.id for step in program.graph.plan.steps]
    if name not in known:
        near = closest(name, known)
        label = f'did you mean "{near}"?' if near else "the ids are: " + ", ".join(known[:12])
        raise CostaError(Diagnostic("COS4202", f'the plan has no step "{name}"', label=label), exit_code=3)
    return explain_step(program, name, objective)


def _write(text: str, output: Path | None) -> None:
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
