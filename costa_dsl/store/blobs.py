"""Files of stored values, handed from one store to another by hard link: nothing is decoded or encoded."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from costa_dsl.store.atomic import sync_folder, write_whole
from costa_dsl.store.refs import ArtifactRef


def is_sound(place: Path, ref: ArtifactRef) -> bool:
    """Whether a file holds the value that its digest says; this decodes it. False also when it cannot be read."""
    # Imported here: a file that nobody has touched is not decoded.
    from costa_dsl.store.artifacts import decode, digest

    try:
        return digest(ref.type, decode(ref.type, place.read_bytes())) == ref.digest
    except Exception:  # a damaged file fails in many ways
        return False


def hand_over(source: Path, place: Path, ref: ArtifactRef) -> None:
    """Make the file of a value appear at another place, whole or not at all.

    A file that is there already stays when it is the same one or sound, else it is replaced.

    Raises:
        OSError: the source is gone, or the place cannot be written.
    """
    try:
        there = place.stat()
    except FileNotFoundError:
        place.parent.mkdir(parents=True, exist_ok=True)
        _link(source, place)
        return
    here = source.stat()
    if os.path.samestat(here, there):
        return
    if here.st_size == there.st_size and source.read_bytes() == place.read_bytes():
        return
    if not is_sound(place, ref):
        _replace(source, place)


def _link(source: Path, place: Path) -> None:
    try:
        os.link(source, place)
    except FileExistsError:
        return  # another process was faster, with the same content
    except FileNotFoundError:
        raise
    except OSError:  # another file system, one without links, or too many links
        write_whole(place, source.read_bytes())
        return
    sync_folder(place.parent)


def _replace(source: Path, place: Path) -> None:
    unfinished = place.with_name(f".{place.name}.{secrets.token_hex(8)}.part")
    try:
        os.link(source, unfinished)
    except FileNotFoundError:
        raise
    except OSError:
        write_whole(place, source.read_bytes())
        return
    try:
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
    sync_folder(place.parent)
