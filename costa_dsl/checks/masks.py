"""Checks of shapes: masks, groundings and cut-outs are looked over for what a person would call nonsense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import color_difference, percent, piecewise
from costa_dsl.checks.region import box_mask, grown, in_pixels
from costa_dsl.model.artifact import Box
from costa_dsl.store.values import Mask


def mask_plausible(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """A mask has the picture's size, is neither empty nor everything, holds together and fits its boxes.

    Score: the least of four, each 0.8 where a person would begin to object:
    - share of the picture: 1 up to 90 %, 0.8 at 97 %, 0 for all of it;
    - crumbs (share of the mask in pieces smaller than 2 % of it): 1 up to 5 %, 0.8 at 15 %, 0 at 60 %;
    - share inside the boxes padded by 10 %: 1 from 97 %, 0.8 at 90 %, 0 at 40 %;
    - the emptiest box's covered share: 1 from 15 %, 0.8 at 8 %, 0 when empty; 0.79 for a mask that fills all
      of its boxes to 98 %: then nothing was segmented.
    """
    mask = evidence.outputs.get("mask")
    if mask is None:
        return None
    return _judged("mask-plausible", mask, _boxes_of(evidence), evidence)


def grounding_plausible(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """The place that `at:` names was found: as `mask-plausible`, and the mask lies where `at:` says.

    A `box` must hold 97 % of the mask (0.8 at 90 %, 0 at 40 %); a `point` must lie in it or within 5 pixels.
    The colors of a mask grounded by `color` are the business of `color-match`.
    """
    mask = evidence.outputs.get("mask")
    boxes = evidence.outputs.get("boxes", ())
    if mask is None:
        if not boxes:
            return CheckResult("grounding-plausible", 0.0, "nothing was found at the named place")
        inside = all(_center_inside(box, evidence.after.shape) for box in boxes)
        sentence = f"{len(boxes)} boxes" + ("" if inside else ", one of them outside the picture")
        return CheckResult("grounding-plausible", float(inside), sentence)
    result = _judged("grounding-plausible", mask, (), evidence)
    if mask.shape != evidence.after.shape[:2]:
        return result
    box, point = evidence.target.place("box"), evidence.target.place("point")
    if box is not None:
        kept = float(mask[box_mask(box, mask.shape)].sum() / max(1, mask.sum()))
        score = piecewise(kept, (0.4, 0.0), (0.9, 0.8), (0.97, 1.0))
        # A mask that fills the named box is what was asked for, however much of the picture that is.
        if kept >= 0.97 and mask.any():
            return CheckResult(result.check, 1.0, "the mask lies in the named box", dict(result.measured))
        if score < result.score:
            sentence = f"only {percent(kept)} of the mask lies in the named box"
            return CheckResult(result.check, score, sentence, {**result.measured, "in_box": kept})
    if isinstance(point, list | tuple) and len(point) == 2:
        height, width = mask.shape
        column, row = in_pixels(point[0], width), in_pixels(point[1], height)
        near = np.zeros_like(mask)
        near[min(height - 1, max(0, int(row))), min(width - 1, max(0, int(column)))] = True
        if not (grown(near, 5) & mask).any():
            return CheckResult(result.check, 0.0, "the named point does not lie in the mask", dict(result.measured))
    return result


def cutout_plausible(evidence: Evidence, wanted: Any) -> CheckResult:  # noqa: ARG001
    """A cut-out keeps a subject, loses the rest, and has few half-transparent pixels.

    With alpha as a share 0 … 1, the score is the least of:
    - coverage (mean alpha): 1 from 3 % to 97 %, 0.8 at 1 % and 99 %, 0 at 0 % and 100 %;
    - haze (share of the visible pixels with alpha 0.1 … 0.9): 1 up to 10 %, 0.8 at 20 %, 0 at 60 %;
    - crumbs (share of the opaque area in pieces below 2 % of it): 1 up to 5 %, 0.8 at 15 %, 0 at 60 %;
    - what is kept looks the same (ΔE above 8, alpha set aside): 1 up to 1 % of it changed, 0.8 at 3 %, 0 at
      20 %;
    - frame (share of the picture's edge that is opaque): 1 up to 75 %, 0 at 100 %: a subject rarely fills it
      all around, a background does.
    """
    name = "cutout-plausible"
    if evidence.after.shape[2] != 4:
        return CheckResult(name, 0.0, "the result has no transparency")
    if evidence.after.shape[:2] != evidence.before.shape[:2]:
        return CheckResult(name, 0.0, "the result has another size than the picture")
    alpha = evidence.after[..., 3].astype(np.float32) / 255
    coverage = float(alpha.mean())
    seen = alpha > 0.02
    haze = float(((alpha > 0.1) & (alpha < 0.9)).sum() / max(1, seen.sum()))
    opaque = alpha >= 0.9
    frame = np.concatenate([opaque[0], opaque[-1], opaque[:, 0], opaque[:, -1]])
    edge = float(frame.mean())
    difference = color_difference(evidence.before[..., :3], evidence.after[..., :3])
    changed = float((difference[opaque] > 8).mean()) if opaque.any() else 0.0
    crumbs = crumb_share(alpha > 0.5)
    scores = {
        f"{percent(coverage)} of the picture is kept": piecewise(
            coverage, (0, 0), (0.01, 0.8), (0.03, 1), (0.97, 1), (0.99, 0.8), (1, 0)
        ),
        f"{percent(haze)} of what is kept is half transparent": piecewise(haze, (0.1, 1), (0.2, 0.8), (0.6, 0)),
        f"{percent(crumbs)} of what is kept lies in crumbs": piecewise(crumbs, (0.05, 1), (0.15, 0.8), (0.6, 0)),
        f"{percent(changed)} of what is kept changed its color": piecewise(changed, (0.01, 1), (0.03, 0.8), (0.2, 0)),
        f"{percent(edge)} of the picture's edge is kept": piecewise(edge, (0.75, 1), (1, 0)),
    }
    sentence = min(scores, key=lambda text: scores[text])
    measured = {"coverage": coverage, "haze": haze, "crumbs": crumbs, "changed": changed, "edge": edge}
    return CheckResult(name, min(scores.values()), sentence, measured)


def crumb_share(mask: Mask) -> float:
    """The share of a mask that lies in 8-connected pieces smaller than 2 % of it; 0 for an empty one."""
    import cv2

    total = int(mask.sum())
    if total == 0:
        return 0.0
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    areas = np.asarray(stats)[1:, cv2.CC_STAT_AREA]
    return float(areas[areas < 0.02 * total].sum() / total)


def _judged(name: str, mask: Mask, boxes: Sequence[Box], evidence: Evidence) -> CheckResult:
    height, width = evidence.after.shape[:2]
    if mask.shape != (height, width):
        found = "×".join(str(side) for side in reversed(mask.shape))
        return CheckResult(name, 0.0, f"the mask has {found} pixels, the picture {width}×{height}")
    if not mask.any():
        return CheckResult(name, 0.0, "the mask is empty", {"share": 0.0})
    share, crumbs = float(mask.mean()), crumb_share(mask)
    scores = {
        f"the mask covers {percent(share)} of the picture": piecewise(share, (0.9, 1), (0.97, 0.8), (1, 0)),
        f"{percent(crumbs)} of the mask lies in crumbs": piecewise(crumbs, (0.05, 1), (0.15, 0.8), (0.6, 0)),
    }
    measured = {"share": share, "crumbs": crumbs}
    if boxes:
        padded = np.zeros_like(mask)
        for box in boxes:
            pad_x, pad_y = 0.1 * (box.x1 - box.x0) + 1, 0.1 * (box.y1 - box.y0) + 1
            padded |= box_mask((box.x0 - pad_x, box.y0 - pad_y, box.x1 + pad_x, box.y1 + pad_y), mask.shape)
        inside = float((mask & padded).sum() / mask.sum())
        fills = [float(mask[area].mean()) for box in boxes if (area := _mask_of(box, mask)).any()] or [0.0]
        scores[f"{percent(inside)} of the mask lies in its boxes"] = piecewise(inside, (0.4, 0), (0.9, 0.8), (0.97, 1))
        scores[f"the mask covers {percent(min(fills))} of its emptiest box"] = piecewise(
            min(fills), (0, 0), (0.08, 0.8), (0.15, 1)
        )
        if min(fills) >= 0.98:
            scores["the mask fills its boxes to the edges: nothing was segmented"] = 0.79
        measured |= {"in_boxes": inside, "least_fill": min(fills)}
    return _worst(name, scores, measured)


def _worst(name: str, scores: Mapping[str, float], measured: Mapping[str, float]) -> CheckResult:
    sentence = min(scores, key=lambda text: scores[text])
    return CheckResult(name, scores[sentence], sentence, measured)


def _boxes_of(evidence: Evidence) -> tuple[Box, ...]:
    boxes: tuple[Box, ...] = tuple(evidence.artifacts.get("boxes") or evidence.outputs.get("boxes") or ())
    return boxes


def _mask_of(box: Box, mask: Mask) -> Mask:
    return box_mask((box.x0, box.y0, box.x1, box.y1), mask.shape)


def _center_inside(box: Box, shape: tuple[int, ...]) -> bool:
    return 0 <= (box.x0 + box.x1) / 2 <= shape[1] and 0 <= (box.y0 + box.y1) / 2 <= shape[0]
