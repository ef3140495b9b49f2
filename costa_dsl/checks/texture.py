"""Does a filled area look like its surroundings?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costa_dsl.checks.area import edited_area
from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import (
    Window,
    blurred,
    color_difference,
    lab,
    lightness,
    percent,
    piecewise,
    window_around,
)
from costa_dsl.checks.region import grown
from costa_dsl.model.artifact import Placement
from costa_dsl.store.values import Float, Image, Mask

# Texture is what a Gaussian of this many pixels takes away.
_FINE = 2.0

# Differences of lightness that nobody sees (steps of L*): added to both sides of every ratio, so that a
# smooth fill of a smooth ground counts as right, and so that a compressed picture's noise is no texture.
_UNSEEN = 0.5

# Colors are compared on a lattice of cubes of this side in CIELAB.
_CUBE = 8.0


@dataclass(frozen=True, slots=True)
class _Place:
    """A filled area and the ring around it, cut out of the result."""

    window: Window
    image: Image
    filled: Mask
    ring: Mask


def texture_kept(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """The filled area has the texture and the colors of the ground around it.

    The area is the edited region; the ring around it is as wide as a quarter of the area's mean side (8 … 64
    pixels). On a wider canvas every new side is an area of its own (ring 24 … 64 pixels), and the worst one
    counts. Measured on the result, and the worst one counts:

    - texture: the absolute differences of neighboring pixels' L*, after a Gaussian blur of 2 pixels was taken
      off, across and down apart. Their local means in the ring, carried into the area by a normalized
      convolution, say what is expected there. With m found and e expected, the area's ratio is the mean over
      its pixels of min(1, (m + u) / (e + u)), u = 0.5; the direction with the lower ratio counts. Score: 1
      from 0.7 on, 0.8 at 0.6 (0.55 for a new side), 0 at 0.3. A smear on textured ground is low; on smooth
      ground u makes it 1.
    - crispness: with f the mean of |L* - blur 1.5| and c the mean of |blur 2 - blur 8|, the ratio of (f +
      0.15) / (c + 0.5) in the area to that in the ring, where the area has visible shapes at all (c at least
      1): 1 from 0.75 on, 0.8 at 0.6, 0 at 0.2. Shapes without crisp edges among crisp ones are drawn-out
      smears.
    - shapes: the ratio of `texture` for blur 2 - blur 8, differences over 4 pixels, u = 1: 1 from 0.66 on,
      0.8 at 0.56, 0 at 0.35. A last column drawn out sideways is low, and so is a blank between busy things
      (not measured where text was erased: around it stand other letters).
    - mirror, for a new part of the canvas only: the share of it that has shapes (|blur 2 - blur 8| above 2)
      and equals the old picture mirrored at its edge (ΔE below 4): 1 up to 10 %, 0.8 from 40 % on. A mirrored
      ground passes for more ground, a mirrored dog does not; this cannot tell them apart, so it never
      rejects.
    - colors: the share of the area whose CIELAB color (blurred by 2 pixels) lies in no cube of side 8, or
      next to none, that holds 0.1 % of the ring: 1 up to 10 %, 0.8 at 25 %, 0 at 70 %.

    What it cannot see: things that make no sense but look like their surroundings, and a small smear where
    all the picture is out of focus.

    Nothing to measure without an area or without a ring (fewer than 64 pixels of either).
    """
    findings = [finding for place in _filled_places(evidence) for finding in _findings(place, evidence)]
    if not findings:
        return None
    score, measurement, _, sentence = min(findings)
    measured = {name: value for _, name, value, _ in sorted(findings, reverse=True)}
    if score >= 0.999:
        sentence = f"the filled area has {percent(measured['texture'])} of the texture around it"
    elif score < 0.8 and measurement in ("texture", "crispness", "shapes"):
        sentence = f"a smear: {sentence}"
    return CheckResult("texture-kept", score, sentence, measured)


def _findings(place: _Place, evidence: Evidence) -> Iterator[tuple[float, str, float, str]]:
    """Each measurement of one filled area: score, name, measured value, sentence."""
    texture, direction = _texture_ratio(place)
    # The ring of a new side lies on one side of it only, and says less about it.
    enough = 0.6 if evidence.placement is None else 0.55
    score = piecewise(texture, (0.3, 0), (enough, 0.8), (0.7, 1))
    text = f"the filled area has {percent(texture)} of the texture around it {direction}"
    yield score, "texture", texture, text
    crisp = _crispness(place)
    score = piecewise(crisp, (0.2, 0), (0.6, 0.8), (0.75, 1))
    yield score, "crispness", crisp, f"shapes in the filled area are {percent(crisp)} as crisp as around it"
    foreign = _foreign_share(place)
    score = piecewise(foreign, (0.1, 1), (0.25, 0.8), (0.7, 0))
    text = f"{percent(foreign)} of the filled area has colors that its surroundings lack"
    yield score, "foreign_colors", foreign, text
    if evidence.subtask == "text-removal":
        return  # the shapes around an erased line are other letters
    shapes = _shape_ratio(place)
    score = piecewise(shapes, (0.35, 0), (0.56, 0.8), (0.66, 1))
    text = f"the filled area has {percent(shapes)} of the shapes around it"
    yield score, "shapes", shapes, text
    if evidence.placement is None:
        return
    mirrored = _mirrored_share(place, evidence.before, evidence.placement)
    score = piecewise(mirrored, (0.1, 1), (0.4, 0.8))
    text = f"{percent(mirrored)} of the new area is a mirror image of things beside it"
    yield score, "mirrored", mirrored, text


def _filled_places(evidence: Evidence) -> list[_Place]:
    """The edited region with its ring, or each new side of the canvas with the strip beside it."""
    area = edited_area(evidence)
    if area is None or not area.any():
        return []
    if evidence.placement is None:
        # The mean side: that of a square as large as the area, but not more than the area's narrow side.
        narrow = min(window_around(area, 0).of(area).shape)
        width = int(np.clip(0.25 * min(np.sqrt(area.sum()), 4 * narrow), 8, 64))
        places = [_cut(evidence.after, area, window_around(area, 0), width)]
    else:
        places = [_cut(evidence.after, area, side, width) for side, width in _new_sides(area)]
    return [place for place in places if place.filled.sum() >= 64 and place.ring.sum() >= 64]


def _new_sides(area: Mask) -> Iterator[tuple[Window, int]]:
    """The new strips of a wider canvas, each alone so that none hides behind another; their rings' width."""
    height, width = area.shape
    old = window_around(~area, 0)
    y0, y1, x0, x1 = old.rows.start, old.rows.stop, old.columns.start, old.columns.stop
    for rows, columns in (
        (slice(0, height), slice(0, x0)),
        (slice(0, height), slice(x1, width)),
        (slice(0, y0), slice(x0, x1)),
        (slice(y1, height), slice(x0, x1)),
    ):
        thickness = min(rows.stop - rows.start, columns.stop - columns.start)
        if thickness > 0:
            yield Window(rows, columns), int(np.clip(thickness, 24, 64))


