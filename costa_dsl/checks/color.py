"""Does the thing now have the color that was asked for?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.measure import lab, percent, piecewise
from costa_dsl.model.color import color_of
from costa_dsl.store.values import Float

# Hues that everybody has a word for. A result nearer to another of them than to the wanted one is wrong,
# however near both lie in CIELAB: blue and purple are 22° apart, red and orange 33°.
_BASIC = {
    "red": (255, 0, 0), "orange": (255, 165, 0), "yellow": (255, 255, 0), "green": (0, 128, 0),
    "cyan": (0, 255, 255), "blue": (0, 0, 255), "purple": (128, 0, 128),
}  # fmt: skip

# Below this chroma a color is gray to the eye, and has no hue worth comparing.
GRAY = 15.0


@dataclass(frozen=True, slots=True)
class Appearance:
    """The color of a region: median L*, a robust mean of a* and b*, and the share of it near a wanted hue."""

    lightness: float
    chroma: float
    hue: float
    near: float


def color_match(evidence: Evidence, wanted: Any) -> CheckResult | None:
    """The region has the wanted color, whatever light and shade do to it.

    Everything in CIELAB, over the pixels of the mask (the region without one) that are neither so dark (L*
    below 10) nor so bright (L* above 97) that they have no visible hue. The score is the least of, for a
    wanted color with a hue (chroma above 15):
    - angle between the mean hue and the wanted one: 1 up to 18°, 0.8 at 30°, 0 from 60° on; at most 0.5 when
      a basic hue (red, orange, yellow, green, cyan, blue, purple) is nearer by 10°;
    - chroma over the wanted one's: 1 from 0.4 on, 0.8 at 0.25, 0 below 0.08;
    - share of pixels within 45° of the hue (pixels without a hue are not among them): 1 from 80 %, 0.8 at 60
      %, 0 below 20 %;
    - distance of median L* beyond shading: 1 up to 28, 0.8 at 40, 0 from 70 on;
    and for black, gray and white: mean chroma 1 up to 10, 0.8 at 16, 0 from 40 on; and distance of median L*:
    1 up to 25, 0.8 at 38, 0 from 60 on (one-sided for black and white: nothing is too black).

    `wanted` names the color; otherwise it is the step's `to`. Nothing to measure when that is no color name
    or when there is neither mask nor region.
    """
    text = wanted if isinstance(wanted, str) else evidence.arguments.get("to")
    goal = color_of(text) if isinstance(text, str) else None
    mask = evidence.artifacts.get("mask")
    if mask is None:
        mask = evidence.region
    if goal is None or mask is None or mask.shape != evidence.after.shape[:2]:
        return None
    name = "color-match"
    if not mask.any():
        return CheckResult(name, 0.0, "the region to recolor is empty")
    target = lab(np.array([[goal]], dtype=np.uint8))[0, 0]
    chroma = float(np.hypot(target[1], target[2]))
    pixels = lab(evidence.after[mask][:, None, :3])[:, 0]
    if evidence.after.shape[2] == 4:
        shown = evidence.after[mask][:, 3] > 25
        pixels = pixels[shown] if shown.any() else pixels
    angle = float(np.degrees(np.arctan2(target[2], target[1])))
    seen = appearance(pixels, angle, with_dark=chroma <= GRAY)
    scores = _gray_scores(seen, float(target[0])) if chroma <= GRAY else _hue_scores(seen, target, angle)
    sentence = min(scores, key=lambda words: scores[words])
    measured = {"lightness": seen.lightness, "chroma": seen.chroma, "hue": seen.hue, "near": seen.near}
    score = scores[sentence]
    if score >= 0.999:
        sentence = f"{percent(seen.near)} of it has the hue of {text}" if chroma > GRAY else f"it looks {text}"
    return CheckResult(name, score, f"{sentence} (wanted: {text})", measured)


def appearance(pixels: Float, angle: float, with_dark: bool = False) -> Appearance:
    """The color of CIELAB pixels N×3 as a person sums it up; `angle` is the wanted hue in degrees."""
    light = pixels[:, 0]
    clear = (light > 10) & (light < 97)
    usable = pixels if with_dark or clear.mean() < 0.05 else pixels[clear]
    chroma = np.hypot(usable[:, 1], usable[:, 2])
    # Medians per axis: a highlight or a leaf in the mask that is none must not pull the mean.
    a, b = float(np.median(usable[:, 1])), float(np.median(usable[:, 2]))
    away = np.abs((np.degrees(np.arctan2(usable[:, 2], usable[:, 1])) - angle + 180) % 360 - 180)
    near = float(((away <= 45) & (chroma > 6)).mean())
    hue = float(np.degrees(np.arctan2(b, a)))
    return Appearance(float(np.median(usable[:, 0])), float(np.hypot(a, b)), hue, near)


def _rival(hue: float, wanted: float) -> str | None:
    """A basic hue that is nearer than the wanted one by more than 10°, unless the two are nearly the same."""
    names = list(_BASIC)
    colors = lab(np.array([list(_BASIC.values())], dtype=np.uint8))[0]
    for name, color in zip(names, colors, strict=True):
        own = float(np.degrees(np.arctan2(color[2], color[1])))
        if _apart(own, wanted) > 12 and _apart(hue, own) + 10 < _apart(hue, wanted):
            return name
    return None


def _apart(one: float, other: float) -> float:
    """The angle between two hues, 0 … 180 degrees."""
    return abs((one - other + 180) % 360 - 180)


def _hue_scores(seen: Appearance, target: Float, angle: float) -> dict[str, float]:
    away = _apart(seen.hue, angle)
    rival = _rival(seen.hue, angle)
    ratio = seen.chroma / float(np.hypot(target[1], target[2]))
    gap = abs(seen.lightness - float(target[0]))
    side = "lighter" if seen.lightness > target[0] else "darker"
    return {
        f"its hue is nearer to {rival}": 1.0 if rival is None else 0.5,
        f"its hue is {away:.0f}° away": piecewise(away, (18, 1), (30, 0.8), (60, 0)),
        f"it has {percent(ratio)} of the color's strength": piecewise(ratio, (0.08, 0), (0.25, 0.8), (0.4, 1)),
        f"{percent(seen.near)} of it has that hue": piecewise(seen.near, (0.2, 0), (0.6, 0.8), (0.8, 1)),
        f"it is {gap:.0f} steps of lightness {side}": piecewise(gap, (28, 1), (40, 0.8), (70, 0)),
    }


def _gray_scores(seen: Appearance, light: float) -> dict[str, float]:
    gap = seen.lightness - light
    # Nothing is too white for white, or too black for black.
    gap = max(0.0, -gap) if light > 90 else max(0.0, gap) if light < 10 else abs(gap)
    return {
        f"it has a tint of strength {seen.chroma:.0f}": piecewise(seen.chroma, (10, 1), (16, 0.8), (40, 0)),
        f"it is {gap:.0f} steps of lightness away": piecewise(gap, (25, 1), (38, 0.8), (60, 0)),
    }
