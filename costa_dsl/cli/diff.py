"""`costa diff`: how two plans or graphs differ once they are compiled."""

from __future__ import annotations

import json
import sys

import click

from costa_dsl.cli.common import load, read_compiled
from costa_dsl.cli.options import catalog_option, format_option
from costa_dsl.diagnostics import Sink

DIFFERENT = 1


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--assume-available", is_flag=True, help="Compile as if every tool of the catalog were installed.")
@catalog_option
@format_option()
@click.pass_context
def diff_command(
    ctx: click.Context, first: str, second: str, assume_available: bool, catalog: str | None, output_format: str
) -> None:
    """Compare two toolpath graphs, or what two plans compile to.

    Exit code 0: the same; 1: they differ.

    \b
    Examples:
      costa diff old.yaml new.yaml
      costa diff graph.json plans/astronaut.yaml
    """
    from costa_dsl.compiler.diff import differences

    sink = Sink()
    known = load(catalog, sink)
    one, other = (read_compiled(path, known, sink, assume_available=assume_available).graph for path in (first, second))
    found = differences(one, other)
    if output_format == "json":
        document = {
            "version": 1,
            "first": one.digest,
            "second": other.digest,
            "differences": [{"sign": entry.sign, "what": entry.what} for entry in found],
        }
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{entry}\n" for entry in found) or "the same\n")
    ctx.exit(DIFFERENT if found else 0)
