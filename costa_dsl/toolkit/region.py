"""Masks and the windows around them: what the tools that edit a region share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from costa_dsl.toolkit.api import Mask, ToolCall, ToolFailure

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open rectangle of pixels; `cut` gives a view of any array of the picture's height and width."""

    x0: int
    y0: int
    x1: int
    y1: int

    def cut(self, array: NDArray[Scalar]) -> NDArray[Scalar]:
        return array[self.y0 : self.y1, self.x0 : self.x1]


def mask_of(call: ToolCall, verb: str) -> Mask:
    """The call's mask (bool H×W).

    Raises:
        ToolFailure: `invalid-input` for a mask of another size than the picture, `not-found` for an empty
        one.
    """
    mask = np.asarray(call.mask, dtype=bool)
    if mask.shape != call.image.shape[:2]:
        raise ToolFailure(
            "invalid-input",
            f"the mask has {mask.shape[1]} × {mask.shape[0]} pixels, "
            f"the picture {call.image.shape[1]} × {call.image.shape[0]}",
            "segment the object anew on the present picture",
        )
    if not mask.any():
        name = call.target.object or "object"
        raise ToolFailure(
            "not-found",
            f"the mask of the {name} is empty: nothing to {verb}",
            "ground the step with at: {box: …}",
        )
    return mask


def window_around(mask: Mask, margin: int) -> Window:
    """The bounding box of a mask that is not empty, with a margin, inside the picture."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    height, width = mask.shape
    return Window(
        max(0, int(columns[0]) - margin), max(0, int(rows[0]) - margin),
        min(width, int(columns[-1]) + 1 + margin), min(height, int(rows[-1]) + 1 + margin),
    )  # fmt: skip
