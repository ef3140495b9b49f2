"""Does a filled area look like its surroundings, and does its edge show?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import (
    blurred,
    lab,
    lightness,
    percent,
    piecewise,
    window_around,
)
from costa_dsl.checks.region import grown
from costa_dsl.store.values import Float, Image, Mask

# Texture is what a Gaussian of this many pixels takes away.
_FINE = 2.0

# Differences of lightness that nobody sees (steps of L*): added to both sides of every ratio, so that a smooth
# fill of a smooth ground counts as right, and so that a compressed picture's noise is no texture.
_UNSEEN = 0.5

# Colors are compared on a lattice of cubes of this side in CIELAB.
_CUBE = 8.0


@dataclass(frozen=True, slots=True)
class _Place:
    """A filled area and the ring around it, cut out of the result."""

    image: Image
    filled: Mask
    ring: Mask


def texture_kept(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """The filled area has the texture and the colors of the ground around it.

    The area is the edited region, or the new part of the canvas; the ring around it is as wide as a quarter of the
    area's mean side (8 … 64 pixels). Four measurements on the result, the worst one counts:

    - texture: the absolute differences of neighboring pixels' L*, after a Gaussian blur of 2 pixels was taken
      off, across and down apart. Their local means in the ring, carried into the area by a normalized
      convolution, say what is expected there. With m found and e expected, the area's ratio is the mean over its
      pixels of min(1, (m + u) / (e + u)), u = 0.5; the direction with the lower ratio counts. Score: 1 from 0.7 on,
      0.8 at 0.6, 0 at 0.3. A smear on textured ground is low; on smooth ground u makes it 1.
    - crispness: with f the mean of |L* - blur 1.5| and c the mean of |blur 2 - blur 8|, the ratio of (f + 0.15) / (c + 0.5)
      in the area to that in the ring, where the area has visible shapes at all (c at least 1): 1 from 0.75 on,
      0.8 at 0.6, 0 at 0.2. Shapes without crisp edges among crisp ones are drawn-out smears.
    - shapes, for a new part of the canvas only: the ratio of `texture` for blur 2 - blur 8, differences over 4 pixels,
      u = 1: 1 from 0.68 on, 0.8 at 0.57, 0 at 0.35. A picture's last column drawn out sideways is low. (Inside an
      erased object there need be no shapes, whatever stands around it.)
    - colors: the share of the area whose CIELAB color (blurred by 2 pixels) lies in no cube of side 8, or next to
      none, that holds 0.1 % of the ring: 1 up to 10 %, 0.8 at 25 %, 0 at 70 %.

    Nothing to measure without an area or without a ring (fewer than 64 pixels of either).
    """
    place = _filled_place(evidence)
    if place is None:
        return None
    texture, direction = _texture_ratio(place)
    crispness, foreign = _crispness(place), _foreign_share(place)
    found = [
        (
            piecewise(texture, (0.3, 0), (0.6, 0.8), (0.7, 1)),
            f"a smear: the filled area has only {percent(texture)} of the texture around it {direction}",
        ),
        (
            piecewise(crispness, (0.2, 0), (0.6, 0.8), (0.75, 1)),
            f"a smear: shapes in the filled area are {percent(crispness)} as crisp as around it",
        ),
        (
            piecewise(foreign, (0.1, 1), (0.25, 0.8), (0.7, 0)),
            f"{percent(foreign)} of the filled area has colors that its surroundings lack",
        ),
    ]
    measured = {"texture": texture, "crispness": crispness, "foreign_colors": foreign}
    if evidence.placement is not None:
        shapes = measured["shapes"] = _shape_ratio(place)
        score = piecewise(shapes, (0.35, 0), (0.57, 0.8), (0.68, 1))
        found.append((score, f"drawn-out streaks: the new area has only {percent(shapes)} of the shapes beside it"))
    score, sentence = min(found)
    if score >= 0.8:
        sentence = f"the filled area has {percent(texture)} of the texture around it"
    return CheckResult("texture-kept", score, sentence, measured)


def seam(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """No line shows where the edit begins.

    At each pair of neighboring pixels across the edge of the edited area (or of the new canvas), the step in CIELAB
    is compared with the steps one and two pixels further in and out, in the same direction; both are averaged
    along the edge (Gaussian of 3 pixels). The edge shows where its step exceeds twice the other steps plus 4. With
    s the share of the edge that shows, the score is 1 up to s = 5 %, 0.8 at 15 %, 0 from 60 % on.
    """
    area = _area(evidence)
    if area is None:
        return None
    window = window_around(area, 16)
    image, inside = window.of(evidence.after), window.of(area)
    colors = lab(image[..., :3])
    shown, total = 0.0, 0.0
    for axis in (0, 1):
        one, two = _seam_along(colors, inside, axis)
        shown, total = shown + one, total + two
    if total < 8:
        return None
    share = shown / total
    score = piecewise(share, (0.05, 1), (0.15, 0.8), (0.6, 0))
    sentence = f"{percent(share)} of the edit's edge shows as a line" if share > 0 else "the edit's edge does not show"
    return CheckResult("seam", score, sentence, {"share": share, "pixels": total})


def _area(evidence: Evidence) -> Mask | None:
    """The new part of a wider canvas, else the edited region; on the canvas of the result."""
    shape = evidence.after.shape[:2]
    if evidence.placement is not None:
        height, width = evidence.before.shape[:2]
        x, y = evidence.placement.apply(0, 0)
        x1, y1 = evidence.placement.apply(width, height)
        area = np.ones(shape, dtype=bool)
        area[max(0, round(y)) : max(0, round(y1)), max(0, round(x)) : max(0, round(x1))] = False
        return area
    if evidence.region is None or evidence.region.shape != shape:
        return None
    return evidence.region


def _filled_place(evidence: Evidence) -> _Place | None:
    area = _area(evidence)
    if area is None or not area.any():
        return None
    window = window_around(area, 0)
    box = window.of(area)
    # The mean side: that of a square as large as the area; of a strip, its narrow side.
    narrow = min(box.shape) if evidence.placement is None else max(1, int(area.sum() / max(box.shape)))
    width = int(np.clip(0.25 * min(np.sqrt(area.sum()), 4 * narrow), 8, 64))
    if evidence.placement is not None:
        width = max(width, 24)
    window = window_around(area, width + 2)
    filled = window.of(area)
    ring = grown(filled, width) & ~filled
    if filled.sum() < 64 or ring.sum() < 64:
        return None
    return _Place(window.of(evidence.after), filled, ring)


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
    cubes = np.floor(colors / _CUBE).astype(np.int64) + (0, 32, 32)
    number = np.zeros((16, 64, 64), dtype=np.int64)
    np.add.at(number, tuple(cubes[place.ring].T), 1)
    known = number >= max(1, 0.001 * place.ring.sum())
    # One cube further in a and b, and two in L*: light falls off inside an area.
    flat = cv2.dilate(known.reshape(16 * 64, 64).astype(np.uint8), np.ones((3, 3), np.uint8)).reshape(16, 64, 64)
    near = flat.copy()
    for shift in (1, 2):
        near[shift:] |= flat[:-shift]
        near[:-shift] |= flat[shift:]
    return float(1 - near[tuple(cubes[place.filled].T)].mean())


def _seam_along(colors: Float, inside: Mask, axis: int) -> tuple[float, float]:
    """Of the pairs of neighbors along one axis that the edge separates: how many show, and how many there are."""
    steps = np.sqrt((np.diff(colors, axis=axis) ** 2).sum(axis=2)).astype(np.float32)
    edge = np.diff(inside.astype(np.int8), axis=axis) != 0
    if not edge.any():
        return 0.0, 0.0
    others = np.zeros_like(steps)
    count = np.zeros_like(steps)
    for offset in (-2, -1, 1, 2):
        moved, valid = _shifted(steps, offset, axis), _shifted((~edge).astype(np.float32), offset, axis)
        others += moved * valid
        count += valid
    others /= np.maximum(count, 1)
    weight = edge.astype(np.float32)
    spread = np.maximum(blurred(weight, 3.0), 1e-6)
    across = blurred(steps * weight, 3.0) / spread
    along = blurred(others * weight, 3.0) / spread
    usable = edge & (count > 0)
    return float((usable & (across > 2 * along + 4)).sum()), float(usable.sum())


def _shifted(values: Float, offset: int, axis: int) -> Float:
    """The values moved along an axis, zeros coming in."""
    result = np.zeros_like(values)
    length = values.shape[axis]
    source = [slice(None), slice(None)]
    goal = [slice(None), slice(None)]
    source[axis] = slice(max(0, -offset), length - max(0, offset))
    goal[axis] = slice(max(0, offset), length + min(0, offset))
    result[tuple(goal)] = values[tuple(source)]
    return result
