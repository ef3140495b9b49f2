"""What an edit made anew, on the canvas of its result."""

from __future__ import annotations

import numpy as np

from costa_dsl.checks.evidence import Evidence
from costa_dsl.store.values import Mask


def edited_area(evidence: Evidence) -> Mask | None:
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
