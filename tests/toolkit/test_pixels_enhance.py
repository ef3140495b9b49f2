"""Upscaling, denoising, sharpening and style, measured against photographs that are known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow

from costa_dsl.runtime.call import ToolFailure
from costa_dsl.toolkit.denoise import nlmeans, noise_level, oidn, unsharp
from costa_dsl.toolkit.style import STYLES, style_index, styletransfer
from costa_dsl.toolkit.upscale import TILE, lanczos, realesr_fast, realesrgan_x4plus
from tests.toolkit.pixels_scenes import call, photograph, psnr, with_alpha


def reduced(image: np.ndarray, factor: int) -> np.ndarray:
    size = (image.shape[1] // factor, image.shape[0] // factor)
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


def noisy(image: np.ndarray, sigma: float) -> np.ndarray:
    noise = np.random.default_rng(1).normal(0, sigma, image.shape)
    return np.clip(np.round(image + noise), 0, 255).astype(np.uint8)


def sharpness(image: np.ndarray) -> float:
    return float(cv2.Laplacian(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.CV_32F).var())


def test_upscaling_comes_near_the_truth_and_networks_are_sharper():
    truth = photograph("chelsea")[60:220, 100:340]
    small = reduced(truth, 2)
    plain = lanczos(call(small, arguments={"scale": 2}))["image"]
    network = realesr_fast(call(small, arguments={"scale": 2}, parameters={"texture": 0.6}))["image"]
    assert plain.shape == network.shape == truth.shape
    assert psnr(truth, plain) > 30
    assert psnr(truth, network) > 29
    assert sharpness(network) > 1.3 * sharpness(plain)


def test_x4plus_is_sharp_and_true():
    truth = photograph("chelsea")[80:160, 120:200]
    small = reduced(truth, 4)
    plain = lanczos(call(small, arguments={"scale": 4}))["image"]
    network = realesrgan_x4plus(call(small, arguments={"scale": 4}, parameters={"texture": 0.4}))["image"]
    assert psnr(truth, network) > 24
    assert sharpness(network) > 2 * sharpness(plain)


@pytest.mark.parametrize("tool", [lanczos, realesr_fast])
@pytest.mark.parametrize("scale", [1.5, 3, 5])
def test_the_size_is_the_rounded_product(tool, scale):
    image = photograph("coffee")[:33, :47]
    result = tool(call(with_alpha(image), arguments={"scale": scale}))
    height, width = result["image"].shape[:2]
    assert (width, height) == (round(47 * scale), round(33 * scale))
    assert result["placement"].apply(47, 33) == pytest.approx((width, height))
    assert result["image"].shape[2] == 4
    assert np.abs(result["image"][..., 3].astype(int) - np.linspace(255, 0, width)).max() < 12


def test_tiles_meet_without_a_seam():
    image = photograph("coffee")[100:140, : TILE + 60]
    whole = realesr_fast(call(image, arguments={"scale": 2}))["image"]
    part = realesr_fast(call(image[:, TILE - 60 :], arguments={"scale": 2}))["image"]
    # 30 pixels around the place where two tiles meet, once with and once without a border of tiles there.
    met = whole[:, 2 * TILE - 30 : 2 * TILE + 30].astype(int)
    alone = part[:, 120 - 30 : 120 + 30].astype(int)
    assert np.abs(met - alone).max() <= 2


@pytest.mark.parametrize("scale", [1, 0.5, 0, -2, float("nan")])
def test_a_scale_that_does_not_enlarge_is_said(scale):
    with pytest.raises(ToolFailure) as failure:
        lanczos(call(photograph("coffee"), arguments={"scale": scale}))
    assert failure.value.kind == "unsupported"


def test_too_large_is_said_before_the_work():
    with pytest.raises(ToolFailure, match=r"0\.24 megapixels"):
        realesrgan_x4plus(call(photograph("coffee"), arguments={"scale": 4}, parameters={"max_megapixels": 0.1}))
    with pytest.raises(ToolFailure, match="the limit is"):
        lanczos(call(np.zeros((4000, 4000, 3), np.uint8), arguments={"scale": 8}))


@pytest.mark.parametrize(("tool", "gain"), [(oidn, 4.5), (nlmeans, 2.0)])
def test_denoising_comes_nearer_to_the_truth(tool, gain):
    truth = photograph("astronaut")[:256, 100:356]
    for sigma in (8, 25):
        image = noisy(truth, sigma)
        result = tool(call(image, "denoising"))["image"]
        assert psnr(truth, result) > psnr(truth, image) + gain * (0.8 if sigma == 8 else 1.5)


@pytest.mark.parametrize("tool", [oidn, nlmeans])
def test_amount_mixes_and_alpha_stays(tool):
    image = with_alpha(noisy(photograph("astronaut")[:64, :64], 20))
    none = tool(call(image, "denoising", arguments={"amount": 0}))["image"]
    half, full = (tool(call(image, "denoising", arguments={"amount": a}))["image"] for a in ("50%", 1))
    assert (none == image).all()
    assert np.abs(half[..., :3].astype(float) - (image[..., :3].astype(float) + full[..., :3]) / 2).max() <= 1
    assert (full[..., 3] == image[..., 3]).all()


@pytest.mark.parametrize("sigma", [5, 15, 30])
def test_the_noise_level_is_measured(sigma):
    flat = np.full((200, 200, 3), 128, np.uint8)
    assert noise_level(noisy(flat, sigma)) == pytest.approx(sigma, rel=0.1)


def test_sharpening_undoes_some_blur_without_halos():
    truth = photograph("astronaut")[:256, 100:356]
    soft = cv2.GaussianBlur(truth, (0, 0), 1.2)
    result = unsharp(call(soft, "sharpen"))["image"]
    assert psnr(truth, result) > psnr(truth, soft) + 0.5
    assert sharpness(result) > 1.5 * sharpness(soft)
    step = np.full((40, 60, 3), 60, np.uint8)
    step[:, 30:] = 180
    edge = unsharp(call(cv2.GaussianBlur(step, (0, 0), 2.0), "sharpen"))["image"]
    assert edge.min() >= 60 - 12
    assert edge.max() <= 180 + 12


@pytest.mark.parametrize("tool", [oidn, nlmeans, unsharp])
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (16, 500)])
def test_tiny_and_flat_pictures(tool, shape):
    for value in (0, 255):
        image = np.full((*shape, 3), value, np.uint8)
        result = tool(call(image, "sharpen"))["image"]
        assert result.shape == image.shape
        assert np.abs(result.astype(int) - value).max() <= 4


def test_a_built_in_style_changes_the_picture_and_keeps_its_size():
    image = with_alpha(photograph("chelsea")[:150, :201])
    result = styletransfer(call(image, "style-transfer", arguments={"to": "starry night"}))["image"]
    assert result.shape == image.shape
    assert (result[..., 3] == image[..., 3]).all()
    assert np.abs(result[..., :3].astype(int) - image[..., :3]).mean() > 15
    # The picture is still the same: its coarse light and dark go together.
    grey = [cv2.cvtColor(np.ascontiguousarray(each[..., :3]), cv2.COLOR_RGB2GRAY) for each in (image, result)]
    small = [cv2.resize(each, (24, 18), interpolation=cv2.INTER_AREA) for each in grey]
    assert np.corrcoef(small[0].ravel(), small[1].ravel())[0, 1] > 0.5
    half = styletransfer(call(image, "style-transfer", arguments={"to": "19", "amount": 0.5}))["image"]
    assert np.abs(half.astype(float) - (image.astype(float) + result) / 2).max() <= 1


def test_a_picture_gives_the_style(tmp_path):
    blue = np.zeros((200, 200, 3), np.uint8)
    blue[..., 2] = np.random.default_rng(0).integers(120, 256, (200, 200))
    Pillow.fromarray(blue).save(tmp_path / "blue.png")
    image = photograph("coffee")[:200, :300]
    result = styletransfer(call(image, "style-transfer", arguments={"with": str(tmp_path / "blue.png")}))["image"]
    assert result.shape == image.shape
    assert result[..., 2].mean() - result[..., 0].mean() > image[..., 2].mean() - image[..., 0].mean() + 40


def test_unknown_styles_and_broken_files_are_said(tmp_path):
    assert [style_index(name) for name in STYLES] == list(range(26))
    with pytest.raises(ToolFailure) as failure:
        style_index("cubists")
    assert "did you mean cubis" in failure.value.help
    (tmp_path / "no.png").write_text("words")
    for words in ({"with": str(tmp_path / "no.png")}, {"with": str(tmp_path / "missing.png")}, {}):
        with pytest.raises(ToolFailure) as failure:
            styletransfer(call(photograph("coffee"), "style-transfer", arguments=words))
        assert failure.value.kind == "invalid-input"
