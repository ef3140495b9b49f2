"""Object recoloration: the wanted color, the same shading, nothing else touched."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.color import deltaE_ciede2000, rgb2lab

from costa_dsl.runtime.call import ToolFailure
from costa_dsl.toolkit.color import parse_color
from costa_dsl.toolkit.recolor import recolor_hue, recolor_lab
from tests.toolkit.pixels_scenes import call, disk, mean_lab, photograph, unchanged_outside, with_alpha

BOTH = pytest.mark.parametrize("tool", [recolor_lab, recolor_hue])


def ball(color: tuple[int, int, int], size: int = 160) -> tuple[np.ndarray, np.ndarray]:
    """A shaded ball with a white highlight on a grey ground, antialiased, and its mask."""
    big = 4 * size
    y, x = np.mgrid[:big, :big] / big - 0.5
    height = np.sqrt(np.maximum(0.16 - x**2 - y**2, 0)) / 0.4
    shade = 0.25 + 0.75 * np.clip(height * 0.7 - 0.9 * x - 0.9 * y, 0, 1)
    gloss = np.exp(-((x + 0.14) ** 2 + (y + 0.14) ** 2) / 0.0012)[..., None]
    surface = (shade[..., None] * color) * (1 - gloss) + 255 * gloss
    inside = x**2 + y**2 < 0.16
    scene = np.where(inside[..., None], surface, 150)
    blocks = scene.reshape(size, 4, size, 4, 3).mean(axis=(1, 3))
    return blocks.round().astype(np.uint8), inside.reshape(size, 4, size, 4).mean(axis=(1, 3)) >= 0.5


def suit() -> tuple[np.ndarray, np.ndarray]:
    """The astronaut and a mask in the orange sleeve."""
    image = photograph("astronaut")
    return image, disk(image.shape, (150, 330), 45)


@pytest.mark.parametrize("name", ["blue", "green", "teal", "#8040c0", "red", "white", "black", "grey", "yellow"])
def test_the_mean_comes_close_to_the_wanted_color(name):
    image, mask = suit()
    wanted = rgb2lab(np.array([[parse_color(name)]], np.uint8))[0, 0]
    result = recolor_lab(call(image, "object-recoloration", mask=mask, arguments={"to": name}))["image"]
    mean = mean_lab(result, mask)
    assert deltaE_ciede2000(mean, wanted) < 16
    assert deltaE_ciede2000(mean, wanted) < 0.6 * deltaE_ciede2000(mean_lab(image, mask), wanted)


@pytest.mark.parametrize("name", ["blue", "white", "black", "green"])
def test_shading_keeps_its_order(name):
    image, mask = ball((200, 60, 40))
    result = recolor_lab(call(image, "object-recoloration", mask=mask, arguments={"to": name}))["image"]
    before, after = (rgb2lab(picture)[..., 0][mask] for picture in (image, result))
    assert np.corrcoef(before, after)[0, 1] > 0.85


def test_gloss_stays_white_and_shadow_stays_dark():
    image, mask = ball((200, 60, 40))
    result = recolor_lab(call(image, "object-recoloration", mask=mask, arguments={"to": "blue"}))["image"]
    lab, old = rgb2lab(result), rgb2lab(image)
    highlight = mask & (old[..., 0] > 93)
    assert highlight.sum() > 10
    assert np.hypot(lab[..., 1], lab[..., 2])[highlight].mean() < 15
    assert lab[..., 0][highlight].mean() > 88
    dark = mask & (old[..., 0] < np.percentile(old[..., 0][mask], 10))
    assert lab[..., 0][dark].mean() < lab[..., 0][mask].mean()


def test_parts_of_another_hue_stay():
    image, mask = ball((200, 60, 40))
    patch = disk(image.shape, (90, 95), 12)
    image[patch] = (40, 60, 190)
    result = recolor_lab(call(image, "object-recoloration", mask=mask, arguments={"to": "green"}))["image"]
    inner = disk(image.shape, (90, 95), 7)
    assert np.abs(result[inner].astype(int) - image[inner]).max() <= 3
    all_of_it = {"keep_other_hues": False}
    result = recolor_lab(
        call(image, "object-recoloration", mask=mask, arguments={"to": "green"}, parameters=all_of_it)
    )["image"]
    assert (result[inner][:, 1] > result[inner][:, 2]).all()


def test_grey_and_white_are_what_the_hue_tool_cannot_do():
    image, mask = suit()
    wanted = np.array([100.0, 0.0, 0.0])
    distance = {
        tool.__name__: deltaE_ciede2000(
            mean_lab(tool(call(image, mask=mask, arguments={"to": "black"}))["image"], mask), wanted * 0
        )
        for tool in (recolor_lab, recolor_hue)
    }
    assert distance["recolor_lab"] < 12 < distance["recolor_hue"]


@BOTH
@pytest.mark.parametrize("grow", [0, 3])
def test_outside_the_grown_mask_every_bit_stays(tool, grow):
    image, mask = ball((200, 60, 40))
    result = tool(call(image, mask=mask, arguments={"to": "blue"}, parameters={"grow": grow}))["image"]
    assert unchanged_outside(image, result, mask, grow)


def test_no_rim_of_the_old_color_is_left():
    image, mask = ball((220, 40, 30))
    result = recolor_lab(call(image, mask=mask, arguments={"to": "blue"}))["image"].astype(int)
    rim = disk(image.shape, (80, 80), 67) & ~disk(image.shape, (80, 80), 60)
    redder = (result[..., 0] - result[..., 2])[rim]
    assert redder.max() < 40  # the ball's own rim is redder than blue by 120 and more
    assert (image[..., 0].astype(int) - image[..., 2])[rim].max() > 100


@BOTH
def test_alpha_is_kept(tool):
    image, mask = ball((200, 60, 40))
    result = tool(call(with_alpha(image), mask=mask, arguments={"to": "blue"}))["image"]
    assert (result[..., 3] == with_alpha(image)[..., 3]).all()


@BOTH
def test_what_is_no_color_is_said(tool):
    image, mask = ball((200, 60, 40))
    with pytest.raises(ToolFailure) as failure:
        tool(call(image, mask=mask, arguments={"to": "blurple-ish"}))
    assert failure.value.kind == "invalid-input"
    with pytest.raises(ToolFailure) as failure:
        tool(call(image, mask=np.zeros_like(mask), arguments={"to": "red"}))
    assert failure.value.kind == "not-found"


@BOTH
@pytest.mark.parametrize("value", [0, 255, 120])
@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (16, 700)])
def test_flat_and_tiny_pictures(tool, shape, value):
    image = np.full((*shape, 3), value, np.uint8)
    result = tool(call(image, mask=np.ones(shape, bool), arguments={"to": "red"}))["image"]
    assert result.shape == image.shape
    assert np.ptp(result.reshape(-1, 3), axis=0).max() <= 1
