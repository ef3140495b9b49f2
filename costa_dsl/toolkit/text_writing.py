"""Writing text: anew in the place and style of a text that was taken out, or fresh where there is room.

Letters are drawn large, warped into place, averaged down to pixels and mixed in sRGB, as renderers of
pictures do. Only pixels under ink change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costa_dsl.toolkit.api import (
    Float,
    Image,
    Mask,
    TextLine,
    TextStyle,
    ToolCall,
    ToolFailure,
    join_alpha,
    split_alpha,
)
from costa_dsl.toolkit.text_fonts import MEASURED_EM, NOTO_WIDTHS, Face, draw_line, line_matrix, place_line
from costa_dsl.toolkit.text_ink import (
    Matrix,
    polygon_mask,
    rectify,
    transform,
    visible_rgb,
)

# How far a word between two others may be widened or narrowed to fill their gap before anyone sees it.
_UNSEEN_STRETCH = 0.09
_UNSEEN_TRACKING = 0.02


@dataclass(frozen=True)
class _Setting:
    """A text set on an old line: the face, tracking, and where its pen starts, in em of the old line."""

    text: str
    face: Face
    tracking: float
    scale_x: float
    scale_y: float
    start: float

    @property
    def matrix(self) -> Matrix:
        return np.array([[self.scale_x, 0, self.start], [0, self.scale_y, 0], [0, 0, 1]], dtype=np.float64)


@dataclass(frozen=True)
class _Room:
    """The room on an old line, in em: free from `left` to `right`; whether other words stand close by."""

    left: float
    right: float
    word_before: bool
    word_after: bool


def replace_text(call: ToolCall) -> Mapping[str, Any]:
    """Write `with` where `text` was removed: {"image"}.

    Needs `erased-text` (the places) and `text-style` (the looks), in the same order. Several old lines take
    the new words in the same proportions as the old ones, or one line each where `with` has line breaks.
    Nothing outside the places dilated by `grow` changes. Parameter `squeeze`: how narrow the text may get, as
    a share of its natural width, before the tool gives up.

    Raises:
        ToolFailure: `unsupported` when the new text is too long or has letters that no packaged font has.
    """
    rgb, alpha = split_alpha(call.image)
    places: Sequence[TextLine] = call.artifacts["erased-text"]
    styles = call.text_style
    if not places or not styles:
        raise ToolFailure("invalid-input", "there is no erased text to write anew", "Run text-removal first.")
    if len(styles) != len(places):
        raise ToolFailure(
            "invalid-input", f"{len(places)} erased lines but {len(styles)} styles",
            "Take both from the same picture and the same `text`.",
        )  # fmt: skip
    texts = _shared_out(str(call.arguments["with"]), str(call.arguments["text"]), styles)
    grow, squeeze = float(call.parameters["grow"]), float(call.parameters["squeeze"])
    result = rgb
    for text, place, look in zip(texts, places, styles, strict=True):
        if text:
            result = _write_like(result, visible_rgb(call.image), text, place, look, grow, squeeze)
    return {"image": join_alpha(result, alpha)}


def _shared_out(text: str, old: str, styles: Sequence[TextStyle]) -> tuple[str, ...]:
    """The new text for each old line. Occurrences of the whole old text each take the whole new one."""
    count = len(styles)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    wanted = "".join(old.split()).casefold()
    whole = [len("".join(style.line.text.split())) >= len(wanted) for style in styles]
    if count == 1 or all(whole):
        return (" ".join(" ".join(lines).split()),) * count
    if len(lines) == count:
        return tuple(lines)
    words = " ".join(lines).split()
    total = sum(len(style.line.text) for style in styles)
    shares: list[str] = []
    taken, goal = 0, 0.0
    for number, style in enumerate(styles):
        goal += len(style.line.text) / total * sum(len(word) + 1 for word in words)
        line: list[str] = []
        while taken < len(words):
            reached = sum(len(word) + 1 for word in words[:taken])
            if number < count - 1 and line and reached + len(words[taken]) / 2 > goal:
                break
            if number < count - 1 and reached >= goal:
                break
            line.append(words[taken])
            taken += 1
        shares.append(" ".join(line))
    return tuple(shares)


def _write_like(
    rgb: Image, seen: Image, text: str, place: TextLine, look: TextStyle, grow: float, squeeze: float
) -> Image:
    face = Face.parse(look.font)
    matrix = line_matrix(look.line.text, face, look.tracking, look.line.corners)
    room = _room(seen, place, look, matrix, grow)
    setting = _set(text, face, look, room, seen.shape[1], squeeze)
    whole = matrix @ setting.matrix
    line = draw_line(text, setting.face, MEASURED_EM, setting.tracking)
    box = np.array([[line.left, line.top], [line.right, line.top], [line.right, line.bottom], [line.left, line.bottom]])
    window = _window(transform(whole, box), rgb.shape, 3 + math.ceil(3 * look.softness))
    coverage = place_line(text, setting.face, setting.tracking, whole, look.size, window, look.softness)
    allowed = polygon_mask(rgb.shape[:2], place.corners, grow)
    return mixed(rgb, coverage, look.color, window, allowed)


def _room(seen: Image, place: TextLine, look: TextStyle, matrix: Matrix, grow: float) -> _Room:
    """How far the line may reach: to the end of the place dilated by `grow`, and not into other ink."""
    inverse: Matrix = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    corners = np.asarray(place.corners, dtype=np.float64)
    sides = np.stack([corners[0] + corners[3], corners[1] + corners[2]]) / 2
    edges = transform(inverse, sides)
    em = look.size / 0.714
    left, right = float(edges[0, 0]) - (grow - 1) / em, float(edges[1, 0]) + (grow - 1) / em
    old = draw_line(look.line.text, Face.parse(look.font), MEASURED_EM, look.tracking)
    before, after = _neighbours(seen, look, matrix, old.left, old.right)
    gap = 0.22  # em; about a space between words
    left = max(min(left, old.left), before + gap if before < old.left - 2 * gap else old.left)
    right = min(max(right, old.right), after - gap if after > old.right + 2 * gap else old.right)
    near = 0.7
    return _Room(left, right, old.left - before < near, after - old.right < near)


def _neighbours(seen: Image, look: TextStyle, matrix: Matrix, left: float, right: float) -> tuple[float, float]:
    """The nearest ink before and after the old text on its line, in em; infinite when there is none."""
    reach = 8.0
    span = np.array([[left - reach, -0.714], [right + reach, -0.714], [right + reach, 0.0], [left - reach, 0.0]])
    corners = tuple((float(x), float(y)) for x, y in transform(matrix, span))
    per_em = 28.0
    strip = rectify(seen, corners, scale=per_em / (look.size / 0.714))  # type: ignore[arg-type]
    places = np.linspace(left - reach, right + reach, strip.pixels.shape[1], endpoint=False)
    background = np.asarray(look.background, dtype=np.float32)
    contrast = float(np.linalg.norm(np.asarray(look.color, dtype=np.float32) - background))
    old = (places > left) & (places < right)
    ground = strip.pixels[:, old]
    if ground.size:
        background = np.asarray(np.median(ground.reshape(-1, 3), axis=0), dtype=np.float32)
    usual = np.linalg.norm(ground - background, axis=2) if ground.size else np.zeros((1, 1))
    limit = max(0.35 * contrast, float(np.quantile(usual, 0.98)) * 1.3, 20.0)
    # Outside the picture the strip repeats its edge; what happens there does not matter.
    inked = (np.linalg.norm(strip.pixels - background, axis=2) > limit).mean(axis=0) > 0.08
    before, after = places[inked & (places < left - 0.02)], places[inked & (places > right + 0.02)]
    return (
        float(before[-1]) if before.size else -math.inf,
        float(after[0]) if after.size else math.inf,
    )


def _set(text: str, face: Face, look: TextStyle, room: _Room, picture_width: int, squeeze: float) -> _Setting:
    """Choose width, tracking and start so that the new text sits as the old one did."""
    old = draw_line(look.line.text, face, MEASURED_EM, look.tracking)
    old_width, middle = old.right - old.left, (old.left + old.right) / 2
    tracking = look.tracking
    new = draw_line(text, face, MEASURED_EM, tracking)
    natural = new.right - new.left
    between_words = room.word_before and room.word_after
    centered = between_words or (not room.word_before and not room.word_after and _looks_centered(look, picture_width))
    available = room.right - room.left
    if centered:
        available = 2 * min(middle - room.left, room.right - middle)
    elif not room.word_before or not room.word_after:
        available = room.right - old.left
    wanted = natural
    if room.word_after:
        ratio = min(max(old_width / natural, 1 - _UNSEEN_STRETCH), 1 + _UNSEEN_STRETCH)
        wanted = natural * ratio
        tracking_gain = min(max((old_width - wanted) / max(1, len(text) - 1), -_UNSEEN_TRACKING), _UNSEEN_TRACKING)
        tracking += tracking_gain
        wanted += tracking_gain * (len(text) - 1)
    wanted = min(wanted, available)
    if wanted < squeeze * natural:
        pixels = look.size / 0.714
        raise ToolFailure(
            "unsupported",
            f'"{text}" needs {natural * pixels:.0f} pixels in the style of the old text; '
            f"there is room for {available * pixels:.0f}",
            "Write a shorter text, or raise `grow` if there is free ground beside it.",
        )
    face, height = _narrowed(text, face, tracking, wanted)
    new = draw_line(text, face, MEASURED_EM, tracking)
    scale_x, scale_y = wanted / (new.right - new.left), height
    left = middle - wanted / 2 if centered else old.left
    return _Setting(text, face, round(tracking, 4), scale_x, scale_y, left - new.left * scale_x)


def _narrowed(text: str, face: Face, tracking: float, wanted: float) -> tuple[Face, float]:
    """The face whose width axis brings the text nearest to the wanted width, and the scale of height."""
    line = draw_line(text, face, MEASURED_EM, tracking)
    ratio = wanted / (line.right - line.left)
    if abs(ratio - 1) < 0.005:
        return face, 1.0
    if face.family == "Noto Sans":
        width = min(max(face.width * ratio, NOTO_WIDTHS[0]), NOTO_WIDTHS[1])
        face = replace(face, width=round(width, 1))
        line = draw_line(text, face, MEASURED_EM, tracking)
        ratio = wanted / (line.right - line.left)
    # What the axis cannot give is shared between squeezing and making the letters a little smaller.
    return face, math.sqrt(ratio) if ratio < 0.97 else 1.0


def _looks_centered(look: TextStyle, picture_width: int) -> bool:
    """Whether the old line's middle is the picture's middle, within 1.5 % of the width."""
    xs = [x for x, _ in look.line.corners]
    return abs((min(xs) + max(xs)) / 2 - picture_width / 2) < 0.015 * picture_width


def _window(points: NDArray[np.float64], shape: tuple[int, ...], pad: int) -> tuple[int, int, int, int]:
    height, width = shape[:2]
    low, high = np.floor(points.min(axis=0)) - pad, np.ceil(points.max(axis=0)) + pad
    x0, y0 = int(min(max(low[0], 0), width - 1)), int(min(max(low[1], 0), height - 1))
    return x0, y0, int(min(max(high[0], x0 + 1), width)), int(min(max(high[1], y0 + 1), height))


def mixed(
    rgb: Image,
    coverage: Float,
    color: tuple[int, int, int],
    window: tuple[int, int, int, int],
    allowed: Mask | None,
) -> Image:
    """The picture with ink of a color laid over a window by coverage; pixels outside `allowed` stay."""
    x0, y0, x1, y1 = window
    amount = coverage if allowed is None else np.where(allowed[y0:y1, x0:x1], coverage, 0)
    old = rgb[y0:y1, x0:x1].astype(np.float32)
    new = old + amount[..., None] * (np.asarray(color, dtype=np.float32) - old)
    result = rgb.copy()
    result[y0:y1, x0:x1] = new.clip(0, 255).round().astype(np.uint8)
    return result
