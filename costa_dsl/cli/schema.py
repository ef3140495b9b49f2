"""`costa schema`: the JSON Schemas that costa publishes, for editors and for other programs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click

from costa_dsl.cli.options import format_option
from costa_dsl.diagnostics import CostaError, Diagnostic, closest
from costa_dsl.schema.kinds import KINDS, PUBLISHED, schema_file, schema_of, schema_text

NOTHING_MATCHED = 3


@click.group("schema")
def schema_group() -> None:
    """Print the JSON Schema of a kind of file, or list the kinds."""


@schema_group.command("list")
@format_option()
def list_command(output_format: str) -> None:
    """Every kind of file, its schema, and what it is.

    \b
    Examples:
      costa schema list
      costa schema list --format json
    """
    from costa_dsl.report.table import table

    entries = [
        {
            "kind": kind,
            "file": schema_file(kind),
            "id": schema_of(kind)["$id"],
            "written_by": "people" if kind in KINDS else "costa",
            "description": schema_of(kind)["description"],
        }
        for kind in PUBLISHED
    ]
    if output_format == "json":
        _write(json.dumps({"version": 1, "schemas": entries}, ensure_ascii=False, indent=2) + "\n")
        return
    # The first sentence says what it is; a table has no room for more.
    rows = [
        [entry["kind"], entry["file"], entry["written_by"], entry["description"].split(". ")[0]] for entry in entries
    ]
    _write(table(["kind", "schema", "written by", "what it is"], rows))


@schema_group.command("print")
@click.argument("kind", metavar="[KIND]", required=False)
@click.option("--all", "every", is_flag=True, help="All schemas, into the folder that -o names.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The file to write; with --all, the folder, which is made when it is not there.",
)
@format_option()
@click.pass_context
def print_command(
    ctx: click.Context,
    kind: str | None,
    every: bool,
    output: Path | None,
    output_format: str,  # noqa: ARG001  (a schema is JSON in either format; findings follow it)
) -> None:
    """Print the JSON Schema of a kind of file.

    KIND is Plan, Tool, SubtaskCatalog, BenchmarkTable, ToolpathGraph, RunRecord or Diagnostics; its case
    does not matter, and subtask-catalog is SubtaskCatalog.

    \b
    Examples:
      costa schema print Plan
      costa schema print benchmark-table -o benchmark-table.schema.json
      costa schema print --all -o schemas/
    """
    if every == (kind is not None):
        ctx.fail("name one KIND, or give --all with a folder under -o.")
    if every:
        if output is None:
            ctx.fail("--all needs a folder: costa schema print --all -o schemas/")
        for name in PUBLISHED:
            _save(schema_text(name), output / schema_file(name), new_folder=True)
    elif output is not None:
        _save(schema_text(published(str(kind))), output)
    else:
        _write(schema_text(published(str(kind))))


def published(name: str) -> str:
    """The published kind that a name means: any case, `SubtaskCatalog`, `subtask-catalog`, or its file's name.

    Raises:
        CostaError: there is no such kind.
    """
    known = {_folded(kind): kind for kind in PUBLISHED}
    bare = name.removesuffix(".json").removesuffix(".schema")
    if (found := known.get(_folded(bare))) is not None:
        return found
    near = closest(_folded(bare), known)
    raise CostaError(
        Diagnostic(
            "COS1006",
            f'there is no schema for the kind "{name}"',
            label=f'did you mean "{known[near]}"?' if near else "",
            help=f"the kinds are {', '.join(PUBLISHED)}; `costa schema list` says what each is",
        ),
        exit_code=NOTHING_MATCHED,
    )


def _folded(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).casefold()


def _save(text: str, path: Path, new_folder: bool = False) -> None:
    try:
        if new_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        diagnostic = Diagnostic("COS8203", f'cannot write "{path}": {error.strerror}', help="name another path with -o")
        raise CostaError(diagnostic) from error
    click.echo(f"wrote {path}", err=True)


def _write(text: str) -> None:
    sys.stdout.write(text)
