"""What a cached result was made of, as plain values: its key, and how two of them differ, field by field.

A pre-image is a mapping of JSON values with stable names. Its key is the digest of its canonical JSON, so that two
pre-images have one key exactly when no field of theirs differs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Preimage = Mapping[str, Any]


class Absent:
    """The value of a field that one of two pre-images does not have."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = Absent()


def canonical(value: Any) -> bytes:
    """JSON with one spelling per value: sorted keys, no blanks, ASCII only.

    Raises:
        TypeError, ValueError: it is not made of JSON values with string keys; NaN and infinities are none.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def action_key(preimage: Preimage) -> str:
    """SHA-256 over the canonical JSON, 64 hexadecimal digits.

    Raises:
        TypeError, ValueError: as `canonical`.
    """
    return hashlib.sha256(canonical(preimage)).hexdigest()


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs: the names that lead to it, and its value on both sides, `ABSENT` where it is missing."""

    path: tuple[str, ...]
    here: Any
    there: Any

    @property
    def field(self) -> str:
        """The names joined by dots, for people."""
        return ".".join(self.path)


def differences(here: Preimage, there: Preimage) -> tuple[Difference, ...]:
    """Each field that differs, in the order of the names; none exactly when both have one key.

    A field is what a mapping holds under a name, as deep as both sides are mappings; lists are compared as wholes.
    """
    return tuple(_differences((), here, there))


def _differences(path: tuple[str, ...], here: Any, there: Any) -> list[Difference]:
    if isinstance(here, Mapping) and isinstance(there, Mapping):
        found: list[Difference] = []
        for name in sorted({*here, *there}):
            found += _differences((*path, name), here.get(name, ABSENT), there.get(name, ABSENT))
        return found
    return [] if _is_same(here, there) else [Difference(path, here, there)]


def _is_same(here: Any, there: Any) -> bool:
    if isinstance(here, str) and isinstance(there, str):
        return here == there
    return here is there or not (here is ABSENT or there is ABSENT or canonical(here) != canonical(there))
