"""Object removal: the hole is filled right, and nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest

from costa_dsl.runtime.call import ToolFailure
from costa_dsl.toolkit.removal import patchmatch, telea
from tests.toolkit.pixels_scenes import call, disk, photograph, psnr, stripes, unchanged_outside, with_alpha

BOTH = pytest.mark.parametrize("tool", [telea, patchmatch])


def scene(truth: np.ndarray, radius: float = 22) -> tuple[np.ndarray, np.ndarray]:
    """The truth with a red disk on it, soft at the edge, and a mask that misses the soft edge."""
    height, width = truth.shape[:2]
    mask = disk(truth.shape, (width / 2, height / 2), radius)
    image = truth.copy()
    halo = disk(truth.shape, (width / 2, height / 2), radius + 3)
    image[halo] = (image[halo] * 0.5 + np.array([100, 0, 0])).astype(np.uint8)
    image[mask] = (220, 20, 20)
    return image, mask


@BOTH
def test_a_disk_on_a_gradient_goes_without_a_trace(tool):
    x = np.linspace(40, 200, 200)
    truth = np.broadcast_to(x[None, :, None], (150, 200, 3)).astype(np.uint8).copy()
    image, mask = scene(truth)
    result = tool(call(image, mask=mask, parameters={"grow": 8}))["image"]
    assert np.abs(result.astype(int) - truth).max() <= 14


def test_patchmatch_continues_a_pattern_that_telea_smears():
    truth = stripes()
    image, mask = scene(truth)
    filled = {
        tool.__name__: tool(call(image, mask=mask, parameters={"grow": 6}))["image"] for tool in (telea, patchmatch)
    }
    hole = disk(truth.shape, (100, 80), 22)
    quality = {name: psnr(truth[hole], result[hole]) for name, result in filled.items()}
    assert quality["patchmatch"] > 24
    assert quality["patchmatch"] > quality["telea"] + 6


@BOTH
@pytest.mark.parametrize("grow", [0, 5])
def test_outside_the_grown_mask_every_bit_stays(tool, grow):
    image = photograph("chelsea")
    mask = disk(image.shape, (300, 150), 15)
    result = tool(call(image, mask=mask, parameters={"grow": grow}))["image"]
    assert unchanged_outside(image, result, mask, grow)
    assert (result[mask] != image[mask]).any(axis=1).mean() > 0.9


@BOTH
def test_a_large_hole_is_filled_on_a_reduced_copy(tool):
    image = photograph("coffee")
    mask = disk(image.shape, (80, 330), 50)
    result = tool(call(image, mask=mask, parameters={"grow": 4, "work_pixels": 2500}))["image"]
    assert unchanged_outside(image, result, mask, 4)
    ring = disk(image.shape, (80, 330), 70) & ~disk(image.shape, (80, 330), 54)
    assert np.abs(result[mask].mean(axis=0) - image[ring].mean(axis=0)).max() < 25


def test_sources_come_from_the_ring_alone():
    image = np.full((200, 300, 3), 90, np.uint8)
    image[:, 180:] = (250, 0, 250)
    mask = disk(image.shape, (60, 100), 20)
    result = patchmatch(call(image, mask=mask, parameters={"grow": 2, "ring": 40}))["image"]
    assert (result[disk(image.shape, (60, 100), 22)] == 90).all()


@BOTH
def test_alpha_is_kept(tool):
    image = with_alpha(photograph("chelsea"))
    mask = disk(image.shape, (300, 150), 12)
    result = tool(call(image, mask=mask, parameters={"grow": 3}))["image"]
    assert (result[..., 3] == image[..., 3]).all()


def test_patchmatch_gives_the_same_picture_twice():
    image = photograph("coffee")
    mask = disk(image.shape, (500, 300), 20)
    first, second = (patchmatch(call(image, mask=mask))["image"] for _ in range(2))
    assert (first == second).all()


@BOTH
def test_what_cannot_be_done_is_said(tool):
    image = photograph("chelsea")
    cases = {
        "not-found": np.zeros(image.shape[:2], bool),
        "invalid-input": np.ones(image.shape[:2], bool),
    }
    for kind, mask in cases.items():
        with pytest.raises(ToolFailure) as failure:
            tool(call(image, mask=mask))
        assert failure.value.kind == kind
        assert failure.value.help
    with pytest.raises(ToolFailure, match="451 × 300"):
        tool(call(image, mask=np.ones((4, 5), bool)))


@BOTH
@pytest.mark.parametrize("shape", [(1, 4), (3, 3), (7, 9), (16, 900), (900, 16)])
def test_slivers_and_specks(tool, shape):
    image = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    mask = np.zeros(shape, bool)
    mask[shape[0] // 2, shape[1] // 2] = True
    result = tool(call(image, mask=mask, parameters={"grow": 0}))["image"]
    assert result.shape == image.shape
    assert unchanged_outside(image, result, mask, 0)
