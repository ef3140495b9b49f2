"""Structure, sharpness and noise: what keeps or improves them passes, what ruins them fails."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from skimage import data
from skimage.util import random_noise

from costa_dsl.model.artifact import Placement
from tests.checks.scenes import Pixels, check, ellipse, pasted, score
from tests.checks.test_color import MASK, recolored

COFFEE = data.coffee()
CAT = data.chelsea()


def noisy(picture: Pixels, sigma: float = 0.06) -> Pixels:
    values = random_noise(picture, var=sigma**2, rng=np.random.default_rng(0))
    return np.rint(values * 255).astype(np.uint8)


def unsharp(picture: Pixels, amount: float = 0.8) -> Pixels:
    soft = cv2.GaussianBlur(picture, (0, 0), 1.2).astype(np.float32)
    return np.clip(picture + amount * (picture - soft), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("color", ["red", "blue", "yellow", "#202040", "white"])
def test_a_recolor_keeps_shading_and_flat_paint_does_not(color: str) -> None:
    more = {"subtask": "object-recoloration", "artifacts": {"mask": MASK}, "region": MASK}
    right = recolored(COFFEE, MASK, color)
    assert score("structure-kept", COFFEE, right, **more) >= 0.8
    assert score("structure-kept", COFFEE, pasted(COFFEE, MASK, (200, 20, 20)), **more) < 0.8
    assert score("structure-kept", COFFEE, pasted(COFFEE, MASK, np.roll(COFFEE, 60, axis=1)), **more) < 0.5
    smooth = pasted(COFFEE, MASK, cv2.GaussianBlur(right, (0, 0), 8))
    assert score("structure-kept", COFFEE, smooth, **more) < 0.8


def test_denoising_keeps_structure_and_smearing_does_not() -> None:
    before = noisy(CAT)
    denoised = cv2.fastNlMeansDenoisingColored(before, None, 7, 7, 5, 15)
    more = {"subtask": "denoising"}
    assert score("structure-kept", before, CAT, **more) >= 0.9
    assert score("structure-kept", before, denoised, **more) >= 0.8
    assert score("structure-kept", before, cv2.GaussianBlur(before, (0, 0), 8), **more) < 0.8
    assert score("structure-kept", before, np.roll(CAT, 6, axis=1), **more) < 0.8
    assert score("structure-kept", before, COFFEE[:300, :451], **more) < 0.3
    assert score("noise-reduced", before, CAT, **more) >= 0.9
    assert score("noise-reduced", before, denoised, **more) >= 0.8
    assert score("noise-reduced", before, before, **more) == 0
    assert score("noise-reduced", CAT, before, **more) == 0
    flat = np.full((50, 50, 3), 90, np.uint8)
    assert score("noise-reduced", flat, flat, **more) == 1
    assert score("noise-reduced", flat, noisy(flat), **more) == 0
    assert check("noise-reduced", CAT, CAT[1:], **more) is None


def test_upscaling_keeps_the_picture_and_adds_detail() -> None:
    before = cv2.resize(COFFEE, (300, 200), interpolation=cv2.INTER_AREA)
    more = {"subtask": "image-upscaling", "placement": Placement(0, 0, 2, 2)}
    cubic = cv2.resize(before, (600, 400), interpolation=cv2.INTER_CUBIC)
    assert score("structure-kept", before, COFFEE, **more) >= 0.9
    assert score("structure-kept", before, np.roll(COFFEE, 12, axis=1), **more) < 0.8
    assert score("structure-kept", before, COFFEE[::-1], **more) < 0.3
    assert score("sharper", before, COFFEE, **more) == 1
    assert score("sharper", before, cubic, **more) < 0.8
    assert score("sharper", before, cv2.resize(before, (600, 400), interpolation=cv2.INTER_LINEAR), **more) < 0.5
    assert score("sharper", before, noisy(cubic, 0.04), **more) < 0.8


def test_deblurring_is_sharper_and_noise_is_not_detail() -> None:
    before = cv2.GaussianBlur(COFFEE, (0, 0), 1.5)
    more = {"subtask": "image-deblurring"}
    assert score("sharper", before, COFFEE, **more) == 1
    assert score("sharper", before, unsharp(before), **more) >= 0.8
    assert score("structure-kept", before, COFFEE, **more) >= 0.8
    assert score("sharper", before, before, **more) < 0.8
    assert score("sharper", COFFEE, before, **more) == 0
    assert score("sharper", before, noisy(before, 0.04), **more) < 0.8
    flat = np.full((50, 50, 3), 90, np.uint8)
    assert check("sharper", flat, flat, **more) is None


def test_only_the_region_counts() -> None:
    region = ellipse(COFFEE.shape, 300, 190, 130, 110)
    before = pasted(COFFEE, region, cv2.GaussianBlur(COFFEE, (0, 0), 2))
    assert score("sharper", before, COFFEE, region=region) == 1
    ruined = pasted(COFFEE, ~region, 0)
    assert score("structure-kept", COFFEE, ruined, region=region) >= 0.8
    assert check("structure-kept", COFFEE, COFFEE, region=region & False) is None
    assert check("structure-kept", COFFEE, COFFEE[1:]) is None


@pytest.mark.parametrize("name", ["structure-kept", "sharper", "noise-reduced"])
@pytest.mark.parametrize("shape", [(1, 1, 3), (9000, 16, 3), (2, 300, 4)])
def test_extreme_pictures_are_measured(name: str, shape: tuple[int, ...]) -> None:
    before = np.zeros(shape, np.uint8)
    for after in (before, np.full(shape, 255, np.uint8)):
        check(name, before, after, region=np.ones(shape[:2], bool))
        check(name, before, after, subtask="object-recoloration")
    check(name, before, np.repeat(np.repeat(before, 2, 0), 2, 1), subtask="image-upscaling")
