"""Finding and reading lines of text with RapidOCR (PP-OCR networks that travel inside its wheel)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costa_dsl.toolkit.api import Image, TextLine, ToolCall, ToolFailure
from costa_dsl.toolkit.text_ink import Corners, ink_free_columns, rectify, side_lengths, visible_rgb

# The recognizer's network sees lines 48 pixels high and answers once per 8 columns.
_READING_HEIGHT = 48
_READING_STRIDE = 8


def detect(call: ToolCall) -> Mapping[str, Any]:
    """Find lines of text: {"text-regions": tuple of TextLine with empty text}, in reading order.

    Parameters: `megapixels` and `enlarge` bound the working copy (area, and scale over the picture's own);
    `threshold` is the least score of a region; `levels` > 1 also looks at copies half as large each, for
    pictures that mix small and very large letters.
    """
    rgb = visible_rgb(call.image)
    engine = call.models.get("rapidocr", _load_rapidocr)
    height, width = rgb.shape[:2]
    scale = min(
        float(call.parameters["enlarge"]),
        (float(call.parameters["megapixels"]) * 1e6 / (height * width)) ** 0.5,
        20_000 / max(height, width),
    )
    found: list[TextLine] = []
    for level in range(int(call.parameters["levels"])):
        for line in _detect_at(engine, rgb, scale / 2**level, float(call.parameters["threshold"])):
            if not any(_covers(other, line) for other in found):
                found.append(line)
    return {"text-regions": in_reading_order(found)}


def read(call: ToolCall) -> Mapping[str, Any]:
    """Read the regions: {"text": tuple of TextLine} in reading order, with the place of every character.

    Regions that hold no legible text (score below `threshold`) are left out. A line that stands on its
    head gets its corners turned, so that they begin at the top left of the text.
    """
    import cv2

    rgb = visible_rgb(call.image)
    regions: Sequence[TextLine] = call.artifacts["text-regions"]
    crops: list[Image] = []
    quads: list[Corners] = []
    for region in regions:
        quad = region.corners
        width, height = side_lengths(quad)
        if width < 2 or height < 2:
            continue
        if height > 1.6 * width:  # letters set sideways: read from the bottom up, as on a book's spine
            quad = (quad[3], quad[0], quad[1], quad[2])
        strip = rectify(rgb, quad, scale=_READING_HEIGHT / side_lengths(quad)[1], longest=6_000)
        crops.append(np.ascontiguousarray(strip.pixels.clip(0, 255).round().astype(np.uint8)[..., ::-1]))
        quads.append(quad)
    if not crops:
        return {"text": ()}
    engine = call.models.get("rapidocr", _load_rapidocr)
    turned = engine.cls_and_rotate(crops)[1].cls_res
    for index, (label, score) in enumerate(turned):
        if label == "180" and score > 0.9:
            crops[index] = cv2.rotate(crops[index], cv2.ROTATE_180)
            quads[index] = (quads[index][2], quads[index][3], quads[index][0], quads[index][1])
    result = engine.recognize_txt(crops)
    lines = []
    for quad, crop, text, score, info in zip(
        quads, crops, result.txts, result.scores, result.word_results, strict=True
    ):
        clean = text.strip()
        if clean and float(score) >= float(call.parameters["threshold"]):
            lines.append(TextLine(quad, clean, round(float(score), 4), _character_edges(clean, info, crop)))
    return {"text": in_reading_order(lines)}


def in_reading_order(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Rows from the top down, each from left to right; lines share a row that overlap by half in height."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: (line.box[1] + line.box[3], line.box[0])):
        top, bottom = line.box[1], line.box[3]
        for row in reversed(rows[-3:]):
            first_top, first_bottom = row[0].box[1], row[0].box[3]
            shared = min(bottom, first_bottom) - max(top, first_top)
            if shared > 0.5 * min(bottom - top, first_bottom - first_top):
                row.append(line)
                break
        else:
            rows.append([line])
    return tuple(line for row in rows for line in sorted(row, key=lambda line: line.box[0]))


def _load_rapidocr() -> Any:
    """The engine: at most two threads, nothing on the terminal, models from the wheel only."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise ToolFailure(
            "unavailable", f"rapidocr cannot be loaded: {error}", "Install the extra: costa-dsl[local]."
        ) from error
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.return_word_box": True,
            "EngineConfig.onnxruntime.intra_op_num_threads": 2,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "Det.limit_type": "min",
            "Det.limit_side_len": 32,  # the working copy already has its size
        }
    )


