"""Reads a journal to explain it, not to go on with it: with places in its text, and without what a real run needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.diagnostics import CostaError, Diagnostic, SourceSpan, SourceText
from costa_dsl.search.journal import Line
from costa_dsl.search.space import Stop
from costa_dsl.store.journal import ENDED, read_line
from costa_dsl.store.journal import FILE_NAME as JOURNAL

GRAPH, RECORD = "graph.json", "run.json"


@dataclass(frozen=True)
class Journal:
    """The lines of a journal; `torn` when the last one was not written to its end, and is left out."""

    path: Path
    lines: tuple[Line, ...]
    torn: bool

    @property
    def folder(self) -> Path:
        """The run directory."""
        return self.path.parent


def read_journal(run: str) -> Journal:
    """The journal of a run directory, or the journal that is named itself.

    Raises:
        CostaError: there is none, it cannot be read, or a line in it is not one JSON object.
    """
    path = Path(run)
    try:
        if path.is_dir():
            path = path / JOURNAL
        # Opened only when it is a file: a pipe would be waited for.
        data = path.read_bytes() if path.is_file() else None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f'"{path}" cannot be read: {reason}'
        raise CostaError(Diagnostic("COS6502", message, help="check its path and permissions")) from error
    if data is None:
        raise _no_run(run)
    return _parse(path, data)


def _no_run(run: str) -> CostaError:
    folder = Path(run)
    message = f'"{run}" is not a run directory: it holds no {JOURNAL}' if folder.is_dir() else f'there is no "{run}"'
    help = "name a run directory (`--run-dir` of `costa exec` and `costa simulate`) or its journal.jsonl"
    try:
        runs = sorted(found.parent.name for found in folder.glob(f"*/{JOURNAL}"))
    except (OSError, ValueError):
        runs = []
    if runs:
        help = f'did you mean "{folder / runs[-1]}"?' + (f" {len(runs)} runs are there" if len(runs) > 1 else "")
    return CostaError(Diagnostic("COS6501", message, help=help))


def _parse(path: Path, data: bytes) -> Journal:
    source = SourceText(str(path), data.decode("utf-8", "replace"))
    lines: list[Line] = []
    start, torn, checksum = 0, False, ""
    pieces = data.split(b"\n")
    # A real run's lines have checksums; a simulation is written at once, and has none.
    summed = "sum" in (_object(pieces[0]) or ())
    for number, piece in enumerate(pieces, start=1):
        end = start + len(piece.decode("utf-8", "replace"))
        span = SourceSpan(source, start, end)
        start = end + 1
        if not piece.strip():
            continue
        value = _object(piece)
        if value is not None and summed:
            found = read_line(piece, checksum)
            value, checksum = found if found is not None else (None, checksum)
        if value is not None:
            lines.append(Line(value, span))
        elif number == len(pieces):
            torn = True  # the machine stopped while it was written
        else:
            raise CostaError(_damaged(number, span, has_sum=summed and _object(piece) is not None))
    if not lines:
        message = f'there is no whole line in the journal "{path}"' if torn else f'the journal "{path}" is empty'
        raise CostaError(Diagnostic("COS6502", message, help="the run ended before its search began: run it again"))
    return Journal(path, tuple(lines), torn)


def _damaged(number: int, span: SourceSpan, has_sum: bool) -> Diagnostic:
    if has_sum:
        message = f"line {number} of the journal has not its checksum: it, or a line above, was changed or taken out"
        return Diagnostic("COS6502", message, span, help="a journal is not made to be edited")
    return Diagnostic(
        "COS6502",
        f"line {number} of the journal is not one JSON object",
        span,
        help="only the last line may end early; this one was damaged or edited, or the file is no journal",
    )


def _object(piece: bytes) -> Mapping[str, Any] | None:
    """The JSON object in a line; None when it holds something else."""
    try:
        value = json.loads(piece.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_stop(folder: Path, rest: Iterable[Line]) -> Stop:
    """Why a search ended early: what the end of the journal says, else the run record; `cancelled` when neither does.

    Args:
        rest: what stands behind the last outcome.
    """
    ends = [line.value.get("status") for line in rest if line.event == ENDED]
    if ends:
        return "budget" if ends[-1] == "budget" else "cancelled"
    try:
        record: Any = json.loads((folder / RECORD).read_bytes())
        status = record["path"]["proof"]["status"]
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return "cancelled"
    return "budget" if status == "budget" else "cancelled"
