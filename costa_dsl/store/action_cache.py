"""The shared cache of results: a pre-image in, the result and its artifacts out, over all runs of a user.

Finding never decodes a picture and takes no lock; adding takes the folder's lock for some milliseconds. The cache is a
help and no duty: whatever goes wrong with its folder, a run goes on without it and one warning says so.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from costa_dsl.diagnostics import CostaError, Diagnostic, Severity
from costa_dsl.store.atomic import write_whole
from costa_dsl.store.blobs import hand_over, is_sound
from costa_dsl.store.cache_entry import Entry, Output, read_entry
from costa_dsl.store.cache_folder import VARIABLE, CacheFolder, cache_root
from costa_dsl.store.preimage import Difference, Preimage, action_key, differences
from costa_dsl.store.refs import ArtifactRef

Warn = Callable[[Diagnostic], None]


class Store(Protocol):
    """A folder of artifacts; an `ArtifactStore` is one."""

    root: Path


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A cached result that was made of nearly the same, and each field that differs; `here` is the asked side."""

    entry: Entry
    differs: tuple[Difference, ...]


def _say_nothing(diagnostic: Diagnostic) -> None:
    del diagnostic


class ActionCache:
    """The cache in one folder. Several processes and threads may use it at the same time.

    Args:
        root: the folder; by default that of `COSTA_CACHE_DIR`, else the user's.
        warn: told at most once, why results are not kept (COS8502, COS8503).
        clock: seconds since 1970.
    """

    def __init__(
        self, root: Path | None = None, warn: Warn = _say_nothing, clock: Callable[[], float] = time.time
    ) -> None:
        self.folder = CacheFolder(cache_root() if root is None else root.absolute())
        self._warn = warn
        self._clock = clock
        self._is_usable: bool | None = None
        self._given_up = False

    @property
    def root(self) -> Path:
        """The folder of its blobs: a cache is a store that others may link from."""
        return self.folder.blobs

    def find(self, preimage: Preimage) -> Entry | None:
        """The result that was made of exactly this, with all of its values there; None when there is none.

        A damaged entry counts as none, and is removed. A file that was touched since is decoded, to see whether it is
        still what it was.
        """
        if not self._usable():
            return None
        path = self.folder.action(action_key(preimage))
        try:
            written = read_entry(path)
            if differences(preimage, written.preimage):
                raise ValueError("its key is not that of its pre-image")
            entry = self._seen_sound(written)
        except ValueError:
            self._drop(path)
            return None
        except OSError:
            return None
        self._mark_used(path, None if entry == written else entry)
        return entry

    def _seen_sound(self, entry: Entry) -> Entry:
        """The entry, with the sizes and times that its files have now.

        Raises:
            ValueError: a value is gone or is not what its digest says.
        """
        outputs = dict(entry.outputs)
        for name, output in entry.outputs.items():
            place = self.root / output.ref.path
            try:
                found = place.stat()
            except OSError as error:
                raise ValueError("a value is gone") from error
            if not output.fits(found):
                if not is_sound(place, output.ref):
                    raise ValueError("a value is damaged")
                outputs[name] = Output(output.ref, found.st_size, found.st_mtime_ns)
        return replace(entry, outputs=outputs)

    def restore(self, entry: Entry, store: Store) -> dict[str, ArtifactRef] | None:
        """The values of an entry, linked into a run's own store; None when one has just been removed: make it anew.

        Raises:
            OSError: the store cannot be written.
        """
        for output in entry.outputs.values():
            if not self.link(output.ref, store):
                return None
        return entry.refs

    def link(self, ref: ArtifactRef, store: Store) -> bool:
        """Make a value of the cache one of a store, by hard link or else by a copy; False when it is gone.

        Raises:
            OSError: the store cannot be written.
        """
        source = self.root / ref.path
        try:
            hand_over(source, store.root / ref.path, ref)
        except FileNotFoundError:
            if source.exists():
                raise
            return False
        return True

    def adopt(self, ref: ArtifactRef, store: Store) -> None:
        """Make a value of a store one of the cache. Only under the folder's lock.

        Raises:
            OSError: the value is gone, or the cache cannot be written.
        """
        hand_over(store.root / ref.path, self.root / ref.path, ref)

    def keep(
        self, preimage: Preimage, result: Mapping[str, Any], outputs: Mapping[str, ArtifactRef], store: Store
    ) -> Entry | None:
        """Add a result; one of the same pre-image is replaced. None when that was not possible, which is told once.

        Args:
            result: JSON values.
            outputs: values that lie in `store`, by name.

        Raises:
            TypeError, ValueError: pre-image or result are not made of JSON values.
        """
        key = action_key(preimage)
        if self._given_up or self._is_usable is False:
            return None
        try:
            try:
                return self._add(key, preimage, result, outputs, store)
            except FileNotFoundError:
                # Somebody has just deleted the folder.
                return self._add(key, preimage, result, outputs, store)
        except CostaError as error:
            self._give_up(error.diagnostics[0])
        except OSError as error:
            self._give_up(_not_kept(self.folder.root, error))
        return None

    def _add(
        self,
        key: str,
        preimage: Preimage,
        result: Mapping[str, Any],
        outputs: Mapping[str, ArtifactRef],
        store: Store,
    ) -> Entry:
        self.folder.prepare()
        with self.folder.locked():
            kept = {}
            for name, ref in outputs.items():
                self.adopt(ref, store)
                found = (self.root / ref.path).stat()
                kept[name] = Output(ref, found.st_size, found.st_mtime_ns)
            now = self._clock()
            entry = Entry(key, preimage, result, kept, made=now, used=now)
            data = entry.to_bytes()
            path = self.folder.action(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            # Last of all: an entry is there only when everything that it names is.
            write_whole(path, data)
            os.utime(path, (now, now))
        return replace(entry, size=len(data))

    def entries(self) -> Iterator[Entry]:
        """Every whole entry, in the order of the keys; damaged ones are left out.

        Raises:
            CostaError: COS8503 the folder has another format.
            OSError: the folder cannot be read.
        """
        self.folder.refuse_other_format()
        for path in self.folder.actions():
            try:
                yield read_entry(path)
            except (OSError, ValueError):
                continue

    def why(self, preimage: Preimage, count: int = 1) -> list[Neighbor]:
        """The cached results that were made of the most alike things, nearest first.

        Those of the same tool come before all others, then those of the same inputs, then those with the fewest
        differences, then the newest.
        The result of exactly this pre-image is not among them.
        """
        key = action_key(preimage)
        found = [Neighbor(entry, differences(preimage, entry.preimage)) for entry in self.entries() if entry.key != key]
        return sorted(found, key=_distance)[:count]

    def _usable(self) -> bool:
        """Whether the folder has this format; looked up once."""
        if self._is_usable is None:
            try:
                self.folder.refuse_other_format()
            except CostaError as error:
                self._is_usable = False
                self._give_up(error.diagnostics[0])
            except OSError as error:
                self._is_usable = False
                self._give_up(_not_kept(self.folder.root, error))
            else:
                self._is_usable = True
        return self._is_usable

    def _give_up(self, diagnostic: Diagnostic) -> None:
        if not self._given_up:
            self._given_up = True
            self._warn(replace(diagnostic, severity=Severity.WARNING))

    def _drop(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            return  # it counts as none all the same

    def _mark_used(self, path: Path, renewed: Entry | None) -> None:
        """Remember that an entry was of use: its file's time. No entry is renewed when another process is busy."""
        try:
            if renewed is not None:
                with self.folder.locked(seconds=0.5):
                    if path.exists():
                        write_whole(path, renewed.to_bytes())
            now = self._clock()
            os.utime(path, (now, now))
        except OSError:
            return  # read-only, or just removed


def _distance(neighbor: Neighbor) -> tuple[int, int, float, str]:
    """Small when it is what one would have expected to find: the same tool on the same picture, before all else."""
    heads = {difference.path[:1] for difference in neighbor.differs}
    names = {difference.path[:2] for difference in neighbor.differs}
    other = (
        400 * (("kind",) in heads) + 200 * bool(names & {("tool",), ("tool", "name")}) + 100 * (("subtask",) in heads)
    )
    weight = sum(4 if head in (("inputs",), ("outputs",)) else 1 for head in heads)
    return (other + weight, len(neighbor.differs), -neighbor.entry.made, neighbor.entry.key)


_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota is used up",
    errno.EFBIG: "a file grew too large",
}


def _not_kept(root: Path, error: OSError) -> Diagnostic:
    reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
    return Diagnostic(
        "COS8502",
        f'results are not kept in the cache "{root}": {reason}',
        severity=Severity.WARNING,
        help=f"make room (`costa cache gc`), or name another folder: {VARIABLE}=…",
    )
