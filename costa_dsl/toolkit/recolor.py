"""Object recoloration: a new color for a masked object, with its shading, gloss and texture kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from costa_dsl.checks.region import grown
from costa_dsl.toolkit.api import Float, Image, Mask, ToolCall, ToolFailure, join_alpha, split_alpha
from costa_dsl.toolkit.color import parse_color
from costa_dsl.toolkit.region import Window, mask_of, window_around

# Below this CIELAB chroma people call a color grey.
GREY = 9.0
# Lightness that a whole object can have and still show light and shadow.
DARKEST, LIGHTEST = 12.0, 82.0
# Steps of lightness below this are texture (above: edges and shading), and this share of texture is kept.
TEXTURE, FINE = 10.0, 0.8


def recolor_lab(call: ToolCall) -> Mapping[str, Any]:
    """Give the masked object the color `to`, in CIELAB.

    The object's shading is its lightness relative to the object's mean; it is kept while the mean moves to
    the wanted color. Chroma and lightness move together, as they do when a surface of another color stands
    in the same light. Gloss (bright pixels with much less color than the rest) and parts of clearly another
    hue stay.

    Parameters: `grow` (how far in pixels beyond the mask the edge may be softened), `lightness` (0 … 1: how
    far the mean lightness moves to that of the wanted color), `keep_other_hues` (whether parts of another
    hue stay).
    """
    rgb, alpha = split_alpha(call.image)
    mask = mask_of(call, "recolor")
    window = window_around(mask, int(call.parameters.get("grow", 2)) + 8)
    part, inside = window.cut(rgb), window.cut(mask)
    lab = _to_lab(part)
    target = _target_lab(call)
    coverage = _coverage(lab, inside, int(call.parameters.get("grow", 2)))
    painted = _paint(
        lab, inside, target,
        lightness=float(call.parameters.get("lightness", 0.7)),
        keep_other_hues=bool(call.parameters.get("keep_other_hues", True)),
    )  # fmt: skip
    mixed = lab + coverage[..., None] * (painted - lab)
    return {"image": join_alpha(_put_back(rgb, window, _to_rgb(mixed), coverage > 0), alpha)}


def recolor_hue(call: ToolCall) -> Mapping[str, Any]:
    """Give the masked object the hue and saturation of `to` in HSV and keep its brightness.

    Quick, and right for a colorful target of a brightness like the object's; white, black and grey targets
    only take the color away.
    """
    import cv2

    rgb, alpha = split_alpha(call.image)
    mask = mask_of(call, "recolor")
    grow = int(call.parameters.get("grow", 2))
    window = window_around(mask, grow + 2)
    part, inside = window.cut(rgb), window.cut(mask)
    hsv = cv2.cvtColor(part.astype(np.float32) / 255.0, cv2.COLOR_RGB2HSV)
    wanted = cv2.cvtColor(np.array([[parse_color(str(call.arguments["to"]))]], np.float32) / 255.0, cv2.COLOR_RGB2HSV)[
        0, 0
    ]
    mean = float(hsv[..., 1][inside].mean())
    hsv[..., 0] = wanted[0]
    hsv[..., 1] = np.clip(hsv[..., 1] * (wanted[1] / mean), 0.0, 1.0) if mean > 0.05 else wanted[1]
    painted = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB) * 255.0
    soft = cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 1.0)
    coverage = np.where(grown(inside, grow), np.where(inside, np.maximum(soft, 0.5), soft), 0.0)[..., None]
    mixed = part + coverage * (painted - part)
    changed = np.clip(np.round(mixed), 0, 255).astype(np.uint8)
    return {"image": join_alpha(_put_back(rgb, window, changed, coverage[..., 0] > 0), alpha)}


@dataclass(frozen=True)
class _Pigment:
    """The typical color of an object: mean CIELAB lightness, chroma per lightness, main hue and its share."""

    light: float
    saturation: float
    hue: float
    share: float

    @property
    def is_grey(self) -> bool:
        return self.saturation * (self.light + 16.0) < GREY


def _pigment(lab: Float, inside: Mask) -> _Pigment:
    pixels = lab[inside]
    chroma = np.hypot(pixels[:, 1], pixels[:, 2])
    total = float(chroma.sum()) + 1e-6
    # The hue is a circular mean weighted by chroma: grey pixels have no hue to speak of.
    hue = float(np.arctan2(pixels[:, 2].sum(), pixels[:, 1].sum()))
    angle = np.arctan2(pixels[:, 2], pixels[:, 1]) - hue
    near = np.abs((angle + np.pi) % (2 * np.pi) - np.pi) < np.radians(50)
    return _Pigment(
        light=float(pixels[:, 0].mean()),
        saturation=float(np.median(chroma / (pixels[:, 0] + 16.0))),
        hue=hue,
        share=float(chroma[near].sum()) / total,
    )


def _paint(lab: Float, inside: Mask, target: Float, *, lightness: float, keep_other_hues: bool) -> Float:
    """Every pixel of the window (H×W×3 CIELAB) as if it were part of the object, in the target's color."""
    pigment = _pigment(lab, inside)
    light = lab[..., 0]
    chroma = np.hypot(lab[..., 1], lab[..., 2])
    if float(np.hypot(target[1], target[2])) < GREY:
        lightness = 1.0 - 0.4 * (1.0 - lightness)  # lightness is all that tells white, grey and black apart
    wanted = float(np.clip(pigment.light + lightness * (float(target[0]) - pigment.light), DARKEST, LIGHTEST))

    # How much of the object's own pigment a pixel shows, 1 for a typical one. Gloss shows little.
    colored = np.ones_like(light)
    gloss = np.zeros_like(light)
    if not pigment.is_grey:
        colored = chroma / (light + 16.0) / pigment.saturation
        bright = _smoothstep(light, pigment.light + 8.0, min(97.0, pigment.light + 40.0))
        gloss = bright * (1.0 - _smoothstep(colored, 0.15, 0.65))
    # Moving the coarse lightness and adding the fine one unchanged keeps texture where the curve is flat.
    coarse = _coarse(light, inside)
    moved = _move_light(coarse, inside, wanted, _headroom(target))
    new_light = np.clip(moved + FINE * (light - coarse), 0.0, 100.0)
    kept = np.maximum(light, new_light) if wanted > pigment.light else light
    new_light = new_light + gloss * (kept - new_light)

    # A surface of another color in the same light: L + 16, a and b scale together (they are all cube roots
    # of light).
    shade = (new_light + 16.0) / (float(target[0]) + 16.0)
    vividness = np.clip(0.2 + 0.8 * colored, 0.0, 1.1) * (1.0 - gloss)
    painted = np.dstack([new_light, target[1] * shade * vividness, target[2] * shade * vividness])
    if keep_other_hues and not pigment.is_grey and pigment.share > 0.7:
        painted += _other_hue(lab, pigment)[..., None] * (lab - painted)
    result: Float = painted.astype(np.float32)
    return result


