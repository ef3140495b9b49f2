"""One result in the cache as a file: what it was made of, what came of it, and which blobs hold its values."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.store.preimage import Preimage
from costa_dsl.store.refs import ArtifactRef

VERSION = 1
# The checksum is the last member, over all bytes before it.
_SUM = re.compile(rb', "sum": "([0-9a-f]{64})"}\n$')
_PLACE = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}\.(png|npy|json)")


@dataclass(frozen=True, slots=True)
class Output:
    """A value of an entry.

    `size` (bytes) and `mtime_ns` are those of its file when its content was last known to be right: a file
    that has both still is taken to be unchanged.
    """

    ref: ArtifactRef
    size: int
    mtime_ns: int

    def fits(self, found: os.stat_result) -> bool:
        """Whether a file is unchanged, as far as its size and time tell."""
        return found.st_size == self.size and found.st_mtime_ns == self.mtime_ns


@dataclass(frozen=True, slots=True)
class Entry:
    """A cached result.

    Attributes:
        result: what else came of it (seconds, placement, measurements …), JSON values.
        outputs: its values by name.
        made, used: seconds since 1970: when it was made and when it was last found.
        size: the bytes of its own file.
    """

    key: str
    preimage: Preimage
    result: Mapping[str, Any]
    outputs: Mapping[str, Output]
    made: float
    used: float = 0.0
    size: int = 0

    @property
    def total(self) -> int:
        """The bytes of its own file and of all its blobs, some of which it may share with other entries."""
        return self.size + sum({output.ref.path: output.size for output in self.outputs.values()}.values())

    @property
    def refs(self) -> dict[str, ArtifactRef]:
        """Its values by name, as references into the cache's blobs or any store that they were linked into."""
        return {name: output.ref for name, output in self.outputs.items()}

    def to_bytes(self) -> bytes:
        """The content of its file, with a checksum over all of it.

        Raises:
            TypeError, ValueError: pre-image or result are not made of JSON values.
        """
        outputs = {
            name: {
                "type": output.ref.type,
                "digest": output.ref.digest,
                "path": output.ref.path,
                "bytes": output.size,
                "mtime_ns": output.mtime_ns,
            }
            for name, output in self.outputs.items()
        }
        content = {
            "version": VERSION,
            "key": self.key,
            "made": self.made,
            "preimage": self.preimage,
            "result": self.result,
            "outputs": outputs,
        }
        body = json.dumps(content, ensure_ascii=True, allow_nan=False)[:-1].encode()
        return body + b', "sum": "' + _checksum(body) + b'"}\n'


def read_entry(path: Path) -> Entry:
    """The entry in a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, or of another version.
    """
    with path.open("rb") as file:
        data, found = file.read(), os.fstat(file.fileno())
    try:
        match = _SUM.search(data)
        if match is None or _checksum(data[: match.start()]) != match[1]:
            raise ValueError("its content does not have its checksum")
        value = json.loads(data)
        if value["version"] != VERSION:
            raise ValueError(f"its version is {value['version']}")
        if value["key"] != path.stem:
            raise ValueError("its name is not its key")
        outputs = {name: _output(output) for name, output in value["outputs"].items()}
        return Entry(
            key=value["key"],
            preimage=value["preimage"],
            result=value["result"],
            outputs=outputs,
            made=value["made"],
            used=found.st_mtime,
            size=found.st_size,
        )
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError("it is not an entry of the cache") from error


def _output(value: Mapping[str, Any]) -> Output:
    path, digest = value["path"], value["digest"]
    if not _PLACE.fullmatch(path) or not path.startswith(f"{digest[:2]}/{digest}."):
        raise ValueError("it names a value at a place where none can be")
    return Output(ArtifactRef(value["type"], value["digest"], value["path"]), value["bytes"], value["mtime_ns"])


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
