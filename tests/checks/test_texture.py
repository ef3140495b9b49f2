"""A smear on textured ground is told from a fill that continues it, on photographs; and an edge from none."""

from __future__ import annotations

import cv2
import numpy as np
import patchmatch
import pytest
from skimage import data

from costa_dsl.checks.region import grown
from costa_dsl.model.artifact import Placement
from tests.checks.scenes import Pixels, check, ellipse, pasted, score

ROCKET = data.rocket()

# Photograph, and the ellipse to fill: gravel, grass, wood, fur, bricks.
TEXTURED = {
    "gravel": (np.dstack([data.gravel()] * 3), (250, 250, 60, 80)),
    "grass": (np.dstack([data.grass()] * 3), (250, 250, 60, 80)),
    "wood": (data.coffee(), (60, 330, 40, 45)),
    "fur": (data.chelsea(), (100, 200, 50, 50)),
    "brick": (np.dstack([data.brick()] * 3), (250, 250, 60, 80)),
}


def filled(picture: Pixels, mask: np.ndarray, method: str) -> Pixels:
    if method == "patchmatch":
        near = grown(mask, 80)
        patchmatch.set_random_seed(0)
        result = np.asarray(patchmatch.inpaint(picture, mask, global_mask=~near, patch_size=3))
    else:
        kind = cv2.INPAINT_TELEA if method == "telea" else cv2.INPAINT_NS
        result = cv2.inpaint(picture, mask.astype(np.uint8), 4, kind)
    return pasted(picture, mask, result)


@pytest.mark.parametrize("ground", TEXTURED)
def test_smears_on_texture_are_rejected_and_patches_pass(ground: str) -> None:
    picture, place = TEXTURED[ground]
    mask = ellipse(picture.shape, *place)
    more = {"subtask": "object-removal", "region": mask}
    assert score("texture-kept", picture, picture, **more) >= 0.8  # the truth itself
    assert score("texture-kept", picture, filled(picture, mask, "patchmatch"), **more) >= 0.8
    for smear in (filled(picture, mask, "telea"), filled(picture, mask, "navier-stokes")):
        assert score("texture-kept", picture, smear, **more) < 0.8
    flat = pasted(picture, mask, picture[grown(mask, 10) & ~mask].mean(axis=0))
    assert score("texture-kept", picture, flat, **more) < 0.8


def test_a_blank_between_busy_things_is_rejected() -> None:
    """The picture around is out of focus and has little texture, but a hole in it is a hole."""
    picture = cv2.GaussianBlur(data.coffee(), (0, 0), 3)
    mask = ellipse(picture.shape, 300, 200, 60, 60)
    more = {"subtask": "object-removal", "region": mask}
    assert score("texture-kept", picture, picture, **more) >= 0.9
    blank = pasted(picture, mask, picture[grown(mask, 10) & ~mask].mean(axis=0))
    assert score("texture-kept", picture, blank, **more) < 0.8


def test_the_same_smear_on_smooth_ground_passes() -> None:
    for picture, place in ((np.dstack([data.camera()] * 3), (420, 80, 50, 50)), (ROCKET, (250, 60, 40, 35))):
        mask = ellipse(picture.shape, *place)
        smear = filled(picture, mask, "telea")
        assert score("texture-kept", picture, smear, subtask="object-removal", region=mask) >= 0.9


def test_foreign_colors_and_leftover_objects_are_rejected() -> None:
    picture, place = TEXTURED["wood"]
    mask = ellipse(picture.shape, *place)
    for content in ((255, 0, 200), np.roll(data.astronaut()[:400, :500], 40, axis=0)[:, :, ::-1]):
        full = np.zeros_like(picture) + 90
        part = np.asarray(content, np.uint8)
        full[:, : part.shape[1] if part.ndim == 3 else None] = part
        result = check("texture-kept", picture, pasted(picture, mask, full), subtask="object-removal", region=mask)
        assert result is not None
        assert result.score < 0.8


