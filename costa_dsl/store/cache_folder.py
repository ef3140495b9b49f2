"""The folder of the shared cache: where it is, its format, its lock, and which files in it are costa's own.

    format.json        {"costa-cache": 1}
    CACHEDIR.TAG       tells backup programs to leave the folder out
    lock               held while something is added or removed
    blobs/aa/DIGEST.suffix
    actions/aa/KEY.json

Whatever else lies in the folder belongs to somebody else and is never touched.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.store.atomic import write_whole

FORMAT = 1
VARIABLE = "COSTA_CACHE_DIR"
# Adding a result takes milliseconds; only gc and a repair of a large cache take longer. A run does not wait for ever.
WAIT_SECONDS = 20.0

_MARKER, _LOCK, _TAG = "format.json", "lock", "CACHEDIR.TAG"
_TAG_TEXT = b"Signature: 8a477f597d28d172789f06886806bc55\n# Results of costa that can be made again.\n"
_BLOB = re.compile(r"[0-9a-f]{64}\.(png|npy|json)")
_ACTION = re.compile(r"([0-9a-f]{64})\.json")
_UNFINISHED = re.compile(r"\.[0-9a-f]{64}\.(png|npy|json)\.[0-9a-f]{16}\.part")
_UNFINISHED_MARK = re.compile(r"\.(format\.json|CACHEDIR\.TAG)\.[0-9a-f]{16}\.part")
_SHELF = re.compile(r"[0-9a-f]{2}")


def cache_root(environment: Mapping[str, str] = os.environ) -> Path:
    """The cache's folder, absolute: `COSTA_CACHE_DIR`, else the user's cache folder of this system."""
    named = environment.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute() if named.startswith("~") else Path(named).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("costa", appauthor=False)


@dataclass(frozen=True)
class CacheFolder:
    """The files of a cache. Nothing is made before `prepare`."""

    root: Path

    @property
    def blobs(self) -> Path:
        return self.root / "blobs"

    def action(self, key: str) -> Path:
        return self.root / "actions" / key[:2] / f"{key}.json"

    def found_format(self) -> int | None:
        """The format that the folder says it has; None for a folder without a marker; 0 for an unreadable one.

        Raises:
            OSError: the folder cannot be read.
        """
        try:
            text = (self.root / _MARKER).read_bytes()
        except FileNotFoundError:
            return None
        try:
            found = json.loads(text)["costa-cache"]
        except (ValueError, TypeError, KeyError):
            return 0
        return found if type(found) is int else 0

    def refuse_other_format(self) -> None:
        """Raises:
        CostaError: COS8503 another costa wrote the folder, in a format that this one does not know.
        OSError: the folder cannot be read.
        """
        found = self.found_format()
        if found is None or found == FORMAT:
            return
        newer = found > FORMAT
        raise CostaError(
            Diagnostic(
                "COS8503",
                f'the cache "{self.root}" has format {found or "unknown"}; this costa reads format {FORMAT}',
                help=f"use the newer costa, or another folder: {VARIABLE}=…"
                if newer
                else "`costa cache gc --all` empties it and begins anew",
            )
        )

    def prepare(self) -> None:
        """Make the folder ready for writing.

        Raises:
            CostaError: as `refuse_other_format`.
            OSError: it cannot be made or written.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        self.refuse_other_format()
        if self.found_format() is None:
            with self.locked():
                self.mark()

    def mark(self) -> None:
        """Say that the folder has this format. Only under the lock."""
        if not (self.root / _TAG).exists():
            write_whole(self.root / _TAG, _TAG_TEXT)
        write_whole(self.root / _MARKER, json.dumps({"costa-cache": FORMAT}).encode() + b"\n")

    @contextmanager
    def locked(self, seconds: float = WAIT_SECONDS) -> Iterator[None]:
        """Alone in the folder, among all processes; the lock ends with the process, however that ends.

        Raises:
            TimeoutError: another process holds it all the time.
            OSError: the lock file cannot be made, or the file system has no locks.
        """
        # Imported here: whoever only reads needs no lock.
        from filelock import FileLock, Timeout

        lock = FileLock(self.root / _LOCK)
        try:
            lock.acquire(timeout=seconds, poll_interval=0.01)
        except Timeout:
            raise TimeoutError(f"another process has held it for {seconds:g} s") from None
        except NotImplementedError as error:
            raise OSError(f"the file system has no locks: {error}") from error
        try:
            yield
        finally:
            lock.release()

    def actions(self) -> list[Path]:
        """The file of every entry, sorted."""
        return sorted(path for path in _shelved(self.root / "actions") if _ACTION.fullmatch(path.name))

    def blob_files(self) -> list[Path]:
        """The file of every blob, sorted."""
        return sorted(path for path in _shelved(self.blobs) if _BLOB.fullmatch(path.name))

    def unfinished(self) -> list[Path]:
        """What a killed process left half written, sorted. Held by nobody when the lock is free."""
        shelves = (*_shelved(self.blobs), *_shelved(self.root / "actions"))
        marks = (Path(entry.path) for entry in _entries(self.root) if _UNFINISHED_MARK.fullmatch(entry.name))
        return sorted([*marks, *(path for path in shelves if _UNFINISHED.fullmatch(path.name))])

    def drop_empty_shelves(self) -> None:
        """Remove folders of costa's own that hold nothing any more. Only under the lock."""
        for place in (self.blobs, self.root / "actions"):
            for shelf in _entries(place):
                if _SHELF.fullmatch(shelf.name):
                    try:
                        Path(shelf.path).rmdir()
                    except OSError:  # something is left in it
                        continue


def _shelved(place: Path) -> Iterator[Path]:
    """The regular files in the two-digit folders of a folder; links are none."""
    for shelf in _entries(place):
        if _SHELF.fullmatch(shelf.name) and shelf.is_dir(follow_symlinks=False):
            for entry in _entries(Path(shelf.path)):
                if entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)


def _entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):
        return []