def _cut(image: Image, area: Mask, part: Window, width: int) -> _Place:
    """One part of the area with a ring of `width` pixels; what belongs to another part is no ring."""
    filled = np.zeros_like(area)
    filled[part.rows, part.columns] = area[part.rows, part.columns]
    window = window_around(filled, width + 2)
    inside = window.of(filled)
    return _Place(window, window.of(image), inside, grown(inside, width) & ~window.of(area))


def _texture_ratio(place: _Place) -> tuple[float, str]:
    light = lightness(place.image)
    fine = light - blurred(light, _FINE)
    ratios = {}
    for axis, direction in ((1, "across"), (0, "down")):
        step = np.abs(np.diff(fine, axis=axis, append=np.take(fine, [-1], axis=axis)))
        ratios[direction] = _ratio(step, place, _UNSEEN)
    direction = min(ratios, key=lambda name: ratios[name])
    return ratios[direction], direction


def _crispness(place: _Place) -> float:
    light = lightness(place.image)
    fine = np.abs(light - blurred(light, 1.5))
    coarse = np.abs(blurred(light, 2.0) - blurred(light, 8.0))
    shapes = float(coarse[place.filled].mean())
    if shapes < 1:
        return 1.0
    inside = (float(fine[place.filled].mean()) + 0.15) / (shapes + 0.5)
    return inside / ((float(fine[place.ring].mean()) + 0.15) / (float(coarse[place.ring].mean()) + 0.5))


def _shape_ratio(place: _Place) -> float:
    light = lightness(place.image)
    shapes = blurred(light, 2.0) - blurred(light, 8.0)
    steps = (np.abs(np.roll(shapes, -2, axis) - np.roll(shapes, 2, axis)) for axis in (0, 1))
    return min(_ratio(step, place, 1.0) for step in steps)


