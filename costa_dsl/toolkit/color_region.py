"""Which pixels have a color that people would call by one name, and which belong to the region at a point.

Both work in CIELAB, whose distances come near to what the eye sees. Lightness counts little: a leaf is green in
the sun and in the shade.
"""

from __future__ import annotations

import numpy as np

from costa_dsl.toolkit.api import Float, Image, Mask
from costa_dsl.toolkit.saliency import without_specks

# A color with less chroma than this has no hue to speak of (CIELAB units).
_GREY_CHROMA = 12.0


# What people call by a basic name: CIELAB hue in degrees from … to, and lightness from … to. Brown and orange, or pink
# and red, differ by lightness alone.
_NAMED = {
    "red": (8, 46, 15, 68),
    "orange": (36, 80, 28, 90),
    "brown": (30, 80, 8, 50),
    "yellow": (78, 112, 45, 100),
    "green": (108, 178, 8, 95),
    "blue": (228, 308, 8, 90),
    "purple": (300, 340, 8, 80),
    "pink": (335, 380, 50, 95),
    "magenta": (325, 370, 15, 90),
}


def color_region(rgb: Image, wanted: tuple[int, int, int], name: str, tolerance: float) -> Mask:
    """The pixels of one color, lit or in shade, without specks and with small holes closed.

    A basic name (`green`) takes its whole range of hues. Any other color, such as a hex value read off the picture,
    takes what differs from it by shading alone: pixels within 6.5° · tolerance of it in linear RGB. From these it
    grows into neighbors of a like color and into gloss that they enclose. A grey, white or black target takes pixels
    without hue whose lightness is within 22 · tolerance.

    Args:
        rgb: uint8 H×W×3, sRGB.
        wanted: sRGB, 0 … 255.
        name: as the plan writes it.
        tolerance: 1 is what people call by the color's name.

    Returns:
        bool H×W.
    """
    lab = _lab(_smoothed(rgb))
    goal = _lab(np.array([[wanted]], np.uint8))[0, 0]
    chroma = np.hypot(lab[..., 1], lab[..., 2])
    goal_chroma = float(np.hypot(goal[1], goal[2]))
    if goal_chroma < _GREY_CHROMA:
        lightness = np.abs(lab[..., 0] - goal[0])
        # White in the shade and black in the light are still white and black: only the inner side is limited.
        inner = lab[..., 0] - goal[0] if goal[0] < 25 else goal[0] - lab[..., 0] if goal[0] > 85 else lightness
        return _tidied((chroma < _GREY_CHROMA * tolerance) & (inner < 22 * tolerance))
    named = _NAMED.get(name.strip().lower())
    if named is None:
        off = _chromaticity_angle(rgb, wanted)
        sure, tinted = off < 6.5 * tolerance, off < 10 * tolerance
    else:
        low, high, darkest, lightest = named
        half = (high - low) / 2
        hue = np.arctan2(lab[..., 2], lab[..., 1])
        turn = np.degrees(np.abs(np.angle(np.exp(1j * (hue - np.radians((low + high) / 2))))))
        slack = 38 * (tolerance - 1)
        # Dark pixels cannot reach the chroma of light ones: what counts is the share of what is possible there.
        colored = (chroma > 6) & (chroma > np.minimum(0.28 * goal_chroma, 3 + 0.4 * lab[..., 0]))
        lit = (lab[..., 0] > darkest - slack) & (lab[..., 0] < lightest + slack)
        sure = (turn < half * tolerance) & colored & lit
        tinted = (turn < (half + 14) * tolerance) & (chroma > 4)
    # Gloss and translucence shift hue and take color away: such pixels count where sure ones are around them.
    sure = _tidied(sure)
    gloss = (chroma < 22) & (lab[..., 0] > 50)
    found = sure | _among(sure, tinted, 0.3) | _among(sure, gloss, 0.6)
    # Deep shade on one leaf can be wider than that neighborhood: it joins step by step, as far as it hangs together
    # with what was found. Glare does not: a bright floor looks just like it.
    shade = tinted & (lab[..., 0] < 14)
    for _ in range(4):
        found |= _among(found, _touching(found, shade), 0.2)
    return _tidied(found)


