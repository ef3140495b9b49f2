"""Features of what a step works on, measured in a few milliseconds and without a model.

They decide which conditional row of the benchmark counts (see `costa_dsl.model.context`). Everything but the area is
measured on a copy of at most 512 pixels a side, cut to the target's surroundings, so that a photograph has the same
features at every resolution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from costa_dsl.checks.measure import Window, lab, window_around
from costa_dsl.checks.region import drawn
from costa_dsl.model.artifact import TextLine
from costa_dsl.model.context import Features
from costa_dsl.store.values import Float, Image, Mask

Number = TypeVar("Number", bound=np.generic)

# The longest side of the copy on which features are measured.
SIDE = 512

# The ground around a target, in pixels of the copy: a band that leaves out the target's soft edge and is as wide as
# the target is thick, within limits.
EDGE = 2.0
BAND = (4.0, 32.0)

# A pixel of the ground is explained by a smooth color when it is nearer than this to it (CIE76). Grain of photographs
# and JPEG's blocks stay below.
EXPLAINED = 6.0

# Fewer pixels of ground than this say nothing, and more than this say nothing new.
FEWEST, MOST = 16, 4096

# A part of a mask counts as a thing of its own when it has this share of the pixels of the largest one.
OWN_THING = 0.1

# Text stands on a target when this share of a line lies on it, or when lines cover this share of it.
OF_LINE = 0.5
OF_TARGET = 0.05


@dataclass(frozen=True, eq=False)
class Subject:
    """What is known of a step's target.

    Attributes:
        mask: the pixels that it covers, bool H×W; those of its boxes while nothing more exact is known.
        instances: how many things it is; None to count the separate parts of the mask.
        lines: every line of text in the picture; None when nobody has looked.
    """

    mask: Mask
    instances: int | None = None
    lines: Sequence[TextLine] | None = None


def measure_features(image: Image, subject: Subject, color: tuple[int, int, int] | None = None) -> Features:
    """The features of a target, as far as they can be known; immutable.

    `area` is the share of the picture's pixels in the mask. `background` is the share of the ground around it that
    lies further than ΔE 6 (CIE76) from one color sloping evenly across it (a plane in CIELAB, fitted to the
    majority). `contrast` and `color_distance` are CIEDE2000 (ISO/CIE 11664-6) from the mean color of the target in
    CIELAB to that of the ground, and to `color`. The ground is unknown for a target that fills the picture, and
    everything is for an empty one. Lines of text are no part of the ground.

    Args:
        image: uint8 H×W×3|4 sRGB; what is transparent counts as white.
        subject: the mask has the picture's height and width.
        color: the sRGB color that the step asks for.

    Raises:
        ValueError: the mask has another size than the picture.
    """
    if subject.mask.shape != image.shape[:2]:
        raise ValueError(f"a mask of {subject.mask.shape} does not fit a picture of {image.shape[:2]}")
    covered = int(np.count_nonzero(subject.mask))
    if covered == 0:
        return MappingProxyType({})
    found: dict[str, float | bool] = {"area": covered / subject.mask.size}
    scale = min(1.0, SIDE / max(subject.mask.shape))
    window = window_around(subject.mask, int(np.ceil((EDGE + BAND[1]) / scale)))
    target = _reduced(window.of(subject.mask).astype(np.float32), scale)
    found["instances"] = subject.instances if subject.instances is not None else _parts(target > 0)
    pixels = lab(_reduced(_opaque(image[window.rows, window.columns]), scale))
    inner = target > 0.999
    own = _mean(pixels, inner if inner.any() else target > 0)
    if color is not None:
        found["color_distance"] = _difference(own, lab(np.array([[color]], dtype=np.uint8))[0, 0])
    ground = _ground(target > 0)
    if subject.lines is not None:
        text = [line for line in subject.lines if _near(line, window)]
        found["text"] = _stands_on(text, subject.mask)
        if text:
            drawing = window.of(drawn(text, (image.shape[0], image.shape[1])))
            ground &= _reduced(drawing.astype(np.float32), scale) == 0
    if np.count_nonzero(ground) >= FEWEST:
        found["background"] = _unexplained(pixels, ground)
        found["contrast"] = _difference(own, _mean(pixels, ground))
    return MappingProxyType(dict(sorted(found.items())))


def _reduced(values: NDArray[Number], scale: float) -> NDArray[Number]:
    """An array at the scale of the copy, each pixel the mean of those that it stands for."""
    import cv2

    if scale >= 1:
        return values
    size = (max(1, round(values.shape[1] * scale)), max(1, round(values.shape[0] * scale)))
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), dtype=values.dtype)


def _opaque(image: Image) -> Image:
    """RGB on white."""
    if image.shape[2] == 3:
        return image
    alpha = image[..., 3:].astype(np.float32) / 255
    return np.asarray(np.rint(image[..., :3] * alpha + 255 * (1 - alpha)), dtype=np.uint8)


def _parts(target: Mask) -> int:
    """The connected parts of a mask (8 neighbors) that are no crumbs beside the largest."""
    import cv2

    _, _, stats, _ = cv2.connectedComponentsWithStats(target.astype(np.uint8), connectivity=8)
    sizes = stats[1:, cv2.CC_STAT_AREA]
    return int(np.count_nonzero(sizes >= OWN_THING * sizes.max())) if sizes.size else 0


def _ground(target: Mask) -> Mask:
    """The band around a target."""
    import cv2

    # Padded, so that the edge of the window does not pass for the target's.
    inside = cv2.distanceTransform(np.pad(target, 1).astype(np.uint8), cv2.DIST_L2, 3)
    width = float(np.clip(2 * inside.max(), *BAND))
    if target.all():
        return np.zeros_like(target)
    outside = cv2.distanceTransform((~target).astype(np.uint8), cv2.DIST_L2, 3)
    return np.asarray((outside > EDGE) & (outside <= EDGE + width))


def _mean(pixels: Float, where: Mask) -> Float:
    import cv2

    return np.array(cv2.mean(pixels, where.astype(np.uint8))[:3], dtype=np.float32)


def _difference(one: Float, other: Float) -> float:
    """CIEDE2000 between two CIELAB colors."""
    from skimage.color import deltaE_ciede2000

    return float(deltaE_ciede2000(one.astype(np.float64), other.astype(np.float64)))


def _unexplained(pixels: Float, ground: Mask) -> float:
    """The share of the ground that lies far from the plane in CIELAB that fits the majority of it."""
    where = np.flatnonzero(ground)
    where = where[:: -(-where.size // MOST)]
    rows, columns = np.unravel_index(where, ground.shape)
    seen = pixels.reshape(-1, 3)[where].astype(np.float64)
    # Centered and of unit size, so that the fit is well conditioned.
    place = np.column_stack([np.ones(rows.size), rows / SIDE, columns / SIDE])
    place[:, 1:] -= place[:, 1:].mean(axis=0)
    # Medians to begin with, then planes through what is near: what stands out does not tilt them.
    away = np.linalg.norm(seen - np.median(seen, axis=0), axis=1)
    for _ in range(3):
        near = away <= max(float(np.median(away)), EXPLAINED)
        plane, *_ = np.linalg.lstsq(place[near], seen[near], rcond=None)
        away = np.linalg.norm(seen - place @ plane, axis=1)
    return float(np.count_nonzero(away > EXPLAINED) / away.size)


def _near(line: TextLine, window: Window) -> bool:
    x0, y0, x1, y1 = line.box
    rows, columns = window.rows, window.columns
    return bool(x1 > columns.start and x0 < columns.stop and y1 > rows.start and y0 < rows.stop)


def _stands_on(lines: Sequence[TextLine], mask: Mask) -> bool:
    """Whether one of these lines stands on a target, or all of them cover enough of it."""
    covered = 0
    for line in lines:
        on_line = drawn([line], (mask.shape[0], mask.shape[1]))
        shared = int(np.count_nonzero(on_line & mask))
        covered += shared
        if shared > 0 and shared >= OF_LINE * int(np.count_nonzero(on_line)):
            return True
    return covered >= OF_TARGET * int(np.count_nonzero(mask))
