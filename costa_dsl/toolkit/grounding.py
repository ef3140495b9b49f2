"""Finding the place that a step's `at:` names: a box, a mask file, a color, a point or a text.

Each tool reads one key of `call.target.at` and gives the artifacts that its manifest promises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from costa_dsl.model.text_match import TextNotFoundError, match_lines
from costa_dsl.toolkit.api import Box, Mask, ToolCall, ToolFailure, split_alpha
from costa_dsl.toolkit.color import parse_color
from costa_dsl.toolkit.color_region import color_region, region_at

_PERCENT = re.compile(r"(-?\d+(?:\.\d+)?)\s*%")


def locate_box(call: ToolCall) -> Mapping[str, Any]:
    """`at: {box: [x0, y0, x1, y1]}`, each in pixels or percent of width or height, clipped to the picture.

    Returns:
        `boxes`: one Box with score 1 and the step's object as its label.

    Raises:
        ToolFailure: `invalid-input` for a box that is malformed, turned around or outside.
    """
    height, width = call.image.shape[:2]
    x0, y0, x1, y1 = box_of(call.target.place("box"), width, height)
    return {"boxes": (Box(x0, y0, x1, y1, call.target.object or "box", 1.0),)}


def locate_mask(call: ToolCall) -> Mapping[str, Any]:
    """`at: {mask: file}`: a picture of the same size, white (gray above 127) where the object is.

    Returns:
        `mask`: bool H×W. A mask file with transparency counts as black where it is transparent.

    Raises:
        ToolFailure: `invalid-input` for a file that is no picture, has another size or is empty.
    """
    path = Path(str(call.target.place("mask")))
    height, width = call.image.shape[:2]
    try:
        with PillowImage.open(path) as file:
            gray = np.asarray(file.convert("LA"))
    except (OSError, ValueError, PillowImage.DecompressionBombError) as error:
        raise ToolFailure(
            "invalid-input", f"the mask {path.name} cannot be read as a picture ({type(error).__name__})",
            help="give a PNG file that is white where the object is and black elsewhere",
        ) from None  # fmt: skip
    if gray.shape[:2] != (height, width):
        raise ToolFailure(
            "invalid-input",
            f"the mask {path.name} has {gray.shape[1]}×{gray.shape[0]} pixels, the picture {width}×{height}",
            help="a mask needs the size of the picture at the step that uses it; earlier steps may change it",
        )
    mask: Mask = (gray[..., 0] > 127) & (gray[..., 1] > 127)
    if not mask.any():
        raise ToolFailure(
            "invalid-input", f"the mask {path.name} is black everywhere",
            help="paint the object white (above 127 of 255)",
        )  # fmt: skip
    return {"mask": mask}


def locate_color(call: ToolCall) -> Mapping[str, Any]:
    """`at: {color: green}`, optionally `within: [x0, y0, x1, y1]`: everything of that color, lit or in shade.

    Parameters: `tolerance`, 1 as a person would name colors, more or less of it; `least`, the smallest
    share of the searched area that counts as found.

    Returns:
        `mask`: bool H×W.

    Raises:
        ToolFailure: `invalid-input` for an unknown color or box, `not-found` when too little has it.
    """
    rgb, _ = split_alpha(call.image)
    height, width = rgb.shape[:2]
    name = str(call.target.place("color"))
    wanted = parse_color(name)
    x0, y0, x1, y1 = 0, 0, width, height
    within = call.target.place("within")
    if within is not None:
        corners = box_of(within, width, height)
        x0, y0 = int(np.floor(corners[0])), int(np.floor(corners[1]))
        x1, y1 = int(np.ceil(corners[2])), int(np.ceil(corners[3]))
    mask = np.zeros((height, width), np.bool_)
    mask[y0:y1, x0:x1] = color_region(rgb[y0:y1, x0:x1], wanted, name, float(call.parameters["tolerance"]))
    share = float(mask[y0:y1, x0:x1].mean())
    if share < float(call.parameters["least"]):
        raise ToolFailure(
            "not-found",
            f'{share:.2%} of the searched area is "{name}", less than {call.parameters["least"]:.2%}',
            help="name the color as it looks in the picture, raise `tolerance`, or use `at: {box: …}`",
        )
    return {"mask": mask}


def locate_point(call: ToolCall) -> Mapping[str, Any]:
    """`at: {point: [x, y]}` in pixels or percent: the object or region at that point.

    Parameters: `tolerance`, how far in CIELAB the region's colors may be from those at the point.

    Returns:
        `mask`: bool H×W, one connected region that holds the point.

    Raises:
        ToolFailure: `invalid-input` for a point outside the picture.
    """
    rgb, _ = split_alpha(call.image)
    height, width = rgb.shape[:2]
    value = call.target.place("point")
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise _malformed("point", value, "two numbers [x, y], in pixels or percent")
    x, y = _length(value[0], width, "point"), _length(value[1], height, "point")
    if not (0 <= x < width and 0 <= y < height):
        raise ToolFailure(
            "invalid-input", f"the point ({x:g}, {y:g}) lies outside the {width}×{height} picture",
            help=f"x from 0 to {width - 1}, y from 0 to {height - 1}",
        )  # fmt: skip
    return {"mask": region_at(rgb, int(x), int(y), float(call.parameters["tolerance"]))}


def locate_text(call: ToolCall) -> Mapping[str, Any]:
    """`at: {text: "CLOSED"}`: where these words stand, in any case; needs the picture's `text`.

    Of a line that says more, the part that these words take up is meant.

    Returns:
        `mask`: bool H×W, the quadrilaterals of the words; `boxes`: their bounding boxes.

    Raises:
        ToolFailure: `not-found` with the nearest line in its help.
    """
    import cv2

    words = str(call.target.place("text"))
    try:
        parts = match_lines(call.text, words)
    except TextNotFoundError as missing:
        raise ToolFailure("not-found", missing.message, missing.help) from None
    height, width = call.image.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    boxes = []
    for part in parts:
        corners = np.array(part.corners, np.float64)
        cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 1, shift=4)
        x0, y0, x1, y1 = part.box
        boxes.append(
            Box(max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1), part.text, part.score)
        )
    if not mask.any():
        raise ToolFailure("not-found", f'"{words}" stands outside the picture', "name other words")
    return {"mask": mask > 0, "boxes": tuple(boxes)}


def box_of(value: object, width: int, height: int) -> tuple[float, float, float, float]:
    """A plan's box as pixels (x0, y0, x1, y1), clipped to the picture.

    Raises:
        ToolFailure: `invalid-input` when it is malformed, turned around or covers nothing.
    """
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 4:
        raise _malformed("box", value, "four numbers [x0, y0, x1, y1], in pixels or percent")
    x0, x1 = _length(value[0], width, "box"), _length(value[2], width, "box")
    y0, y1 = _length(value[1], height, "box"), _length(value[3], height, "box")
    shown = f"[{x0:g}, {y0:g}, {x1:g}, {y1:g}]"
    if x1 <= x0 or y1 <= y0:
        raise ToolFailure(
            "invalid-input", f"the box {shown} has no area: x1 must be above x0 and y1 above y0",
            help="a box is [left, top, right, bottom]",
        )  # fmt: skip
    clipped = (max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1))
    if clipped[2] <= clipped[0] or clipped[3] <= clipped[1]:
        raise ToolFailure(
            "invalid-input", f"the box {shown} lies outside the {width}×{height} picture",
            help="check its numbers; values in percent need the % sign",
        )  # fmt: skip
    return clipped


def _length(value: object, whole: int, word: str) -> float:
    """A length in pixels from a number of pixels or a string such as `28%` of the whole."""
    if isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value):
        return float(value)
    if isinstance(value, str):
        if percent := _PERCENT.fullmatch(value.strip()):
            return float(percent[1]) / 100 * whole
        if re.fullmatch(r"-?\d+(?:\.\d+)?(?:\s*px)?", value.strip()):
            return float(value.strip().removesuffix("px"))
    raise _malformed(word, value, 'numbers of pixels or percentages such as "28%"')


def _malformed(word: str, value: object, expected: str) -> ToolFailure:
    return ToolFailure("invalid-input", f"`{word}: {value}` is not understood", help=f"expected {expected}")
