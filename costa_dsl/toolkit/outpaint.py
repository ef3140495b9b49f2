"""Outpainting: continue a picture beyond its borders."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from costa_dsl.toolkit.api import (
    Float,
    Image,
    Mask,
    Placement,
    ToolCall,
    ToolFailure,
    join_alpha,
    split_alpha,
)  # fmt: skip
from costa_dsl.toolkit.removal import load_patchmatch, patchmatch_fill

# A margin of more than this share of the picture's side has nothing to be continued from.
LARGEST_MARGIN = 1.0
LARGEST_RESULT = 250_000_000


@dataclass(frozen=True, slots=True)
class Margins:
    """Pixels to add at each side."""

    left: int
    right: int
    top: int
    bottom: int


def outpaint_mirror(call: ToolCall) -> Mapping[str, Any]:
    """Continue by a reflection that grows blurrier with the distance. Quick."""
    margins = margins_of(call)
    rgb, alpha = split_alpha(call.image)
    return _result(rgb, alpha, _mirrored(rgb, margins), margins)


def outpaint_patchmatch(call: ToolCall) -> Mapping[str, Any]:
    """Continue the texture at each border with patches from a band along it (PatchMatch).

    Parameters: `band` (width of the band in parts of the margin), `patch` (radius of the compared patches),
    `work_pixels` (wider margins are filled on a reduced copy).
    """
    margins = margins_of(call)
    rgb, alpha = split_alpha(call.image)
    return _result(rgb, alpha, _continued(call, rgb, margins), margins)


def margins_of(call: ToolCall) -> Margins:
    """The margins that the step asks for: pixels or % of the side for each side, or `aspect: "16:9"`.

    Raises:
        ToolFailure: `invalid-input` when nothing would be added, `unsupported` when a margin or the result would be
            too large.
    """
    height, width = call.image.shape[:2]
    words = call.arguments
    left, right = (_length(words.get(side, 0), width) for side in ("left", "right"))
    top, bottom = (_length(words.get(side, 0), height) for side in ("top", "bottom"))
    if "aspect" in words:
        across, down = (int(number) for number in str(words["aspect"]).split(":"))
        wide = max(0, round((height + top + bottom) * across / down) - (width + left + right))
        tall = max(0, round((width + left + right) * down / across) - (height + top + bottom)) if not wide else 0
        left, right = left + wide // 2, right + wide - wide // 2
        top, bottom = top + tall // 2, bottom + tall - tall // 2
    margins = Margins(left, right, top, bottom)
    if not any((left, right, top, bottom)):
        raise ToolFailure(
            "invalid-input",
            "the picture would not become larger",
            "write left: 10%, for example, or another aspect",
        )
    for side, pixels, whole in (
        ("left", left, width),
        ("right", right, width),
        ("top", top, height),
        ("bottom", bottom, height),
    ):
        if pixels > max(LARGEST_MARGIN * whole, 8):
            raise ToolFailure(
                "unsupported",
                f"the {side} margin is {pixels / whole:.0%} of the picture; beyond {LARGEST_MARGIN:.0%}, a continued "
                "texture shows the same things again and again",
                "use smaller margins",
            )
    total = (width + left + right) * (height + top + bottom)
    if total > LARGEST_RESULT:
        raise ToolFailure("unsupported", f"the result would have {total / 1e6:.0f} megapixels", "use smaller margins")
    return margins


def _length(value: Any, whole: int) -> int:
    if isinstance(value, str):
        number = float(value.rstrip("%")) * whole / 100.0 if value.endswith("%") else float(value.removesuffix("px"))
    else:
        number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ToolFailure("invalid-input", f"the margin {value} is negative", "to make a picture smaller use crop")
    return round(number)


def _result(rgb: Image, alpha: Image | None, canvas: Image, margins: Margins) -> Mapping[str, Any]:
    height, width = rgb.shape[:2]
    inner = (slice(margins.top, margins.top + height), slice(margins.left, margins.left + width))
    canvas[inner] = rgb
    full = None
    if alpha is not None:
        full = np.full(canvas.shape[:2], 255, np.uint8)
        full[inner] = alpha
    placement = Placement(x_offset=float(margins.left), y_offset=float(margins.top))
    return {"image": join_alpha(np.ascontiguousarray(canvas), full), "placement": placement}


def _pad(rgb: Image, margins: Margins, mode: Any) -> Image:
    padded: Image = np.pad(rgb, ((margins.top, margins.bottom), (margins.left, margins.right), (0, 0)), mode=mode)
    return padded


def _distance(shape: tuple[int, int], margins: Margins) -> Float:
    """How far each pixel of the canvas lies outside the old picture, in pixels; 0 inside."""
    y = np.arange(shape[0], dtype=np.float32)
    x = np.arange(shape[1], dtype=np.float32)
    outside_y = np.maximum(np.maximum(margins.top - y, y - (shape[0] - 1 - margins.bottom)), 0)
    outside_x = np.maximum(np.maximum(margins.left - x, x - (shape[1] - 1 - margins.right)), 0)
    result: Float = np.hypot(outside_y[:, None], outside_x[None, :]).astype(np.float32)
    return result


def _mirrored(rgb: Image, margins: Margins) -> Image:
    import cv2

    canvas = _pad(rgb, margins, "symmetric")
    far = _distance(canvas.shape[:2], margins)
    widest = max(margins.left, margins.right, margins.top, margins.bottom)
    # Two blurred copies and the sharp one, mixed by distance: no visible step, and the mirror soon says
    # nothing.
    result = canvas.astype(np.float32)
    for start, sigma in ((0.05, 0.02), (0.3, 0.06)):
        blurred = cv2.GaussianBlur(canvas, (0, 0), max(1.0, sigma * widest)).astype(np.float32)
        weight = np.clip((far / widest - start) / 0.35, 0.0, 1.0)[..., None]
        result += weight * weight * (3 - 2 * weight) * (blurred - result)
    return np.clip(np.round(result), 0, 255).astype(np.uint8)


def _continued(call: ToolCall, rgb: Image, margins: Margins) -> Image:
    """The canvas with its margins filled by PatchMatch, one side after the other."""
    import cv2

    engine = call.models.get("patchmatch", load_patchmatch)
    patch = int(call.parameters.get("patch", 3))
    band = float(call.parameters.get("band", 1.5))
    most = int(call.parameters.get("work_pixels", 120_000))
    canvas = rgb
    for side in ("left", "right", "top", "bottom"):
        margin = getattr(margins, side)
        if not margin:
            continue
        # Turn each side so that it is the right one.
        turned = _turn(canvas, side)
        wide = max(16, round(margin * band))
        strip = turned[:, -wide:]
        scale = min(1.0, math.sqrt(most / (margin * strip.shape[0])))
        size = (max(2, round(strip.shape[1] * scale)), max(2, round(strip.shape[0] * scale)))
        small = cv2.resize(strip, size, interpolation=cv2.INTER_AREA) if scale < 1 else strip
        add = max(1, round(margin * scale))
        start = np.pad(small, ((0, 0), (0, add), (0, 0)), mode="symmetric")
        hole: Mask = np.zeros(start.shape[:2], bool)
        hole[:, -add:] = True
        filled = patchmatch_fill(engine, start, hole, np.zeros_like(hole), patch, call.seed)[:, -add:]
        if scale < 1:
            filled = cv2.resize(filled, (margin, turned.shape[0]), interpolation=cv2.INTER_CUBIC)
        canvas = _turn(np.concatenate([turned, filled], axis=1), side, back=True)
    return np.ascontiguousarray(canvas).copy()


def _turn(image: Image, side: str, back: bool = False) -> Image:
    """A view in which `side` is the right one, or with `back` the inverse."""
    if side == "left":
        return image[:, ::-1]
    if side == "top":
        return image[::-1].transpose(1, 0, 2) if not back else image.transpose(1, 0, 2)[::-1]
    if side == "bottom":
        return image.transpose(1, 0, 2)
    return image
