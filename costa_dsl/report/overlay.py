"""What the analyses found, drawn over the finished picture: a picture of its own, never the edited one."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable

import numpy as np

from costa_dsl.model.artifact import Box, Placement, TextLine
from costa_dsl.runtime.execute import Outcome
from costa_dsl.runtime.result import Trace
from costa_dsl.store.pictures import save_picture
from costa_dsl.store.values import Image, Mask, split_alpha

DRAWN = ("mask", "boxes", "text", "text-regions")


def write_overlay(outcome: Outcome) -> str | None:
    """Write overlay.png into the run directory; its name, or None when no step of the plan analysed anything.

    Coordinates found on an earlier canvas are carried to the final one.
    """
    path = outcome.result.path
    findings = []
    for index, trace in enumerate(path):
        drawn = [name for name in DRAWN if name in trace.outputs]
        if trace.invocation.role == "step" and drawn:
            findings.append((trace, drawn[0], _onward(path[index + 1 :])))
    if not findings:
        return None
    picture, _ = split_alpha(outcome.picture)
    for index, (trace, name, placement) in enumerate(findings):
        red, green, blue = colorsys.hsv_to_rgb(index * 0.381966 % 1, 0.85, 1.0)  # golden angle: hues far apart
        color = (int(red * 255), int(green * 255), int(blue * 255))
        value = outcome.directory.store.get(trace.outputs[name])
        picture = _draw(picture, trace.invocation.step, value, placement, color)
    save_picture(picture, outcome.directory.path / "overlay.png")
    return "overlay.png"


def _onward(later: Iterable[Trace]) -> Placement:
    """How coordinates move through the steps that follow."""
    placement = Placement()
    for trace in later:
        if trace.placement is not None:
            placement = placement.then(trace.placement)
    return placement


def _draw(
    picture: Image,
    name: str,
    value: Mask | tuple[Box | TextLine, ...],
    placement: Placement,
    color: tuple[int, int, int],
) -> Image:
    if isinstance(value, np.ndarray):
        return _draw_mask(picture, value, placement, color, name)
    from PIL import Image as Pictures
    from PIL import ImageDraw

    canvas = Pictures.fromarray(picture)
    pen = ImageDraw.Draw(canvas)
    thick = max(2, round(min(canvas.size) / 300))
    for item in value:
        if isinstance(item, Box):
            corners = [(item.x0, item.y0), (item.x1, item.y0), (item.x1, item.y1), (item.x0, item.y1)]
            words = f"{item.label} {item.score:.2f}"
        else:
            corners = list(item.corners)
            words = item.text
        moved = [placement.apply(x, y) for x, y in corners]
        pen.line([*moved, moved[0]], fill=color, width=thick)
        _write(pen, moved[0], words, color, canvas.size)
    return np.asarray(canvas)


def _draw_mask(picture: Image, mask: Mask, placement: Placement, color: tuple[int, int, int], name: str) -> Image:
    import cv2
    from PIL import Image as Pictures
    from PIL import ImageDraw

    matrix = np.array(
        [[placement.scale_x, 0, placement.x_offset], [0, placement.scale_y, placement.y_offset]], np.float64
    )
    height, width = picture.shape[:2]
    moved = cv2.warpAffine(mask.astype(np.uint8), matrix, (width, height), flags=cv2.INTER_NEAREST) > 0
    result = picture.copy()
    result[moved] = (picture[moved] * 0.55 + np.array(color) * 0.45).astype(np.uint8)
    outlines, _ = cv2.findContours(moved.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(result, outlines, -1, color, max(2, round(min(width, height) / 300)))
    if moved.any():
        rows, columns = np.nonzero(moved)
        canvas = Pictures.fromarray(result)
        _write(ImageDraw.Draw(canvas), (columns.min(), rows.min()), name, color, canvas.size)
        result = np.asarray(canvas)
    return result


def _write(pen, corner, words, color, size) -> None:  # type: ignore[no-untyped-def]
    from PIL import ImageFont

    height = max(11, round(min(size) / 45))
    font = ImageFont.load_default(height)
    width = pen.textlength(words, font=font)
    x = min(max(0, corner[0]), max(0, size[0] - width - 6))
    y = corner[1] - height * 1.4 if corner[1] >= height * 1.4 else corner[1]
    pen.rectangle([x, y, x + width + 6, y + height * 1.35], fill=color)
    pen.text((x + 3, y), words, fill=(0, 0, 0), font=font)
