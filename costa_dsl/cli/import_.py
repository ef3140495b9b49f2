"""`costa import`: makes a plan of a subtask tree that another program has written."""

from __future__ import annotations

import json
from pathlib import Path

import click

from costa_dsl.cli.common import load, tell
from costa_dsl.cli.options import catalog_option, format_option
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink


@click.command("import")
@click.argument("tree_file", metavar="TREE.json")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the plan there instead of to stdout.")
@catalog_option
@format_option(help="What stands on stdout: the plan, or one JSON document that holds it.")
def import_command(tree_file: str, output: Path | None, catalog: str | None, output_format: str) -> None:
    """Make a plan of a subtask tree in the form of CoSTA*'s reference implementation.

    The plan has exactly the complete paths of the tree. Warnings on stderr say what was assumed, and which words
    have to be added. - reads standard input.

    \b
    Examples:
      costa import Tree.json -o plan.yaml
      costa import Tree.json | costa validate --stdin-filename plan.yaml -
    """
    from costa_dsl.exchange.import_tree import import_tree
    from costa_dsl.syntax import read_text_file

    sink = Sink()
    source = read_text_file(tree_file, sink)
    sink.raise_if_errors()
    assert source is not None
    imported = import_tree(source, load(catalog, sink).vocabulary, sink)
    sink.raise_if_errors()
    assert imported is not None
    tell(sink)
    if output is not None:
        write_text(output, imported.text)
    if output_format == "json":
        document = {"version": 1, "plan": imported.text, "steps": len(imported.steps), "ways": imported.ways}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2))
    elif output is None:
        click.echo(imported.text, nl=False)


def write_text(path: Path, text: str) -> None:
    """Write a file, and say so on stderr.

    Raises:
        CostaError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f'cannot write "{path}": {reason}'
        raise CostaError(Diagnostic("COS8203", message, help="name another file with -o")) from error
    click.echo(f"wrote {path}", err=True)
