"""A run that was stopped, ready to go on: what its folder and its journal hold, as far as they are whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.diagnostics import CostaError, Diagnostic, Severity
from costa_dsl.runtime.attempts import IMAGE, Attempt
from costa_dsl.store.artifacts import ArtifactRef, ArtifactStore
from costa_dsl.store.journal import FILE_NAME, Recorded, read_journal
from costa_dsl.store.run_folder import only_one

JOURNAL_VERSION = 1


@dataclass(frozen=True)
class Beginning:
    """The first line of a run's journal: what it began with.

    Attributes:
        name: the picture's, as the user gave it.
        image: the picture itself, in the run's store.
        size: its width and height in pixels.
        plan: the full path of the plan's file; what it names lies in its folder.
        catalog: the `--catalog` that it was compiled with.
    """

    name: str
    image: ArtifactRef
    size: tuple[int, int]
    plan: str
    catalog: str

    def to_line(self) -> dict[str, Any]:
        """The event of the journal, with its name."""
        return {
            "event": "run",
            "version": JOURNAL_VERSION,
            "picture": self.name,
            "image": {"digest": self.image.digest, "path": self.image.path},
            "size": list(self.size),
            "plan": self.plan,
            "catalog": self.catalog,
        }

    @staticmethod
    def from_line(line: Mapping[str, Any]) -> Beginning:
        """The inverse of `to_line`."""
        width, height = line["size"]
        image = ArtifactRef(IMAGE, **line["image"])
        return Beginning(line["picture"], image, (width, height), line["plan"], line["catalog"])


@dataclass(frozen=True)
class TakenUp:
    """A run's folder, held by this process, and the part of its journal that can be relied on.

    Attributes:
        notices: what was lost, in words.
    """

    path: Path
    beginning: Beginning
    recorded: Recorded
    notices: tuple[Diagnostic, ...]


def take_up(path: Path) -> TakenUp:
    """Hold a run's folder, and read what its run has come to.

    A journal is relied on up to the first line that is damaged, or whose artifacts are missing or damaged: what came
    after is done again.

    Raises:
        CostaError: COS6401 there is no journal; COS6403 another costa is at work on it; COS6404 it does not tell how
            the run began, so that nothing can go on; COS6801, COS6802 the picture itself is missing or damaged.
    """
    recorded = read_journal(path / FILE_NAME)
    only_one(path)
    recorded = read_journal(path / FILE_NAME)
    first = recorded.lines[0] if recorded.lines else {}
    if first.get("event") != "run" or first.get("version") != JOURNAL_VERSION:
        raise CostaError(_unusable(path, first))
    beginning = Beginning.from_line(first)
    store = ArtifactStore(path / "artifacts")
    store.get(beginning.image)
    notices = []
    if recorded.problem == "damaged":
        notices.append(_lost(path, len(recorded.lines) + 1, "it has not its checksum"))
    for number, line in enumerate(recorded.lines):
        if (reason := _lacks(store, line)) is not None:
            recorded = recorded.upto(number)
            notices.append(_lost(path, number + 1, reason))
            break
    return TakenUp(path, beginning, recorded, tuple(notices))


def _lacks(store: ArtifactStore, line: Mapping[str, Any]) -> str | None:
    """Why the artifacts of a line cannot be used; None when they can."""
    if line["event"] != "attempt":
        return None
    for ref in Attempt.from_line(line).outputs.values():
        try:
            store.get(ref)
        except CostaError as error:
            (store.root / ref.path).unlink(missing_ok=True)
            return error.diagnostics[0].message
    return None


def _lost(path: Path, number: int, reason: str) -> Diagnostic:
    return Diagnostic(
        "COS6405",
        f"what came after line {number - 1} of the journal is done again: line {number} cannot be used, {reason}",
        severity=Severity.WARNING,
        help=f"what was cut off is kept in {path / 'journal.cut'}",
    )


def _unusable(path: Path, first: Mapping[str, Any]) -> Diagnostic:
    if first.get("event") == "simulated":
        message, help = f'"{path}" is a simulation: there is nothing to go on with', "`costa trace` explains it"
    elif not first:
        message = f'the run "{path}" was stopped before its journal had a whole line'
        help = "run the plan again in a new directory"
    else:
        message = f'the journal of "{path}" is not one that this costa can go on with'
        help = f"expected a first line with `run` of version {JOURNAL_VERSION}; run the plan again in a new directory"
    return Diagnostic("COS6404", message, help=help)
