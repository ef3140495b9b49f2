"""Letters as ink on a ground: straightened strips of a line, and how much of each pixel is covered by ink.

Coordinates are continuous pixels as everywhere (`costa_dsl.model.artifact`): the center of the first pixel
is (0.5, 0.5). OpenCV counts from pixel centers, so warps shift by half a pixel on the way in and out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from costa_dsl.toolkit.api import Float, Image, Mask, ToolFailure

Corners: TypeAlias = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
Matrix: TypeAlias = NDArray[np.float64]

_HALF_PIXEL: Matrix = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]], dtype=np.float64)


@dataclass(frozen=True)
class Strip:
    """A straightened line of text: float32 H×W×3 sRGB 0 … 255, and the 3×3 matrix to the picture's places.

    `quad` is the line's own rectangle (x0, y0, x1, y1) in the strip; the rest is margin.
    """

    pixels: Float
    to_image: Matrix
    quad: tuple[int, int, int, int]


@dataclass(frozen=True)
class Ink:
    """What is ink in a strip.

    Attributes:
        coverage: float32 H×W, 0 (ground) … 1 (ink).
        distance: float32 H×W, how far each pixel's color is from the ground there, sRGB units.
        ground: float32 H×W×3, the fitted ground color.
        color: sRGB of the ink.
        noise: the usual distance of ground pixels from the fit, sRGB units.
        patterned: the ground has a pattern of its own; then only pixels near the ink's color count as ink.
    """

    coverage: Float
    distance: Float
    ground: Float
    color: NDArray[np.float64]
    noise: float
    patterned: bool

    @property
    def contrast(self) -> float:
        """How far the ink's color is from the usual ground, sRGB units."""
        return max(float(np.linalg.norm(self.color - np.median(self.ground.reshape(-1, 3), axis=0))), 1.0)


def visible_rgb(image: Image) -> Image:
    """The picture as a reader sees it, H×W×3: transparent parts on black or white, whichever contrasts."""
    if image.shape[2] == 3:
        return image
    alpha = image[..., 3:].astype(np.float32) / 255
    rgb = image[..., :3].astype(np.float32)
    weight = float(alpha.sum())
    light = float((rgb * alpha).sum()) / (3 * weight) if weight else 0.0
    paper = 0.0 if light > 127.5 else 255.0
    if float(alpha.min()) == 1.0:
        return np.ascontiguousarray(image[..., :3])
    return np.asarray((rgb * alpha + paper * (1 - alpha)).round(), dtype=np.uint8)


def side_lengths(corners: Corners | tuple[tuple[float, float], ...]) -> tuple[float, float]:
    """The mean (width, height) of a quadrilateral in pixels."""
    points = np.asarray(corners, dtype=np.float64)
    sides = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    return float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2


def matrix_between(source: Corners, target: Corners) -> Matrix:
    """The 3×3 perspective matrix that takes four source points to four target points."""
    import cv2

    return np.asarray(
        cv2.getPerspectiveTransform(
            np.asarray(source, dtype=np.float32), np.asarray(target, dtype=np.float32), cv2.DECOMP_SVD
        ),
        dtype=np.float64,
    )


def pixel_matrix(matrix: Matrix) -> Matrix:
    """The same warp in OpenCV's coordinates, which count from pixel centers."""
    return np.linalg.inv(_HALF_PIXEL) @ matrix @ _HALF_PIXEL


