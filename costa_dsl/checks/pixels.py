"""Checks that compare pixels: what had to stay, what had to change, and the size of the canvas."""

from __future__ import annotations

from typing import Any

import numpy as np

from costa_dsl.checks.canvas import SizeUnknown, wanted_size
from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import BLUR_SIGMA, VISIBLE, color_difference, percent, piecewise, window_around
from costa_dsl.checks.region import LOCAL_EDITS
from costa_dsl.model.artifact import Placement
from costa_dsl.store.values import Image, Mask

# The share of the region that a person expects to look different after each edit. Shaded parts of a recolored
# thing hardly change, and letters cover a small part of their line.
ENOUGH = {
    "object-removal": 0.30, "object-replacement": 0.30, "object-recoloration": 0.40, "object-addition": 0.10,
    "text-removal": 0.05, "text-replacement": 0.01, "text-addition": 0.01, "text-redaction": 0.15,
    "keyword-highlighting": 0.20, "change-text-style": 0.04, "change-material": 0.30, "local-edit": 0.10,
    "changing-scenery": 0.20, "style-filter": 0.20, "style-transfer": 0.20, "restyle": 0.20,
    "change-sky": 0.10, "move": 0.01, "resize-subject": 0.01, "blur": 0.02,
}  # fmt: skip
_ENOUGH_OTHERWISE = 0.05

# A local edit whose place is not known (a text that the tool puts where there is room) covers but a small
# part of the whole picture: then this share of the above is enough.
_IN_WHOLE_PICTURE = 0.05

# Letters are as fine as the blur that hides noise: these are compared without it.
_FINE_DETAIL = frozenset({
    "text-removal", "text-replacement", "text-addition", "change-text-style", "keyword-highlighting",
})  # fmt: skip


def image_unchanged(evidence: Evidence, wanted: Any) -> CheckResult:  # noqa: ARG001
    """An analysis leaves the picture alone. Score 1 when every pixel is the same, else 0."""
    if evidence.before.shape != evidence.after.shape:
        return CheckResult("image-unchanged", 0.0, f"the picture {_size_change(evidence)}")
    changed = 0 if evidence.before is evidence.after else int(_differs(evidence.before, evidence.after).sum())
    total = evidence.before.shape[0] * evidence.before.shape[1]
    if changed:
        sentence = f"{changed:,} of {total:,} pixels changed in an analysis"
        return CheckResult("image-unchanged", 0.0, sentence, {"changed": changed, "pixels": total})
    return CheckResult("image-unchanged", 1.0, "the picture is untouched", {"changed": 0, "pixels": total})


