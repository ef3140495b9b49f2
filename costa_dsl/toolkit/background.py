"""Background removal: the subject with a soft edge, and its own colors in that edge instead of the old background's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from costa_dsl.checks.region import grown
from costa_dsl.toolkit.api import Float, Image, ToolCall, ToolFailure, join_alpha, split_alpha
from costa_dsl.toolkit.saliency import guided_filter, saliency, without_specks
from costa_dsl.toolkit.segmentation import cut


def cut_out_salient(call: ToolCall) -> Mapping[str, Any]:
    """What stands out in the picture (U2NetP), on transparent ground.

    Parameters: `softness`, the share of the shorter side over which hair and fur may fade.

    Returns:
        `image`: uint8 H×W×4; colors of fully opaque pixels are untouched, old transparency stays transparent.

    Raises:
        ToolFailure: `not-found` when nothing stands out.
    """
    rgb, alpha = split_alpha(call.image)
    matte = saliency(call.models, rgb)
    sure = without_specks(matte > 0.5, share=0.05)
    if float(matte.max()) < 0.5 or not sure.any():
        raise _nothing(float(matte.max()))
    # Far from the subject nothing belongs to it, however salient it looks.
    matte = np.where(grown(sure, round(0.08 * min(sure.shape)) + 2), matte, 0).astype(np.float32)
    return {"image": _cut_out(rgb, alpha, matte, float(call.parameters["softness"]))}


def cut_out_central(call: ToolCall) -> Mapping[str, Any]:
    """What fills the middle of the picture, by GrabCut alone: the border is taken for background.

    Parameters: `margin`, the share of each side that is surely background; `iterations` of GrabCut; `softness` as
    above.

    Returns:
        `image`: uint8 H×W×4, as above.

    Raises:
        ToolFailure: `not-found` when the middle does not differ from the border.
    """
    import cv2

    rgb, alpha = split_alpha(call.image)
    height, width = rgb.shape[:2]
    margin = float(call.parameters["margin"])
    across = np.abs(np.linspace(-1, 1, width))[None, :]
    down = np.abs(np.linspace(-1, 1, height))[:, None]
    seeds = np.full((height, width), cv2.GC_PR_BGD, np.uint8)
    seeds[np.hypot(across, down) < 0.75] = cv2.GC_PR_FGD
    border = (across > 1 - 2 * margin) | (down > 1 - 2 * margin)
    border[-max(1, round(2 * margin * height)) :, :] &= (
        across[0] > 1 - 2 * margin
    )  # subjects often stand on the lower edge
    seeds[border] = cv2.GC_BGD
    mask = cut(rgb, seeds, int(call.parameters["iterations"]))
    if not mask.any() or mask.mean() > 0.98:
        raise _nothing(0.0)
    return {"image": _cut_out(rgb, alpha, mask.astype(np.float32), float(call.parameters["softness"]))}


def _cut_out(rgb: Image, alpha: Image | None, coarse: Float, softness: float) -> Image:
    """Bring a coarse matte (float32 H×W in [0, 1]) to the picture's edges and put the subject on transparent ground."""
    radius = max(2, round(softness * min(coarse.shape)))
    fine = guided_filter(coarse, rgb, radius, smoothness=1e-5)
    # Inside and outside are certain; only the band between them may be half transparent.
    band = grown(coarse > 0.5, radius) & grown(coarse <= 0.5, radius)
    matte = np.where(band, fine, coarse > 0.5).astype(np.float32)
    matte = np.clip((matte - 0.08) / 0.84, 0, 1)
    colors = _own_colors(rgb, matte, radius)
    transparency = matte if alpha is None else matte * (alpha.astype(np.float32) / 255)
    return join_alpha(colors, np.round(transparency * 255).astype(np.uint8))


def _own_colors(rgb: Image, matte: Float, radius: int) -> Image:
    """The subject's colors without the background that shines through at its edge.

    Blur fusion after Forte, *Approximate Fast Foreground Colour Estimation* (ICIP 2021): the local means of foreground
    and background, weighted by the matte, then the correction that makes both mix to the picture again.
    """
    import cv2

    picture = rgb.astype(np.float32)
    weight = matte[..., None]
    size = (2 * radius + 1, 2 * radius + 1)

    def mean(values: Any, weights: Any) -> Any:
        total = cv2.blur(weights[..., 0], size)[..., None]
        return cv2.blur(values * weights, size).reshape(values.shape) / np.maximum(total, 1e-3)

    front, back = mean(picture, weight), mean(picture, 1 - weight)
    front = front + weight * (picture - weight * front - (1 - weight) * back)
    mixed = (matte > 0.004) & (matte < 0.996)
    colors = rgb.copy()
    colors[mixed] = np.clip(np.round(front[mixed]), 0, 255).astype(np.uint8)
    colors[matte <= 0.004] = 0
    return colors


def _nothing(strength: float) -> ToolFailure:
    return ToolFailure(
        "not-found",
        f"nothing stands out from the background (strongest sign {strength:.2f}, needed 0.50)",
        help="segment the subject by name first, or choose another picture",
    )
