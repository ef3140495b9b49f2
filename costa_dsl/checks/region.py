"""Where a local edit may act: the one definition that guarantees, checks and reports share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from costa_dsl.checks.measure import window_around
from costa_dsl.model.artifact import Target, TextLine, TextStyle
from costa_dsl.store.values import Mask

# Edits that work on one thing and leave the rest alone. Every other edit may touch the whole picture,
# whatever masks it is given (a removed background is everything outside the mask).
LOCAL_EDITS = frozenset({
    "object-removal", "object-replacement", "object-addition", "object-recoloration", "local-edit",
    "change-material", "restyle", "text-removal", "text-replacement", "text-addition", "text-redaction",
    "keyword-highlighting", "change-text-style",
})  # fmt: skip

# Edits whose `text` says what to write, not what stands there already.
_WRITES_NEW_TEXT = frozenset({"text-addition"})


def edit_region(
    subtask: str,
    artifacts: Mapping[str, Any],
    target: Target,
    arguments: Mapping[str, Any],
    parameters: Mapping[str, Any],
    shape: tuple[int, ...],
    outputs: Mapping[str, Any] | None = None,
) -> Mask | None:
    """The pixels that an edit may touch, bool H×W on the canvas of the picture before; None for all of them.

    In this order: the `mask` artifact; else the lines (or parts of lines) of `text`, `text-regions` or
    `erased-text` that `text`, `pattern` or `kind` mean, as quadrilaterals; each grown by `parameters["grow"]`
    pixels (see `grown`; half a pixel more for quadrilaterals, whose edges run through pixels); else the box
    of `at:`; else everything.

    Args:
        shape: of the picture before, (H, W) or (H, W, channels).
        outputs: what the tool gave. A tool that grounds its target on its own gives the `mask` that it worked
            on; it is used where no mask was handed to it.
    """
    if subtask not in LOCAL_EDITS:
        return None
    size = (int(shape[0]), int(shape[1]))
    grow = float(parameters.get("grow", 0))
    mask = artifacts.get("mask")
    if mask is None and outputs is not None:
        mask = outputs.get("mask")
    if mask is not None and mask.shape == size:
        return grown(mask, grow)
    if subtask not in _WRITES_NEW_TEXT:
        lines = meant_lines(artifacts, arguments)
        if lines:
            return grown(drawn(lines, size), grow + 0.5 if grow > 0 else 0)
    box = target.place("box")
    return None if box is None else box_mask(box, size)


def meant_lines(artifacts: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[TextLine, ...]:
    """The lines, or parts of lines, that a step's `text`, `pattern` or `kind` means; all of them without one.

    Lines of `erased-text` are meant as they are: the step before has chosen them. Empty when nothing matches.
    """
    from costa_dsl.model.text_match import TextNotFoundError, match_kind, match_lines, match_pattern

    erased = _lines_of(artifacts.get("erased-text"))
    read = _lines_of(artifacts.get("text"))
    if read:
        try:
            if "text" in arguments:
                return (*match_lines(read, str(arguments["text"])), *erased)
            if "pattern" in arguments:
                return match_pattern(read, str(arguments["pattern"]))
            if "kind" in arguments:
                return match_kind(read, str(arguments["kind"]))
        except TextNotFoundError:
            return erased
    return erased or read or _lines_of(artifacts.get("text-regions"))


def _lines_of(value: Any) -> tuple[TextLine, ...]:
    """Lines of text, whether they come bare or with their style."""
    items: Iterable[Any] = value if isinstance(value, tuple | list) else () if value is None else (value,)
    return tuple(
        item.line if isinstance(item, TextStyle) else item for item in items if isinstance(item, TextStyle | TextLine)
    )


def grown(mask: Mask, radius: float) -> Mask:
    """A mask together with every pixel whose center lies within `radius` of the center of one of its pixels.

    The distance is Euclidean and exact; `radius` 0 gives the mask itself.
    """
    import cv2

    if radius <= 0 or not mask.any():
        return mask.copy()
    window = window_around(mask, int(np.ceil(radius)))
    inside = window.of(mask)
    distance = cv2.distanceTransform((~inside).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    result = mask.copy()
    # The hair's breadth absorbs the rounding of the square root: a distance of exactly `radius` counts.
    result[window.rows, window.columns] = distance <= radius + 1e-4
    return result


def drawn(lines: Sequence[TextLine], size: tuple[int, int]) -> Mask:
    """The pixels that the quadrilaterals of lines of text touch, bool H×W."""
    import cv2

    canvas = np.zeros(size, dtype=np.uint8)
    for line in lines:
        # 64ths of a pixel; OpenCV counts from the center of a pixel, costa from its corner.
        corners = np.rint((np.asarray(line.corners, dtype=np.float64) - 0.5) * 64).astype(np.int32)
        cv2.fillPoly(canvas, [corners], 1, lineType=cv2.LINE_8, shift=6)
    return canvas.astype(bool)


def box_mask(box: object, size: tuple[int, int]) -> Mask:
    """The pixels that `at: {box: [x0, y0, x1, y1]}` touches; "12.5%" is a share of the side."""
    height, width = size
    if not isinstance(box, list | tuple) or len(box) != 4:
        raise ValueError(f"a box has four numbers x0, y0, x1, y1, not {box!r}")
    x0, y0, x1, y1 = (in_pixels(value, width if place % 2 == 0 else height) for place, value in enumerate(box))
    result = np.zeros(size, dtype=bool)
    result[
        max(0, int(np.floor(y0))) : max(0, int(np.ceil(y1))),
        max(0, int(np.floor(x0))) : max(0, int(np.ceil(x1))),
    ] = True
    return result


def in_pixels(value: object, side: int) -> float:
    """A length of a plan in pixels: a number as it is, "10%" as a share of `side`."""
    if isinstance(value, str) and value.strip().endswith("%"):
        return float(value.strip()[:-1]) / 100 * side
    return float(value)  # type: ignore[arg-type]
