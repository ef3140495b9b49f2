"""`costa fmt`: puts files into costa's form, or says which ones are not in it."""

from __future__ import annotations

import json
import os
import secrets
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from costa_dsl.cli.options import format_option
from costa_dsl.cli.paths import yaml_files
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink, SourceText
from costa_dsl.report.diagnostics import print_report, to_json, visible

FINDINGS, NOTHING_MATCHED, INTERNAL = 1, 3, 70
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
    files = list(dict.fromkeys(file for path in paths for file in yaml_files(path)))
    if not files:
        raise CostaError(_nothing(paths), exit_code=NOTHING_MATCHED)
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

    name = path if path != "-" else stdin_name or "<stdin>"
    source = read_text_file(path, sink)
    if source is None:
        return Outcome(name, "", None, changed=False)
    source = SourceText(name, source.text)
    after = format_text(source, _schema, sink)
    if after is None or path == "-":
        return Outcome(name, source.text, after, after is not None and after != source.text)
    data = after.encode("utf-8")
    # Bytes, not texts: a byte order mark and another encoding are no part of the form. A pipe is empty by now.
    changed = data != (Path(path).read_bytes() if Path(path).is_file() else source.text.encode("utf-8"))
    if changed and writes:
        fault = _written(Path(path), data)
        if fault is not None:
            sink.add(fault)
            return Outcome(name, source.text, None, changed=False)
    return Outcome(name, source.text, after, changed)


def _schema(kind: str) -> Mapping[str, Any] | None:
    from costa_dsl.schema.kinds import KINDS, schema_of

    return schema_of(kind) if kind in KINDS else None


def _written(path: Path, data: bytes) -> Diagnostic | None:
    """Put `data` in the place of a file in one step; the finding when that fails, and the file is as before.

    A symbolic link stays one: the file that it leads to is replaced. The new file keeps the permissions, and
    the owner where that is allowed.
    """
    target = path.resolve()
    unfinished = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        known = path.stat()
        if not stat.S_ISREG(known.st_mode):
            return _unwritten(path, "it is no regular file")
        if not os.access(target, os.W_OK):
            return _unwritten(path, "it is read-only")
        # Nobody else may read it before it has the permissions of the old one.
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError, AttributeError):  # no such call on Windows
            os.chown(unfinished, known.st_uid, known.st_gid)
        unfinished.chmod(stat.S_IMODE(known.st_mode))
        unfinished.replace(target)
    except OSError as error:
        return _unwritten(path, error.strerror or str(error))
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return None


def _unwritten(path: Path, reason: str) -> Diagnostic:
    return Diagnostic(
        "COS8203",
        f'cannot write "{path}": {reason}',
        help="check its permissions, or see with --diff what would change",
    )


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
    """A unified diff, as `patch -p0` takes it; empty when nothing changes in the text."""
    if outcome.after is None or not outcome.changed:
        return ""
    before, after = (_lines(text) for text in (outcome.before, outcome.after))
    lines = unified_diff(before, after, outcome.name, outcome.name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines with their line breaks."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _nothing(paths: tuple[str, ...]) -> Diagnostic:
    where = ", ".join(f'"{path}"' for path in paths)
    return Diagnostic(
        "COS0008", f"there is no YAML file below {where}", help="name a file, or a folder with *.yaml files"
    )