def _detect_at(engine: Any, rgb: Image, scale: float, threshold: float) -> list[TextLine]:
    """The regions found in a copy scaled by `scale`, in the coordinates of `rgb`."""
    import cv2

    height, width = rgb.shape[:2]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    if min(size) < 8:
        return []
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    copy = cv2.resize(rgb, size, interpolation=method) if size != (width, height) else rgb
    # Letters at the very edge need ground around them, and the network needs some size at all.
    pad = 16 + max(0, (96 - min(size)) // 2)
    copy = cv2.copyMakeBorder(copy, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    detector = engine._load_det_model()
    detector.postprocess_op.box_thresh = threshold
    output = detector(np.ascontiguousarray(copy[..., ::-1]))
    if output.boxes is None:
        return []
    lines = []
    limit = np.array([width, height], dtype=np.float64)
    for box, score in zip(output.boxes, output.scores, strict=True):
        points = ((np.asarray(box, dtype=np.float64) - pad) * (limit / np.array(size))).clip(0, limit)
        corners = tuple((round(float(x), 2), round(float(y), 2)) for x, y in points)
        if min(side_lengths(corners)) >= 3:
            lines.append(TextLine(corners, "", round(float(score), 4)))  # type: ignore[arg-type]
    return lines


def _covers(first: TextLine, second: TextLine) -> bool:
    """Whether two regions are about the same line: they share more than 30 % of the smaller one's box."""
    ax0, ay0, ax1, ay1 = first.box
    bx0, by0, bx1, by1 = second.box
    shared = max(0.0, min(ax1, bx1) - max(ax0, bx0)) * max(0.0, min(ay1, by1) - max(ay0, by0))
    return shared > 0.3 * min((ax1 - ax0) * (ay1 - ay0), (bx1 - bx0) * (by1 - by0))


def _character_edges(text: str, info: Any, crop: Image) -> tuple[float, ...]:
    """Where each character begins and ends, as fractions of the line's length; () when it is not known.

    The recognizer tells at which columns it saw each letter. Between two letters of a word the edge lies
    in the middle; between words it moves to the middle of the nearest gap without ink.
    """
    columns = [column for word in info.word_cols or () for column in word]
    width = crop.shape[1]
    if len(columns) != sum(not char.isspace() for char in text):
        return ()
    stride = _READING_STRIDE * crop.shape[0] / _READING_HEIGHT
    remaining = iter(columns)
    centers = [None if char.isspace() else (next(remaining) + 0.5) * stride for char in text]
    gaps = ink_free_columns(crop)
    edges = [0.0]
    for index in range(1, len(text)):
        before = next(center for center in reversed(centers[:index]) if center is not None)
        after = next(center for center in centers[index:] if center is not None)
        between_words = centers[index - 1] is None or centers[index] is None
        edges.append(_nearest_gap(gaps, before, after) if between_words else (before + after) / 2)
    edges.append(float(width))
    rising = np.maximum.accumulate(np.asarray(edges)).clip(0, width) / width
    return tuple(round(float(edge), 5) for edge in rising)


def _nearest_gap(gaps: Sequence[tuple[float, float]], before: float, after: float) -> float:
    """The middle of the widest gap between two letters' centers, or the middle between them."""
    inside: list[tuple[float, float]] = [
        (min(right, after) - max(left, before), (left + right) / 2)
        for left, right in gaps
        if right > before and left < after
    ]
    return max(inside)[1] if inside else (before + after) / 2
