"""Object segmentation: from boxes to the pixels of the objects in them.

Both tools end in GrabCut (Rother, Kolmogorov and Blake, 2004). `segment_salient` starts it from what
U2NetP finds salient in the padded box, `segment_plain` from the box alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costa_dsl.toolkit.api import Box, Float, Image, Mask, ToolCall, ToolFailure, split_alpha
from costa_dsl.toolkit.saliency import guided_filter, saliency, without_specks

Window = tuple[int, int, int, int]


def segment_salient(call: ToolCall) -> Mapping[str, Any]:
    """The union of the objects in `call.boxes`, by saliency and GrabCut.

    Parameters: `padding`, how much of the picture around a box is looked at, in shares of its sides;
    `iterations` of GrabCut. Where saliency sees no object in the box, the box alone starts GrabCut.

    Returns:
        `mask`: bool H×W.

    Raises:
        ToolFailure: `invalid-input` without a usable box, `not-found` when no box holds an object that
            stands out from its surroundings.
    """
    return {"mask": _segment(call, salient=True)}


def segment_plain(call: ToolCall) -> Mapping[str, Any]:
    """The union of the objects in `call.boxes`, by GrabCut from the boxes alone; parameters as above."""
    return {"mask": _segment(call, salient=False)}


def _segment(call: ToolCall, salient: bool) -> Mask:
    rgb, _ = split_alpha(call.image)
    mask = np.zeros(rgb.shape[:2], np.bool_)
    boxes = [(clipped, box.label) for box in call.boxes if (clipped := _clip(box, rgb)) is not None]
    if not boxes:
        height, width = rgb.shape[:2]
        raise ToolFailure(
            "invalid-input",
            f"none of the {len(call.boxes)} boxes covers a pixel of the {width}×{height} picture",
            help="check the numbers of `at: {box: …}`",
        )
    padding, iterations = float(call.parameters["padding"]), int(call.parameters["iterations"])
    for box, label in boxes:
        window = _padded(box, padding, rgb)
        left, top, right, bottom = window
        crop = np.ascontiguousarray(rgb[top:bottom, left:right])
        inner = (box[0] - left, box[1] - top, box[2] - left, box[3] - top)
        prior = _prior(crop.shape[0], crop.shape[1], inner, label)
        seeds = None
        if salient:
            seen = _saliency_in(call, rgb, box, window)
            seeds = _seeds_from_saliency(seen, prior, inner, shaped=label == "person")
        if seeds is None:
            seeds = _seeds_from_box(prior, inner)
        mask[top:bottom, left:right] |= cut(crop, seeds, iterations)
    if not mask.any():
        raise ToolFailure(
            "not-found",
            "nothing in the boxes stands out from its surroundings",
            help="give a tighter box, or ground the object with `at:` (color, point, mask)",
        )
    return mask


def _clip(box: Box, rgb: Image) -> Window | None:
    """The whole pixels that a box covers, inside the picture; None when there are none."""
    height, width = rgb.shape[:2]
    x0, y0 = max(0, int(np.floor(box.x0))), max(0, int(np.floor(box.y0)))
    x1, y1 = min(width, int(np.ceil(box.x1))), min(height, int(np.ceil(box.y1)))
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _padded(box: Window, padding: float, rgb: Image) -> Window:
    x0, y0, x1, y1 = box
    pad_x, pad_y = max(4, round(padding * (x1 - x0))), max(4, round(padding * (y1 - y0)))
    return max(0, x0 - pad_x), max(0, y0 - pad_y), min(rgb.shape[1], x1 + pad_x), min(rgb.shape[0], y1 + pad_y)


def _saliency_in(call: ToolCall, rgb: Image, box: Window, window: Window) -> Float:
    """Saliency of a window around a box, agreed upon by several framings of the object.

    How the object is framed decides what the network takes for the subject (the dog, or the logo beside
    it); a framing counts by how much of the box it fills.
    """
    left, top, right, bottom = window
    prior = _prior(bottom - top, right - left, (box[0] - left, box[1] - top, box[2] - left, box[3] - top), "")
    total = np.zeros((bottom - top, right - left), np.float32)
    weights = 0.0
    for padding in (0.08, 0.18, 0.28):
        x0, y0, x1, y1 = _padded(box, padding, rgb)
        framed = np.zeros(rgb.shape[:2], np.float32)
        framed[y0:y1, x0:x1] = saliency(call.models, np.ascontiguousarray(rgb[y0:y1, x0:x1]))
        framed = framed[top:bottom, left:right]
        weight = (float((framed * prior).sum()) / max(1e-6, float(prior.sum()))) ** 2 + 1e-3
        total += weight * framed
        weights += weight
    return total / weights


def _seeds_from_saliency(salient: Float, prior: Float, box: Window, shaped: bool) -> NDArray[np.uint8] | None:
    """GrabCut's four seed values from a saliency map of the padded box; None when it missed the object.

    `shaped` says that the prior is the shape of a known figure, and no mere ellipse.
    """
    import cv2

    x0, y0, x1, y1 = box
    share = float((salient[y0:y1, x0:x1] > 0.5).mean())
    if share < 0.08 or share > 0.97:
        return None
    # An object reaches the sides of its box. What is salient but narrow is something in front of it
    # (the rope before a person): then the box says more than saliency does.
    rows, columns = np.nonzero(salient[y0:y1, x0:x1] > 0.4)
    extent = (np.ptp(rows) + 1) / (y1 - y0) * (np.ptp(columns) + 1) / (x1 - x0)
    if extent < 0.45 and share < 0.2:
        return None
    seeds: NDArray[np.uint8] = np.full(salient.shape, cv2.GC_PR_BGD, np.uint8)
    seeds[salient > 0.4] = cv2.GC_PR_FGD
    seeds[salient < 0.1] = cv2.GC_BGD
    seeds[salient > 0.7] = cv2.GC_FGD
    seeds[_apart(salient, prior)] = cv2.GC_BGD
    if shaped:  # saliency misses dark hair and dark trousers; the figure's shape knows better
        seeds[(prior > 0.35) & (seeds == cv2.GC_BGD)] = cv2.GC_PR_BGD
        seeds[(prior > 0.5) & (seeds == cv2.GC_PR_BGD)] = cv2.GC_PR_FGD
        seeds[prior == 1] = cv2.GC_FGD
    # A detector's box often cuts an ear or a tail: a little outside of it may still be the object.
    slack_x, slack_y = round(0.1 * (x1 - x0)) + 1, round(0.1 * (y1 - y0)) + 1
    outside = np.ones(salient.shape, np.bool_)
    outside[max(0, y0 - slack_y) : y1 + slack_y, max(0, x0 - slack_x) : x1 + slack_x] = False
    seeds[outside] = cv2.GC_BGD
    rim = np.ones(salient.shape, np.bool_)
    rim[y0:y1, x0:x1] = False
    seeds[rim & (seeds == cv2.GC_FGD)] = cv2.GC_PR_FGD
    return seeds


def _apart(salient: Float, prior: Float) -> Mask:
    """Salient islands apart from the object in the middle of the box: a logo, a neighbor."""
    import cv2

    count, labels = cv2.connectedComponents((salient > 0.6).astype(np.uint8))
    weights = np.bincount(labels.ravel(), (salient * prior).ravel(), minlength=count)
    weights[0] = 0
    apart = weights < 0.25 * weights.max()
    apart[0] = False
    # The faint rim of an island belongs to it.
    reach = 2 * round(0.03 * max(salient.shape)) + 1
    near = cv2.dilate(apart[labels].astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0
    keeps = (salient > 0.6) & ~apart[labels]
    islands: Mask = near & ~keeps
    return islands


def _seeds_from_box(prior: Float, box: Window) -> NDArray[np.uint8]:
    """Seeds from a box alone: background outside, likely object where such objects usually are."""
    import cv2

    x0, y0, x1, y1 = box
    seeds: NDArray[np.uint8] = np.full(prior.shape, cv2.GC_BGD, np.uint8)
    seeds[y0:y1, x0:x1] = cv2.GC_PR_BGD
    seeds[prior > 0.5] = cv2.GC_PR_FGD
    seeds[prior == 1] = cv2.GC_FGD
    return seeds


def _prior(height: int, width: int, box: Window, label: str) -> Float:
    """How likely a pixel of the crop belongs to the object, from its place in the box alone, in [0, 1]; 1 is certain.

    Standing people fill a box as head, trunk and legs, everything else roughly as an ellipse.
    """
    x0, y0, x1, y1 = box
    rows, columns = np.ogrid[:height, :width]
    across = (columns + 0.5 - x0) / (x1 - x0)
    down = (rows + 0.5 - y0) / (y1 - y0)

    def ellipse(center_x: float, center_y: float, radius_x: float, radius_y: float) -> Float:
        distance = ((across - center_x) / radius_x) ** 2 + ((down - center_y) / radius_y) ** 2
        likely: Float = np.clip(1 - 0.5 * distance, 0, 1).astype(np.float32)  # 0.5 on the outline
        return likely

    if label == "person" and y1 - y0 > 1.5 * (x1 - x0):
        # A head is small and of other colors than the clothes: its middle is certain, or GrabCut drops it.
        head = np.where(ellipse(0.5, 0.1, 0.1, 0.045) > 0.5, np.float32(1), ellipse(0.5, 0.11, 0.22, 0.11))
        parts = (head, 0.99 * ellipse(0.5, 0.38, 0.4, 0.24), 0.99 * ellipse(0.5, 0.72, 0.27, 0.34))
        likely = np.maximum.reduce(parts)
    else:
        likely = 0.99 * ellipse(0.5, 0.5, 0.48, 0.48)
    inside: Float = likely * ((across > 0) & (across < 1) & (down > 0) & (down < 1))
    return inside


def cut(rgb: Image, seeds: NDArray[np.uint8], iterations: int, working_side: int = 400) -> Mask:
    """Run GrabCut from seeds and bring its outline to the edges of the full-size picture.

    Args:
        rgb: uint8 H×W×3.
        seeds: uint8 H×W of cv2.GC_BGD, GC_FGD, GC_PR_BGD, GC_PR_FGD.
        iterations: of GrabCut.
        working_side: GrabCut runs on a copy whose longer side is at most this many pixels.

    Returns:
        bool H×W; empty when the seeds hold no object.
    """
    import cv2

    height, width = seeds.shape
    scale = min(1.0, working_side / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    small_seeds = cv2.resize(seeds, size, interpolation=cv2.INTER_NEAREST)
    fore = np.isin(small_seeds, (cv2.GC_FGD, cv2.GC_PR_FGD))
    # GrabCut fits five Gaussians to each side, and throws when a side has fewer pixels than that.
    if fore.sum() >= 5 and (~fore).sum() >= 5:
        cv2.setRNGSeed(0)
        cv2.grabCut(
            np.ascontiguousarray(small[..., ::-1]), small_seeds, None,
            np.zeros((1, 65)), np.zeros((1, 65)), iterations, cv2.GC_INIT_WITH_MASK,
        )  # fmt: skip
        fore = np.isin(small_seeds, (cv2.GC_FGD, cv2.GC_PR_FGD))
    soft = cv2.resize(
        without_specks(fore, share=0.05, hole_share=0.03).astype(np.float32),
        (width, height),
        interpolation=cv2.INTER_LINEAR,
    )
    radius = max(2, round(2.5 / scale))
    return without_specks(guided_filter(soft, rgb, radius, smoothness=1e-4) > 0.5)
