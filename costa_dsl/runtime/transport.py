"""How calls and results go from one process to another: arrays as mapped files, the rest as text.

A folder in memory (/dev/shm) is preferred, the temporary folder on disk is the way out when that is full. What comes
from a worker is never unpickled: arrays are `.npy` files without objects, everything else is the store's JSON.
"""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import pickle
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.runtime.call import ModelCache, ToolCall
from costa_dsl.runtime.executor import Execution, Failure
from costa_dsl.store.artifacts import decode, encode

_NAME = re.compile(r"[0-9]+-[0-9]+-[0-9]+\.npy")


class Exchange:
    """Writes and reads arrays in the first of some folders that has room. Several threads may use it at a time.

    Args:
        folders: the same ones, in the same order, for both processes.
        label: begins the names that this process makes; no other process in these folders has it.
    """

    def __init__(self, folders: Sequence[Path], label: int) -> None:
        self._folders = tuple(folders)
        self._label = label
        self._numbers = count(1)

    def write(self, array: np.ndarray[Any, Any]) -> str:
        """An array as a file; the name to read it by.

        Raises:
            OSError: no folder has room.
            ValueError: it holds objects.
        """
        own = next(self._numbers)
        problem: OSError | None = None
        for number, folder in enumerate(self._folders):
            name = f"{number}-{self._label}-{own}.npy"
            place = folder / name
            try:
                # By write(), not through a mapping: a full folder is then an error and not a fatal signal.
                with place.open("xb") as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
            except OSError as error:
                _delete(place)
                problem = error
            except BaseException:
                _delete(place)
                raise
            else:
                return name
        assert problem is not None
        raise problem

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """The array of a file, which then has no name any more. It is mapped, private to this process and read-only.

        Raises:
            ValueError, OSError: this is no such file.
        """
        place = self._place(name)
        with place.open("rb") as file:
            place.unlink()
            version = np.lib.format.read_magic(file)
            reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = reader(file)
            if dtype.hasobject:
                raise ValueError("an array of objects")
            beginning, size = file.tell(), int(np.prod(shape, dtype=object)) * dtype.itemsize
            if os.fstat(file.fileno()).st_size < beginning + size:
                raise ValueError("the file is not whole")
            # Private and not read-only for the machine: native code that writes into its input changes its own copy
            # of the page instead of ending in a fatal signal.
            whole = mmap.mmap(file.fileno(), beginning + size, flags=mmap.MAP_PRIVATE) if size else bytes(beginning)
        array: np.ndarray[Any, Any] = np.ndarray(shape, dtype, whole, beginning, order="F" if fortran else "C")
        array.flags.writeable = False
        return array

    def forget(self, names: Sequence[str]) -> None:
        """Delete files that nobody has read."""
        for name in names:
            _delete(self._place(name))

    def forget_all_of(self, label: int) -> None:
        """Delete what the process with this label has written and nobody has read."""
        for folder in self._folders:
            for place in folder.glob(f"*-{label}-*.npy"):
                _delete(place)

    def _place(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r:.80} is no name of an array")
        return self._folders[int(name.split("-")[0])] / name


def _delete(place: Path) -> None:
    with contextlib.suppress(OSError):  # not there, or the folder is gone
        place.unlink()


def packed_call(call: ToolCall, exchange: Exchange) -> tuple[bytes, list[str]]:
    """A call without its models, for a worker; and the names of its arrays' files.

    Raises:
        OSError: there is no room for the arrays.
        Exception: whatever a value raises that cannot be sent.
    """
    names: list[str] = []

    class Packer(pickle.Pickler):
        def persistent_id(self, value: Any) -> str | None:
            if not isinstance(value, np.ndarray):
                return None
            names.append(exchange.write(value))
            return names[-1]

    buffer = io.BytesIO()
    try:
        Packer(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(replace(call, models=None))  # type: ignore[arg-type]
    except BaseException:
        exchange.forget(names)
        raise
    return buffer.getvalue(), names


def unpacked_call(data: bytes, exchange: Exchange, models: ModelCache) -> ToolCall:
    """The inverse of `packed_call`. Only for bytes that come from the parent."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, name: Any) -> Any:
            return exchange.read(name)

    call: ToolCall = Unpacker(io.BytesIO(data)).load()
    return replace(call, models=models)


def packed_execution(execution: Execution, exchange: Exchange) -> dict[str, Any]:
    """An execution as plain values, with the arrays in files.

    Raises:
        OSError: there is no room for the arrays.
    """
    values: dict[str, dict[str, str]] = {}
    try:
        for type, value in execution.values.items():
            if isinstance(value, np.ndarray):
                values[type] = {"array": exchange.write(value)}
            else:
                values[type] = {"text": encode(type, value)[0].decode("ascii")}
    except BaseException:
        exchange.forget([entry["array"] for entry in values.values() if "array" in entry])
        raise
    return {
        "seconds": execution.seconds,
        "load_seconds": execution.load_seconds,
        "values": values,
        "placement": encode("placement", execution.placement)[0].decode("ascii"),
        "failure": None if execution.failure is None else asdict(execution.failure),
    }


def unpacked_execution(plain: dict[str, Any], exchange: Exchange) -> Execution:
    """The inverse of `packed_execution`.

    Raises:
        Exception: this is not what a worker sends that is in its right mind.
    """
    values = {
        type: exchange.read(entry["array"]) if "array" in entry else decode(type, entry["text"].encode("ascii"))
        for type, entry in plain["values"].items()
    }
    failure = plain["failure"]
    return Execution(
        seconds=float(plain["seconds"]),
        load_seconds=float(plain["load_seconds"]),
        values=values,
        placement=decode("placement", plain["placement"].encode("ascii")),
        failure=None if failure is None else Failure(**{name: str(text) for name, text in failure.items()}),
    )
