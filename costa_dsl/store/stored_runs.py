"""What lies in the folders of runs, read to be listed, shown, compared and removed. No arrays or pictures here."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.store.calls import Call, fault_of, read_calls
from costa_dsl.store.journal import ENDED, FILE_NAME, Line, read_journal
from costa_dsl.store.run_folder import is_held

# How a run ended, as its journal says.
ENDINGS = ("completed", "failed", "budget", "interrupted")
# What else a run can be: ended by nobody, with or without a process at work on it.
STATES = (*ENDINGS, "stopped", "running")
# What is in a folder of runs and cannot be told of as a run.
SIMULATION, DAMAGED, FOREIGN = "simulation", "damaged", "foreign"


@dataclass(frozen=True)
class StoredRun:
    """A run's folder as far as it can be read.

    Attributes:
        state: one of `STATES`, else `simulation`, `damaged` or `foreign`.
        problem: for what is not a run, in words why; for a run, what is damaged behind its whole lines.
        lines: of its journal.
    """

    path: Path
    state: str
    problem: str = ""
    lines: tuple[Line, ...] = ()

    @property
    def is_run(self) -> bool:
        return self.state in STATES

    @property
    def begun(self) -> float | None:
        """Seconds since the epoch."""
        return float(self.lines[0]["at"]) if self.lines else None

    @property
    def plan(self) -> str:
        """The plan's file, as a full path."""
        return str(self.lines[0]["plan"]) if self.is_run else ""

    @property
    def plan_name(self) -> str:
        return Path(self.plan).stem if self.plan else ""

    @property
    def picture(self) -> str:
        return str(self.lines[0]["picture"]) if self.is_run else ""

    @property
    def seconds(self) -> float:
        """The working time of all tools."""
        return float(sum(line["seconds"] for line in self.lines if line["event"] == "attempt"))

    @cached_property
    def graph(self) -> Mapping[str, Any]:
        """graph.json; empty when it cannot be read."""
        return _object(self.path / "graph.json")

    @cached_property
    def record(self) -> Mapping[str, Any] | None:
        """run.json; None before the run has ended, and when it is missing, damaged or does not fit its schema."""
        if self.state not in ENDINGS:
            return None
        found = _object(self.path / "run.json")
        return found if found and _fits(found) else None

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every invocation that was started, in order."""
        return read_calls(self.lines, _objects(self.graph, "invocations"))

    @property
    def steps_done(self) -> int:
        """How many steps of the plan some path has done."""
        done = {call.step for call in self.calls if call.accepted and not call.is_supply}
        return len(done)

    @property
    def steps(self) -> int:
        """The steps of the plan; of a completed run those of its path, since others were alternatives."""
        return self.steps_done if self.state == "completed" else len(_objects(self.graph, "steps"))

    @property
    def size(self) -> int:
        """Bytes on the disk; what has several names counts once."""
        return size_on_disk(self.path)


def read_run(path: Path) -> StoredRun:
    """What is in a folder. Whatever it is, this raises nothing."""
    try:
        return _read(path)
    except (OSError, ValueError) as error:
        return StoredRun(path, DAMAGED, getattr(error, "strerror", None) or str(error))
    except (KeyError, TypeError, AttributeError):
        return StoredRun(path, DAMAGED, "a line of its journal is not one that costa writes")


def _read(path: Path) -> StoredRun:
    if path.is_symlink():
        return StoredRun(path, FOREIGN, "a link to somewhere else")
    journal = path / FILE_NAME
    if not journal.is_file():
        return StoredRun(path, FOREIGN, f"it holds no {FILE_NAME}")
    try:
        recorded = read_journal(journal)
    except CostaError as error:
        return StoredRun(path, DAMAGED, error.diagnostics[0].message)
    if not recorded.lines:
        first = _first_object(journal)
        if first.get("event") == "simulated":
            return StoredRun(path, SIMULATION, "a simulation: `costa trace` explains it")
        return StoredRun(path, DAMAGED, "its journal has no whole line")
    lines = recorded.lines
    for number, line in enumerate(lines, start=1):
        if (wrong := fault_of(line)) is not None:
            return StoredRun(path, DAMAGED, f"line {number} of its journal: {wrong}")
    if lines[0]["event"] == "simulated":
        return StoredRun(path, SIMULATION, "a simulation: `costa trace` explains it", ())
    if lines[0]["event"] != "run":
        return StoredRun(path, DAMAGED, "its journal does not tell how it began")
    last = lines[-1]
    if is_held(path):
        state = "running"
    elif last["event"] == ENDED and last.get("status") in ENDINGS and not recorded.problem:
        state = str(last["status"])
    else:
        state = "stopped"
    problem = "" if not recorded.problem else f"its journal is {recorded.problem} behind line {len(lines)}"
    found = StoredRun(path, state, problem, lines)
    # Everything that is told of it is read once here, so that a line that is none is found here.
    _ = (found.begun, found.plan, found.picture, found.seconds, found.steps)
    return found


def find_runs(folder: Path) -> list[StoredRun]:
    """Everything in a folder of runs, the newest first; what is no run comes last.

    Raises:
        CostaError: COS6601 the folder cannot be read.
    """
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if _may_be_a_run(entry))
    except (OSError, ValueError) as error:
        message = f'the folder of runs "{folder}" cannot be read: {getattr(error, "strerror", None) or error}'
        help = "name the folder that holds the runs; `costa exec` makes runs/ in the current folder"
        raise CostaError(Diagnostic("COS6601", message, help=help), exit_code=3) from None
    found = [read_run(folder / name) for name in names]
    return sorted(found, key=lambda run: (not run.is_run, -(run.begun or 0.0), run.path.name))


def _may_be_a_run(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and (entry.is_dir() or entry.is_symlink())


def the_run(path: Path) -> StoredRun:
    """The run in a folder.

    Raises:
        CostaError: COS6602 there is none.
    """
    found = read_run(path)
    if found.is_run:
        return found
    try:
        missing = not path.is_symlink() and not path.exists()
    except (OSError, ValueError):
        missing = True
    reason = "there is no such folder" if missing else found.problem
    raise CostaError(
        Diagnostic("COS6602", f'"{path}" is not the folder of a run: {reason}', help="`costa runs list` shows them"),
        exit_code=3,
    )


def size_on_disk(path: Path) -> int:
    """The bytes of all files below a folder; what has several names counts once, links are not followed."""
    total = 0
    seen: set[tuple[int, int]] = set()
    if path.is_symlink():
        return 0
    for status in _files(path):
        if (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            total += status.st_size
    return total


def _files(path: Path) -> Iterator[os.stat_result]:
    try:
        entries = list(os.scandir(path))
    except OSError:
        return
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _files(Path(entry.path))
        else:
            yield status


def _objects(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = value.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _object(path: Path) -> Mapping[str, Any]:
    try:
        # Only a file: a pipe would be waited for.
        value = json.loads(path.read_bytes()) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _first_object(path: Path) -> Mapping[str, Any]:
    with path.open("rb") as file:
        line = file.readline(1_000_000)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _fits(record: Mapping[str, Any]) -> bool:
    # Imported here: only who shows a run needs it.
    import jsonschema_rs

    from costa_dsl.resources import data_folder

    schema = json.loads((data_folder("schemas") / "run-record.schema.json").read_text(encoding="utf-8"))
    return bool(jsonschema_rs.validator_for(schema).is_valid(record))
