"""Files that are either there whole or not there at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that no reader ever sees a part of it, not even after a power cut.

    The bytes go to a new name in the same folder, are synced, and take the final name in one step. A
    file that stood there is replaced. The new file gets the permissions that any new file would get.

    Raises:
        OSError: the folder is missing, not writable or full; nothing is left behind.
    """
    unfinished = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the new name itself durable. Not every system lets a folder be opened; there, nothing is lost."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
