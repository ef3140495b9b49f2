"""Scenes of which the truth is known: things and words laid on a ground, which is kept to compare results with.

What a removal should give is then no matter of taste: the ground as it was ("clean plate").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from costa_dsl.checks.measure import blurred, color_difference, lightness, piecewise
from costa_dsl.store.pictures import load_picture
from costa_dsl.store.values import Image, Mask

SIZE = (640, 400)  # width and height of every scene

# Grounds, from plain to busy: a painted one, or a part (x0, y0, x1, y1, as shares) of a packaged photograph.
PAINTED = {"paper": (238, 232, 213), "blue": (60, 90, 150), "white": (250, 250, 250), "slate": (70, 75, 80)}
PARTS = {
    "sky": ("rocket", (0.0, 0.0, 0.5, 0.45)),
    "backdrop": ("astronaut", (0.0, 0.0, 0.32, 0.2)),
    "table": ("coffee", (0.0, 0.0, 0.42, 0.42)),
    "brick": ("brick", (0.0, 0.0, 1.0, 0.63)),
    "grass": ("grass", (0.0, 0.0, 1.0, 0.63)),
    "gravel": ("gravel", (0.0, 0.0, 1.0, 0.63)),
    "fur": ("chelsea", (0.2, 0.45, 0.8, 0.98)),
    "coins": ("coins", (0.0, 0.0, 1.0, 0.8)),
}
GROUNDS = [*PAINTED, "shaded", *PARTS]
# The height of capitals in pixels; the share of the picture that a thing covers.
LETTERS = (28, 56)
AREAS = (0.004, 0.03, 0.12)


@dataclass(frozen=True, eq=False)
class Plate:
    """A scene: the step to do, the picture, what should come out, and the pixels in which that is compared."""

    name: str
    step: str
    picture: Image
    truth: Image
    where: Mask


def plates() -> Iterator[Plate]:
    """Every scene: words on each ground in each size, and a thing on each ground in each size."""
    for name in GROUNDS:
        ground = ground_of(name)
        for height in LETTERS:
            yield _with_word(f"word-{height}-{name}", ground, height)
        for area in AREAS:
            yield _with_thing(f"thing-{area:g}-{name}", ground, area)


def ground_of(name: str) -> Image:
    """A ground, uint8 400×640×3."""
    from PIL import Image as Pictures

    if name in PAINTED:
        grain = np.random.default_rng(3).normal(0, 1.5, (SIZE[1], SIZE[0], 1))
        return np.clip(np.array(PAINTED[name]) + grain, 0, 255).astype(np.uint8)
    if name == "shaded":
        slope = np.linspace(0, 60, SIZE[0])[None, :, None] + np.linspace(0, 30, SIZE[1])[:, None, None]
        return np.clip(np.array([120, 130, 150]) + slope, 0, 255).astype(np.uint8)
    sample, (x0, y0, x1, y1) = PARTS[name]
    photograph = Pictures.fromarray(load_picture(f"sample:{sample}").pixels[..., :3])
    width, height = photograph.size
    part = photograph.crop((round(x0 * width), round(y0 * height), round(x1 * width), round(y1 * height)))
    return np.asarray(part.resize(SIZE, Pictures.Resampling.LANCZOS))


def _with_word(name: str, ground: Image, height: int) -> Plate:
    from PIL import Image as Pictures
    from PIL import ImageDraw, ImageFont

    canvas = Pictures.fromarray(ground)
    dark = lightness(ground).mean() > 50
    font = ImageFont.load_default(height / 0.72)
    place = (SIZE[0] // 2, SIZE[1] // 2)
    ImageDraw.Draw(canvas).text(place, "CLOSED", font=font, fill=(25, 15, 30) if dark else (250, 240, 90), anchor="mm")
    picture = np.asarray(canvas)
    return Plate(name, "{do: text-removal, text: CLOSED}", picture, ground, _wide((picture != ground).any(axis=2), 3))


def _with_thing(name: str, ground: Image, area: float) -> Plate:
    """An ellipse, shaded like a ball, of the color farthest from the ground's."""
    width, height = SIZE
    half = np.sqrt(area * width * height / np.pi)
    y, x = np.mgrid[:height, :width]
    far = ((x - 0.55 * width) / (1.25 * half)) ** 2 + ((y - 0.5 * height) / (0.8 * half)) ** 2
    color = np.where(ground.mean(axis=(0, 1)) > 128, 40, 215) + np.array([30, -10, -20])
    shade = np.sqrt(np.clip(1 - far, 0, 1))[..., None] * 0.5 + 0.5
    inside = far <= 1
    picture = np.where(inside[..., None], np.clip(color * shade, 0, 255), ground).astype(np.uint8)
    step = "{do: object-removal, object: ball, at: {mask: mask.png}}"
    return Plate(name, step, picture, ground, inside)


def _wide(mask: Mask, radius: int) -> Mask:
    import cv2

    kernel = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel) > 0)


def likeness(result: Image, plate: Plate) -> float:
    """How near a result comes to the ground as it was, in [0, 1]; 0.8 is what one accepts. The least of:

    - color: mean CIE76 difference after a blur of 4 pixels, which evens out texture: 1 up to 2, 0.8 at 6, 0 from 20;
    - traces: mean difference at a blur of 1.5 pixels, beyond that of two patches of the same texture (√2 times its
      deviation): the same scale;
    - texture, fine (L* without its blur of 3 pixels) and coarse (its blur of 1.5 without that of 6): the lesser
      deviation of result and truth over the greater, with one step of L* added to both, which nobody sees: 1 from
      0.8, 0.8 at 0.6, 0 below 0.2.
    """
    where = plate.where
    scale = ((2.0, 1.0), (6.0, 0.8), (20.0, 0.0))
    was, now = (_texture(image, where) for image in (plate.truth, result))
    traces = float(color_difference(plate.truth, result)[where].mean()) - np.sqrt(2) * was[0]
    scores = [
        piecewise(float(color_difference(plate.truth, result, 4.0)[where].mean()), *scale),
        piecewise(max(0.0, traces), *scale),
    ]
    for one, other in zip(was, now, strict=True):
        scores.append(piecewise((min(one, other) + 1) / (max(one, other) + 1), (0.2, 0.0), (0.6, 0.8), (0.8, 1.0)))
    return min(scores)


def _texture(image: Image, where: Mask) -> tuple[float, float]:
    """The deviation of L* in a fine and in a coarse band."""
    light = lightness(image)
    bands = (light - blurred(light, 3.0), blurred(light, 1.5) - blurred(light, 6.0))
    fine, coarse = (float(np.sqrt((band[where] ** 2).mean())) for band in bands)
    return fine, coarse
