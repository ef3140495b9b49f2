"""`costa validate`: every finding in files of any kind, at once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from costa_dsl.cli.options import catalog_option, format_option
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink
from costa_dsl.report.diagnostics import render, summary, to_json, wants_color

_SUFFIXES = (".yaml", ".yml")
FINDINGS, NOTHING_MATCHED = 1, 3


@click.command("validate")
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@format_option
@catalog_option
@click.pass_context
def validate_command(ctx: click.Context, paths: tuple[str, ...], output_format: str, catalog: str) -> None:
    """Check plans, tool manifests, vocabularies and benchmark tables.

    PATHS are files, folders (every .yaml and .yml file below them, hidden ones apart), or - for standard
    input. Files given together are checked together: a plan may use a tool whose manifest stands beside it.

    \b
    Examples:
      costa validate plans/ tools/
      costa validate --format json plan.yaml
    """
    files = list(dict.fromkeys(file for path in paths for file in _files(path)))
    if not files:
        raise CostaError(_nothing(paths), exit_code=NOTHING_MATCHED)
    sink = validate_files(files, catalog)
    found = sink.sorted()
    if output_format == "json":
        document = {**to_json(found), "files": len(files)}
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        count = f"{len(files)} file{'s' if len(files) > 1 else ''}"
        if found:
            sys.stdout.write(render(found, wants_color(sys.stdout)) + "\n")
        sys.stdout.write(f"{count}, {summary(found) or 'no findings'}\n")
    ctx.exit(FINDINGS if sink.has_errors else 0)


def validate_files(files: Iterable[str], catalog: str) -> Sink:
    """Every finding in the files: syntax, schema, then the rules between them and the catalog."""
    from costa_dsl.schema import check_document
    from costa_dsl.syntax import read_documents, read_text_file

    sink = Sink()
    checked = []
    for file in files:
        source = read_text_file(file, sink)
        for document in read_documents(source, sink) if source else ():
            kind = check_document(document, sink)
            if kind is not None:
                checked.append((kind, document))
    if checked:
        from costa_dsl.catalog.rules import check_all

        check_all(checked, catalog, sink)
    return sink


def _files(path: str) -> list[str]:
    """The path itself, or the YAML files below a folder, sorted. What does not exist stays, to be reported."""
    if path == "-" or not Path(path).is_dir():
        return [path]
    found: list[str] = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [str(Path(folder) / name) for name in names if name.endswith(_SUFFIXES) and not name.startswith(".")]
    return sorted(found)


def _nothing(paths: tuple[str, ...]) -> Diagnostic:
    where = ", ".join(f'"{path}"' for path in paths)
    return Diagnostic(
        "COS0008", f"there is no YAML file below {where}", help="name a file, or a folder with *.yaml files"
    )
