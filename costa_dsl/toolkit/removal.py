"""Object removal: fill the place of a masked object from what stands around it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from costa_dsl.checks.region import grown
from costa_dsl.toolkit.api import Float, Image, Mask, ToolCall, ToolFailure, join_alpha, split_alpha
from costa_dsl.toolkit.region import mask_of, window_around


def telea(call: ToolCall) -> Mapping[str, Any]:
    """Fill by fast marching (Telea, 2004): quick; right for small things on plain ground, a smear elsewhere.

    Parameters: `grow` (pixels that the mask is dilated by), `work_pixels` (larger holes are filled on a
    reduced copy).
    """
    rgb, alpha = split_alpha(call.image)
    hole = hole_of(call)
    return {"image": join_alpha(_fill(call, rgb, hole, ring=16, method=_telea_fill), alpha)}


def patchmatch(call: ToolCall) -> Mapping[str, Any]:
    """Fill with patches of the surroundings (PatchMatch, Barnes et al., 2009).

    Sources are taken from a ring around the hole only: what is farther away is rarely what stood behind the
    object.

    Parameters: `grow` (pixels that the mask is dilated by), `ring` (width of that ring in working pixels),
    `patch` (radius of the compared patches), `work_pixels` (larger holes are filled on a reduced copy, then
    get the grain of their surroundings).
    """
    rgb, alpha = split_alpha(call.image)
    hole = hole_of(call)
    patch = int(call.parameters.get("patch", 4))
    engine = call.models.get("patchmatch", load_patchmatch)

    def fill(part: Image, inside: Mask, closed: Mask) -> Image:
        return patchmatch_fill(engine, part, inside, closed, patch, call.seed)

    ring = int(call.parameters.get("ring", 72))
    return {"image": join_alpha(_fill(call, rgb, hole, ring=ring, method=fill), alpha)}


def hole_of(call: ToolCall) -> Mask:
    """The mask dilated by the parameter `grow`: the pixels to fill.

    Raises:
        ToolFailure: `invalid-input` when nothing of the picture is left to fill from.
    """
    hole = grown(mask_of(call, "remove"), int(call.parameters.get("grow", 8)))
    if hole.all():
        raise ToolFailure(
            "invalid-input",
            "the object covers the whole picture: nothing is left to fill its place with",
            "give a smaller mask, or a smaller grow",
        )
    return hole


def load_patchmatch() -> Any:
    try:
        import patchmatch as engine
    except ImportError as error:
        raise ToolFailure(
            "unavailable", "the package PyPatchMatch is not installed", "pip install 'costa-dsl[local]'"
        ) from error
    if not engine.patchmatch_available:
        raise ToolFailure("unavailable", "PyPatchMatch's library does not load here", "use the tool telea")
    return engine


def patchmatch_fill(engine: Any, rgb: Image, hole: Mask, closed: Mask, patch: int, seed: int) -> Image:
    """Fill `hole` from pixels neither in it nor `closed` (all H×W); by Telea where no patch fits."""
    # A patch must fit into the picture, and some whole patches must be free of hole.
    radius = min(patch, (min(hole.shape) - 2) // 2)
    if radius < 1 or not _has_source(hole | closed, radius):
        return _telea_fill(rgb, hole, closed)
    engine.set_random_seed(seed % 2**32)
    filled: Image = engine.inpaint(np.ascontiguousarray(rgb), hole, global_mask=closed & ~hole, patch_size=radius)
    return filled


def _has_source(blocked: Mask, radius: int) -> bool:
    import cv2

    size = 2 * radius + 1
    if min(blocked.shape) < size:
        return False
    touched = cv2.dilate(blocked.astype(np.uint8), np.ones((size, size), np.uint8))
    inner = touched[radius:-radius, radius:-radius]
    return bool((inner == 0).any())


def _telea_fill(rgb: Image, hole: Mask, closed: Mask) -> Image:  # noqa: ARG001
    import cv2

    filled: Image = cv2.inpaint(np.ascontiguousarray(rgb), hole.astype(np.uint8), 5, cv2.INPAINT_TELEA)
    # In a wide hole the fronts from its sides meet in hard ridges: blur the more, the farther from the
    # border.
    depth = cv2.distanceTransform(hole.astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    deepest = min(float(depth.max()), 0.5 * math.sqrt(float(hole.sum())))
    smooth = filled.astype(np.float32)
    for share in (0.1, 0.25, 0.5):
        if share * deepest < 0.8:
            continue
        blurred = cv2.GaussianBlur(filled, (0, 0), share * deepest).astype(np.float32)
        weight = np.clip(depth / (2.0 * share * deepest), 0.0, 1.0)[..., None]
        smooth += weight * (blurred - smooth)
    return np.clip(np.round(smooth), 0, 255).astype(np.uint8)


def _fill(call: ToolCall, rgb: Image, hole: Mask, ring: int, method: Any) -> Image:
    """Fill a window around the hole, on a reduced copy when the hole is large; only the hole changes."""
    most = int(call.parameters.get("work_pixels", 160_000))
    scale = min(1.0, math.sqrt(most / int(hole.sum())))
    reach = math.ceil(ring / scale)
    window = window_around(hole, reach + 8)
    part, inside = window.cut(rgb), window.cut(hole)
    closed = ~grown(inside, reach)
    whole = scale == 1.0
    filled = method(part, inside, closed) if whole else _fill_reduced(part, inside, closed, scale, method)
    filled = _add_grain(part, filled, inside, ~closed & ~inside, call.seed)
    result = rgb.copy()
    window.cut(result)[inside] = filled[inside]
    return result


def _fill_reduced(rgb: Image, hole: Mask, closed: Mask, scale: float, method: Any) -> Image:
    import cv2

    height, width = hole.shape
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    # The object must not bleed into the reduced surroundings: average over free pixels only.
    free = (~hole).astype(np.float32)
    weight = cv2.resize(free, size, interpolation=cv2.INTER_AREA)
    total = cv2.resize(rgb.astype(np.float32) * free[..., None], size, interpolation=cv2.INTER_AREA)
    small = np.clip(np.round(total / np.maximum(weight, 1e-3)[..., None]), 0, 255).astype(np.uint8)
    small_hole = weight < 0.5
    small_closed = cv2.resize(closed.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
    if small_hole.all() or not small_hole.any():
        return _telea_fill(rgb, hole, closed)
    filled: Image = cv2.resize(method(small, small_hole, small_closed), (width, height), interpolation=cv2.INTER_CUBIC)
    return filled


def _add_grain(rgb: Image, filled: Image, hole: Mask, around: Mask, seed: int) -> Image:
    """Give the fill the noise of its surroundings, which averaging took away."""
    missing = _grain(rgb, around) ** 2 - _grain(filled, hole) ** 2
    if missing <= 0.05:
        return filled
    noise = np.random.default_rng(seed).normal(0.0, math.sqrt(missing), hole.shape)
    return np.clip(np.round(filled + noise[..., None]), 0, 255).astype(np.uint8)


def _grain(rgb: Image, region: Mask) -> float:
    """Noise in grey levels: the lower quartile of local deviations, so that texture does not count."""
    import cv2

    light = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float32)
    residue: Float = light - cv2.GaussianBlur(light, (0, 0), 1.0)
    local = np.sqrt(np.maximum(cv2.blur(residue * residue, (7, 7)), 0.0))
    return float(np.percentile(local[region], 25)) if region.any() else 0.0
