"""Checks of detail: is the structure still there, is it sharper, is there less noise?"""

from __future__ import annotations

from typing import Any

import numpy as np

from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import (
    blurred,
    lightness,
    noise_level,
    piecewise,
    sharpness,
    smooth_parts,
    ssim_map,
    window_around,
)
from costa_dsl.store.values import Float, Mask

# Edits that are meant to change how light or how strong in contrast things are.
_RELIGHTS = frozenset({"object-recoloration", "low-light", "colorize", "change-material", "restyle"})

# Edits that are meant to change the finest detail: compared behind a blur of this many pixels.
_FINE_BLUR = {"denoising": 2.0, "image-deblurring": 2.0, "sharpen": 2.0}


def structure_kept(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """Shading and structure of the region (the picture without one) are still those of the source.

    Mean SSIM of L* over the region; score 1 from 0.9 on, 0.8 at 0.72, 0 at 0.3. Before that,
    - edits that change lightness on purpose get the L* of their result mapped to that of the source, quantile
      by quantile over the region: a rising curve, that cannot bring back what was painted over;
    - of edits that change fine detail on purpose both pictures are blurred by 2 pixels; then the score is 1
      from 0.95 on, 0.8 at 0.9, 0 at 0.5;
    - an upscaled picture is scaled down again by area.
    Nothing to measure when the canvas changed otherwise.
    """
    before = lightness(evidence.before)
    after = lightness(evidence.after)
    region = evidence.artifacts.get("mask") if evidence.region is not None else None
    if region is None or region.shape != before.shape:
        region = evidence.region
    if before.shape != after.shape:
        if evidence.subtask != "image-upscaling":
            return None
        after, region = _scaled(after, before.shape), None
    if region is not None:
        if not region.any():
            return None
        window = window_around(region, 12)
        before, after, region = window.of(before), window.of(after), window.of(region)
    sigma = _FINE_BLUR.get(evidence.subtask, 0.0)
    before, after = blurred(before, sigma), blurred(after, sigma)
    if evidence.subtask in _RELIGHTS:
        after = _relit(after, before, region)
    similarity = ssim_map(before, after)
    mean = float(similarity[region].mean() if region is not None else similarity.mean())
    if sigma:
        score = piecewise(mean, (0.5, 0), (0.9, 0.8), (0.95, 1))
    else:
        score = piecewise(mean, (0.3, 0), (0.72, 0.8), (0.9, 1))
    where = "the picture" if region is None else "the region"
    sentence = f"the structure of {where} is {'kept' if score >= 0.8 else 'not kept'} (similarity {mean:.2f})"
    return CheckResult("structure-kept", score, sentence, {"ssim": mean})


def sharper(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """Detail is sharper than in the source at the same size, and not by noise.

    With r the ratio of the variances of the Laplacian of L* (result over source; the source of an upscaling
    is enlarged by cubic interpolation first), the score is 1 from r = 1.3 on, 0.8 at 1.05, 0 at 0.8. When the
    noise in the source's smooth parts rose by more than 0.8 steps of L*, the score is at most 0.6. Nothing to
    measure on a picture without detail (variance below 0.01), or when the canvas changed otherwise.
    """
    before, after = lightness(evidence.before), lightness(evidence.after)
    if before.shape != after.shape:
        if evidence.subtask != "image-upscaling":
            return None
        before = _scaled(before, after.shape)
    if evidence.region is not None and evidence.region.shape == after.shape and evidence.region.any():
        window = window_around(evidence.region, 0)
        before, after = window.of(before), window.of(after)
    old, new = sharpness(before), sharpness(after)
    if old < 0.01 and new < 0.01:
        return None
    ratio = new / max(old, 0.01)
    score = piecewise(ratio, (0.8, 0), (1.05, 0.8), (1.3, 1))
    smooth = smooth_parts(before)
    noise, more_noise = noise_level(before, smooth), noise_level(after, smooth)
    sentence = f"detail is {ratio:.2f} times as sharp as in the source"
    # Where nearly everything is textured, new texture and noise cannot be told apart.
    if smooth.mean() > 0.05 and more_noise > noise + 0.8:
        score = min(score, 0.6)
        sentence += f", but noise in smooth parts rose from {noise:.1f} to {more_noise:.1f}"
    measured = {"ratio": ratio, "noise_before": noise, "noise_after": more_noise}
    return CheckResult("sharper", score, sentence, measured)


def noise_reduced(evidence: Evidence, wanted: Any) -> CheckResult | None:  # noqa: ARG001
    """There is less noise than in the source.

    With r the ratio of the noise levels of L* (result over source), the score is 1 up to r = 0.5, 0.8 at
    0.75, 0 from r = 1 on. Hardly any noise in the source (below 0.5 steps of L*) leaves nothing to reduce: 1
    unless the result has more. Nothing to measure when the canvas changed.
    """
    before, after = lightness(evidence.before), lightness(evidence.after)
    if before.shape != after.shape:
        return None
    old, new = noise_level(before), noise_level(after)
    measured = {"noise_before": old, "noise_after": new}
    if old < 0.5:
        score = piecewise(new - old, (0.1, 1), (0.6, 0))
        sentence = f"there was hardly any noise to reduce ({old:.2f}; now {new:.2f})"
        return CheckResult("noise-reduced", score, sentence, measured)
    ratio = new / old
    score = piecewise(ratio, (0.5, 1), (0.75, 0.8), (1, 0))
    return CheckResult("noise-reduced", score, f"noise went from {old:.1f} to {new:.1f}", measured)


def _scaled(values: Float, shape: tuple[int, ...]) -> Float:
    import cv2

    size = (shape[1], shape[0])
    smaller = shape[0] * shape[1] < values.size
    method = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(values, size, interpolation=method), dtype=np.float32)


def _relit(after: Float, before: Float, region: Mask | None) -> Float:
    """`after` through the rising curve that gives it the quantiles of `before` over the region."""
    x = after.ravel() if region is None else after[region]
    y = before.ravel() if region is None else before[region]
    steps = np.linspace(0, 1, 65)
    # Equal neighbors (clipped highlights) get a hair's breadth between them: the curve needs rising places.
    places = np.maximum.accumulate(np.quantile(x, steps)) + np.arange(65) * 1e-6
    return np.interp(after, places, np.quantile(y, steps)).astype(np.float32)
