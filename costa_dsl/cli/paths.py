"""Which files a command is about."""

# In a folder that cannot be entered, functions of os.path answer where those of Path raise.
# ruff: noqa: PTH110, PTH112, PTH116, PTH207

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic

NOTHING_MATCHED = 3
_SUFFIXES = (".yaml", ".yml")
_MAGIC = frozenset("*?[")


def yaml_files(path: str) -> list[str]:
    """The YAML files that a path on the command line means, sorted.

    A folder means every .yaml and .yml file below it, hidden ones apart. A name with `*`, `?` or `[` that is
    no file itself is a pattern (`**` goes down into folders), for shells that leave patterns alone. Pipes and
    devices are left out of both. Anything else is the path itself, there or not, and so is a folder that cannot be
    listed: whoever reads it reports what is wrong.
    """
    if path == "-":
        return [path]
    if os.path.isdir(path):
        return _below(path)
    if _MAGIC & set(path) and not os.path.exists(path):
        found = [match for match in glob.glob(path, recursive=True) if os.path.lexists(match)]
        files = [file for match in found for file in (_below(match) if os.path.isdir(match) else [match])]
        return sorted(dict.fromkeys(file for file in files if not _is_special(file)))
    return [path]


def distinct(files: Iterable[str]) -> list[str]:
    """Each file once, as it was spelled first: `a.yaml`, `./a.yaml` and a link to it are one file."""
    kept: dict[str, str] = {}
    for file in files:
        kept.setdefault(_real(file), file)
    return list(kept.values())


def nothing_matched(paths: Sequence[str]) -> CostaError:
    """What ends a command whose paths lead to no YAML file."""
    where = ", ".join(f'"{path}"' for path in paths)
    help = "name a file, or a folder with *.yaml files"
    found = Diagnostic("COS0008", f"there is no YAML file below {where}", help=help)
    return CostaError(found, exit_code=NOTHING_MATCHED)


def _below(folder: str) -> list[str]:
    found: list[str] = []

    def keep(error: OSError) -> None:
        found.append(error.filename or folder)

    for parent, folders, names in os.walk(folder, onerror=keep):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files = [str(Path(parent) / name) for name in names if name.endswith(_SUFFIXES) and not name.startswith(".")]
        found += [file for file in files if not _is_special(file)]
    return sorted(found)


def _is_special(path: str) -> bool:
    """Whether a path leads to a pipe, a socket or a device: to read one may wait for ever."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False  # reading it tells why
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _real(path: str) -> str:
    if path == "-":
        return path
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # the current folder was deleted, or the path holds a NUL
        return path
