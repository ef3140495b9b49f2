"""Which files a command is about."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic

NOTHING_MATCHED = 3
_SUFFIXES = (".yaml", ".yml")
_MAGIC = frozenset("*?[")


def yaml_files(path: str) -> list[str]:
    """The YAML files that a path on the command line means, sorted.

    A folder means every .yaml and .yml file below it, hidden ones apart. A name with `*`, `?` or `[` that is
    no file itself is a pattern (`**` goes down into folders), for shells that leave patterns alone. Anything
    else is the path itself, there or not: whoever reads it reports what is missing.
    """
    if path == "-":
        return [path]
    if Path(path).is_dir():
        return _below(path)
    if _MAGIC & set(path) and not Path(path).exists():
        found = glob.glob(path, recursive=True)  # noqa: PTH207  (patterns may be absolute)
        files = [file for match in found for file in (_below(match) if Path(match).is_dir() else [match])]
        return sorted(dict.fromkeys(files))
    return [path]


def nothing_matched(paths: Sequence[str]) -> CostaError:
    """What ends a command whose paths lead to no YAML file."""
    where = ", ".join(f'"{path}"' for path in paths)
    help = "name a file, or a folder with *.yaml files"
    found = Diagnostic("COS0008", f"there is no YAML file below {where}", help=help)
    return CostaError(found, exit_code=NOTHING_MATCHED)


def _below(folder: str) -> list[str]:
    found: list[str] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [str(Path(parent) / name) for name in names if name.endswith(_SUFFIXES) and not name.startswith(".")]
    return sorted(found)
