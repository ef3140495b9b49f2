"""Sizes that the words of a step ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from costa_dsl.checks.evidence import Evidence
from costa_dsl.checks.region import in_pixels

Size = tuple[int, int]


class SizeUnknown(Exception):  # noqa: N818  (an expected outcome)
    """The step's words do not settle the size of the result."""


def wanted_size(evidence: Evidence, wanted: Any) -> tuple[Size, int]:
    """The size (width, height) that the result should have, and by how many pixels either may be off.

    Raises:
        SizeUnknown: the words leave the size open (a crop around an object, a slight rotation).
    """
    if wanted is not True:
        return _stated(wanted), 0
    height, width = evidence.before.shape[:2]
    size, words = (width, height), evidence.arguments
    match evidence.subtask:
        case "outpainting":
            return _widened(size, words)
        case "image-upscaling":
            scale = float(words.get("scale", 0))
            if scale <= 0:
                raise SizeUnknown
            whole = scale == int(scale)
            return (max(1, round(width * scale)), max(1, round(height * scale))), 0 if whole else 1
        case "rotate":
            angle = float(words.get("angle", 1)) % 180
            if angle not in (0, 90):
                raise SizeUnknown
            return (size if angle == 0 else (height, width)), 0
        case "crop" | "perspective-correction":
            raise SizeUnknown
        case _:
            return size, 0


def _widened(size: Size, words: Mapping[str, Any]) -> tuple[Size, int]:
    width, height = size
    sides = {name: words[name] for name in ("left", "right", "top", "bottom") if name in words}
    if sides:
        across = sum(round(in_pixels(sides[name], width)) for name in ("left", "right") if name in sides)
        down = sum(round(in_pixels(sides[name], height)) for name in ("top", "bottom") if name in sides)
        width, height = width + across, height + down
    slack = 2 * any(isinstance(value, str) and "%" in value for value in sides.values())
    if "aspect" not in words:
        if not sides:
            raise SizeUnknown
        return (width, height), slack
    across, down = (int(number) for number in str(words["aspect"]).split(":"))
    if width * down < height * across:
        return (round(height * across / down), height), slack + 1
    return (width, round(width * down / across)), slack + 1


def _stated(wanted: Any) -> Size:
    """A size written as `640x480`, `640×480` or [640, 480]."""
    if isinstance(wanted, list | tuple) and len(wanted) == 2:
        return int(wanted[0]), int(wanted[1])
    found = re.fullmatch(r"\s*(\d+)\s*[x×*]\s*(\d+)\s*(?:px|pixels)?\s*", str(wanted))
    if found is None:
        raise ValueError(f'"{wanted}" is not a size such as 640x480')
    return int(found[1]), int(found[2])
