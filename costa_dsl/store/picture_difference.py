"""How far two pictures or masks of the same size are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class PictureDifference:
    """Attributes:
    sizes: (width, height) of both.
    share: of the pixels that differ in any channel, in [0, 1]; None when the sizes or the channels differ.
    largest: the largest difference of one channel, in steps of 255 (of a mask 1); None like `share`.
    mean: over all channels of the pixels that differ; 0 when none does; None like `share`.
    """

    sizes: tuple[tuple[int, int], tuple[int, int]]
    channels: tuple[int, int]
    share: float | None
    largest: int | None
    mean: float | None

    @property
    def is_equal(self) -> bool:
        return self.share == 0

    @property
    def words(self) -> str:
        """In one sentence."""
        (width, height), (other_width, other_height) = self.sizes
        if self.sizes[0] != self.sizes[1]:
            return f"{width}×{height} pixels against {other_width}×{other_height}"
        if self.share is None:
            return f"{self.channels[0]} channels against {self.channels[1]}"
        if self.is_equal:
            return "equal in every pixel"
        shown = f"{self.share:.2%}" if self.share >= 0.0001 else "less than 0.01%"
        return f"{shown} of the pixels differ, by {self.mean:.1f} steps of 255 on average and {self.largest} at most"


def picture_difference(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> PictureDifference:
    """Compare two pictures (uint8, H×W×3 or 4, sRGB) or two masks (bool, H×W)."""
    sizes = ((one.shape[1], one.shape[0]), (other.shape[1], other.shape[0]))
    first, second = (_with_channels(array) for array in (one, other))
    channels = (first.shape[2], second.shape[2])
    if first.shape != second.shape:
        return PictureDifference(sizes, channels, None, None, None)
    changed = np.any(first != second, axis=2)
    count = int(np.count_nonzero(changed))
    if not count:
        return PictureDifference(sizes, channels, 0.0, 0, 0.0)
    apart = np.abs(first[changed].astype(np.int16) - second[changed].astype(np.int16))
    return PictureDifference(sizes, channels, count / changed.size, int(apart.max()), float(apart.mean()))


def _with_channels(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array = array.astype(np.uint8) if array.dtype == bool else array
    return array[..., None] if array.ndim == 2 else array
