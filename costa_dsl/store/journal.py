"""The journal of a run: one line of JSON for each event, appended and synced, with a checksum over all lines so far.

A run that goes on after a kill reads its journal first. Whatever a kill, a power cut or a full disk left behind the
last whole line is put aside, and the run says its events again from the start: those that are recorded are compared
with what stands there and not written a second time, so that the run is known to go the way it went before.
"""

from __future__ import annotations

import json
import os
import re
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.diagnostics import CostaError, Diagnostic

FILE_NAME = "journal.jsonl"
# What was cut off a journal that did not end with a whole line, kept beside it.
CUT_NAME = "journal.cut"

# The checksum is the last member of a line; it covers the line before it and the checksum of the line above.
_CHECKSUM = re.compile(rb', "sum": "([0-9a-f]{8})"}$')

Line = Mapping[str, Any]


def journal_line(value: Line, above: str = "") -> tuple[str, str]:
    """A line without its newline, and its checksum, from which the next line's follows.

    Args:
        value: the members of the line, JSON values; floats are written in full.
        above: the checksum of the line above; empty for the first.
    """
    body = json.dumps(value, ensure_ascii=False)[:-1]
    checksum = _checksum(body.encode(), above)
    return f'{body}, "sum": "{checksum}"}}', checksum


def _checksum(body: bytes, above: str) -> str:
    return f"{zlib.crc32(body, zlib.crc32(above.encode())):08x}"


@dataclass(frozen=True)
class Recorded:
    """What a journal holds.

    Attributes:
        lines: the members of each whole line, without its checksum.
        ends: where each of them ends, in bytes from the start of the file, its newline included.
        checksums: of each of them.
        problem: why reading ended before the end of the file: `""` when it did not, `"torn"` when the last line is not
            whole, `"damaged"` when a line has not its checksum and more than one line is lost.
    """

    lines: tuple[Line, ...] = ()
    ends: tuple[int, ...] = ()
    checksums: tuple[str, ...] = ()
    problem: str = ""

    @property
    def size(self) -> int:
        """The bytes of all whole lines."""
        return self.ends[-1] if self.ends else 0

    def upto(self, count: int) -> Recorded:
        """The first lines alone."""
        return Recorded(self.lines[:count], self.ends[:count], self.checksums[:count], self.problem)


def read_journal(path: Path) -> Recorded:
    """The whole lines of a journal, up to the first that is torn or damaged.

    Raises:
        CostaError: COS6401 the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f'the journal "{path}" cannot be read: {error.strerror or error}'
        raise CostaError(Diagnostic("COS6401", message, help="name the folder of a run: runs/…")) from None
    lines: list[Line] = []
    ends: list[int] = []
    checksums = [""]
    start, problem = 0, ""
    while start < len(data):
        end = data.find(b"\n", start) + 1
        found = read_line(data[start : end - 1], checksums[-1]) if end else None
        if found is None:
            problem = "damaged" if end and end < len(data) else "torn"
            break
        line, checksum = found
        lines.append(line)
        ends.append(end)
        checksums.append(checksum)
        start = end
    return Recorded(tuple(lines), tuple(ends), tuple(checksums[1:]), problem)


def read_line(data: bytes, above: str) -> tuple[Line, str] | None:
    """A line's members and its checksum; None when it has not the checksum that follows from the one above."""
    match = _CHECKSUM.search(data)
    if match is None:
        return None
    body, checksum = data[: match.start()], match[1].decode()
    if _checksum(body, above) != checksum:
        return None
    try:
        line = json.loads(body + b"}")
    except ValueError:  # a checksum that was made up
        return None
    return (line, checksum) if isinstance(line, dict) and isinstance(line.get("event"), str) else None


