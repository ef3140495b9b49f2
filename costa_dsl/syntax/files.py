"""A file's bytes → a text, or one finding that says why not."""

from __future__ import annotations

import codecs
import os
import re
import sys
from pathlib import Path

from costa_dsl.diagnostics import Diagnostic, Sink, SourceSpan, SourceText, closest

MOST_BYTES = 10 * 1024 * 1024

# UTF-32 first: its little-endian mark begins with UTF-16's.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONE_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")


def read_text_file(path: str, sink: Sink) -> SourceText | None:
    """The text of a file in UTF-8, or in UTF-16/32 with a byte order mark; `-` is standard input.

    The text's name is the path as given. The byte order mark is no part of the text. A file that
    cannot be read, is too large (10 MB) or is no text gives None and one finding.
    """
    name = "<stdin>" if path == "-" else path
    unread = SourceSpan(SourceText(name, ""), 0, 0)
    data = _bytes_of(path, unread, sink)
    if data is None:
        return None
    if len(data) > MOST_BYTES:
        sink.add(
            Diagnostic(
                "COS0004",
                f'"{name}" is larger than {MOST_BYTES // 2**20} MB, which no plan, manifest or table needs',
                unread,
                help="give the YAML file itself, or split it into several files",
            )
        )
        return None
    return _text_of(data, unread, sink)


def real_path(name: str) -> Path:
    """A path without links and dots; as it is given when the working directory is gone."""
    try:
        return Path(os.path.realpath(name))
    except OSError:
        return Path(name)


def _bytes_of(path: str, unread: SourceSpan, sink: Sink) -> bytes | None:
    name = unread.source.name
    try:
        if path == "-":
            return sys.stdin.buffer.read(MOST_BYTES + 1)
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        sink.add(Diagnostic("COS0001", f'there is no file "{name}"', unread, help=_nearby(Path(path))))
    except IsADirectoryError:
        sink.add(
            Diagnostic(
                "COS0002",
                f'"{name}" is a folder, a file is expected',
                unread,
                help="give a file in it, or the folder to `costa validate`",
            )
        )
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL byte in it.
        reason = getattr(error, "strerror", None) or str(error)
        message = f'"{name}" cannot be read: {reason}'
        sink.add(Diagnostic("COS0003", message, unread, help="check its path and permissions"))
    return None


def _nearby(path: Path) -> str:
    """Did you mean the file beside it?"""
    folder = path.parent
    if not folder.is_dir():
        return f'the folder "{folder}" does not exist either'
    try:
        names = [entry.name for entry in folder.iterdir()]
        guess = closest(path.name, [name for name in names if name.endswith((".yaml", ".yml"))])
    except OSError:
        guess = None
    return f'did you mean "{folder / guess}"?' if guess else "check the path; it starts at the current folder"


def _text_of(data: bytes, unread: SourceSpan, sink: Sink) -> SourceText | None:
    name = unread.source.name
    encoding = next((encoding for mark, encoding in BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    if encoding in ("utf-8", "utf-8-sig") and b"\0" in data:
        sink.add(
            Diagnostic(
                "COS0006",
                f'"{name}" is not a text file: it holds NUL bytes',
                unread,
                help="give the YAML file; pictures go under `inputs:` of a plan or after --image",
            )
        )
        return None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        good = data[: error.start].decode(encoding, "replace")
        rest = data[error.start :].decode(encoding, "replace")
        source = SourceText(name, good + rest)
        sink.add(
            Diagnostic(
                "COS0005",
                f"this byte (0x{data[error.start]:02x}) is not {encoding.removesuffix('-sig').upper()} text",
                SourceSpan(source, len(good), len(good) + 1),
                help="save the file as UTF-8",
            )
        )
        return None
    # Old line breaks become new ones of the same length, so that lines are counted as YAML counts them.
    return SourceText(name, _LONE_CARRIAGE_RETURN.sub("\n", text))
