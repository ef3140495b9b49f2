"""Calls and scenes with known truth for the tests of the tools that change pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from costa_dsl.checks.region import grown
from costa_dsl.runtime.call import ModelCache, ToolCall
from costa_dsl.store.values import Image, Mask

MODELS = ModelCache()


def call(image: Image, subtask: str = "object-removal", **more: Any) -> ToolCall:
    """A call with its image write-protected, so that a tool that writes to it fails."""
    kept = image.copy()
    kept.setflags(write=False)
    artifacts = {"mask": more.pop("mask")} if "mask" in more else {}
    return ToolCall(subtask, kept, artifacts, models=MODELS, seed=7, **more)


def photograph(name: str) -> Image:
    from skimage import data

    return np.ascontiguousarray(getattr(data, name)()[..., :3])


def disk(shape: tuple[int, ...], center: tuple[float, float], radius: float) -> Mask:
    """A disk of pixels; center as (x, y)."""
    y, x = np.mgrid[: shape[0], : shape[1]]
    return (x - center[0]) ** 2 + (y - center[1]) ** 2 <= radius**2


def stripes(height: int = 160, width: int = 200, period: int = 16) -> Image:
    """A plain weave: a pattern of period `period` in both directions, in three colors."""
    y, x = np.mgrid[:height, :width]
    wave = np.sin(2 * np.pi * x / period)[..., None] * (60, 30, 10) + np.sin(2 * np.pi * y / period)[..., None] * (
        10,
        40,
        60,
    )
    return np.clip(128 + wave, 0, 255).astype(np.uint8)


def unchanged_outside(before: Image, after: Image, mask: Mask, grow: int) -> bool:
    outside = ~grown(mask, grow)
    return bool((before[outside] == after[outside]).all())


def psnr(truth: Image, image: Image) -> float:
    error = float(np.mean((truth.astype(float) - image.astype(float)) ** 2))
    return 10 * np.log10(255**2 / max(error, 1e-9))


def mean_lab(image: Image, mask: Mask) -> np.ndarray:
    from skimage.color import rgb2lab

    return rgb2lab(image[mask][None, :, :3])[0].mean(axis=0)


def with_alpha(image: Image) -> Image:
    """The image with an alpha that falls from left to right."""
    alpha = np.linspace(255, 0, image.shape[1]).astype(np.uint8)
    return np.dstack([image, np.broadcast_to(alpha, image.shape[:2])])
