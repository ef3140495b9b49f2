"""Marks on text that stays where it is: covering it for good, and highlighting it as with a marker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from costa_dsl.model.text_match import TextNotFoundError, match_kind, match_lines, match_pattern
from costa_dsl.toolkit.api import Image, Mask, TextLine, ToolCall, ToolFailure, join_alpha, split_alpha
from costa_dsl.toolkit.color import parse_color
from costa_dsl.toolkit.text_ink import polygon_mask


def redact(call: ToolCall) -> Mapping[str, Any]:
    """Cover the matching text with one solid color: {"image"}. Nothing of it can be brought back.

    The bar is the text's quadrilateral dilated by `grow` pixels, so that no edge of a letter looks out. Under
    it the picture also turns opaque.

    Raises:
        ToolFailure: `not-found` when nothing matches, `invalid-input` for a broken pattern or color.
    """
    rgb, alpha = split_alpha(call.image)
    color = np.asarray(parse_color(str(call.parameters["color"])), dtype=np.uint8)
    result = rgb.copy()
    covered = _region(rgb, matching(call), float(call.parameters["grow"]))
    result[covered] = color
    if alpha is not None:
        alpha = alpha.copy()
        alpha[covered] = 255
    return {"image": join_alpha(result, alpha)}


def highlight(call: ToolCall) -> Mapping[str, Any]:
    """Lay a marker's color over the matching text: {"image"}.

    Ink of a marker takes light away, so the color multiplies (on a dark ground it is added instead, or
    nothing would show). `strength` mixes between the old picture and the full marker.

    Raises:
        ToolFailure: `not-found` when nothing matches, `invalid-input` for a broken pattern or color.
    """
    rgb, alpha = split_alpha(call.image)
    color = np.asarray(parse_color(str(call.arguments.get("color") or call.parameters["color"])), dtype=np.float32)
    strength = float(call.parameters["strength"])
    result = rgb.copy()
    for line in matching(call):
        mask = _region(rgb, (line,), float(call.parameters["grow"]))
        old = rgb[mask].astype(np.float32)
        if not old.size:
            continue
        dark = float(np.median(old.max(axis=1))) < 100
        marked = 255 - (255 - old) * (255 - 0.55 * color) / 255 if dark else old * color / 255
        result[mask] = (old + strength * (marked - old)).clip(0, 255).round().astype(np.uint8)
    return {"image": join_alpha(result, alpha)}


def matching(call: ToolCall) -> tuple[TextLine, ...]:
    """The parts of lines that the step's `text`, `pattern` and `kind` name, together.

    Raises:
        ToolFailure: `not-found` when one of them matches nothing, `invalid-input` for a broken pattern.
    """
    lines = call.text
    found: list[TextLine] = []
    try:
        if (text := call.arguments.get("text")) is not None:
            found += match_lines(lines, str(text))
        if (pattern := call.arguments.get("pattern")) is not None:
            found += match_pattern(lines, str(pattern))
        if (kind := call.arguments.get("kind")) is not None:
            found += match_kind(lines, str(kind))
    except TextNotFoundError as error:
        raise ToolFailure("not-found", error.message, error.help) from error
    except re.error as error:
        raise ToolFailure(
            "invalid-input", f"the pattern is not a regular expression: {error}", "Correct the pattern."
        ) from error
    if not found:
        raise ToolFailure("invalid-input", "the step names no text", "Give `text`, `pattern` or `kind`.")
    return tuple(found)


def _region(rgb: Image, lines: tuple[TextLine, ...], grow: float) -> Mask:
    region = np.zeros(rgb.shape[:2], dtype=bool)
    for line in lines:
        region |= polygon_mask(rgb.shape[:2], line.corners, grow)
    return region
