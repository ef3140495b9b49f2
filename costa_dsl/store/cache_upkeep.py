"""Keeping the shared cache in order: removing what is old, and looking whether all of it is whole."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.store.action_cache import ActionCache
from costa_dsl.store.blobs import is_sound
from costa_dsl.store.cache_entry import Entry, read_entry
from costa_dsl.store.cache_folder import FORMAT, CacheFolder
from costa_dsl.store.preimage import action_key

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Collected:
    """What `collect` has removed, or would: counts, bytes, and what stays."""

    entries: int
    damaged: int
    blobs: int
    unfinished: int
    bytes: int
    entries_left: int
    bytes_left: int


def collect(
    cache: ActionCache,
    max_bytes: int | None = None,
    unused_days: float | None = None,
    *,
    everything: bool = False,
    dry_run: bool = False,
    clock: Callable[[], float] = time.time,
) -> Collected:
    """Remove results that were not used for long, then the longest unused until the rest is small enough.

    Damaged entries, blobs that no entry names and what killed processes left go too. Other files in the folder stay.
    A run that is about to use a result finds it gone and makes it anew.

    Args:
        max_bytes: the most that entries and blobs may take together afterwards.
        unused_days: the longest time since a result was last found or made.
        everything: remove all, also of an older format.

    Raises:
        CostaError: COS8501 the folder cannot be used, COS8503 it has another format.
    """
    folder = cache.folder
    with _usable(folder, everything=everything, lock=not dry_run) as there:
        if not there:
            return Collected(0, 0, 0, 0, 0, 0, 0)
        return _collect(cache, max_bytes, unused_days, everything, dry_run, clock())


def _collect(
    cache: ActionCache, max_bytes: int | None, unused_days: float | None, everything: bool, dry_run: bool, now: float
) -> Collected:
    folder = cache.folder
    whole, damaged = read_all(folder)
    sizes = {path: _size(path) for path in folder.blob_files()}
    staying = sorted(whole, key=lambda entry: (entry.used, entry.key))
    if everything:
        staying = []
    elif unused_days is not None:
        staying = [entry for entry in staying if now - entry.used <= unused_days * DAY]
    holders = Counter(path for entry in staying for path in _places(cache, entry))
    total = sum(entry.size for entry in staying) + sum(sizes.get(path, 0) for path in holders)
    while max_bytes is not None and staying and total > max_bytes:
        oldest = staying.pop(0)
        total -= oldest.size
        for path in _places(cache, oldest):
            holders[path] -= 1
            if not holders[path]:
                del holders[path]
                total -= sizes.get(path, 0)
    stay = {entry.key for entry in staying}
    going = [folder.action(entry.key) for entry in whole if entry.key not in stay]
    blobs = [path for path in sizes if path not in holders]
    unfinished = folder.unfinished()
    # Entries first: whatever ends this half way, no entry names a blob that is gone.
    files = [*going, *damaged, *blobs, *unfinished]
    freed = sum(_size(path) for path in files)
    if not dry_run:
        for path in files:
            path.unlink(missing_ok=True)
        folder.drop_empty_shelves()
        if everything:
            folder.mark()
    return Collected(len(going), len(damaged), len(blobs), len(unfinished), freed, len(staying), total)


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` has found.

    Attributes:
        entries, blobs: how many are whole.
        findings: what is damaged, one diagnostic each (COS6821).
        unreferenced: blobs that no entry names, left by a kill between a blob and its entry; gc removes them.
        unfinished: files that a kill left half written; gc removes them.
        removed: what was removed to repair it.
    """

    entries: int
    blobs: int
    findings: tuple[Diagnostic, ...]
    unreferenced: int
    unfinished: int
    removed: int


