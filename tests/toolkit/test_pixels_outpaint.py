"""Outpainting: the old picture kept to the bit, the new part continues it."""

from __future__ import annotations

import numpy as np
import pytest

from costa_dsl.model.artifact import Placement
from costa_dsl.runtime.call import ToolFailure
from costa_dsl.toolkit.outpaint import Margins, margins_of, outpaint_mirror, outpaint_patchmatch
from tests.toolkit.pixels_scenes import call, photograph, psnr, stripes, with_alpha

BOTH = pytest.mark.parametrize("tool", [outpaint_mirror, outpaint_patchmatch])


def margins(width: int, height: int, **words: object) -> Margins:
    return margins_of(call(np.zeros((height, width, 3), np.uint8), "outpainting", arguments=words))


def test_lengths_are_pixels_or_percent_of_their_side():
    assert margins(200, 100, left="10%", top="10%", right=7, bottom="3px") == Margins(20, 7, 10, 3)


@pytest.mark.parametrize(
    ("size", "aspect", "wanted"),
    [((1280, 1280), "16:9", (2276, 1280)), ((400, 600), "1:1", (600, 600)), ((300, 100), "3:2", (300, 200))],
)
def test_an_aspect_adds_at_both_sides(size, aspect, wanted):
    found = margins(*size, aspect=aspect)
    assert (size[0] + found.left + found.right, size[1] + found.top + found.bottom) == wanted
    assert abs(found.left - found.right) <= 1
    assert abs(found.top - found.bottom) <= 1


@pytest.mark.parametrize("words", [{}, {"left": 0}, {"aspect": "1:1"}, {"left": -3}, {"right": "-5%"}])
def test_nothing_to_add_is_said(words):
    with pytest.raises(ToolFailure) as failure:
        margins(50, 50, **words)
    assert failure.value.kind == "invalid-input"


@pytest.mark.parametrize("words", [{"left": 60}, {"bottom": "120%"}, {"aspect": "9:1"}])
def test_a_margin_wider_than_the_picture_is_refused(words):
    with pytest.raises(ToolFailure, match="again and again") as failure:
        margins(50, 50, **words)
    assert failure.value.kind == "unsupported"


@BOTH
def test_the_old_picture_is_kept_at_its_place(tool):
    image = photograph("chelsea")
    result = tool(call(image, arguments={"left": "10%", "right": 20, "top": 11, "bottom": "5%"}))
    canvas = result["image"]
    assert canvas.shape == (300 + 11 + 15, 451 + 45 + 20, 3)
    assert result["placement"] == Placement(x_offset=45.0, y_offset=11.0)
    assert (canvas[11:311, 45:496] == image).all()


def test_patchmatch_continues_a_pattern():
    truth = stripes(96, 220)
    image = truth[:, 30:190]
    canvas = outpaint_patchmatch(call(image, arguments={"left": 30, "right": 30}, parameters={"band": 3}))["image"]
    assert psnr(truth[:, :30], canvas[:, :30]) > 20
    assert psnr(truth[:, 190:], canvas[:, 190:]) > 20


@BOTH
def test_a_flat_ground_stays_flat(tool):
    image = np.full((60, 80, 3), (90, 140, 30), np.uint8)
    canvas = tool(call(image, arguments={"left": 20, "top": 15}))["image"]
    assert np.abs(canvas.astype(int) - (90, 140, 30)).max() <= 1


@BOTH
def test_the_new_part_is_opaque(tool):
    image = with_alpha(photograph("chelsea"))
    canvas = tool(call(image, arguments={"right": 40}))["image"]
    assert (canvas[:, :451] == image).all()
    assert (canvas[:, 451:, 3] == 255).all()


@BOTH
@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (16, 900)])
def test_tiny_pictures(tool, shape):
    image = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    canvas = tool(call(image, arguments={"left": 3, "bottom": 2}))["image"]
    assert canvas.shape == (shape[0] + 2, shape[1] + 3, 3)
    assert (canvas[: shape[0], 3:] == image).all()