class Journal:
    """The journal of a run that goes on; what is recorded already is passed over, and must be the same.

    Args:
        path: the file; its folder exists.
        recorded: what it holds when a run is taken up again. Anything behind that is cut off and kept beside it.
    """

    def __init__(self, path: Path, recorded: Recorded | None = None) -> None:
        self.path = path
        self._recorded = recorded or Recorded()
        self._next = 0
        self._resumes = False
        self._checksum = self._recorded.checksums[-1] if self._recorded.checksums else ""
        if path.exists() and path.stat().st_size > self._recorded.size:
            _cut(path, self._recorded.size)

    def resume(self) -> None:
        """Say that another process goes on from here; told at the first line that is new."""
        self._resumes = True

    def end(self, status: str) -> None:
        """Say how this process ended the run."""
        self._append(ENDED, {"status": status})

    @property
    def is_replaying(self) -> bool:
        """Whether recorded lines are left that the run has not come to."""
        self._skip()
        return self._next < len(self._recorded.lines)

    def event(self, event: str, **details: Any) -> bool:
        """Append one line and see it on the disk, or pass over a recorded one; whether it is new.

        Raises:
            CostaError: COS6402 the journal says that something else happened here.
            OSError: the line cannot be written.
        """
        if self.is_replaying:
            self._compare(event, json.loads(json.dumps(details)))
            return False
        self._append(event, details)
        return True

    def _append(self, event: str, details: Line) -> None:
        events = [(RESUMED, {}), (event, details)] if self._resumes else [(event, details)]
        self._resumes = False
        for name, members in events:
            line, self._checksum = journal_line({"at": round(time.time(), 3), "event": name, **members}, self._checksum)
            with self.path.open("ab") as file:
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())

    def ahead(self, event: str, **details: Any) -> list[Line]:
        """The recorded lines to come of one kind that have these details, up to the first of another kind."""
        self._skip()
        found: list[Line] = []
        for line in self._recorded.lines[self._next :]:
            if line["event"] in SESSION_EVENTS:
                continue
            if line["event"] != event or any(line.get(name) != value for name, value in details.items()):
                break
            found.append(line)
        return found

    def _skip(self) -> None:
        """Go past the lines that tell of a process, not of the run."""
        lines = self._recorded.lines
        while self._next < len(lines) and lines[self._next]["event"] in SESSION_EVENTS:
            self._next += 1

    def _compare(self, event: str, details: Line) -> None:
        line = self._recorded.lines[self._next]
        was = {name: value for name, value in line.items() if name not in ("at", "event")}
        if line["event"] != event or was != details:
            raise CostaError(_goes_another_way(self.path, self._next + 1, line["event"], was, event, details))
        self._next += 1


# Lines that a run which is taken up again does not come to a second time.
RESUMED, ENDED = "resumed", "ended"
SESSION_EVENTS = frozenset({RESUMED, ENDED})


def _goes_another_way(path: Path, number: int, was: str, before: Line, event: str, now: Line) -> Diagnostic:
    if was != event:
        differs = f'"{was}" is recorded, and now "{event}" would come'
    else:
        names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
        shown = "; ".join(f"{name}: {before.get(name)!r} is recorded, now {now.get(name)!r}"[:160] for name in names)
        differs = f"{event}: {shown}"
    return Diagnostic(
        "COS6402",
        f"this run cannot go on: it would not go the way that its journal tells ({path.name}, line {number})",
        label=differs,
        help=f"{differs}\ncosta, a tool or a file of the plan was changed since; run the plan again in a new directory",
    )


def _cut(path: Path, size: int) -> None:
    """Cut a journal behind its whole lines; what is cut off is kept."""
    with path.open("r+b") as file:
        file.seek(size)
        with path.with_name(CUT_NAME).open("ab") as kept:
            kept.write(file.read() + b"\n")
        file.truncate(size)
        file.flush()
        os.fsync(file.fileno())


def seconds_of_sessions(lines: Iterable[Line]) -> float:
    """How long the processes that wrote a journal were at work, in seconds: from each one's first line to its last."""
    total, first, last = 0.0, None, None
    for line in lines:
        at = float(line["at"])
        if line["event"] == RESUMED or first is None:
            total += 0.0 if first is None or last is None else max(0.0, last - first)
            first = at
        last = at
    return total + (max(0.0, last - first) if first is not None and last is not None else 0.0)