def _chromaticity_angle(rgb: Image, wanted: tuple[int, int, int]) -> Float:
    """The angle in degrees between each pixel and a color in linear RGB, float32 H×W.

    Shading scales all three channels of a matt surface alike (Lambert), so that light and shade keep the angle.
    """
    floor = np.float32(0.002)  # sensor noise turns the direction of nearly black pixels
    pixels = _linear(_smoothed(rgb)) + floor
    goal = _linear(np.array(wanted, np.uint8)) + floor
    cosine = pixels @ goal / (np.linalg.norm(pixels, axis=-1) * np.linalg.norm(goal))
    angle: Float = np.degrees(np.arccos(np.clip(cosine, -1, 1))).astype(np.float32)
    return angle


def _linear(rgb: Image) -> Float:
    """sRGB 0 … 255 to linear light 0 … 1 (IEC 61966-2-1)."""
    value = rgb.astype(np.float32) / 255
    linear: Float = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return linear


def _among(sure: Mask, possible: Mask, share: float) -> Mask:
    """The possible pixels in whose neighborhood (a box of about a tenth of the picture) enough pixels are sure."""
    import cv2

    side = max(3, round(min(sure.shape) / 12)) | 1
    found: Mask = possible & (cv2.boxFilter(sure.astype(np.float32), -1, (side, side)) > share)
    return found


def region_at(rgb: Image, x: int, y: int, tolerance: float) -> Mask:
    """The connected region of similar color around a point.

    The region's color is the median of a small patch at the point. Pixels within ΔE 14 · tolerance of it (CIE76, with
    lightness counted at 0.6), or, at a colored point, within 7° · tolerance of it in linear RGB, belong to the region
    when they hang together with the point; small holes are closed.

    Args:
        rgb: uint8 H×W×3, sRGB.
        x, y: a pixel inside the picture.

    Returns:
        bool H×W, one connected region that holds the point.
    """
    import cv2

    lab = _lab(_smoothed(rgb))
    reach = max(1, min(rgb.shape[:2]) // 150)
    patch = lab[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1]
    seed = np.median(patch.reshape(-1, 3), axis=0)
    weights = np.array([0.6, 1.0, 1.0], np.float32)
    near = np.sqrt((((lab - seed) * weights) ** 2).sum(axis=2)) < 14 * tolerance
    if np.hypot(seed[1], seed[2]) > _GREY_CHROMA:
        # Cloth has folds: what differs from a colored point by shading alone is the same cloth.
        color = np.median(rgb[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1].reshape(-1, 3), 0)
        off = _chromaticity_angle(rgb, (int(color[0]), int(color[1]), int(color[2])))
        near |= (off < 7 * tolerance) & (np.hypot(lab[..., 1], lab[..., 2]) > 4)
    near[y, x] = True
    _, labels = cv2.connectedComponents(near.astype(np.uint8), connectivity=4)
    region: Mask = labels == labels[y, x]
    outline, _ = cv2.findContours(region.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros(region.shape, np.uint8), outline, -1, 1, cv2.FILLED)
    holes = (filled > 0) & ~region
    # A hole as large as a tenth of the region is another thing, not a highlight.
    count, parts, stats, _ = cv2.connectedComponentsWithStats(holes.astype(np.uint8), connectivity=4)
    for part in range(1, count):
        if stats[part, cv2.CC_STAT_AREA] < 0.1 * region.sum():
            region |= parts == part
    return region


def _smoothed(rgb: Image) -> Image:
    """Noise and fine texture evened out, edges kept."""
    import cv2

    if min(rgb.shape[:2]) < 16:
        return rgb
    smooth: Image = cv2.bilateralFilter(np.ascontiguousarray(rgb), 7, 30, 5).astype(np.uint8)
    return smooth


def _lab(rgb: Image) -> Float:
    """CIELAB (D65), float32, L in 0 … 100."""
    import cv2

    lab: Float = cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    return lab


def _tidied(mask: Mask) -> Mask:
    """Pinholes closed and specks dropped: what is much smaller than the largest area is another thing's reflection."""
    import cv2

    if min(mask.shape) < 16:
        return mask
    size = max(3, round(min(mask.shape) / 200) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, kernel) > 0
    return without_specks(closed, share=0.01, hole_share=0.0005)


def _touching(found: Mask, possible: Mask) -> Mask:
    """The connected parts of `possible` that touch `found`."""
    import cv2

    _, parts = cv2.connectedComponents((possible | found).astype(np.uint8), connectivity=8)
    holds = np.zeros(int(parts.max()) + 1, np.bool_)
    holds[np.unique(parts[found])] = True
    holds[0] = False
    touching: Mask = holds[parts] & possible
    return touching
