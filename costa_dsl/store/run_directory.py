"""The folder of one run: what was asked, every event, every artifact, and the record of the result."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.store.artifacts import ArtifactRef, ArtifactStore
from costa_dsl.store.atomic import write_whole
from costa_dsl.store.journal import FILE_NAME, Journal, Recorded
from costa_dsl.store.run_folder import make_run_folder, only_one


@dataclass(frozen=True)
class RunDirectory:
    """A run's folder.

    Holds plan.yaml, graph.json, journal.jsonl, run.json, output.png, artifacts/ (by content) and
    steps/NN-subtask-tool/ (the same artifacts under readable names, in the order in which tools ran).
    """

    path: Path
    store: ArtifactStore
    journal: Journal

    @staticmethod
    def create(path: Path) -> RunDirectory:
        """A new run's folder, held until this process ends.

        Raises:
            CostaError: it exists and is not empty, or cannot be made.
        """
        make_run_folder(path)
        only_one(path)
        return RunDirectory(path, ArtifactStore(path / "artifacts"), Journal(path / FILE_NAME))

    @staticmethod
    def open(path: Path, recorded: Recorded) -> RunDirectory:
        """The folder of a run that goes on behind what its journal holds; `only_one` is held already."""
        return RunDirectory(path, ArtifactStore(path / "artifacts"), Journal(path / FILE_NAME, recorded))

    @staticmethod
    def default_path(plan: str, root: Path = Path("runs")) -> Path:
        """`runs/<time>-<plan>`, with a number when two runs start in one second."""
        base = root / f"{time.strftime('%Y%m%d-%H%M%S')}-{plan}"
        path, number = base, 1
        while path.exists():
            number += 1
            path = base.with_name(f"{base.name}-{number}")
        return path

    def write(self, name: str, text: str) -> Path:
        """A text file, complete or not at all."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
        return path

    def write_json(self, name: str, value: Mapping[str, Any]) -> Path:
        return self.write(name, json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def show(self, folder: str, name: str, ref: ArtifactRef) -> str:
        """Give a stored artifact a readable name below steps/; returns its path relative to the run directory."""
        stored = self.store.root / ref.path
        place = self.path / "steps" / folder / (name + stored.suffix)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            try:
                os.link(stored, place)
            except OSError:  # a file system without hard links
                write_whole(place, stored.read_bytes())
        return place.relative_to(self.path).as_posix()

    def copy(self, ref: ArtifactRef, name: str) -> None:
        """Write a stored artifact under a name of its own, as a file that may be changed."""
        write_whole(self.path / name, (self.store.root / ref.path).read_bytes())