def outside_unchanged(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """Every pixel outside the edited region is bit for bit the same.

    Score 1 when none differs; 0.79 for the first one that does, falling in a straight line to 0 when 2 % of
    the pixels outside differ. Nothing to measure without a region.
    """
    region = evidence.region
    if region is None:
        return None
    name = "outside-unchanged"
    if evidence.before.shape[:2] != evidence.after.shape[:2]:
        return CheckResult(name, 0.0, f"nothing can be compared: the canvas {_size_change(evidence)}")
    outside = ~region
    changed = int((_differs(evidence.before, evidence.after) & outside).sum())
    total = int(outside.sum())
    measured = {"changed": changed, "pixels": total}
    if changed == 0:
        return CheckResult(name, 1.0, f"all {total:,} pixels outside the region are the same", measured)
    score = piecewise(changed / total, (0.0, 0.79), (0.02, 0.0))
    return CheckResult(name, score, f"{changed:,} of {total:,} pixels outside the region changed", measured)


def inside_changed(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """Enough of the region looks different: CIE76 ΔE above 8, both pictures blurred (not for text).

    With s the share of such pixels and e the share that this subtask needs (`ENOUGH`), the score is
    min(1, s / e). Without a region the whole picture counts; of a local edit, e / 20 is enough there.
    """
    name = "inside-changed"
    if evidence.before.shape[:2] != evidence.after.shape[:2]:
        if evidence.placement is not None:
            return None
        return CheckResult(name, 0.0, f"nothing can be compared: the canvas {_size_change(evidence)}")
    region = evidence.region
    if region is None:
        region = np.ones(evidence.before.shape[:2], dtype=bool)
    total = int(region.sum())
    if total == 0:
        return CheckResult(name, 0.0, "the region to edit is empty", {"pixels": 0})
    sigma = 0.0 if evidence.subtask in _FINE_DETAIL else BLUR_SIGMA
    window = window_around(region, 8)
    difference = color_difference(window.of(evidence.before), window.of(evidence.after), sigma)
    changed = int(((difference > VISIBLE) & window.of(region)).sum())
    share, enough = changed / total, ENOUGH.get(evidence.subtask, _ENOUGH_OTHERWISE)
    if evidence.region is None and evidence.subtask in LOCAL_EDITS:
        enough *= _IN_WHOLE_PICTURE
    where = "the picture" if evidence.region is None else "the region"
    sentence = f"{percent(share)} of {where} looks different; {percent(enough)} is enough"
    measured = {"share": share, "enough": enough, "pixels": total}
    return CheckResult(name, min(1.0, share / enough), sentence, measured)


def canvas_size(evidence: Evidence, wanted: Any) -> CheckResult | None:
    """The result has the size that was asked for: the old one, or what the step's words say.

    Score 1 or 0. Sizes computed from a percentage, a factor or an aspect may be off by one pixel. `wanted`
    may be a size such as `640x480`.
    """
    height, width = evidence.after.shape[:2]
    try:
        size, slack = wanted_size(evidence, wanted)
    except SizeUnknown:
        return None
    right = abs(width - size[0]) <= slack and abs(height - size[1]) <= slack
    expected = "as expected" if right else f"expected {size[0]}×{size[1]}"
    sentence = f"the picture has {width}×{height} pixels, {expected}"
    measured = {"width": width, "height": height, "expected_width": size[0], "expected_height": size[1]}
    return CheckResult("canvas-size", float(right), sentence, measured)


def original_kept(evidence: Evidence, wanted: Any) -> CheckResult:  # noqa: ARG001
    """The old picture stands in the new one, bit for bit, where the edit says that it put it.

    Score as for `outside-unchanged`; 0 when the placement is missing, scales the picture, is not in whole
    pixels or puts a part of it outside.
    """
    name = "original-kept"
    place = evidence.placement
    if place is None:
        return CheckResult(name, 0.0, "the edit does not say where it put the old picture")
    problem = _placement_problem(place, evidence.before, evidence.after)
    if problem:
        return CheckResult(name, 0.0, problem)
    x, y = round(place.x_offset), round(place.y_offset)
    height, width = evidence.before.shape[:2]
    changed = int(_differs(evidence.before, evidence.after[y : y + height, x : x + width]).sum())
    measured = {"changed": changed, "pixels": height * width}
    if changed == 0:
        return CheckResult(name, 1.0, f"all {height * width:,} pixels of the old picture are the same", measured)
    score = piecewise(changed / (height * width), (0.0, 0.79), (0.02, 0.0))
    sentence = f"{changed:,} of {height * width:,} pixels of the old picture changed"
    return CheckResult(name, score, sentence, measured)


def _placement_problem(place: Placement, before: Image, after: Image) -> str:
    if (place.scale_x, place.scale_y) != (1.0, 1.0):
        return f"the old picture was scaled by {place.scale_x:g}×{place.scale_y:g}"
    if place.x_offset % 1 or place.y_offset % 1:
        return f"the old picture was moved by parts of a pixel, to ({place.x_offset:g}, {place.y_offset:g})"
    x, y = round(place.x_offset), round(place.y_offset)
    height, width = before.shape[:2]
    if x < 0 or y < 0 or x + width > after.shape[1] or y + height > after.shape[0]:
        return f"a part of the old picture lies outside: {width}×{height} pixels at ({x}, {y})"
    return ""


def _differs(before: Image, after: Image) -> Mask:
    """Where any channel differs, bool H×W. A picture without alpha counts as opaque."""
    if before.shape[2] == after.shape[2]:
        return np.asarray((before != after).any(axis=2))
    wide, narrow = (before, after) if before.shape[2] == 4 else (after, before)
    return np.asarray((wide[..., :3] != narrow).any(axis=2) | (wide[..., 3] != 255))


def _size_change(evidence: Evidence) -> str:
    (height, width), (new_height, new_width) = evidence.before.shape[:2], evidence.after.shape[:2]
    if (height, width) == (new_height, new_width):
        return f"went from {evidence.before.shape[2]} to {evidence.after.shape[2]} channels"
    return f"went from {width}×{height} to {new_width}×{new_height} pixels"
