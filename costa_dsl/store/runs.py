"""The runs in a folder: what each was asked for, how far it came, and whether somebody is at work on it.

Only journals, graphs and records are read, no artifact; whatever lies there, reading it never fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.store.journal import ENDED, FILE_NAME, Line, read_journal
from costa_dsl.store.run_folder import is_held

# How the processes of a run left it. `stopped`: without a word, by a kill or a power cut; it can be gone on with.
STATUSES = ("completed", "failed", "budget", "interrupted", "stopped", "running", "damaged")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run.

    Attributes:
        began: seconds since 1970 of its first line; None when that cannot be read.
        plan, picture: their names; empty when they cannot be read.
        status: one of `STATUSES`; `damaged` when its journal does not tell how it began.
        done, steps: how many steps some tool did well enough, of how many.
        seconds: of all attempts of tools.
        size: bytes of all files in its folder, each counted once.
    """

    path: Path
    began: float | None
    plan: str
    picture: str
    status: str
    done: int
    steps: int
    seconds: float
    size: int


def is_run(path: Path) -> bool:
    """Whether a folder is one of a run: it has a journal. A link to one is not."""
    return path.is_dir() and not path.is_symlink() and (path / FILE_NAME).is_file()


def runs_in(folder: Path) -> list[RunSummary]:
    """The runs in a folder, the newest first; those whose beginning cannot be read come last.

    Raises:
        CostaError: COS6601 the folder cannot be read.
    """
    try:
        places = sorted(path for path in folder.iterdir() if is_run(path))
    except OSError as error:
        message = f'the folder of runs "{folder}" cannot be read: {error.strerror or error}'
        raise CostaError(Diagnostic("COS6601", message, help="name the folder: costa runs list FOLDER")) from error
    return sorted(map(summary, places), key=lambda run: (-(run.began or 0.0), run.path.name))


def summary(path: Path) -> RunSummary:
    """What can be told of one run."""
    lines = _lines(path)
    graph = _json(path / "graph.json")
    first = lines[0] if lines else {}
    began = first.get("at") if first.get("event") == "run" else None
    roles = {found.get("id"): found for found in _list(graph.get("invocations"))}
    did = [roles.get(line.get("invocation"), {}) for line in lines if line["event"] == "outcome" and line["accepted"]]
    plan = graph.get("plan")
    return RunSummary(
        path=path,
        began=began,
        plan=str(plan.get("name", "")) if isinstance(plan, Mapping) else "",
        picture=str(first.get("picture", "")),
        status=_status(path, lines, began),
        done=len({found.get("step") for found in did if found.get("role") == "step"}),
        steps=len(_list(graph.get("steps"))),
        seconds=sum(line["seconds"] for line in lines if line["event"] == "attempt"),
        size=size_of(path),
    )


def size_of(path: Path) -> int:
    """The bytes of all files below a folder; one with several names counts once."""
    sizes: dict[tuple[int, int], int] = {}
    for found in path.rglob("*"):
        try:
            entry = found.lstat()
        except OSError:  # just removed
            continue
        sizes[entry.st_dev, entry.st_ino] = 0 if found.is_dir() and not found.is_symlink() else entry.st_size
    return sum(sizes.values())


def _status(path: Path, lines: tuple[Line, ...], began: float | None) -> str:
    if is_held(path):
        return "running"
    if began is None:
        return "damaged"
    last = lines[-1]
    return str(last["status"]) if last["event"] == ENDED else "stopped"


def _lines(path: Path) -> tuple[Line, ...]:
    try:
        return read_journal(path / FILE_NAME).lines
    except CostaError:
        return ()


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [found for found in value if isinstance(found, Mapping)] if isinstance(value, list) else []
