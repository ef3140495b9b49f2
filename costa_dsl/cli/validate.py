"""`costa validate`: every finding in files of any kind, at once, in the form that people or services read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from costa_dsl import __version__
from costa_dsl.cli.options import catalog_option, format_option
from costa_dsl.cli.paths import distinct, nothing_matched, yaml_files
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink, SourceText
from costa_dsl.report.diagnostics import render, summary, to_json, wants_color, wants_links
from costa_dsl.rules.configuration import Configuration, read_configuration
from costa_dsl.rules.validate import Request, counted, fails, validate_texts
from costa_dsl.schema import KINDS
from costa_dsl.syntax import read_text_file

if TYPE_CHECKING:
    from costa_dsl.catalog.catalog import Catalog
    from costa_dsl.model.plan import Plan
    from costa_dsl.rules.run import Proofs
    from costa_dsl.syntax import Document

FINDINGS, USAGE = 1, 2
FORMATS = ("text", "json", "sarif", "github", "junit")
_MOST = 100


class _ValidateCommand(click.Command):
    """Takes `--fix=all`: an option with a value that may be left out would swallow the path behind `--fix`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spelled = {"--fix=safe": "--fix", "--fix=all": "--fix-all"}
        return super().parse_args(ctx, [spelled.get(argument, argument) for argument in args])


@click.command("validate", cls=_ValidateCommand)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@format_option(FORMATS, help="How findings are told: for people, as JSON, or for a service that reads them.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the findings to this file, not to stdout.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--fix", is_flag=True, help="Mend what can be mended safely; `--fix=all` makes good guesses, too.")
@click.option("--fix-all", is_flag=True, hidden=True)
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--kind", type=click.Choice(KINDS, case_sensitive=False), help="Every document must be of this kind.")
@click.option("--stdin-filename", metavar="NAME", help="What to call the text of standard input.")
@click.option(
    "--max-findings", type=click.IntRange(min=0), default=_MOST, show_default=True, metavar="N",
    help="Show so many in text and github form, and count the rest; 0 shows all.",
)  # fmt: skip
@catalog_option
@click.pass_context
def validate_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    output_format: str,
    output: str | None,
    strict: bool,
    fix: bool,
    fix_all: bool,
    diff: bool,
    kind: str | None,
    stdin_filename: str | None,
    max_findings: int,
    catalog: str | None,
) -> None:
    """Check plans, tool manifests, vocabularies and benchmark tables.

    PATHS are files, patterns, folders (every .yaml and .yml file below them, hidden ones apart), or - for standard
    input. Files given together are checked together: a plan may use a tool whose manifest stands beside it.

    Exit code 0: no errors (with --strict, no warnings either); 1: findings; 3: no file matched.

    \b
    Examples:
      costa validate plans/ tools/
      costa validate --format github --strict 'plans/**/*.yaml'
      costa validate --fix --diff plan.yaml
      git show HEAD:plan.yaml | costa validate --stdin-filename plan.yaml -
    """
    files = distinct(file for path in paths for file in yaml_files(path))
    if not files:
        raise nothing_matched(paths)
    mends = fix or fix_all or diff
    if "-" in files and mends and len(files) > 1:
        raise click.UsageError("- with --fix stands alone: the mended text goes to standard output.")
    if output is not None and output != "-" and any(_same_file(output, file) for file in files):
        raise click.UsageError(f'-o would write the findings over "{output}" itself.')
    sink = Sink()
    configuration = read_configuration(sink)
    sources = read_sources(files, stdin_filename, sink)
    request = Request(catalog or configuration.catalog or "default", kind, configuration, proofs())
    texts = [source for _, source in sources]
    sink.extend(
        _mend(sources, request, sink, unsafe=fix_all, write=not diff) if mends else validate_texts(texts, request)
    )
    found = sink.sorted()
    names = [stdin_filename or "<stdin>" if file == "-" else file for file in files]
    report = _report(found, names, output_format, max_findings, to_file=output is not None)
    to_stderr = mends and (diff or "-" in files)  # stdout holds the mended text, or the difference
    if output not in (None, "-"):
        _write(str(output), report)
    else:
        (sys.stderr if to_stderr else sys.stdout).write(report)
    ctx.exit(FINDINGS if fails(found, strict or configuration.strict) else 0)


