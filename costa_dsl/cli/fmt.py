"""`costa fmt`: puts files into costa's form, or says which ones are not in it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from costa_dsl.cli.options import format_option
from costa_dsl.cli.paths import distinct, nothing_matched, yaml_files
from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.report.diagnostics import print_report, to_json, visible
from costa_dsl.report.difference import difference

FINDINGS, INTERNAL = 1, 70
JSON_VERSION = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one text: `after` is None when it could not be formatted."""

    name: str
    before: str
    after: str | None
    changed: bool

    @property
    def status(self) -> str:
        return "failed" if self.after is None else "changed" if self.changed else "unchanged"


@click.command("fmt")
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 when a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--stdin-filename", metavar="NAME", help="What to call the text of standard input.")
@format_option()
@click.pass_context
def fmt_command(
    ctx: click.Context, paths: tuple[str, ...], check: bool, diff: bool, stdin_filename: str | None, output_format: str
) -> None:
    """Put plans, manifests, vocabularies and tables into one form; comments stay.

    PATHS are files, folders (every .yaml and .yml file below them, hidden ones apart), or - alone for
    standard input, whose formatted text goes to standard output. A file with errors is left as it is.

    \b
    Examples:
      costa fmt plans/ tools/
      costa fmt --check --diff .
      costa fmt - < plan.yaml
    """
    if "-" in paths and len(set(paths)) > 1:
        raise click.UsageError("- (standard input) stands alone: its text goes to standard output.")
    if stdin_filename is not None and "-" not in paths:
        raise click.UsageError("--stdin-filename names the text of standard input: give - as the path.")
    files = distinct(file for path in paths for file in yaml_files(path))
    if not files:
        raise nothing_matched(paths)
    sink = Sink()
    outcomes = [_format_file(file, stdin_filename, sink, writes=not (check or diff)) for file in files]
    if output_format == "json":
        _print_json(outcomes, sink, diff, files == ["-"])
    else:
        _print_text(outcomes, sink, check, diff, files == ["-"])
    if any(found.code == "COS6900" for found in sink):
        ctx.exit(INTERNAL)
    changed = any(outcome.changed for outcome in outcomes)
    ctx.exit(FINDINGS if sink.has_errors or (check and changed) else 0)


def _format_file(path: str, stdin_name: str | None, sink: Sink, writes: bool) -> Outcome:
    from costa_dsl.syntax import read_text_file
    from costa_dsl.syntax.formatter import format_text
    from costa_dsl.syntax.rewrite import rewrite_file
    from costa_dsl.syntax.secrets import hide_secrets

    name = path if path != "-" else stdin_name or "<stdin>"
    source = read_text_file(path, sink)
    if source is None:
        return Outcome(name, "", None, changed=False)
    source, secrets = hide_secrets(SourceText(name, source.text))
    if secrets:
        sink.extend(secrets)
        return Outcome(name, "", None, changed=False)
    after = format_text(source, _schema, sink)
    if after is None or path == "-":
        return Outcome(name, source.text, after, after is not None and after != source.text)
    data = after.encode("utf-8")
    # Bytes, not texts: a byte order mark and another encoding are no part of the form. A pipe is empty by now.
    changed = data != (Path(path).read_bytes() if Path(path).is_file() else source.text.encode("utf-8"))
    if changed and writes and not rewrite_file(path, data, sink):
        return Outcome(name, source.text, None, changed=False)
    return Outcome(name, source.text, after, changed)


def _schema(kind: str) -> Mapping[str, Any] | None:
    from costa_dsl.schema.kinds import KINDS, schema_of

    return schema_of(kind) if kind in KINDS else None


def _print_text(outcomes: list[Outcome], sink: Sink, check: bool, diff: bool, from_stdin: bool) -> None:
    """Texts and diffs to stdout; what was found and done to stderr when stdout holds a text."""
    to_stdout = not diff
    if diff:
        sys.stdout.write("".join(map(_difference, outcomes)))
    elif from_stdin and not check:
        to_stdout = False
        # As UTF-8 whatever the terminal speaks: an escape in its place would be another text.
        sys.stdout.flush()
        sys.stdout.buffer.write((outcomes[0].after or "").encode("utf-8"))
    found = sink.sorted()
    if found:
        sys.stdout.flush()
        print_report(found, sys.stderr)
    if from_stdin and not (check or diff):
        return
    lines = [outcome.name for outcome in outcomes if outcome.changed] if not diff else []
    verb = "would be formatted" if check or diff else "formatted"
    (sys.stdout if to_stdout else sys.stderr).write(
        "".join(f"{verb}: {visible(name)}\n" for name in lines) + _counts(outcomes, verb)
    )


def _counts(outcomes: list[Outcome], verb: str) -> str:
    """`3 files, 1 formatted, 2 in form already`."""
    words = {"changed": verb, "unchanged": "in form already", "failed": "not touched because of errors"}
    parts = [f"{len(outcomes)} file{'s' if len(outcomes) > 1 else ''}"]
    for status, word in words.items():
        count = sum(outcome.status == status for outcome in outcomes)
        parts += [f"{count} {word}"] if count else []
    return ", ".join(parts) + "\n"


def _print_json(outcomes: list[Outcome], sink: Sink, diff: bool, from_stdin: bool) -> None:
    files: list[dict[str, Any]] = []
    for outcome in outcomes:
        entry: dict[str, Any] = {"path": outcome.name, "status": outcome.status}
        if diff:
            entry["diff"] = _difference(outcome)
        if from_stdin:
            entry["text"] = outcome.after
        files.append(entry)
    document = {"version": JSON_VERSION, "files": files, "diagnostics": to_json(sink)["diagnostics"]}
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def _difference(outcome: Outcome) -> str:
    """What changes in the text; empty for one that could not be formatted."""
    if outcome.after is None or not outcome.changed:
        return ""
    return difference(outcome.name, outcome.before, outcome.after)
