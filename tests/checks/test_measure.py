"""The rulers agree with an independent computation (scikit-image, SciPy)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt, gaussian_filter
from skimage import data
from skimage.color import deltaE_cie76, rgb2lab
from skimage.metrics import structural_similarity

from costa_dsl.checks.measure import (
    blurred,
    color_difference,
    lab,
    lightness,
    noise_level,
    percent,
    piecewise,
    sharpness,
    ssim_map,
    window_around,
)
from costa_dsl.checks.region import grown

PHOTOS = [data.coffee(), data.chelsea(), data.astronaut()]
RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("picture", [*PHOTOS, RANDOM.integers(0, 256, (99, 101, 3), dtype=np.uint8)])
def test_lab_is_cielab(picture: np.ndarray) -> None:
    assert np.abs(lab(picture) - rgb2lab(picture)).max() < 0.5


@pytest.mark.parametrize("sigma", [0.0, 1.5, 4.0])
def test_color_difference_is_cie76_after_a_gaussian_blur(sigma: float) -> None:
    before, after = data.coffee(), np.roll(data.coffee(), 3, axis=1)
    blur = [gaussian_filter(p / 255.0, (sigma, sigma, 0), mode="reflect") for p in (before, after)]
    expected = deltaE_cie76(rgb2lab(blur[0]), rgb2lab(blur[1]))
    found = color_difference(before, after, sigma)
    assert np.abs(found - expected).max() < 1
    assert ((found > 8) != (expected > 8)).mean() < 0.002


def test_transparency_is_a_difference_that_can_be_seen() -> None:
    opaque = np.full((20, 20, 4), 255, np.uint8)
    clear = opaque.copy()
    clear[..., 3] = 0
    assert color_difference(opaque, clear).min() > 90
    assert color_difference(opaque[..., :3], opaque).max() == 0
    black = clear.copy()
    black[..., :3] = 0
    assert color_difference(clear, black).max() < 1e-3  # the color of nothing


@pytest.mark.parametrize("change", ["noise", "blur", "shift", "brighter"])
def test_ssim_is_that_of_scikit_image(change: str) -> None:
    before = lightness(data.coffee())
    after = {
        "noise": before + RANDOM.normal(0, 6, before.shape).astype(np.float32),
        "blur": blurred(before, 2.0),
        "shift": np.roll(before, 2, axis=0),
        "brighter": before + 12,
    }[change]
    _, expected = structural_similarity(
        before.astype(np.float64),
        after.astype(np.float64),
        data_range=100,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        full=True,
    )
    assert np.abs(ssim_map(before, after) - expected).max() < 2e-3


@pytest.mark.parametrize("sigma", [1.0, 3.0, 8.0])
def test_noise_level_finds_the_noise_that_was_added(sigma: float) -> None:
    flat = np.full((200, 200), 50, np.float32)
    assert noise_level(flat) == 0
    assert noise_level(flat + RANDOM.normal(0, sigma, flat.shape).astype(np.float32)) == pytest.approx(sigma, rel=0.05)
    photo = lightness(data.chelsea())
    noisy = photo + RANDOM.normal(0, sigma, photo.shape).astype(np.float32)
    expected = np.hypot(sigma, noise_level(photo))
    # Fur is fine enough to pass for noise: the less there is, the more it counts.
    assert noise_level(noisy) == pytest.approx(expected, rel=0.12 if sigma > 2 else 0.25)


def test_sharpness_falls_with_every_blur() -> None:
    photo = lightness(data.coffee())
    values = [sharpness(blurred(photo, sigma)) for sigma in (0, 0.7, 1.5, 3)]
    assert values == sorted(values, reverse=True)
    assert sharpness(np.full((9, 9), 5, np.float32)) == 0


@pytest.mark.parametrize("radius", [0, 1, 2.5, 7, 200])
def test_growing_is_euclidean_and_exact(radius: float) -> None:
    mask = RANDOM.random((80, 90)) > 0.995
    expected = distance_transform_edt(~mask) <= radius
    assert np.array_equal(grown(mask, radius), expected)


def test_growing_nothing_and_everything() -> None:
    assert not grown(np.zeros((5, 5), bool), 3).any()
    assert grown(np.ones((5, 5), bool), 3).all()
    assert grown(np.ones((1, 1), bool), 3).all()


def test_windows_hold_their_region() -> None:
    mask = np.zeros((30, 40), bool)
    mask[4:9, 35:40] = True
    window = window_around(mask, 6)
    assert window.of(mask).sum() == mask.sum()
    assert window.of(mask).shape == (15, 11)
    assert window_around(np.zeros((3, 4), bool), 5).of(mask[:3, :4]).shape == (3, 4)


def test_scores_by_straight_lines() -> None:
    assert [piecewise(x, (0.0, 1), (10, 0.5)) for x in (-1, 0, 5, 10, 99)] == [1, 1, 0.75, 0.5, 0.5]


def test_shares_as_people_write_them() -> None:
    assert [percent(x) for x in (0, 0.00012, 0.0412, 0.371, 1)] == [
        "0 %",
        "0.012 %",
        "4.1 %",
        "37 %",
        "100 %",
    ]
