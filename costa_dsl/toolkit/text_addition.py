"""Writing new text into a picture: in a box, at a point, or where the picture is calmest; always legible."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costa_dsl.toolkit.api import Float, Image, ToolCall, ToolFailure, join_alpha, split_alpha
from costa_dsl.toolkit.color import parse_color
from costa_dsl.toolkit.text_fonts import MEASURED_EM, Face, cap_height, draw_line, place_line
from costa_dsl.toolkit.text_ink import visible_rgb
from costa_dsl.toolkit.text_writing import mixed

# Distance between baselines, in em, and the lines' reach above the baseline and below it.
_LEADING = 1.3
_ASCENT, _DESCENT = 0.78, 0.24
# The contrast below which WCAG 2 calls large text hard to read; a halo is laid under it then.
_LEGIBLE = 4.5
# No letters are drawn with capitals lower than this unless the step asks for it, in pixels.
_LEAST_CAPITAL = 4.0


@dataclass(frozen=True)
class _Block:
    """Lines broken for a width, with the size of the whole block in pixels."""

    lines: tuple[str, ...]
    em: float
    width: float
    height: float


def add_text(call: ToolCall) -> Mapping[str, Any]:
    """Write `text` into the picture: {"image"}.

    `at: {box: [x0, y0, x1, y1]}` (numbers are pixels, "10%" is a share) centers the text in the box, wrapped
    and as large as fits or as `size` says; `at: {point: [x, y]}` puts its middle there, moved inside the
    picture; without a place it goes where the picture has least detail. `size` is the height of the capitals
    in pixels or in % of the picture's height. Without `color` it is white or near-black, whichever reads
    better.
    Nothing changes outside the box, or outside the text and its halo.

    Raises:
        ToolFailure: `unsupported` when the text does not fit or no packaged font has its letters,
            `invalid-input` for a place outside the picture.
    """
    rgb, alpha = split_alpha(call.image)
    seen = visible_rgb(call.image)
    height, width = rgb.shape[:2]
    text = " ".join(str(call.arguments["text"]).split(" ")).strip()
    face = Face.parse(str(call.arguments.get("font") or call.parameters["font"]))
    size = call.arguments.get("size")
    capital = None if size is None else pixels_of(size, height)
    box = call.target.place("box")
    point = call.target.place("point")
    if isinstance(box, Sequence) and not isinstance(box, str):
        area = _box_in_picture(box, width, height)
        block = _fitted(text, face, area[2] - area[0], area[3] - area[1], capital)
        x = area[0] + (area[2] - area[0] - block.width) / 2
        y = area[1] + (area[3] - area[1] - block.height) / 2
    else:
        area = (0, 0, width, height)
        margin = float(call.parameters["margin"]) * min(width, height)
        capital = capital if capital is not None else max(0.05 * height, min(8.0, 0.3 * height))
        block = _fitted(text, face, width - 2 * margin, height - 2 * margin, capital, shrink=size is None)
        if isinstance(point, Sequence) and not isinstance(point, str):
            px, py = pixels_of(point[0], width), pixels_of(point[1], height)
            if not (0 <= px <= width and 0 <= py <= height):
                raise ToolFailure(
                    "invalid-input",
                    f"the point ({px:g}, {py:g}) lies outside the picture of {width} × {height} pixels",
                    "Give a point inside the picture.",
                )  # fmt: skip
            x = min(max(px - block.width / 2, 0.0), width - block.width)
            y = min(max(py - block.height / 2, 0.0), height - block.height)
        else:
            block, x, y = _calmest(text, face, seen, block, margin)
    coverage, window = _drawn_block(block, face, x, y, area)
    color, needs_halo = _color(call.arguments.get("color"), seen, coverage, window)
    result = rgb
    if needs_halo:
        result = mixed(result, _halo(coverage, block.em), _opposite(color), window, None)
    return {"image": join_alpha(mixed(result, coverage, color, window, None), alpha)}


def pixels_of(length: object, whole: float) -> float:
    """A length of a plan in pixels: a number, or a percentage of `whole`."""
    if isinstance(length, str):
        number = length.strip().removesuffix("px").strip()
        try:
            return float(number[:-1]) / 100 * whole if number.endswith("%") else float(number)
        except ValueError:
            raise ToolFailure("invalid-input", f'"{length}" is not a length', 'Write 40 or "5%".') from None
    return float(length)  # type: ignore[arg-type]


def _calmest(text: str, face: Face, rgb: Image, block: _Block, margin: float) -> tuple[_Block, float, float]:
    """The block, broken into one line or more, with the place (x, y) where it covers least detail."""
    choices = {block.lines: block}
    for share in (0.6, 0.45, 0.35):
        narrow = _broken(text, face, block.em, share * block.width)
        if narrow.width < block.width and narrow.height <= rgb.shape[0] - 2 * margin:
            choices.setdefault(narrow.lines, narrow)
    placed = []
    for choice in choices.values():
        cost, x, y = calm_place(rgb, choice.width, choice.height, margin)
        # One line reads best: more of them must cover clearly less.
        placed.append((cost + 1.0 * (len(choice.lines) - len(block.lines)), x, y, choice))
    _, x, y, best = min(placed, key=lambda entry: entry[:3])
    return best, x, y


def calm_place(rgb: Image, block_width: float, block_height: float, margin: float) -> tuple[float, float, float]:
    """The least detail that a block can cover, and the top left corner (x, y) where it does.

    Near ties go to the lower, middle place.

    Detail is the mean gradient plus a part of the spread of luminance under the block (box sums).
    """
    import cv2

    height, width = rgb.shape[:2]
    scale = min(1.0, 640 / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    gray = cv2.cvtColor(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY).astype(np.float64)
    gradient = np.hypot(cv2.Sobel(gray, cv2.CV_64F, 1, 0), cv2.Sobel(gray, cv2.CV_64F, 0, 1)) / 8
    # The block with some air around it.
    w = min(size[0], max(1, math.ceil((block_width + 0.5 * block_height) * scale)))
    h = min(size[1], max(1, math.ceil(1.4 * block_height * scale)))
    area = w * h
    sums = [cv2.integral(plane) for plane in (gradient, gray, gray * gray)]
    means = [(s[h:, w:] - s[:-h, w:] - s[h:, :-w] + s[:-h, :-w]) / area for s in sums]
    spread = np.sqrt(np.maximum(means[2] - means[1] ** 2, 0))
    detail = means[0] + 0.25 * spread
    rows, columns = np.mgrid[0 : detail.shape[0], 0 : detail.shape[1]]
    from_middle = np.abs(columns / max(1, detail.shape[1] - 1) - 0.5)
    from_bottom = 1 - rows / max(1, detail.shape[0] - 1)
    cost = detail + 0.6 * from_middle + 0.3 * from_bottom
    row, column = np.unravel_index(int(np.argmin(np.round(cost, 6))), cost.shape)
    x = (float(column) + w / 2) / scale - block_width / 2
    y = (float(row) + h / 2) / scale - block_height / 2
    x = min(max(x, margin), max(margin, width - margin - block_width))
    y = min(max(y, margin), max(margin, height - margin - block_height))
    return (
        float(cost[row, column]),
        min(x, max(0.0, width - block_width)),
        min(y, max(0.0, height - block_height)),
    )


def contrast_ratio(first: NDArray[np.floating[Any]], second: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """The contrast of sRGB colors (…×3, 0 … 255), 1 … 21, by WCAG 2.2's definition of relative luminance."""
    brightness = []
    for colors in (first, second):
        values = np.asarray(colors, dtype=np.float64) / 255
        linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
        brightness.append(linear @ np.array([0.2126, 0.7152, 0.0722]))
    lighter, darker = np.maximum(*brightness), np.minimum(*brightness)
    return np.asarray((lighter + 0.05) / (darker + 0.05), dtype=np.float64)


