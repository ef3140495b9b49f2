"""Signs drawn with known truth, and the text tools called as the runtime calls them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from costa_dsl.toolkit.api import Image, ModelCache, Target, TextLine, ToolCall
from costa_dsl.toolkit.text_fonts import Face, cap_height, font_path

ROOT = Path(__file__).parents[2]
MODELS = ModelCache()


@dataclass(frozen=True)
class Sign:
    """A drawn sign: picture, words, the ink's color, and the height of its capitals in pixels."""

    image: Image
    text: str
    color: tuple[int, int, int]
    capital: float


def draw_sign(
    text: str,
    color: tuple[int, int, int] = (180, 30, 30),
    ground: tuple[int, int, int] | Image = (240, 235, 220),
    em: int = 64,
    weight: float = 700,
    italic: bool = False,
    size: tuple[int, int] = (640, 200),
    angle: float = 0.0,
) -> Sign:
    """A sign in Lato, its text in the middle, turned by `angle` degrees counter-clockwise."""
    face = Face("Lato", weight, 100.0, italic)
    drawn = isinstance(ground, np.ndarray)
    base = Picture.fromarray(ground) if drawn else Picture.new("RGB", size, ground)
    ink = Picture.new("L", base.size, 0)
    font = ImageFont.truetype(str(font_path("Lato", italic, weight)), em)
    ImageDraw.Draw(ink).text((base.width / 2, base.height / 2), text, font=font, fill=255, anchor="mm")
    ink = ink.rotate(angle, Picture.Resampling.BICUBIC)
    base.paste(Picture.new("RGB", base.size, color), (0, 0), ink)
    return Sign(np.array(base), text, color, cap_height(face) * em)


@cache
def manifest(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((ROOT / "tools" / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def run_tool(
    name: str,
    image: Image,
    *,
    arguments: Any = None,
    artifacts: Any = None,
    at: Any = None,
    **parameters: Any,
) -> Any:
    """Call the function behind a manifest, found through the project's entry points."""
    tool = manifest(name)
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    module, function = points["costa.tools"][tool["implementation"]].split(":")
    defaults = {word: schema["default"] for word, schema in (tool.get("parameters") or {}).items()}
    assert set(parameters) <= set(defaults)
    call = ToolCall(
        tool["implements"][0], image, artifacts or {}, Target(at=tuple((at or {}).items())),
        arguments or {}, {**defaults, **parameters}, models=MODELS,
    )  # fmt: skip
    given = image.copy()
    result = getattr(import_module(module), function)(call)
    assert np.array_equal(given, image), "a tool never writes to its input"
    assert set(result) == set(tool["gives"])
    return result


def read_text(image: Image) -> tuple[TextLine, ...]:
    regions = run_tool("rapidocr-detect", image)["text-regions"]
    lines: tuple[TextLine, ...] = run_tool("rapidocr-read", image, artifacts={"text-regions": regions})["text"]
    return lines


def replace_words(image: Image, old: str, new: str, removal: str = "text-fill") -> dict[str, Any]:
    """The whole chain of a text replacement; every artifact by name, the result under `image`."""
    text = read_text(image)
    words = {"text": old, "with": new}
    style = run_tool("text-style", image, arguments=words, artifacts={"text": text})["text-style"]
    erased = run_tool(removal, image, arguments=words, artifacts={"text": text})
    written = run_tool(
        "pillow-text-replacement", erased["image"], arguments=words,
        artifacts={"erased-text": erased["erased-text"], "text-style": style},
    )  # fmt: skip
    return {
        "text": text, "text-style": style, "erased": erased["image"], "erased-text": erased["erased-text"],
        "image": written["image"],
    }  # fmt: skip


def character_error_rate(wanted: str, read: str) -> float:
    """Levenshtein's distance over the length of the wanted text."""
    row = list(range(len(read) + 1))
    for i, a in enumerate(wanted, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(read, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1] / max(1, len(wanted))


def delta_e(first: tuple[int, int, int], second: tuple[int, int, int]) -> float:
    """CIEDE2000 between two sRGB colors."""
    from skimage.color import deltaE_ciede2000, rgb2lab

    colors = [rgb2lab(np.array(color, dtype=np.float64).reshape(1, 1, 3) / 255) for color in (first, second)]
    return float(deltaE_ciede2000(*colors)[0, 0])
