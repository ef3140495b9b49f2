"""Checks with an eye for objects: a detector looks at the result, and boxes and masks are looked over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import piecewise
from costa_dsl.model.artifact import Box
from costa_dsl.store.values import Mask


def confidence_score(confidence: float) -> float:
    """A detector's score as a quality: 0.5, where detectors usually draw the line, is just acceptable."""
    return piecewise(confidence, (0.0, 0.0), (0.5, 0.8), (0.8, 1.0))


def object_found(evidence: Evidence, wanted: Any) -> CheckResult:
    """A detection gave boxes that lie in the picture, with confidence.

    Score: the mean of the boxes' scores s as `confidence_score` (0.5 -> 0.8, 0.8 -> 1), times the share of
    the boxes' area that lies inside the picture, times 0.8 when two boxes show the same thing (IoU above
    0.85); 0 without boxes. `wanted` may be a number of boxes: then the score is also multiplied by min / max
    of both numbers.
    """
    name = "object-found"
    boxes: Sequence[Box] = evidence.outputs.get("boxes", ())
    what = f'"{evidence.target.object}"' if evidence.target.object else "the object"
    if not boxes:
        return CheckResult(name, 0.0, f"no box of {what} was found", {"boxes": 0})
    height, width = evidence.after.shape[:2]
    inside = [_clipped_area(box, width, height) / box.area if box.area > 0 else 0.0 for box in boxes]
    mean = sum(box.score for box in boxes) / len(boxes)
    score = confidence_score(mean) * min(inside)
    notes = ["a box lies partly outside the picture"] if min(inside) < 0.99 else []
    if _has_twins(boxes):
        score *= 0.8
        notes.append("two boxes show the same thing")
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        score *= min(wanted, len(boxes)) / max(wanted, len(boxes), 1)
        notes.append(f"{wanted} were expected")
    number = f"{len(boxes)} box" + ("es" if len(boxes) != 1 else "")
    sentence = f"{number} of {what}, mean score {mean:.2f}" + "".join(f"; {note}" for note in notes)
    return CheckResult(name, score, sentence, {"boxes": len(boxes), "mean_score": mean})


def object_absent(evidence: Evidence, wanted: Any) -> CheckResult | None:
    """A detector no longer finds the object in the edited region.

    A box counts when half of it lies in the region, or when its IoU with the region's own bounding box is 0.4
    or more, so that neighbors of the same kind do not; or when its IoU with a box that counted before the
    edit is 0.5 or more (a mask too small for its object). Score 1 without such a box, else 0.7 · (1 - the
    box's score).

    With `wanted` a name (`object-absent: dog`), the whole picture must be free of it. Nothing to measure when
    no detector here knows the object, or when it saw nothing in the region before the edit either.
    """
    name = "object-absent"
    stated = isinstance(wanted, str)
    expression = wanted if stated else evidence.target.object
    if not expression:
        return None
    found = evidence.instruments.find(evidence.after, expression)
    if found is None:
        return None
    region = None if stated else evidence.region
    left = _in_region(found, region)
    if not stated:
        earlier = _in_region(evidence.instruments.find(evidence.before, expression) or (), region)
        if not earlier:
            return None
        left = tuple(box for box in found if box in left or any(box.iou(old) >= 0.5 for old in earlier))
    where = "in the picture" if region is None else "where it was"
    if not left:
        return CheckResult(name, 1.0, f'a detector finds no "{expression}" {where}', {"boxes": 0})
    best = max(box.score for box in left)
    sentence = f'a detector still finds "{expression}" {where} (score {best:.2f})'
    return CheckResult(name, 0.7 * (1 - best), sentence, {"boxes": len(left), "best_score": best})


def object_present(evidence: Evidence, wanted: Any) -> CheckResult | None:
    """A detector finds the object in the result; for an addition it must be one that was not there before.

    Score: the best box's score as `confidence_score` (0.5 -> 0.8, 0.8 -> 1), 0 without a box. Only boxes in
    the region count, when there is one. With `wanted` a name, any box of that name in the picture will do.
    Nothing to measure when no detector here knows the object.
    """
    name = "object-present"
    stated = isinstance(wanted, str)
    expression = wanted if stated else evidence.target.object
    if not expression:
        return None
    found = evidence.instruments.find(evidence.after, expression)
    if found is None:
        return None
    boxes = tuple(found)
    if not stated:
        boxes = _in_region(boxes, evidence.region)
        if evidence.subtask == "object-addition" and boxes:
            earlier = evidence.instruments.find(evidence.before, expression) or ()
            boxes = tuple(box for box in boxes if all(box.iou(old) < 0.5 for old in earlier))
    if not boxes:
        return CheckResult(name, 0.0, f'a detector finds no "{expression}" there', {"boxes": 0})
    best = max(box.score for box in boxes)
    sentence = f'a detector finds "{expression}" (score {best:.2f})'
    return CheckResult(name, confidence_score(best), sentence, {"boxes": len(boxes), "best_score": best})


def _in_region(boxes: Sequence[Box], region: Mask | None) -> tuple[Box, ...]:
    if region is None:
        return tuple(boxes)
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    if rows.size == 0:
        return ()
    around = Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1), "", 1.0)
    return tuple(box for box in boxes if box.iou(around) >= 0.4 or _share_inside(box, region) >= 0.5)


def _share_inside(box: Box, region: Mask) -> float:
    """The share of a box's pixels (inside the picture) that belong to the region."""
    x0, y0 = max(0, int(np.floor(box.x0))), max(0, int(np.floor(box.y0)))
    part = region[y0 : max(y0, int(np.ceil(box.y1))), x0 : max(x0, int(np.ceil(box.x1)))]
    return float(part.mean()) if part.size else 0.0


def _clipped_area(box: Box, width: int, height: int) -> float:
    return max(0.0, min(box.x1, width) - max(box.x0, 0)) * max(0.0, min(box.y1, height) - max(box.y0, 0))


def _has_twins(boxes: Sequence[Box]) -> bool:
    return any(
        one.label == other.label and one.iou(other) > 0.85
        for place, one in enumerate(boxes)
        for other in boxes[place + 1 :]
    )