def _box_in_picture(box: Sequence[object], width: int, height: int) -> tuple[int, int, int, int]:
    x0, y0, x1, y1 = (pixels_of(value, width if number % 2 == 0 else height) for number, value in enumerate(box))
    area = (max(0, round(x0)), max(0, round(y0)), min(width, round(x1)), min(height, round(y1)))
    if area[2] - area[0] < 1 or area[3] - area[1] < 1:
        raise ToolFailure(
            "invalid-input",
            f"the box ({x0:g}, {y0:g}, {x1:g}, {y1:g}) covers nothing of the picture of {width} × {height} pixels",
            "Give the box as [left, top, right, bottom] in pixels or %.",
        )
    return area


def _fitted(text: str, face: Face, width: float, height: float, capital: float | None, shrink: bool = False) -> _Block:
    """The block at the wanted size, or at the largest that fits when no size is wanted."""
    if not text:
        raise ToolFailure("invalid-input", "the text to write is empty", "Write at least one visible character.")
    cap = cap_height(face)
    if capital is not None:
        block = _broken(text, face, capital / cap, width)
        legible = not shrink or capital >= _LEAST_CAPITAL
        if block.width <= width and block.height <= height and legible:
            return block
        if not shrink:
            raise ToolFailure(
                "unsupported",
                f"the text needs {block.width:.0f} × {block.height:.0f} pixels at this size; "
                f"there is room for {max(0.0, width):.0f} × {max(0.0, height):.0f}",
                "Leave `size` out to let the text shrink, or give a larger box.",
            )
    low, high = 0.0, height / (_ASCENT + _DESCENT) if capital is None else capital / cap
    best: _Block | None = None
    for _ in range(12):
        middle = (low + high) / 2
        block = _broken(text, face, middle, width)
        if block.width <= width and block.height <= height:
            best, low = block, middle
        else:
            high = middle
    if best is None or best.em * cap < _LEAST_CAPITAL:
        raise ToolFailure(
            "unsupported",
            "there is no legible size at which the text fits into "
            f"{max(0.0, width):.0f} × {max(0.0, height):.0f} pixels",
            "Write a shorter text or give a larger box.",
        )
    return best


