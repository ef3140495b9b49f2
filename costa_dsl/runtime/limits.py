"""How much of this machine tools may use: memory and cores, with the limits of a container respected."""

from __future__ import annotations

import os
import re
from pathlib import Path

import psutil

# What tools together may take of the memory; the rest is for costa itself and for everybody else.
SHARE = 0.8
# More workers than this hold their models several times over and gain little: few plans have so many ways at once.
MOST_JOBS = 4
# A tool that has less than this cannot even be imported.
LEAST_MEMORY = 256 * 2**20

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]i?|)b?\s*", re.IGNORECASE)


def usable_cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_jobs() -> int:
    """One worker a core, four at most."""
    return max(1, min(usable_cores(), MOST_JOBS))


def default_memory(jobs: int, root: Path = Path("/")) -> int:
    """Bytes that each of `jobs` workers may use: its part of a share of the machine's, or the container's, memory.

    Args:
        root: where /proc and /sys are.
    """
    total = min([psutil.virtual_memory().total, *_cgroup_limits(root)])
    return max(LEAST_MEMORY, int(total * SHARE / jobs))


def _cgroup_limits(root: Path) -> list[int]:
    """The limits of the control groups that this process is in, of both versions, from its own up to the root's."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    limits = []
    for line in lines:
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers == "":
            folder, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        below = Path(path.lstrip("/"))
        for place in (below, *below.parents):
            try:
                limits.append(int((folder / place / name).read_text()))
            except (OSError, ValueError):  # no such file, or "max"
                continue
    return limits


def parse_memory(text: str) -> int:
    """Bytes from `4GB`, `512 MiB`, `1.5g` or a plain number.

    Raises:
        ValueError: it is not a size, or too small for any tool.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f'"{text}" is not a size; write it like 4GB or 512MiB')
    size = int(float(match[1]) * _UNITS[match[2].lower()])
    if size < LEAST_MEMORY:
        raise ValueError(f"{text} is too little for any tool; at least {shown_memory(LEAST_MEMORY)} are needed")
    return size


def shown_memory(size: float) -> str:
    """Bytes for people: 3.2 GB."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size:g} bytes"