def validate_files(files: Sequence[str], catalog: str, configuration: Configuration | None = None) -> list[Diagnostic]:
    """Every finding in some files; the configuration of the project counts only when it is given."""
    sink = Sink()
    sources = read_sources(files, None, sink)
    request = Request(catalog, configuration=configuration or Configuration(), proofs=proofs())
    sink.extend(validate_texts([source for _, source in sources], request))
    return sink.sorted()


def proofs() -> Proofs:
    """What the compiler can tell about graphs and plans."""
    from costa_dsl.rules.run import Proofs

    def check_graph(document: Document, catalog: Catalog, sink: Sink) -> object:
        # Imported here: most files are no graphs.
        from costa_dsl.compiler.read import read_graph

        return read_graph(document, catalog, sink)

    def check_plan(plan: Plan, catalog: Catalog) -> Iterable[Diagnostic]:
        from costa_dsl.compiler.possible import impossible_steps

        return impossible_steps(plan, catalog)

    return Proofs(check_graph, check_plan)


def read_sources(files: Sequence[str], stdin_filename: str | None, sink: Sink) -> list[tuple[str, SourceText]]:
    """Each path with its text; one that cannot be read is left out, with a finding."""
    sources = []
    for file in files:
        source = read_text_file(file, sink)
        if source is not None:
            if file == "-" and stdin_filename:
                source = replace(source, name=stdin_filename)
            sources.append((file, source))
    return sources


def _mend(
    sources: Sequence[tuple[str, SourceText]], request: Request, sink: Sink, *, unsafe: bool, write: bool
) -> Sequence[Diagnostic]:
    """Apply fixes: write the files, or print what would change; the findings that are left."""
    from costa_dsl.report.difference import difference
    from costa_dsl.rules.mend import mend
    from costa_dsl.syntax.rewrite import rewrite_text_file

    mended = mend([source for _, source in sources], request, unsafe=unsafe)
    written = True
    for (file, before), after in zip(sources, mended.sources, strict=True):
        if not write:
            sys.stdout.write(difference(before.name, before.text, after.text))
        elif file == "-":
            sys.stdout.write(after.text)
        elif after is not before:
            written = rewrite_text_file(file, after.text, sink) and written
    if mended.applied and written:
        what = f"{mended.applied} fix{'es' if mended.applied > 1 else ''}"
        sys.stderr.write(f"{what} {'applied' if write else 'would be applied'}\n")
    return mended.found


def _report(found: Sequence[Diagnostic], names: Sequence[str], form: str, most: int, *, to_file: bool) -> str:
    if form == "json":
        return json.dumps({**to_json(found), "files": len(names)}, ensure_ascii=False, indent=2) + "\n"
    if form == "sarif":
        from costa_dsl.diagnostics.pages import Pages
        from costa_dsl.report.sarif import to_sarif

        return json.dumps(to_sarif(found, __version__, Pages()), ensure_ascii=True, indent=2) + "\n"
    if form == "github":
        from costa_dsl.report.github import to_github

        return to_github(found, most=most or len(found))
    if form == "junit":
        from costa_dsl.report.junit import to_junit

        return to_junit(names, found)
    return _text(found, len(names), most, to_file=to_file)


def _write(path: str, report: str) -> None:
    try:
        Path(path).write_text(report, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = error.strerror or str(error)
        help = "name a file in a folder that exists and can be written"
        found = Diagnostic("COS0034", f'"{path}" cannot be written: {reason}', help=help)
        raise CostaError(found, exit_code=USAGE) from error


def _same_file(one: str, other: str) -> bool:
    return other != "-" and os.path.realpath(one) == os.path.realpath(other)


def _text(found: Sequence[Diagnostic], files: int, most: int, *, to_file: bool) -> str:
    shown = counted(found)
    color = not to_file and wants_color(sys.stdout)
    links = not to_file and wants_links(sys.stdout)
    parts = [f"{render(shown, color, links, most=most or len(shown))}\n"] if shown else []
    ignored = len(found) - len(shown)
    counts = [summary(shown) or "no findings", *([f"{ignored} ignored with a reason"] if ignored else [])]
    parts.append(f"{files} file{'s' if files > 1 else ''}, {', '.join(counts)}\n")
    safe = sum(bool(diagnostic.fix and diagnostic.fix.safe) for diagnostic in shown)
    guessed = sum(bool(diagnostic.fix) for diagnostic in shown) - safe
    if safe:
        parts.append(f"{safe} can be mended: costa validate --fix\n")
    if guessed:
        parts.append(f"{guessed} {'more ' if safe else ''}can be mended by a good guess: costa validate --fix=all\n")
    return "".join(parts)
