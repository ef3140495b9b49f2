"""Artifacts as files: every value under the digest of its content, written once, read back exactly.

Pictures are PNG, masks are 1-bit PNG, depth maps are `.npy`; everything else is canonical JSON. The digest is
taken over the values themselves, not over the file, so that it costs no compression and does not depend on a
version of zlib.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections import OrderedDict
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.model.artifact import Box, Placement, Target, TextLine, TextStyle
from costa_dsl.store.atomic import write_whole
from costa_dsl.store.refs import ArtifactRef

__all__ = ["ArtifactRef", "ArtifactStore", "decode", "digest", "encode"]

# Types whose values are arrays: the number type, the allowed numbers of axes, the suffix of the file.
_ARRAYS: dict[str, tuple[str, tuple[int, ...], str]] = {
    "image": ("uint8", (3,), ".png"),
    "mask": ("bool", (2,), ".png"),
    "depth-map": ("float32", (2,), ".npy"),
}
_RECORDS = {
    "box": Box, "text-line": TextLine, "text-style": TextStyle, "placement": Placement, "target": Target,
}  # fmt: skip
_RECORD_NAMES = {kind: name for name, kind in _RECORDS.items()}

# Low: run directories hold many pictures for a short time, and deflate at 6 takes three times as long.
_PNG_LEVEL = 1


def encode(type: str, value: Any) -> tuple[bytes, str]:
    """A value as the bytes of a file, and the suffix of its name.

    Args:
        type: an artifact type of the vocabulary. `image` is uint8 H×W×3|4, `mask` bool H×W, `depth-map`
            float32 H×W. Every other type is made of strings, numbers, booleans, None, boxes, lines of text,
            text styles, tuples and mappings with string keys, nested as you like.

    Raises:
        TypeError: the value is not of this type.
    """
    if type not in _ARRAYS:
        return _to_json(value) + b"\n", ".json"
    array = _checked(type, value)
    suffix = _ARRAYS[type][2]
    buffer = io.BytesIO()
    if suffix == ".npy":
        np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    else:
        from PIL import Image as PillowImage

        PillowImage.fromarray(np.ascontiguousarray(array)).save(buffer, "PNG", compress_level=_PNG_LEVEL)
    return buffer.getvalue(), suffix


def decode(type: str, data: bytes) -> Any:
    """The inverse of `encode`. Lists come back as tuples, arrays as read-only arrays.

    Raises:
        ValueError, OSError: the bytes are not a whole file of this type.
    """
    if type not in _ARRAYS:
        return _from_plain(json.loads(data.decode("ascii")))
    if _ARRAYS[type][2] == ".npy":
        array = np.load(io.BytesIO(data), allow_pickle=False)
    else:
        from PIL import Image as PillowImage

        with PillowImage.open(io.BytesIO(data), formats=("PNG",)) as picture:
            # Pillow hands out booleans of 255, which are true but not equal bytes.
            array = np.array(picture.convert("L")) > 0 if type == "mask" else np.array(picture)
    return _read_only(_checked(type, array))


def digest(type: str, value: Any) -> str:
    """SHA-256 in hexadecimal over the type and the raw values of an array with its shape, or canonical JSON.

    Equal values have equal digests on every machine and in every version of the file formats.
    """
    if type not in _ARRAYS:
        content = _to_json(value)
        return hashlib.sha256(_canonical({"type": type}) + b"\n" + content).hexdigest()
    array = np.ascontiguousarray(_checked(type, value))
    if array.dtype == bool:
        array = array.view(np.uint8) != 0  # any byte but 0 is true; only 1 counts here
    if sys.byteorder == "big":
        array = array.byteswap()
    header = {"type": type, "dtype": _ARRAYS[type][0], "shape": list(array.shape)}
    state = hashlib.sha256(_canonical(header) + b"\n")
    state.update(array.reshape(-1).view(np.uint8).data)
    return state.hexdigest()


class ArtifactStore:
    """A folder of artifacts, each under its digest. Several processes may use one folder at the same time.

    The values used last stay in memory (up to `memory` bytes) so that nothing is decoded twice. Arrays that
    come out are read-only, since they are shared.
    """

    def __init__(self, root: Path, memory: int = 512 * 2**20) -> None:
        self.root = root
        self._memory = memory
        self._held: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()
        self._held_bytes = 0
        self._known: set[str] = set()

    def put(self, type: str, value: Any) -> ArtifactRef:
        """Store a value; storing it again does nothing. A damaged file of the same digest is replaced.

        Raises:
            TypeError: the value is not of this type.
            OSError: the folder cannot be written.
        """
        key = digest(type, value)
        suffix = _ARRAYS[type][2] if type in _ARRAYS else ".json"
        ref = ArtifactRef(type, key, f"{key[:2]}/{key}{suffix}")
        place = self.root / ref.path
        if ref.path not in self._known or not place.exists():
            data, _ = encode(type, value)
            if not place.exists() or place.read_bytes() != data:
                place.parent.mkdir(parents=True, exist_ok=True)
                write_whole(place, data)
            self._known.add(ref.path)
        if (type, key) not in self._held:
            # A copy, because the caller may go on writing to its own array.
            kept = _read_only(value.copy()) if isinstance(value, np.ndarray) else decode(type, encode(type, value)[0])
            self._hold(ref, kept)
        return ref

    def get(self, ref: ArtifactRef) -> Any:
        """The stored value, exactly as it was put.

        Raises:
            CostaError: COS6801 the file is missing, COS6802 its content is not what its digest says.
        """
        key = (ref.type, ref.digest)
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key][0]
        place = self.root / ref.path
        try:
            data = place.read_bytes()
        except OSError as error:
            message = f'the stored {ref.type} "{ref.path}" cannot be read: {error.strerror or error}'
            raise CostaError(Diagnostic("COS6801", message, help="run the step again")) from None
        try:
            value = decode(ref.type, data)
            whole = digest(ref.type, value) == ref.digest
        except Exception:  # a damaged file fails in many ways
            whole = False
        if not whole:
            message = f'the stored {ref.type} "{ref.path}" is damaged: its content does not have its digest'
            raise CostaError(Diagnostic("COS6802", message, help="delete the file and run the step again"))
        self._hold(ref, value)
        return value

    def _hold(self, ref: ArtifactRef, value: Any) -> None:
        size = value.nbytes if isinstance(value, np.ndarray) else 1024
        self._held[ref.type, ref.digest] = (value, size)
        self._held_bytes += size
        while self._held_bytes > self._memory and len(self._held) > 1:
            _, (_, freed) = self._held.popitem(last=False)
            self._held_bytes -= freed


def _checked(type: str, value: Any) -> np.ndarray[Any, Any]:
    number, axes, _ = _ARRAYS[type]
    found = f"{value.dtype} {'×'.join(map(str, value.shape))}" if isinstance(value, np.ndarray) else repr(value)[:60]
    right = isinstance(value, np.ndarray) and value.dtype.name == number and value.ndim in axes and value.size > 0
    if not right or (type == "image" and value.shape[2] not in (3, 4)):
        shape = "H×W×3 or H×W×4" if type == "image" else "H×W"
        raise TypeError(f"{type} must be an array of {number}, {shape}, not {found}")
    array: np.ndarray[Any, Any] = value
    return array


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


def _canonical(plain: Any) -> bytes:
    """JSON with one spelling per value: sorted keys, no blanks, ASCII only, no NaN."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def _to_json(value: Any) -> bytes:
    return _canonical(_to_plain(value))


def _to_plain(value: Any) -> Any:
    """Plain JSON values; a dataclass becomes an object with a `kind`, a mapping one of kind `map`."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [_to_plain(item) for item in value]
    if type(value) in _RECORD_NAMES:
        plain = {field.name: _to_plain(getattr(value, field.name)) for field in fields(value)}
        return {"kind": _RECORD_NAMES[type(value)], **plain}
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("the keys of a mapping in an artifact must be strings")
        return {"kind": "map", "entries": {key: _to_plain(item) for key, item in value.items()}}
    raise TypeError(f"an artifact cannot hold {type(value).__name__}")


def _from_plain(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_from_plain(item) for item in plain)
    if isinstance(plain, dict):
        kind = plain["kind"]
        if kind == "map":
            return {key: _from_plain(item) for key, item in plain["entries"].items()}
        return _RECORDS[kind](**{key: _from_plain(item) for key, item in plain.items() if key != "kind"})
    return plain
