"""Puts other bytes into a file that people keep: whole or not at all, and with all that is theirs."""

from __future__ import annotations

import codecs
import os
import stat
from contextlib import suppress
from pathlib import Path

from costa_dsl.diagnostics import Diagnostic, Sink
from costa_dsl.syntax.files import BYTE_ORDER_MARKS


def rewrite_file(path: str, data: bytes, sink: Sink) -> bool:
    """Put `data` in the place of a file in one step; False, with a finding, when that fails, and the file is as before.

    A symbolic link stays one: the file that it leads to is replaced. The new file keeps the permissions, and
    the owner where that is allowed.
    """
    reason = _rewritten(Path(path), data)
    if reason:
        help = "it is as it was before; check its permissions, or see with --diff what would change"
        sink.add(Diagnostic("COS0034", f'"{path}" cannot be written: {reason}', help=help))
    return not reason


def rewrite_text_file(path: str, text: str, sink: Sink) -> bool:
    """Put another text into a file, as `rewrite_file` does; its encoding and its byte order mark stay."""
    try:
        encoding, mark = _encoding_of(Path(path).read_bytes())
    except OSError as error:
        sink.add(Diagnostic("COS0034", f'"{path}" cannot be written: {error.strerror or error}'))
        return False
    return rewrite_file(path, mark + text.encode(encoding), sink)


def _rewritten(path: Path, data: bytes) -> str:
    """Why it could not be done; empty when it was."""
    import secrets  # takes longer to load than a plan to read

    target = path.resolve()
    unfinished = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        known = path.stat()
        if not stat.S_ISREG(known.st_mode):
            return "it is no regular file"
        if not os.access(target, os.W_OK):
            return "it is read-only"
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
        return error.strerror or str(error)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return ""


def _encoding_of(data: bytes) -> tuple[str, bytes]:
    """How a file is encoded, and the byte order mark that it begins with."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            width = "-le" if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF32_LE) else "-be"
            return ("utf-8" if encoding == "utf-8-sig" else encoding + width), mark
    return "utf-8", b""