@pytest.mark.parametrize("name", ["coffee", "chelsea", "grass"])
def test_a_wider_canvas_must_go_on_not_be_drawn_out(name: str) -> None:
    whole = np.dstack([data.grass()] * 3) if name == "grass" else getattr(data, name)()
    width = whole.shape[1] // 12
    before = np.ascontiguousarray(whole[:, width:-width])
    more = {"subtask": "outpainting", "placement": Placement(width, 0)}
    pads = ((0, 0), (width, width), (0, 0))
    assert score("texture-kept", before, whole, **more) >= 0.9
    mirrored = check("texture-kept", before, np.pad(before, pads, mode="reflect"), **more)
    assert mirrored is not None
    assert mirrored.score == pytest.approx(0.8)
    assert "mirror image" in mirrored.sentence
    blur = cv2.GaussianBlur(np.pad(before, pads, mode="reflect"), (0, 0), 2)
    blur[:, width:-width] = before
    strips = np.ones(whole.shape[:2], np.uint8)
    strips[:, width:-width] = 0
    telea = cv2.inpaint(np.pad(before, pads), strips, 4, cv2.INPAINT_TELEA)
    for wrong in (np.pad(before, pads, mode="edge"), np.pad(before, pads), blur, telea):
        assert score("texture-kept", before, wrong, **more) < 0.8
    one_side = whole.copy()
    one_side[:, :width] = one_side[:, width : width + 1]
    assert score("texture-kept", before, one_side, **more) < 0.8  # a good side hides no bad one


def test_an_edge_that_shows_is_found() -> None:
    picture, place = TEXTURED["wood"]
    mask = ellipse(picture.shape, *place)
    more = {"subtask": "object-removal", "region": mask}
    assert score("seam", picture, picture, **more) == 1
    assert score("seam", picture, filled(picture, mask, "patchmatch"), **more) >= 0.9
    brighter = pasted(picture, mask, np.clip(picture.astype(int) + 60, 0, 255))
    assert score("seam", picture, brighter, **more) < 0.8
    assert score("seam", ROCKET, pasted(ROCKET, ellipse(ROCKET.shape, 250, 60, 40, 35), (90, 90, 90)),
                 subtask="object-removal", region=ellipse(ROCKET.shape, 250, 60, 40, 35)) == 0  # fmt: skip
    wide = np.pad(picture, ((0, 0), (50, 0), (0, 0)), mode="reflect")
    more = {"subtask": "outpainting", "placement": Placement(50, 0)}
    assert score("seam", picture, wide, **more) >= 0.9
    wide[:, :50] = 255 - wide[:, :50]
    assert score("seam", picture, wide, **more) == 0


@pytest.mark.parametrize("name", ["texture-kept", "seam"])
def test_nothing_to_measure(name: str) -> None:
    picture = data.coffee()
    assert check(name, picture, picture) is None
    assert check(name, picture, picture, region=np.zeros(picture.shape[:2], bool)) is None
    twice = cv2.resize(picture, None, fx=2, fy=2)
    assert check(name, picture, twice, subtask="image-upscaling", placement=Placement(0, 0, 2, 2)) is None
    assert check("texture-kept", picture, picture, region=np.ones(picture.shape[:2], bool)) is None  # no ring


@pytest.mark.parametrize("name", ["texture-kept", "seam"])
@pytest.mark.parametrize("shape", [(1, 1, 3), (9000, 16, 3), (40, 40, 4)])
def test_extreme_pictures_are_measured(name: str, shape: tuple[int, ...]) -> None:
    picture = np.zeros(shape, np.uint8)
    region = np.zeros(shape[:2], bool)
    region[: max(1, shape[0] // 2)] = True
    check(name, picture, picture, region=region)
    wide = np.zeros((shape[0], shape[1] + 30, shape[2]), np.uint8)
    check(name, picture, wide, placement=Placement(30, 0), subtask="outpainting")
    check(name, picture, wide, placement=Placement(-5, 2), subtask="outpainting")
