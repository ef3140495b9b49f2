"""A value of each artifact type, small pre-images, and caches in folders of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.artifact import Box, TextLine, TextStyle
from costa_dsl.store.action_cache import ActionCache
from costa_dsl.store.artifacts import ArtifactStore

_LINE = TextLine(((1.0, 2.0), (30.5, 2.0), (30.5, 9.0), (1.0, 9.0)), "Größe 7 µm", 0.875, (0.0, 0.25, 1.0))


def values() -> dict[str, tuple[str, Any]]:
    """Name → artifact type and value; every type that tools exchange, and each kind of array."""
    random = np.random.default_rng(7)
    return {
        "image": ("image", random.integers(0, 256, (23, 31, 3), dtype=np.uint8)),
        "image with alpha": ("image", random.integers(0, 256, (5, 1, 4), dtype=np.uint8)),
        "mask": ("mask", random.random((13, 17)) > 0.5),
        "depth-map": ("depth-map", random.random((7, 3), dtype=np.float32)),
        "boxes": ("boxes", (Box(0.5, 1.0, 20.25, 30.0, "dog", 0.1 + 0.2), Box(1, 2, 3, 4, "", 1.0))),
        "text-regions": ("text-regions", (_LINE,)),
        "text": ("text", (_LINE, _LINE)),
        "erased-text": ("erased-text", ()),
        "text-style": ("text-style", (TextStyle(_LINE, "Lato", 12.5, (1, 2, 3), (255, 254, 0), -3.25, 0.01, 0.5),)),
        "answer": ("answer", "twelve \U0001f40c"),
        "labels": ("labels", {"b": (1, 2.5, None, True), "a": ()}),
    }


def preimage(number: int = 0, **fields: Any) -> dict[str, Any]:
    """What a result was made of: alike but for the number."""
    tool = {"name": "unsharp", "package": "costa-dsl 0.1.0"}
    return {"kind": "attempt", "tool": tool, "subtask": "sharpen", "parameters": {"radius": number}, **fields}


def store(folder: Path, name: str = "run") -> ArtifactStore:
    return ArtifactStore(folder / name / "artifacts")


def cache(folder: Path, told: list[Diagnostic] | None = None, **options: Any) -> ActionCache:
    """The cache in a folder; what it warns of goes into `told`."""
    return ActionCache(folder / "cache", **({} if told is None else {"warn": told.append}), **options)


def picture(number: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(number).integers(0, 256, (12, 20, 3), dtype=np.uint8)


def kept(folder: Path, number: int = 0, **options: Any) -> ActionCache:
    """A cache with one more result: the picture of that number."""
    found = cache(folder, **options)
    where = store(folder)
    entry = found.keep(preimage(number), {"seconds": 1.5}, {"image": where.put("image", picture(number))}, where)
    assert entry is not None
    return found