def verify(cache: ActionCache, *, repair: bool = False) -> Verified:
    """Decode every blob that an entry names and compare it with its digest; read every entry.

    Args:
        repair: remove damaged entries and blobs, and the entries that name them.

    Raises:
        CostaError: COS8501 the folder cannot be used, COS8503 it has another format.
    """
    folder = cache.folder
    with _usable(folder, lock=False) as there:
        if not there:
            return Verified(0, 0, (), 0, 0, 0)
        whole, damaged = read_all(folder)
        found = _damage(cache, whole, damaged)
        blobs = {path for entry in whole for path in _places(cache, entry)}
        result = Verified(
            entries=len(whole) - sum(path in found for path in map(_entry_place(folder), whole)),
            blobs=len([path for path in blobs if path not in found and path.exists()]),
            findings=(),
            unreferenced=len(set(folder.blob_files()) - blobs),
            unfinished=len(folder.unfinished()),
            removed=0,
        )
    if not found:
        return result
    # Another process may have removed or renewed something while this one read: look again at the suspects, alone.
    with _usable(folder) as there:
        found = _again(cache, found) if there else {}
        if repair:
            for path in found:
                path.unlink(missing_ok=True)
    findings = tuple(_finding(path, reason, repair) for path, reason in sorted(found.items()))
    return Verified(
        result.entries,
        result.blobs,
        findings,
        result.unreferenced,
        result.unfinished,
        len(found) if repair else 0,
    )


def read_all(folder: CacheFolder) -> tuple[list[Entry], list[Path]]:
    """Every whole entry, and the file of every damaged one."""
    whole, damaged = [], []
    for path in folder.actions():
        try:
            whole.append(read_entry(path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            damaged.append(path)
    return whole, damaged


def _damage(cache: ActionCache, whole: Iterable[Entry], damaged: Iterable[Path]) -> dict[Path, str]:
    """Each damaged file, and what is wrong with it."""
    found = dict.fromkeys(damaged, "the entry cannot be read or does not have its checksum")
    sound: dict[tuple[Path, str], bool] = {}
    for entry in whole:
        if action_key(entry.preimage) != entry.key:
            found[cache.folder.action(entry.key)] = "its key is not that of what it was made of"
        for output in entry.outputs.values():
            place = cache.root / output.ref.path
            question = (place, output.ref.type)
            if question not in sound:
                sound[question] = is_sound(place, output.ref)
            if not sound[question]:
                missing = not place.exists()
                found[cache.folder.action(entry.key)] = f"its {output.ref.type} is {'gone' if missing else 'damaged'}"
                if not missing:
                    found[place] = "its content does not have its digest"
    return found


def _again(cache: ActionCache, suspects: dict[Path, str]) -> dict[Path, str]:
    """The suspects that are damaged still. Only under the lock."""
    entries, damaged = [], []
    for path in suspects:
        if path.is_relative_to(cache.root):
            continue  # judged by the entries that name it
        try:
            entries.append(read_entry(path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            damaged.append(path)
    return _damage(cache, entries, damaged)


def _finding(path: Path, reason: str, repaired: bool) -> Diagnostic:
    kind = "result" if path.parent.parent.name == "actions" else "value"
    help = "it was removed, and will be made anew" if repaired else "`costa cache verify --repair` removes it"
    return Diagnostic("COS6821", f'the cached {kind} "{path.name}" is damaged: {reason}', help=help)


def _entry_place(folder: CacheFolder) -> Callable[[Entry], Path]:
    return lambda entry: folder.action(entry.key)


def _places(cache: ActionCache, entry: Entry) -> set[Path]:
    return {cache.root / output.ref.path for output in entry.outputs.values()}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@contextmanager
def _usable(folder: CacheFolder, *, everything: bool = False, lock: bool = True) -> Iterator[bool]:
    """Seen to have this format (`everything`: or an older one) and, if asked, alone in it; False: there is none yet.

    Raises:
        CostaError: COS8501 it cannot be used, COS8503 it has another format.
    """
    try:
        if not folder.root.exists():
            yield False
            return
        found = folder.found_format()
        if not (everything and found is not None and found < FORMAT):
            folder.refuse_other_format()
        with folder.locked() if lock else nullcontext():
            yield True
    except OSError as error:
        raise unusable(folder, error) from error


def unusable(folder: CacheFolder, error: OSError) -> CostaError:
    """The cache's folder cannot be read or written, as a finding."""
    message = f'the cache "{folder.root}" cannot be used: {error.strerror or error}'
    return CostaError(Diagnostic("COS8501", message, help="name another folder: COSTA_CACHE_DIR=…"))
