"""Denoising (a neural network and non-local means) and sharpening."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from costa_dsl.toolkit.api import Float, Image, ToolCall, ToolFailure, join_alpha, split_alpha

BORDER, LEAST_SIDE = 16, 64


def oidn(call: ToolCall) -> Mapping[str, Any]:
    """Denoise with Intel Open Image Denoise; `amount` (0 … 1) mixes the result with the picture."""
    amount = amount_of(call, 1.0)
    rgb, alpha = split_alpha(call.image)
    denoise = call.models.get("oidn", _load_oidn)
    height, width = rgb.shape[:2]
    # The network invents colors at borders and on slivers: give it more to look at, by reflection.
    rest = [max(BORDER, LEAST_SIDE - side - BORDER) for side in (height, width)]
    padded = np.pad(rgb, ((BORDER, rest[0]), (BORDER, rest[1]), (0, 0)), mode="symmetric")
    inner = (slice(BORDER, BORDER + height), slice(BORDER, BORDER + width))
    clean = np.asarray(denoise(_as_unit(padded)), np.float32)[inner] * np.float32(255.0)
    if not np.isfinite(clean).all():
        raise ToolFailure("invalid-output", "the network gave values that are no numbers", "use the tool nlmeans")
    return {"image": join_alpha(_mix(rgb, clean, amount), alpha)}


def nlmeans(call: ToolCall) -> Mapping[str, Any]:
    """Denoise by non-local means (Buades, Coll and Morel, 2005), as strong as the noise that is measured.

    `strength` multiplies the measured noise; `amount` (0 … 1) mixes the result with the picture.
    """
    import cv2

    amount = amount_of(call, 1.0)
    rgb, alpha = split_alpha(call.image)
    sigma = noise_level(rgb)
    strength = float(call.parameters.get("strength", 1.0))
    # The two factors gave the best PSNR on photographs with noise of 8 and 25 grey levels; more strength
    # for color lets colors bleed over edges.
    clean = cv2.fastNlMeansDenoisingColored(
        rgb, None, h=max(0.1, 0.8 * strength * sigma), hColor=max(0.1, 0.7 * strength * sigma),
        templateWindowSize=7, searchWindowSize=21,
    )  # fmt: skip
    return {"image": join_alpha(_mix(rgb, clean.astype(np.float32), amount), alpha)}


def unsharp(call: ToolCall) -> Mapping[str, Any]:
    """Sharpen lightness by an unsharp mask, without halos and without sharpening noise.

    Parameters: `radius` (standard deviation in pixels), `gain` (how much of the difference to the blurred
    picture is added), `threshold` (differences below this many grey levels are noise and stay). `amount` (0
    … 1) scales the gain.
    """
    import cv2

    gain = float(call.parameters.get("gain", 1.2)) * amount_of(call, 1.0)
    radius = float(call.parameters.get("radius", 1.5))
    threshold = float(call.parameters.get("threshold", 1.5))
    rgb, alpha = split_alpha(call.image)
    values = rgb.astype(np.float32)
    light = cv2.cvtColor(values / 255.0, cv2.COLOR_RGB2GRAY) * 255.0
    detail = light - cv2.GaussianBlur(light, (0, 0), radius)
    # Soft threshold: continuous, so no contour appears where the noise ends.
    detail = np.sign(detail) * np.maximum(np.abs(detail) - threshold, 0.0)
    wanted = light + gain * detail
    # A halo is an overshoot beyond what stands around: allow a little of it, the eye reads it as crispness.
    reach = np.ones((2 * max(1, round(radius)) + 1,) * 2, np.uint8)
    lowest, highest = cv2.erode(light, reach), cv2.dilate(light, reach)
    slack = 0.1 * (highest - lowest)
    change = np.clip(wanted, lowest - slack, highest + slack) - light
    return {"image": join_alpha(_to_bytes(values + change[..., None]), alpha)}


def amount_of(call: ToolCall, default: float) -> float:
    """The step's word `amount` as 0 … 1; it is a number or a percentage.

    Raises:
        ToolFailure: `unsupported` when it is negative.
    """
    value = call.arguments.get("amount", default)
    amount = float(value.rstrip("%")) / 100.0 if isinstance(value, str) else float(value)
    if not 0.0 <= amount <= 1.0:
        raise ToolFailure(
            "unsupported",
            f"the amount is {value}; {call.subtask} takes 0 … 1",
            "write amount: 0.5, for example",
        )
    return amount


def noise_level(rgb: Image) -> float:
    """The standard deviation of Gaussian noise in grey levels, 0 for a picture under 3 × 3 pixels.

    J. Immerkær, "Fast Noise Variance Estimation", 1996, with the median in place of the mean, so that edges
    and texture do not count as noise.
    """
    import cv2

    if min(rgb.shape[:2]) < 3:
        return 0.0
    light = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float32)
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    response = np.abs(cv2.filter2D(light, -1, kernel)[1:-1, 1:-1])
    # The kernel multiplies the deviation by 6; the median of |N(0, 1)| is 0.6745. Grey is a weighted mean
    # of three channels, whose independent noise it shrinks to 0.668 of one channel's.
    return float(np.median(response)) / 6.0 / 0.6745 / 0.668


def _load_oidn() -> Any:
    try:
        import pyoidn
    except ImportError as error:
        raise ToolFailure(
            "unavailable", "the package pyoidn is not installed", "pip install 'costa-dsl[local]'"
        ) from error
    return pyoidn.denoise


def _as_unit(rgb: Image) -> Float:
    return np.ascontiguousarray(rgb.astype(np.float32) / 255.0)


def _mix(rgb: Image, clean: Float, amount: float) -> Image:
    source = rgb.astype(np.float32)
    return _to_bytes(source + amount * (clean - source))


def _to_bytes(values: Float) -> Image:
    return np.clip(np.round(values), 0, 255).astype(np.uint8)
