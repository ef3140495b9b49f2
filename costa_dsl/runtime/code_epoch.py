"""What computes a result besides its inputs: the code, the packages and weights below it, the machine.

Everything is found without importing any of it, and once per process. What belongs to it, and why, is told in
docs/adr/0010-action-cache.md.
"""

from __future__ import annotations

import csv
import hashlib
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import costa_dsl

_VALUES = ("store/artifacts.py", "store/values.py")
# What a tool's result can come from: the tools and all that they import. The rest of costa decides what runs, not what
# comes of it. A test walks the imports and holds these lists complete.
TOOL_CODE = (
    "toolkit", "model", "checks/measure.py", "checks/region.py", "runtime/call.py", "runtime/output.py",
    "diagnostics/suggest.py", *_VALUES,
)  # fmt: skip
# What a measurement can come from: the checks, and the tools that they measure with.
CHECK_CODE = (
    "toolkit",
    "model",
    "checks",
    "runtime/call.py",
    "runtime/instruments.py",
    "diagnostics/suggest.py",
    *_VALUES,
)
# What a decoded picture can come from.
PICTURE_CODE = ("store/pictures.py", "store/decode.py", "store/profile.py", "store/samples.py", *_VALUES)

OWN = "costa-dsl"
# Libraries that compute pixels for costa's own tools and checks. A library has one of the names in its row.
_LIBRARIES = {
    "numpy": ("numpy",),
    "opencv": (
        "opencv-python-headless", "opencv-python", "opencv-contrib-python-headless", "opencv-contrib-python"
    ),
    "pillow": ("pillow",),
    "scikit-image": ("scikit-image",),
    "scipy": ("scipy",),
}  # fmt: skip
# Numeric libraries choose their kernels by these; other kernels round differently.
_VECTOR_UNITS = frozenset(
    {"sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16"}
    | {"avx_vnni", "amx_tile", "amx_int8", "asimd", "asimdhp", "asimddp", "i8mm", "bf16", "sve", "sve2"}
)
_CODE_SUFFIXES = (".py", ".pyi", ".pyc")


@cache
def code_epoch(parts: tuple[str, ...] = TOOL_CODE, root: Path | None = None) -> Mapping[str, str]:
    """A digest of the source of each part of costa, by its name with dots.

    Args:
        parts: folders and files below the package.
        root: the package's folder; by default that of the running costa.
    """
    package = Path(costa_dsl.__file__).parent if root is None else root
    return {part.removesuffix(".py").replace("/", "."): _source_digest(package / part) for part in parts}


def _source_digest(place: Path) -> str:
    """Over the names and contents of all Python files below a folder, or of one file."""
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    state = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        name = path.relative_to(place if place.is_dir() else place.parent).as_posix()
        state.update(f"{name}\n{len(content)}\n".encode() + content)
    return state.hexdigest()


@cache
def package_version(name: str) -> str | None:
    """The version of an installed distribution; None when it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@cache
def environment() -> Mapping[str, Any]:
    """What every result may depend on: the numeric libraries, Python, the processor."""
    libraries = {
        name: " ".join(f"{package} {found}" for package in packages if (found := package_version(package)))
        for name, packages in _LIBRARIES.items()
    }
    return {
        "libraries": {name: found or None for name, found in libraries.items()},
        "python": f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}",
        "system": platform.system(),
        "processor": " ".join([platform.machine(), *sorted(_vector_units())]),
    }


def _vector_units(info: Path = Path("/proc/cpuinfo")) -> set[str]:
    """The vector units of the processor, where the system tells; empty elsewhere."""
    try:
        with info.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, _, words = line.partition(":")
                if name.strip().lower() in ("flags", "features"):
                    return set(words.split()) & _VECTOR_UNITS
    except OSError:
        return set()
    return set()


@cache
def origin(entry: EntryPoint) -> Mapping[str, Any]:
    """Where an entry point's code comes from: its package and version, and for a plug-in the digest of its source.

    The source of costa itself is in `code_epoch`.
    """
    found = entry.dist
    value: dict[str, Any] = {"code": entry.value}
    if found is None:
        return {**value, "package": None, "source": _module_digest(entry.module)}
    name, number = _named(found)
    value["package"] = f"{name} {number}"
    if _normal(name) != OWN:
        value["source"] = _module_digest(entry.module)
        value["needs"] = _direct_needs(found)
    return value


@cache
def _named(found: Distribution) -> tuple[str, str]:
    # One parse of the metadata for all entry points of a package.
    return found.name, found.version


@cache
def _module_digest(module: str) -> str | None:
    """Of the source of the whole package that a module is in; nothing is imported. None when there is no source."""
    spec = find_spec(module.partition(".")[0])
    if spec is None:
        return None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if folders:
        return hashlib.sha256("".join(_source_digest(folder) for folder in folders).encode()).hexdigest()
    file = Path(spec.origin) if spec.origin else None
    return _source_digest(file) if file is not None and file.is_file() else None


def _direct_needs(found: Distribution) -> dict[str, str]:
    """The versions of the packages that a distribution asks for, those that are installed."""
    names = sorted({re.split(r"[^A-Za-z0-9._-]", need.strip())[0] for need in found.requires or ()} - {""})
    return {name: held for name in names if (held := package_version(name))}


def packages(names: Iterable[str]) -> dict[str, str | None]:
    """The versions of distributions by name, None for those that are not installed."""
    return {name: package_version(name) for name in sorted(set(names))}


@cache
def data_digest(package: str) -> str | None:
    """Of the files of an installed distribution that are no code: weights, dictionaries, fonts. None without a list.

    The installer has recorded each file's digest; a file that was changed after the installation is read.
    """
    try:
        found = distribution(package)
    except PackageNotFoundError:
        return None
    record = found.read_text("RECORD")
    if record is None:
        return None
    state = hashlib.sha256()
    recorded_at = _time_of(Path(str(found.locate_file(_record_name(record)))))
    for name, digest, *_ in sorted(row for row in csv.reader(record.splitlines()) if len(row) >= 2):
        if name.endswith(_CODE_SUFFIXES) or ".dist-info/" in name or name.startswith(("..", "/")):
            continue
        place = Path(str(found.locate_file(name)))
        if _time_of(place) > recorded_at or not digest:
            digest = _file_digest(place)
        state.update(f"{name}\n{digest}\n".encode())
    return state.hexdigest()


def _record_name(record: str) -> str:
    return next((row[0] for row in csv.reader(record.splitlines()) if row and row[0].endswith("/RECORD")), "RECORD")


def _time_of(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0


def _file_digest(place: Path) -> str:
    """`sha256=` and the digest of a file's content; "missing" when it is not there."""
    try:
        with place.open("rb") as file:
            return "sha256=" + hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "missing"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
