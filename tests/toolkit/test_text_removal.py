"""Erasing drawn text: nothing of it is left, and nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest

from costa_dsl.toolkit.api import Image, TextLine, ToolFailure
from costa_dsl.toolkit.text_ink import polygon_mask
from tests.conftest import calls_of
from tests.toolkit.text_scenes import draw_sign, read_text, run_tool

REMOVERS = ("text-fill", "text-inpaint", "text-patchmatch")


def shaded_ground() -> Image:
    across = np.linspace(40, 160, 640)[None, :, None] * np.ones((200, 1, 3)) * [0.5, 0.8, 1.2]
    return np.asarray(across.clip(0, 255).round(), dtype=np.uint8)


@pytest.mark.parametrize("tool", REMOVERS)
def test_on_plain_ground_the_truth_comes_back(tool: str) -> None:
    ground = (240, 235, 220)
    sign = draw_sign("Closed today", ground=ground)
    result = run_tool(tool, sign.image, arguments={"text": "closed today"}, artifacts={"text": read_text(sign.image)})
    assert np.abs(result["image"].astype(int) - ground).max() <= (3 if tool == "text-inpaint" else 2)


@pytest.mark.parametrize("tool", REMOVERS)
def test_on_shaded_ground_the_truth_comes_back(tool: str) -> None:
    sign = draw_sign("Night train", color=(255, 230, 120), ground=shaded_ground())
    result = run_tool(tool, sign.image, arguments={"text": sign.text}, artifacts={"text": read_text(sign.image)})
    error = np.abs(result["image"].astype(int) - shaded_ground())
    assert error.mean() < 0.2
    assert error.max() <= (3 if tool == "text-fill" else 12)


@pytest.mark.parametrize("tool", REMOVERS)
def test_one_word_goes_and_the_rest_stays_bit_for_bit(tool: str) -> None:
    sign = draw_sign("We are closed")
    text = read_text(sign.image)
    result = run_tool(tool, sign.image, arguments={"text": "closed"}, artifacts={"text": text})
    (erased,) = result["erased-text"]
    assert erased.text == "closed"
    region = polygon_mask(sign.image.shape[:2], erased.corners, grow=4)
    assert np.array_equal(result["image"][~region], sign.image[~region])
    assert [line.text for line in read_text(result["image"])] == ["We are"]


def test_outline_and_shadow_go_too() -> None:
    import cv2

    ground = np.full((200, 640, 3), (90, 140, 200), dtype=np.uint8)
    letters = draw_sign("Seaside", color=(255, 255, 255), ground=(0, 0, 0)).image[..., 0].astype(np.float32) / 255
    shadow = cv2.GaussianBlur(np.roll(letters, (4, 4), (0, 1)), (0, 0), 2)[..., None] * 0.6
    image = ground * (1 - shadow)
    image = (image * (1 - letters[..., None]) + 255 * letters[..., None]).round().astype(np.uint8)
    result = run_tool("text-fill", image, arguments={"text": "Seaside"}, artifacts={"text": read_text(image)}, grow=10)
    assert np.abs(result["image"].astype(int) - ground).max() <= 6


def test_patchmatch_keeps_a_pattern_better_than_a_fill() -> None:
    from skimage import data

    ground = np.stack([data.brick()] * 3, axis=2)[150:350, :]
    sign = draw_sign("No parking", color=(230, 200, 40), ground=ground, em=72)
    text = read_text(sign.image)
    roughness = {}
    for tool in ("text-fill", "text-patchmatch"):
        result = run_tool(tool, sign.image, arguments={"text": "No parking"}, artifacts={"text": text})["image"]
        changed = (result != sign.image).any(axis=2)
        assert changed.mean() < 0.4
        roughness[tool] = float(np.std(result[changed].astype(float)))
    wanted = float(np.std(ground.astype(float)))
    assert abs(roughness["text-patchmatch"] - wanted) < 0.35 * wanted
    assert read_text(result) == () or "park" not in " ".join(line.text for line in read_text(result)).lower()


def test_alpha_is_kept() -> None:
    sign = draw_sign("Closed")
    alpha = np.full(sign.image.shape[:2], 200, dtype=np.uint8)
    image = np.dstack([sign.image, alpha])
    result = run_tool("text-inpaint", image, arguments={"text": "Closed"}, artifacts={"text": read_text(image)})
    assert np.array_equal(result["image"][..., 3], alpha)


def test_the_same_seed_gives_the_same_pixels() -> None:
    noisy = np.random.default_rng(0).normal(150, 6, (200, 640, 3)).clip(0, 255).astype(np.uint8)
    sign = draw_sign("Grainy film", ground=noisy)
    text = read_text(sign.image)
    for tool in REMOVERS:
        first, second = (
            run_tool(tool, sign.image, arguments={"text": sign.text}, artifacts={"text": text})["image"]
            for _ in range(2)
        )
        assert np.array_equal(first, second)


def test_a_missing_text_is_a_failure() -> None:
    sign = draw_sign("Closed")
    with pytest.raises(ToolFailure) as caught:
        run_tool("text-fill", sign.image, arguments={"text": "Open"}, artifacts={"text": read_text(sign.image)})
    assert caught.value.kind == "not-found"


def test_stray_ink_beside_the_text_does_not_become_grain() -> None:
    from skimage import data

    page = np.stack([data.page()] * 3, axis=2)
    heading = "Region-based segmentation"
    result = run_tool("text-fill", page, arguments={"text": heading}, artifacts={"text": read_text(page)})["image"]
    changed = (result != page).any(axis=2)
    assert result[changed].min() > 60
    assert heading not in [line.text for line in read_text(result)]


def test_a_region_of_any_size_takes_little_work() -> None:
    def fill(height: int) -> None:
        tall = np.zeros((height, 16, 3), dtype=np.uint8)
        line = TextLine(((0, 0), (16, 0), (16, height), (0, height)), "Hello", 0.9)
        with pytest.raises(ToolFailure, match="stand"):
            run_tool("text-fill", tall, arguments={"text": "Hello"}, artifacts={"text": (line,)})

    fill(300)
    # 36 times as tall: as much work again and again would be too long to wait for.
    assert calls_of(lambda: fill(9000)) < 10 * calls_of(lambda: fill(250))