def transform(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """N×2 points through a 3×3 perspective matrix."""
    raised = np.hstack([points, np.ones((len(points), 1))]) @ matrix.T
    return np.asarray(raised[:, :2] / raised[:, 2:], dtype=np.float64)


def rectify(rgb: Image, corners: Corners, scale: float = 1.0, margin: float = 0.0, longest: int = 4_000) -> Strip:
    """The line in a quadrilateral, straightened; one picture pixel becomes `scale` strip pixels.

    `margin` is added on all four sides, in heights of the line. The strip is never wider than `longest`.
    """
    import cv2

    width, height = side_lengths(corners)
    scale = min(scale, longest / max(width + 2 * margin * height, 1.0))
    inner_width, inner_height = max(1, round(width * scale)), max(1, round(height * scale))
    pad = round(margin * inner_height)
    x0, y0, x1, y1 = pad, pad, pad + inner_width, pad + inner_height
    to_image = matrix_between(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), corners)
    size = (inner_width + 2 * pad, inner_height + 2 * pad)
    pixels = cv2.warpPerspective(
        rgb.astype(np.float32), pixel_matrix(to_image), size,
        flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return Strip(np.asarray(pixels, dtype=np.float32).clip(0, 255), to_image, (x0, y0, x1, y1))


def find_ink(strip: Strip) -> Ink:
    """Separate ink and ground in a strip that has a margin.

    The ground's commonest color is taken from the rim around the line, then a slope of color is fitted to
    everything near it, so that slow gradients count as ground. The ink's color is what most of the pixels
    far from the ground agree on.

    Raises:
        ToolFailure: `not-found` when nothing in the strip stands out from the ground.
    """
    x0, y0, x1, y1 = strip.quad
    rim = np.ones(strip.pixels.shape[:2], dtype=bool)
    inset = max(1, (y1 - y0) // 12)
    rim[y0 + inset : y1 - inset, x0 + inset : x1 - inset] = False
    line = np.zeros_like(rim)
    line[y0:y1, x0:x1] = True
    return separate_ink(strip.pixels, line, rim)


def separate_ink(pixels: Float, line: Mask, rim: Mask) -> Ink:
    """`find_ink` for any picture: float32 H×W×3, the pixels of the line, and those of the rim around it.

    Raises:
        ToolFailure: `not-found` when nothing in the line stands out from the ground.
    """
    import cv2

    ground = np.broadcast_to(_commonest(pixels[rim]), pixels.shape).astype(np.float32)
    noise = 0.0
    for _ in range(3):
        distance = _distance(pixels, ground)
        near = distance < max(18.0, 3.5 * noise)
        if near.sum() < 12:
            break
        ground = fitted_surface(pixels, near, degree=1)
        noise = float(np.median(_distance(pixels, ground)[near]))
    distance = _distance(pixels, ground)
    limit = max(otsu(distance[line]), 4 * noise, 12.0)
    seeds = line & (distance > limit)
    if seeds.sum() < 6:
        raise ToolFailure(
            "not-found",
            "no letters stand out from the ground in the region of the text",
            "The contrast may be too low; try a tool that inpaints the whole region.",
        )
    full = seeds & (distance >= np.quantile(distance[seeds], 0.6))
    color = _commonest(pixels[full])
    direction = color - ground
    length = (direction**2).sum(axis=2).clip(1e-6)
    coverage = (((pixels - ground) * direction).sum(axis=2) / length).clip(0, 1)
    contrast = float(np.sqrt(np.median(length)))
    from_ink = _distance(pixels, np.broadcast_to(color, pixels.shape))
    odd = (distance > max(0.22 * contrast, 4 * noise)) & (from_ink > 0.45 * contrast) & rim
    # The soft edges of other letters in the same ink are no pattern.
    other_letters = cv2.dilate((from_ink < 0.3 * contrast).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    odd &= ~other_letters
    patterned = float(odd.sum()) > 0.06 * float(rim.sum())
    if patterned:
        coverage = (1 - from_ink / (0.8 * max(contrast, 1.0))).clip(0, 1)
    return Ink(coverage.astype(np.float32), distance, ground, color.astype(np.float64), noise, patterned)


def otsu(values: NDArray[np.float32]) -> float:
    """The threshold between two groups of values (Otsu 1979, on 256 bins)."""
    from skimage.filters import threshold_otsu

    if values.size == 0 or float(values.max()) - float(values.min()) < 1e-6:
        return float("inf")
    return float(threshold_otsu(values, nbins=256))


def ink_free_columns(rgb: Image) -> list[tuple[float, float]]:
    """The gaps between letters of a straightened line: half-open column ranges without ink."""
    pixels = rgb.astype(np.float32)
    edge = max(1, rgb.shape[0] // 12)
    ground = _commonest(np.concatenate([pixels[:edge].reshape(-1, 3), pixels[-edge:].reshape(-1, 3)]))
    distance = np.sqrt(((pixels - ground) ** 2).sum(axis=2))
    limit = otsu(distance)
    inked = (distance > limit).sum(axis=0) > 0 if np.isfinite(limit) else np.zeros(rgb.shape[1], dtype=bool)
    changes = np.flatnonzero(np.diff(np.concatenate([[True], inked, [True]]).astype(np.int8)))
    return [(float(start), float(end)) for start, end in zip(changes[::2], changes[1::2], strict=True)]


def polygon_mask(shape: tuple[int, int], corners: Corners, grow: float = 0.0) -> Mask:
    """The pixels of a quadrilateral, dilated by `grow` pixels (a disc), bool H×W."""
    import cv2

    canvas = np.zeros(shape, dtype=np.uint8)
    # Six fractional bits; pixel centers lie at half coordinates.
    points = np.round((np.asarray(corners, dtype=np.float64) - 0.5) * 64).astype(np.int32)
    cv2.fillPoly(canvas, [points], 1, shift=6)
    return dilated(canvas > 0, grow)


def dilated(mask: Mask, radius: float) -> Mask:
    """The mask and every pixel whose center lies within `radius` pixels of it, bool H×W.

    By distances, not by a kernel: the time does not depend on the radius.
    """
    import cv2

    if radius < 1 or not mask.any():
        return mask
    return np.asarray(cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE) <= radius)


def _distance(pixels: Float, ground: Float) -> Float:
    return np.asarray(np.sqrt(((pixels - ground) ** 2).sum(axis=2)), dtype=np.float32)


def _commonest(colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The median of the colors in and around the fullest cell of a coarse color histogram, float32 (3,)."""
    cells = (colors // 24).astype(np.int64)
    keys = cells[:, 0] * 256 + cells[:, 1] * 16 + cells[:, 2]
    found, counts = np.unique(keys, return_counts=True)
    best = cells[keys == found[np.argmax(counts)]][0]
    center = best * 24.0 + 12.0
    near = (np.abs(colors - center) <= 24).all(axis=1)
    return np.asarray(np.median(colors[near], axis=0), dtype=np.float32)


def fitted_surface(pixels: Float, where: Mask, degree: int = 2) -> Float:
    """A polynomial surface per channel (degree 1 or 2) through the chosen pixels, evaluated everywhere.

    Fitted twice, the second time without the pixels that lie far off, so that strays do not bend it.
    """
    height, width = where.shape
    rows, columns = np.nonzero(where)
    if degree == 2 and len(rows) < 200:
        degree = 1
    step = max(1, len(rows) // 8_000)
    rows, columns = rows[::step], columns[::step]
    colors = pixels[rows, columns].astype(np.float64)
    design = _polynomial(rows / height - 0.5, columns / width - 0.5, degree)
    planes, *_ = np.linalg.lstsq(design, colors, rcond=None)
    far = np.linalg.norm(design @ planes - colors, axis=1)
    kept = far <= max(3 * float(np.median(far)), 1.5)
    if kept.sum() >= 12:
        planes, *_ = np.linalg.lstsq(design[kept], colors[kept], rcond=None)
    y, x = np.mgrid[0:height, 0:width]
    everywhere = _polynomial((y / height - 0.5).ravel(), (x / width - 0.5).ravel(), degree)
    return np.asarray(everywhere @ planes, dtype=np.float32).reshape(height, width, 3)


def _polynomial(y: NDArray[np.float64], x: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    terms = [np.ones_like(y), y, x]
    if degree == 2:
        terms += [y * y, x * y, x * x]
    return np.column_stack(terms)