def _coarse(light: Float, inside: Mask) -> Float:
    """Lightness without texture, its strong edges kept: a self-guided filter (He, Sun and Tang, 2010)."""
    import cv2

    radius = int(np.clip(0.06 * np.sqrt(inside.sum()), 3, 24))
    size = (2 * radius + 1,) * 2
    mean = cv2.blur(light, size)
    variance = np.maximum(cv2.blur(light * light, size) - mean * mean, 0.0)
    slope = variance / (variance + TEXTURE**2)
    result: Float = cv2.blur(slope, size) * light + cv2.blur((1.0 - slope) * mean, size)
    return result


def _other_hue(lab: Float, pigment: _Pigment) -> Float:
    """1 where a pixel is clearly of another hue than the object: a patch on a sleeve, a tongue, a window."""
    import cv2

    # Hue is noisy where color is weak: judge it on a slightly blurred picture.
    a, b = (cv2.GaussianBlur(np.ascontiguousarray(lab[..., axis]), (0, 0), 1.5) for axis in (1, 2))
    angle = np.abs((np.arctan2(b, a) - pigment.hue + np.pi) % (2 * np.pi) - np.pi)
    other: Float = _smoothstep(angle, np.radians(65), np.radians(95)) * _smoothstep(np.hypot(a, b), 8.0, 18.0)
    return other


def _headroom(target: Float) -> float:
    """How far above the mean an object's lightness may rise and its color still be seen as the wanted one.

    A screen shows a strong color only near its own lightness: a red made lighter turns pink.
    """
    strong = min(1.0, float(np.hypot(target[1], target[2])) / 60.0)
    return 30.0 + strong * (max(14.0, 0.4 * (100.0 - float(target[0]))) - 30.0)


