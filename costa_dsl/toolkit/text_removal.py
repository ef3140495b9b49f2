"""Taking text out of a picture: exact masks of the letters, and three ways to fill them.

All of them change only pixels of the letters, their soft edges, outlines and shadows; every other pixel
stays bit for bit, and none outside the line's quadrilateral dilated by `grow` is ever touched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from costa_dsl.toolkit.api import Image, Mask, TextLine, ToolCall, ToolFailure, join_alpha, split_alpha
from costa_dsl.toolkit.text_ink import (
    Ink,
    dilated,
    fitted_surface,
    polygon_mask,
    separate_ink,
    side_lengths,
    visible_rgb,
)
from costa_dsl.toolkit.text_style import wanted_lines

# Fills the masked pixels of a window: (RGB window, mask to fill, pixels that are ground) to the new window.
Filler: TypeAlias = Callable[[Image, Mask, Mask], Image]


def fill(call: ToolCall) -> Mapping[str, Any]:
    """Fill the letters with the ground around them, fitted as a slow slope of color, with its grain.

    Right on plain and slowly shaded ground; on a pattern the letters' shapes stay visible.
    Gives {"image", "erased-text"}.
    """
    random = np.random.default_rng(call.seed)

    def slope(window: Image, mask: Mask, ground: Mask) -> Image:
        pixels = window.astype(np.float32)
        surface = fitted_surface(pixels, ground)
        rest = (pixels - surface)[ground]
        # What lies far off is a stray letter or a picture, no grain.
        size = np.linalg.norm(rest, axis=1)
        rest = rest[size <= max(2.5 * float(np.median(size)), 1.0)]
        if float(np.abs(rest).mean()) >= 0.75:  # film grain or compression noise: the fill has it too
            surface[mask] += random.choice(rest, size=int(mask.sum()))
        return np.asarray(surface.clip(0, 255).round(), dtype=np.uint8)

    return _erase(call, slope)


def inpaint(call: ToolCall) -> Mapping[str, Any]:
    """Fill the letters from their edges inwards (OpenCV: `telea` or `navier-stokes`).

    Gives {"image", "erased-text"}.
    """
    import cv2

    method = cv2.INPAINT_TELEA if call.parameters["method"] == "telea" else cv2.INPAINT_NS
    radius = float(call.parameters["radius"])

    def diffuse(window: Image, mask: Mask, _: Mask) -> Image:
        return np.asarray(cv2.inpaint(window, mask.astype(np.uint8), radius, method), dtype=np.uint8)

    return _erase(call, diffuse)


def patchmatch(call: ToolCall) -> Mapping[str, Any]:
    """Fill the letters with pieces of the ground nearby (PatchMatch): keeps wood, stone and cloth.

    Gives {"image", "erased-text"}.
    """
    try:
        import patchmatch as library
    except (ImportError, OSError) as error:
        raise ToolFailure(
            "unavailable", f"PyPatchMatch cannot be loaded: {error}", "Install the extra: costa-dsl[local]."
        ) from error
    size = int(call.parameters["patch"])

    def patches(window: Image, mask: Mask, ground: Mask) -> Image:
        library.set_random_seed(call.seed % 2**31)
        if int(ground.sum()) < 4 * size * size:
            raise ToolFailure(
                "unsupported",
                "too little ground around the text to copy from",
                "Use text-fill or text-inpaint.",
            )
        # Neither filled nor copied from: other letters and whatever else is not ground.
        forbidden = ~(ground | mask)
        filled = library.inpaint(window, mask, global_mask=forbidden, patch_size=size)
        return np.asarray(filled, dtype=np.uint8)

    return _erase(call, patches)


@dataclass(frozen=True)
class Letters:
    """A line's letters in a window (x0, y0, x1, y1) of the picture: their pixels, and the ground's there."""

    window: tuple[int, int, int, int]
    letters: Mask
    ground: Mask


def find_letters(rgb: Image, line: TextLine, grow: float, spread: int) -> Letters:
    """The pixels of a line's letters, within its quadrilateral dilated by `grow`.

    Letters are what stands out clearly and all that hangs on to it and still differs from the ground (soft
    edges, outlines, shadows), dilated by `spread` pixels. On a patterned ground the ink's color decides.

    Raises:
        ToolFailure: `not-found` when nothing stands out.
    """
    import cv2

    height, width = rgb.shape[:2]
    line_height = max(side_lengths(line.corners)[1], 2.0)
    reach = grow + 1.2 * line_height + 3
    x0, y0 = max(0, int(line.box[0] - reach)), max(0, int(line.box[1] - reach))
    x1, y1 = min(width, int(line.box[2] + reach) + 1), min(height, int(line.box[3] + reach) + 1)
    if x1 <= x0 or y1 <= y0:
        raise ToolFailure("not-found", "the text's region lies outside the picture", "Detect the text anew.")
    shape = (y1 - y0, x1 - x0)
    first, second, third, fourth = ((x - x0, y - y0) for x, y in line.corners)
    corners = (first, second, third, fourth)
    inside = polygon_mask(shape, corners)
    allowed = polygon_mask(shape, corners, grow)
    around = polygon_mask(shape, corners, grow + 0.5 * line_height)
    if not inside.any():
        raise ToolFailure("not-found", "the text's region is empty", "Detect the text anew.")
    core = cv2.erode(inside.astype(np.uint8), np.ones((3, 3), np.uint8), iterations=max(1, int(line_height / 12)))
    rim = around & ~core.astype(bool)
    pixels = rgb[y0:y1, x0:x1].astype(np.float32)
    ink = separate_ink(pixels, inside, rim if rim.any() else around)
    if ink.patterned:
        letters, other = _letters_by_color(ink, inside, allowed, max(1, round(line_height / 24)))
        around = polygon_mask(shape, corners, grow + line_height)
    else:
        letters, other = _letters_by_contrast(ink, inside, allowed)
    letters = dilated(letters, spread) & allowed & ~other
    ground = around & ~letters & ~dilated(other, 2)
    return Letters((x0, y0, x1, y1), letters, ground if ground.sum() >= 12 else around & ~letters)


def _letters_by_contrast(ink: Ink, inside: Mask, allowed: Mask) -> tuple[Mask, Mask]:
    """On a plain ground: clear ink with the fainter pixels connected to it; and the ink of other things."""
    import cv2

    clear = max(0.4 * ink.contrast, min(4 * ink.noise, 0.75 * ink.contrast))
    faint = max(0.05 * ink.contrast, 3.0 * ink.noise + 2.0, 4.0)
    strong = ink.distance > clear
    # What lies mostly outside is a picture or another line that only reaches into the region.
    _, bodies = cv2.connectedComponents(strong.astype(np.uint8))
    sizes = np.bincount(bodies.ravel())
    shares = np.bincount(bodies.ravel(), weights=inside.ravel()) / np.maximum(sizes, 1)
    foreign = strong & (shares[bodies] < 0.3)
    seeds = inside & strong & ~foreign
    candidates = allowed & (ink.distance > min(faint, clear)) & ~dilated(foreign, 1)
    _, labels = cv2.connectedComponents(candidates.astype(np.uint8))
    touched = np.zeros(labels.max() + 1, dtype=bool)
    touched[np.unique(labels[seeds])] = True
    touched[0] = False
    letters = touched[labels] | seeds
    return letters, foreign | (strong & ~letters)


def _letters_by_color(ink: Ink, inside: Mask, allowed: Mask, edge: int) -> tuple[Mask, Mask]:
    """On a pattern: pixels of the ink's color with `edge` pixels around them; and such ink elsewhere."""
    near = ink.coverage > 0.3
    letters = dilated(near & inside, edge + 1) & allowed
    return letters, near & ~letters


def _erase(call: ToolCall, filler: Filler) -> Mapping[str, Any]:
    rgb, alpha = split_alpha(call.image)
    seen = visible_rgb(call.image)
    lines = wanted_lines(call)
    grow, spread = float(call.parameters["grow"]), int(call.parameters["spread"])
    result = rgb.copy()
    for line in lines:
        found = find_letters(seen, line, grow, spread)
        x0, y0, x1, y1 = found.window
        window = np.ascontiguousarray(result[y0:y1, x0:x1])
        filled = filler(window, found.letters, found.ground)
        result[y0:y1, x0:x1] = np.where(found.letters[..., None], filled, window)
    return {"image": join_alpha(result, alpha), "erased-text": lines}