def _broken(text: str, face: Face, em: float, width: float) -> _Block:
    """The text broken into lines no wider than `width` where words allow, lines of even length preferred."""
    if em <= 0:
        return _Block((text,), em, math.inf, math.inf)
    lines: list[str] = []
    for paragraph in text.splitlines():
        lines += _wrapped(paragraph.split(), face, width / em)
    advance = max(_ink_width(line, face) for line in lines) * em
    height = (_ASCENT + _DESCENT + _LEADING * (len(lines) - 1)) * em
    return _Block(tuple(lines), em, advance, height)


def _wrapped(words: list[str], face: Face, limit: float) -> list[str]:
    """Greedy lines, then the narrowest width that keeps their number: no orphan at the end."""
    if not words:
        return []
    widths = [_ink_width(word, face) for word in words]
    space = 0.27

    def lines_within(width: float) -> list[list[str]]:
        lines: list[list[str]] = [[]]
        used = 0.0
        for word, length in zip(words, widths, strict=True):
            if lines[-1] and used + space + length > width:
                lines.append([])
                used = 0.0
            used += length + (space if lines[-1] else 0)
            lines[-1].append(word)
        return lines

    count = len(lines_within(limit))
    low, high = max(widths), max(limit, *widths)
    for _ in range(10):
        middle = (low + high) / 2
        if len(lines_within(middle)) <= count:
            high = middle
        else:
            low = middle
    return [" ".join(line) for line in lines_within(min(high * 1.001, max(limit, *widths)))]


def _ink_width(text: str, face: Face) -> float:
    line = draw_line(text, face, MEASURED_EM)
    return line.right - line.left


def _drawn_block(
    block: _Block, face: Face, x: float, y: float, area: tuple[int, int, int, int]
) -> tuple[Float, tuple[int, int, int, int]]:
    """The coverage of all lines, centered on each other, in a window that also holds a halo."""
    pad = math.ceil(0.25 * block.em) + 2
    window = (
        max(area[0], math.floor(x) - pad), max(area[1], math.floor(y) - pad),
        min(area[2], math.ceil(x + block.width) + pad), min(area[3], math.ceil(y + block.height) + pad),
    )  # fmt: skip
    coverage = np.zeros((window[3] - window[1], window[2] - window[0]), dtype=np.float32)
    for number, text in enumerate(block.lines):
        line = draw_line(text, face, MEASURED_EM)
        left = x + (block.width - (line.right - line.left) * block.em) / 2 - line.left * block.em
        # Baselines on whole pixels keep the feet of the letters sharp.
        baseline = round(y + (_ASCENT + _LEADING * number) * block.em)
        matrix = np.array([[block.em, 0, left], [0, block.em, baseline], [0, 0, 1]])
        drawn = place_line(text, face, 0.0, matrix, block.em * cap_height(face), window)
        coverage = np.maximum(coverage, drawn)
    return coverage, window


def _color(
    wanted: object, seen: Image, coverage: Float, window: tuple[int, int, int, int]
) -> tuple[tuple[int, int, int], bool]:
    """The text's color, and whether it needs a halo: the hardest tenth of its pixels reads badly."""
    x0, y0, x1, y1 = window
    under = seen[y0:y1, x0:x1][coverage > 0.25].astype(np.float64)
    if not under.size:
        under = seen[y0:y1, x0:x1].reshape(-1, 3).astype(np.float64)
    if wanted is not None:
        color = parse_color(str(wanted))
        return color, float(np.quantile(contrast_ratio(under, np.array(color, dtype=np.float64)), 0.1)) < 2.0
    choices = ((255, 255, 255), (20, 20, 20))
    worst = [float(np.quantile(contrast_ratio(under, np.array(c, dtype=np.float64)), 0.1)) for c in choices]
    best = 0 if worst[0] >= worst[1] else 1
    return choices[best], worst[best] < _LEGIBLE


def _opposite(color: tuple[int, int, int]) -> tuple[int, int, int]:
    against = [
        float(contrast_ratio(np.array(color, dtype=np.float64), np.array(c, dtype=np.float64)))
        for c in ((0, 0, 0), (255, 255, 255))
    ]
    return (0, 0, 0) if against[0] >= against[1] else (255, 255, 255)


def _halo(coverage: Float, em: float) -> Float:
    """A soft glow around the letters, strongest at their edges."""
    import cv2

    radius = max(1, round(0.05 * em))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    wide = cv2.GaussianBlur(cv2.dilate(coverage, disc), (0, 0), max(0.6, 0.05 * em))
    # Fades out before the window's edge, so that no straight line shows there.
    return np.asarray(0.65 * wide, dtype=np.float32)