def _move_light(light: Float, inside: Mask, wanted: float, headroom: float) -> Float:
    """Move lightness so that its mean inside is `wanted`; black stays black, and order is kept.

    Darkening scales (as another pigment would); lightening bends (scaling would burn the bright parts out).
    """
    sample = light[inside][:: max(1, int(inside.sum()) // 20_000)]
    darker = wanted < float(sample.mean())

    def curve(values: Float, strength: float) -> Float:
        if darker:
            moved = values / strength
        else:
            bent = 100.0 * (np.maximum(values, 0.0) / 100.0) ** (1.0 / strength)
            # Deep shadow must not turn to fog: near black at most five times as light.
            most = 5.0 * values
            moved = bent * most / np.maximum((bent**3 + most**3) ** (1 / 3), 1e-6)
        over = np.maximum(moved - wanted, 0.0)
        result: Float = np.minimum(moved, wanted) + headroom * (1.0 - np.exp(-over / headroom))
        return result

    low, high = 1.0, 40.0
    for _ in range(30):
        middle = (low * high) ** 0.5
        if (float(curve(sample, middle).mean()) > wanted) == darker:
            low = middle
        else:
            high = middle
    return curve(light, (low * high) ** 0.5)


def _coverage(lab: Float, inside: Mask, grow: int) -> Float:
    """How much of each pixel belongs to the object, 0 … 1: the mask's edge laid along the picture's own edge.

    A guided filter (He, Sun and Tang, 2010) of the mask; the guide is the one direction of CIELAB that
    parts the object from what stands around it best (Fisher's discriminant).
    """
    import cv2

    allowed = grown(inside, grow)
    core = ~grown(~inside, grow + 1)
    around = grown(inside, grow + 6) & ~allowed
    hard = inside.astype(np.float32)
    if grow == 0 or not core.any() or not around.any():
        return np.where(allowed, np.maximum(hard, 0.0), 0.0).astype(np.float32)
    guide = _discriminant(lab, core, around)
    size = (2 * (grow + 1) + 1,) * 2

    def mean(values: Float) -> Float:
        blurred: Float = cv2.blur(values, size)
        return blurred

    mean_guide, mean_mask = mean(guide), mean(hard)
    slope = (mean(guide * hard) - mean_guide * mean_mask) / (mean(guide * guide) - mean_guide**2 + 0.01)
    offset = mean_mask - slope * mean_guide
    soft = np.clip(mean(slope) * guide + mean(offset), 0.0, 1.0)
    # The window leaves wiggles of a few percent: press them flat at both ends.
    soft = _smoothstep(soft, 0.08, 0.92)
    return np.where(core, 1.0, np.where(allowed, soft, 0.0)).astype(np.float32)


def _discriminant(lab: Float, core: Mask, around: Mask) -> Float:
    inner, outer = lab[core].astype(np.float64), lab[around].astype(np.float64)
    spread = np.cov(inner.T) + np.cov(outer.T) if min(len(inner), len(outer)) > 3 else np.eye(3)
    direction = np.linalg.solve(spread + 4.0 * np.eye(3), inner.mean(0) - outer.mean(0))
    along = lab @ direction.astype(np.float32)
    a, b = float((inner @ direction).mean()), float((outer @ direction).mean())
    guide: Float = np.clip((along - b) / (a - b if abs(a - b) > 1e-6 else 1.0), -0.5, 1.5).astype(np.float32)
    return guide


def _target_lab(call: ToolCall) -> Float:
    if "to" not in call.arguments:
        raise ToolFailure("invalid-input", "no color is named", "write to: red, for example")
    wanted: Float = _to_lab(np.array([[parse_color(str(call.arguments["to"]))]], np.uint8))[0, 0]
    return wanted


def _to_lab(rgb: Image) -> Float:
    import cv2

    lab: Float = cv2.cvtColor(rgb.astype(np.float32) / 255.0, cv2.COLOR_RGB2Lab)
    return lab


def _to_rgb(lab: Float) -> Image:
    """CIELAB to sRGB; a color that a screen cannot show loses chroma, not hue or lightness."""
    import cv2

    chromatic = lab.copy()
    fits = _shown(lab, cv2)
    low, high = fits.astype(np.float32), np.ones(lab.shape[:2], np.float32)
    for _ in range(0 if fits.all() else 7):
        middle = (low + high) / 2
        chromatic[..., 1:] = lab[..., 1:] * middle[..., None]
        fits = _shown(chromatic, cv2)
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    chromatic[..., 1:] = lab[..., 1:] * low[..., None]
    shown = cv2.cvtColor(chromatic, cv2.COLOR_Lab2RGB) * 255.0
    rgb: Image = np.clip(np.round(shown), 0, 255).astype(np.uint8)
    return rgb


def _shown(lab: Float, cv2: Any) -> Mask:
    """Whether sRGB holds a color: it survives the way there and back."""
    rgb = np.clip(cv2.cvtColor(lab, cv2.COLOR_Lab2RGB), 0.0, 1.0)
    back = cv2.cvtColor(rgb, cv2.COLOR_RGB2Lab)
    result: Mask = np.abs(back - lab).max(axis=2) < 2.0
    return result


def _smoothstep(values: Float, start: float, end: float) -> Float:
    t = np.clip((values - start) / max(end - start, 1e-6), 0.0, 1.0)
    result: Float = t * t * (3.0 - 2.0 * t)
    return result


def _put_back(rgb: Image, window: Window, part: Image, changed: Mask) -> Image:
    result = rgb.copy()
    window.cut(result)[changed] = part[changed]
    return result
