"""The rulers: color difference, structural similarity, sharpness and noise.

Pictures are uint8 H×W×3|4 sRGB. Luminance and lightness are CIELAB's L*, 0 … 100, for the D65 white.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from costa_dsl.store.values import Float, Image, Mask

Number = TypeVar("Number", bound=np.generic)

# A pixel has visibly changed when its CIE76 color difference exceeds this (EditAgent).
VISIBLE = 8.0

# The papers blur both pictures before comparing, so that noise and shifts below a pixel do not count, and
# leave the width open. Ours: a Gaussian of 1.5 pixels, what an eye no longer resolves on a screen.
BLUR_SIGMA = 1.5


@dataclass(frozen=True, slots=True)
class Window:
    """The smallest rectangle around a region, with some margin, as slices."""

    rows: slice
    columns: slice

    def of(self, array: NDArray[Number]) -> NDArray[Number]:
        return array[self.rows, self.columns]


def window_around(region: Mask, margin: int) -> Window:
    """The window around the True pixels of a region (the whole picture when there are none)."""
    rows = np.flatnonzero(region.any(axis=1))
    columns = np.flatnonzero(region.any(axis=0))
    if rows.size == 0:
        return Window(slice(0, region.shape[0]), slice(0, region.shape[1]))
    return Window(
        slice(max(0, int(rows[0]) - margin), int(rows[-1]) + 1 + margin),
        slice(max(0, int(columns[0]) - margin), int(columns[-1]) + 1 + margin),
    )


def lab(rgb: Image | Float) -> Float:
    """CIELAB of sRGB pixels (D65, 2° observer): float32 H×W×3, L* 0 … 100, a* and b* about -110 … 110.

    Args:
        rgb: uint8 0 … 255 or float32 on the same scale, H×W×3.
    """
    import cv2

    # OpenCV converts by tables: within 0.5 of the exact formula, and several times as fast.
    unit = np.ascontiguousarray(rgb, dtype=np.float32) * np.float32(1 / 255)
    return np.asarray(cv2.cvtColor(unit, cv2.COLOR_RGB2LAB), dtype=np.float32)


def lightness(image: Image) -> Float:
    """L* of a picture, float32 H×W; transparency is not looked at."""
    return np.ascontiguousarray(lab(image[..., :3])[..., 0])


def blurred(values: Float, sigma: float) -> Float:
    """Gaussian blur over the first two axes, borders mirrored; sigma 0 leaves the values alone."""
    import cv2

    if sigma <= 0:
        return values
    # Odd and cut at 4 sigma, as SciPy does.
    size = 2 * int(4 * sigma + 0.5) + 1
    return np.asarray(cv2.GaussianBlur(values, (size, size), sigma, borderType=cv2.BORDER_REFLECT), dtype=np.float32)


def color_difference(before: Image, after: Image, sigma: float = BLUR_SIGMA) -> Float:
    """CIE76 ΔE per pixel after a Gaussian blur of both pictures: float32 H×W.

    When either picture has transparency, both are laid on white and on black, and the larger difference
    counts: a change of transparency is a visible change.

    Args:
        before, after: the same height and width.
        sigma: in pixels; 0 for edits of fine detail, such as text.
    """
    if before.shape[2] == 3 and after.shape[2] == 3:
        return _difference(before.astype(np.float32), after.astype(np.float32), sigma)
    white = _difference(_laid_on(before, 255), _laid_on(after, 255), sigma)
    return np.maximum(white, _difference(_laid_on(before, 0), _laid_on(after, 0), sigma))


def _difference(before: Float, after: Float, sigma: float) -> Float:
    gap = lab(blurred(after, sigma)) - lab(blurred(before, sigma))
    return np.asarray(np.sqrt(np.sum(gap * gap, axis=2)), dtype=np.float32)


def _laid_on(image: Image, level: int) -> Float:
    if image.shape[2] == 3:
        return image.astype(np.float32)
    alpha = image[..., 3:].astype(np.float32) / 255
    return np.asarray(image[..., :3] * alpha + level * (1 - alpha), dtype=np.float32)


def ssim_map(before: Float, after: Float, data_range: float = 100.0, sigma: float = 1.5) -> Float:
    """Structural similarity per pixel (Wang, Bovik, Sheikh, Simoncelli 2004), -1 … 1: float32 H×W.

    Gaussian window of `sigma`, cut at 3.5 sigma; K1 = 0.01, K2 = 0.03.
    """
    import cv2

    size = 2 * int(3.5 * sigma + 0.5) + 1

    def smooth(values: Float) -> Float:
        return np.asarray(cv2.GaussianBlur(values, (size, size), sigma, borderType=cv2.BORDER_REFLECT))

    # Means far from zero cost float32 its digits: take off a common level first, and put it back below.
    level = np.float32(before.mean())
    x, y = before - level, after - level
    mean_x, mean_y = smooth(x), smooth(y)
    variance_x = smooth(x * x) - mean_x * mean_x
    variance_y = smooth(y * y) - mean_y * mean_y
    covariance = smooth(x * y) - mean_x * mean_y
    c1, c2 = (0.01 * data_range) ** 2, (0.03 * data_range) ** 2
    mean_x, mean_y = mean_x + level, mean_y + level
    brightness = (2 * mean_x * mean_y + c1) / (mean_x**2 + mean_y**2 + c1)
    return np.asarray(brightness * (2 * covariance + c2) / (variance_x + variance_y + c2), dtype=np.float32)


def sharpness(values: Float) -> float:
    """The variance of the Laplacian (4-neighbor) of L*."""
    import cv2

    return float(cv2.Laplacian(values, cv2.CV_32F, borderType=cv2.BORDER_REFLECT).var())


def noise_level(values: Float, where: Mask | None = None) -> float:
    """The standard deviation of white noise in L*, estimated robustly; over `where` alone, if given.

    The difference of two Laplacians (Immerkær 1996) cancels the picture's slopes and edges; the median of
    its absolute value, over 0.6745 and the filter's gain of 6, is the deviation of Gaussian noise.
    """
    import cv2

    if min(values.shape) < 3:
        return 0.0
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float32)
    response = cv2.filter2D(values, cv2.CV_32F, kernel, borderType=cv2.BORDER_REFLECT)
    inner = response[1:-1, 1:-1] if where is None else response[where]
    return float(np.median(np.abs(inner)) / 0.6745 / 6) if inner.size else 0.0


def smooth_parts(values: Float) -> Mask:
    """The smoothest fifth of L* values, as far as it is smooth at all; bool H×W, may be empty.

    Smooth: detail (a Gaussian of 3 pixels taken off) deviates by less than one step.
    """
    detail = blurred((values - blurred(values, 3.0)) ** 2, 4.0)
    return np.asarray(detail <= min(float(np.quantile(detail, 0.2)), 1.0))


def piecewise(value: float, *points: tuple[float, float]) -> float:
    """A score by straight lines between (measured, score) points in rising order, flat beyond the ends."""
    return float(np.interp(value, [x for x, _ in points], [y for _, y in points]))


def percent(share: float) -> str:
    """A share as people read it: 0 %, 0.02 %, 4.1 %, 37 %."""
    value = share * 100
    if value == 0 or value >= 10:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if value >= 0.95 else f"{value:.2g} %"