def _mirrored_share(place: _Place, before: Image, placement: Placement) -> float:
    height, width = place.filled.shape
    rows = np.arange(height) + place.window.rows.start - round(placement.y_offset)
    columns = np.arange(width) + place.window.columns.start - round(placement.x_offset)
    light = lightness(place.image)
    shaped = np.abs(blurred(light, 2.0) - blurred(light, 8.0)) > 2
    image = np.ascontiguousarray(place.image[..., :3])
    shares = []
    for twice in (0, 1):  # the last column stands in the mirror image once, or twice
        down, across = (
            _mirrored(index, side, twice) for index, side in ((rows, before.shape[0]), (columns, before.shape[1]))
        )
        mirror = np.ascontiguousarray(before[down][:, across, :3])
        same = color_difference(mirror, image) < 4
        shares.append(float((same & shaped)[place.filled].mean()))
    return max(shares)


def _mirrored(index: NDArray[np.int64], side: int, twice: int) -> NDArray[np.int64]:
    """Places beyond 0 … side - 1, folded back into it as mirrors at both ends would show them."""
    last = side - 1
    folded = index % max(1, 2 * last + 2 * twice)
    return np.where(folded <= last, folded, 2 * last + twice - folded)


def _ratio(step: Float, place: _Place, unseen: float) -> float:
    """How much of the ring's `step`, carried into the area, is found there: see `texture_kept`."""
    filled, ring, near = place.filled, place.ring, 4.0
    # A hard edge of something that stands beside the area is no texture of its ground.
    limit = float(np.quantile(step[ring], 0.95))
    step = np.minimum(step, max(limit, 1e-6))
    found = _local_mean(step, filled, near)
    expected = _carried(_local_mean(step, ring, near), ring)
    ratio = np.minimum(1.0, (found[filled] + unseen) / (expected[filled] + unseen))
    return float(ratio.mean())


def _local_mean(values: Float, where: Mask, sigma: float) -> Float:
    """The Gaussian mean of the values in `where` alone, float32 H×W."""
    weight = where.astype(np.float32)
    return np.asarray(blurred(values * weight, sigma) / np.maximum(blurred(weight, sigma), 1e-6))


def _carried(values: Float, ring: Mask) -> Float:
    """The values of the ring, carried inward: a normalized convolution, wide where the ring is far."""
    result = np.full_like(values, float(values[ring].mean()))
    side = max(ring.shape)
    # From the widest to the narrowest: where the narrow one sees the ring, it knows better.
    for sigma in (side / 4, side / 8, side / 16, 8.0):
        if sigma < 8:
            continue
        weight = _wide_blur(ring.astype(np.float32), sigma)
        seen = _wide_blur(values * ring, sigma)
        trust = np.minimum(1.0, weight / 0.02)
        result = np.asarray(result * (1 - trust) + trust * seen / np.maximum(weight, 1e-6), dtype=np.float32)
    return result


def _wide_blur(values: Float, sigma: float) -> Float:
    """A wide Gaussian, on a smaller copy: it has no detail to lose."""
    import cv2

    factor = max(1, int(sigma / 4))
    if factor == 1:
        return blurred(values, sigma)
    size = (max(1, values.shape[1] // factor), max(1, values.shape[0] // factor))
    small = blurred(cv2.resize(values, size, interpolation=cv2.INTER_AREA), sigma / factor)
    return np.asarray(cv2.resize(small, values.shape[::-1], interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _foreign_share(place: _Place) -> float:
    import cv2

    colors = lab(blurred(place.image[..., :3].astype(np.float32), _FINE))
    cubes = np.floor(colors / _CUBE).astype(np.int64) + np.array([0, 32, 32])
    number = np.zeros((16, 64, 64), dtype=np.int64)
    np.add.at(number, tuple(cubes[place.ring].T), 1)
    known = number >= max(1, 0.001 * place.ring.sum())
    # One cube further in a and b, and two in L*: light falls off inside an area.
    around = np.ones((3, 3), np.uint8)
    flat = np.stack([cv2.dilate(slab, around) for slab in known.astype(np.uint8)])
    near = flat.copy()
    for shift in (1, 2):
        near[shift:] |= flat[:-shift]
        near[:-shift] |= flat[shift:]
    return float(1 - near[tuple(cubes[place.filled].T)].mean())
