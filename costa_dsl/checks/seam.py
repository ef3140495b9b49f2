"""Does the edge of an edit show?"""

from __future__ import annotations

from typing import Any

import numpy as np

from costa_dsl.checks.area import edited_area
from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import blurred, lab, percent, piecewise, window_around
from costa_dsl.store.values import Float, Mask


def seam(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """No line shows where the edit begins.

    At each pair of neighboring pixels across the edge of the edited area (or of the new canvas), the step in
    CIELAB is compared with the steps one and two pixels further in and out, in the same direction; both are
    averaged along the edge (Gaussian of 3 pixels). The edge shows where its step exceeds twice the other
    steps plus 4. With s the share of the edge that shows, the score is 1 up to s = 5 %, 0.8 at 15 %, 0 from
    60 % on.

    Not for edits whose region ends at the thing's own outline, such as a recolor: that is meant to show.
    """
    area = edited_area(evidence)
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


def _seam_along(colors: Float, inside: Mask, axis: int) -> tuple[float, float]:
    """Of the neighbors that the edge separates along one axis: how many pairs show, how many there are."""
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
