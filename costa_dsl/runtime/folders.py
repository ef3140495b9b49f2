"""The private folders through which one executor and its workers pass arrays."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from filelock import FileLock, Timeout

_PREFIX = "costa-exchange-"
# What a folder is called until its lock is held: no other costa takes it for one that was left behind.
_UNBORN = "costa-unborn-"
_LOCK = ".lock"
# A folder without a lock, or not yet named, is being made, or its maker was killed at that moment.
_GRACE_SECONDS = 3600
MEMORY = Path("/dev/shm")


class Folders:
    """One folder in memory where there is such a thing, and one in the temporary folder; both for this user only.

    What an earlier costa left behind because it was killed, with its keeper, is deleted first.

    Args:
        memory: where files lie in memory.

    Raises:
        OSError: no temporary folder can be written.
    """

    def __init__(self, memory: Path = MEMORY) -> None:
        self.paths: tuple[Path, ...] = ()
        self._locks: list[FileLock] = []
        disk = Path(tempfile.gettempdir()).absolute()
        try:
            for place in dict.fromkeys((memory, disk)):
                if place != disk and not _can_be_used(place):
                    continue
                _clean(place)
                try:
                    self._make(place)
                except OSError:
                    if place == disk:
                        raise
        except BaseException:
            self.close()
            raise
        self.temporary.mkdir()

    @property
    def temporary(self) -> Path:
        """The workers' own temporary folder: what tools leave there goes with the rest."""
        return self.disk / "tmp"

    @property
    def disk(self) -> Path:
        """The folder on disk, the last one."""
        return self.paths[len(self.paths) - 1]

    def _make(self, place: Path) -> None:
        unborn = Path(tempfile.mkdtemp(prefix=_UNBORN, dir=place))
        folder = unborn.with_name(_PREFIX + unborn.name.removeprefix(_UNBORN))
        lock = FileLock(unborn / _LOCK, thread_local=False)
        try:
            lock.acquire(timeout=0)
            unborn.rename(folder)  # the lock is one of the open file, and goes with it
        except BaseException:
            shutil.rmtree(unborn, ignore_errors=True)
            lock.release()
            raise
        self.paths = (*self.paths, folder)
        self._locks.append(lock)

    def close(self) -> None:
        for folder in self.paths:
            shutil.rmtree(folder, ignore_errors=True)
        for lock in self._locks:
            lock.release()
        self._locks.clear()


def _can_be_used(place: Path) -> bool:
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def _clean(place: Path) -> None:
    """Delete this user's folders that nobody holds the lock of."""
    for folder in (*place.glob(f"{_PREFIX}*"), *place.glob(f"{_UNBORN}*")):
        try:
            about = folder.lstat()
            if about.st_uid != os.getuid() or folder.is_symlink():
                continue
            if folder.name.startswith(_UNBORN) or not (folder / _LOCK).exists():
                if time.time() - about.st_mtime > _GRACE_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            with FileLock(folder / _LOCK, timeout=0):
                shutil.rmtree(folder, ignore_errors=True)
        except (OSError, Timeout):
            continue
