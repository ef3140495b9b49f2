"""How a text looks: the nearest packaged face, size, colors and place, found by drawing it and comparing.

The text is drawn in every packaged face, laid over the straightened line, and the face whose letters lie on
the picture's letters best is taken. The winner's fit (a perspective warp) gives baseline, size and angle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from costa_dsl.model.text_match import TextNotFoundError, match_lines
from costa_dsl.toolkit.api import Float, Image, TextLine, TextStyle, ToolCall, ToolFailure
from costa_dsl.toolkit.text_fonts import (
    LATO_WEIGHTS,
    MEASURED_EM,
    NOTO_WIDTHS,
    Face,
    cap_height,
    draw_line,
    line_matrix,
    load_font,
    place_line,
    runs_of,
)
from costa_dsl.toolkit.text_ink import (
    Corners,
    Ink,
    Matrix,
    Strip,
    find_ink,
    pixel_matrix,
    rectify,
    side_lengths,
    transform,
    visible_rgb,
)

# Faces are compared at this height of the straightened line, in pixels.
_COMPARED_HEIGHT = 56


@dataclass(frozen=True)
class _Fit:
    """A face laid over the strip: `matrix` takes em places to strip places; `score` is the correlation."""

    face: Face
    tracking: float
    matrix: Matrix
    score: float


def style(call: ToolCall) -> Mapping[str, Any]:
    """The style of the text that the step names, or of every line: {"text-style": tuple of TextStyle}.

    Raises:
        ToolFailure: `not-found` when the text was not read or does not stand out from its ground.
    """
    rgb = visible_rgb(call.image)
    parts = wanted_lines(call)
    return {"text-style": tuple(style_of_line(rgb, part) for part in parts)}


def wanted_lines(call: ToolCall) -> tuple[TextLine, ...]:
    """The parts of the read lines that the step's `text` names; all lines for a step without it.

    Raises:
        ToolFailure: `not-found`, saying what was read.
    """
    wanted = call.arguments.get("text")
    lines = tuple(line for line in call.text if line.text)
    if wanted is None:
        if not lines:
            raise ToolFailure("not-found", "no text was read in the picture", "Check the text-detection step.")
        return lines
    try:
        return match_lines(lines, str(wanted))
    except TextNotFoundError as error:
        raise ToolFailure("not-found", error.message, error.help) from error


def style_of_line(rgb: Image, line: TextLine) -> TextStyle:
    """The style of one line or part of a line.

    Raises:
        ToolFailure: `not-found` when no ink stands out, `unsupported` for letters that no packaged font has.
    """
    height = side_lengths(line.corners)[1]
    strip = rectify(rgb, line.corners, scale=_COMPARED_HEIGHT / max(height, 1.0), margin=0.25)
    ink = find_ink(strip)
    coverage = _line_coverage(strip, ink)
    refined = [_refined(line.text, fit, coverage) for fit in _first_fits(line.text, coverage)[:4]]
    best = max(refined, key=lambda fit: fit.score)
    best = _with_matching_weight(line.text, best, coverage)
    best = _with_perspective(line.text, best, coverage)
    corners = _frame(line.text, best, strip)
    softness, color, background = _appearance(rgb, line.text, best, corners, ink)
    width, size = side_lengths(corners)
    left, right = np.asarray(corners[3]), np.asarray(corners[2])
    angle = math.degrees(math.atan2(-(right[1] - left[1]), right[0] - left[0])) if width else 0.0
    return TextStyle(
        TextLine(corners, line.text, line.score, line.edges), best.face.name, round(size, 2),
        color, background, round(angle, 2), round(best.tracking, 4), softness,
    )  # fmt: skip


def _line_coverage(strip: Strip, ink: Ink) -> Float:
    """The coverage of the line alone: without specks, and without what reaches in from beside it."""
    import cv2

    x0, y0, x1, y1 = strip.quad
    coverage = ink.coverage.copy()
    coverage[:, :x0] = 0
    coverage[:, x1:] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats((coverage > 0.35).astype(np.uint8))
    tops, heights, areas = stats[:, cv2.CC_STAT_TOP], stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_AREA]
    middles = tops + heights / 2
    inside = (middles > y0) & (middles < y1) & (areas >= 6)
    inside[0] = False
    kept = cv2.dilate(inside[labels].astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    others = cv2.dilate((~inside[labels] & (labels > 0)).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    coverage[others & ~inside[labels]] = 0
    coverage[~kept] = 0
    return coverage


def _ink_box(coverage: Float) -> tuple[float, float, float, float]:
    """The extent of ink at half coverage (x0, y0, x1, y1), half-open."""
    rows = np.flatnonzero(coverage.max(axis=1) > 0.5)
    columns = np.flatnonzero(coverage.max(axis=0) > 0.5)
    if not rows.size or not columns.size:
        raise ToolFailure("not-found", "no letters stand out in the region of the text", "")
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def _cuts(text: str, aspect: float, italic: bool, weights: Iterable[float]) -> Iterable[tuple[Face, float]]:
    """Noto Sans in these weights, with the width and tracking that give the text's width : height."""
    for weight in weights:
        face = _noto_of_aspect(text, weight, italic, aspect)
        yield face, 0.0
        tracking = _tracking_for(text, face, aspect)
        if abs(tracking) > 0.004:
            yield face, tracking


def _lato_cuts(text: str, aspect: float, italic: bool, weights: Iterable[int]) -> Iterable[tuple[Face, float]]:
    for weight in weights:
        face = Face("Lato", float(weight), 100.0, italic)
        yield face, 0.0
        if abs(tracking := _tracking_for(text, face, aspect)) > 0.004:
            yield face, tracking


def _aspect(text: str, face: Face, tracking: float = 0.0) -> float:
    left, top, right, bottom = _rough_box(text, face)
    return (right - left + tracking * max(0, len(text) - 1)) / max(bottom - top, 1e-6)


def _rough_box(text: str, face: Face) -> tuple[float, float, float, float]:
    """The extent of the text's ink in em from the font's own metrics: quick and near enough."""
    runs = runs_of(text, face)
    font = load_font(runs[0][1] if len(runs) == 1 else replace(face, family="Noto Sans").clamped(), MEASURED_EM)
    left, top, right, bottom = font.getbbox(text, anchor="ls")
    return left / MEASURED_EM, top / MEASURED_EM, right / MEASURED_EM, bottom / MEASURED_EM


def _noto_of_aspect(text: str, weight: float, italic: bool, aspect: float) -> Face:
    """Noto Sans in the width at which the text has the wanted width : height, as far as the axis reaches."""
    low, high = NOTO_WIDTHS
    narrow = _aspect(text, Face("Noto Sans", weight, low, italic))
    wide = _aspect(text, Face("Noto Sans", weight, high, italic))
    width = round(low + (high - low) * (aspect - narrow) / max(wide - narrow, 1e-6))
    return Face("Noto Sans", weight, float(min(max(width, NOTO_WIDTHS[0]), NOTO_WIDTHS[1])), italic)


def _tracking_for(text: str, face: Face, aspect: float) -> float:
    """Space between letters, in em, that brings the text to the wanted width : height; bounded."""
    left, top, right, bottom = _rough_box(text, face)
    gaps = max(1, len(text) - 1)
    missing = aspect * (bottom - top) - (right - left)
    return min(max(round(missing / gaps, 3), -0.08), 1.0) if len(text) > 1 else 0.0


def _first_fits(text: str, coverage: Float) -> list[_Fit]:
    """Candidates laid over the ink by its box, best first.

    Two weights of each family, upright and italic, decide about the slant; then its other weights follow.
    """
    x0, y0, x1, y1 = _ink_box(coverage)
    aspect = (x1 - x0) / (y1 - y0)
    target = _softened(coverage)
    fits: list[_Fit] = []
    for italic in (False, True):
        for face, tracking in _cuts(text, aspect, italic, (400.0, 700.0)):
            fits.append(_boxed_fit(text, face, tracking, coverage, target))
        for face, tracking in _lato_cuts(text, aspect, italic, (400, 700)):
            fits.append(_boxed_fit(text, face, tracking, coverage, target))
    italic = max(fits, key=lambda fit: fit.score).face.italic
    for face, tracking in _cuts(text, aspect, italic, (250.0, 550.0, 850.0)):
        fits.append(_boxed_fit(text, face, tracking, coverage, target))
    for face, tracking in _lato_cuts(text, aspect, italic, sorted(set(LATO_WEIGHTS) - {400, 700})):
        fits.append(_boxed_fit(text, face, tracking, coverage, target))
    return sorted(fits, key=lambda fit: -fit.score)


def _boxed_fit(text: str, face: Face, tracking: float, coverage: Float, target: Float) -> _Fit:
    x0, y0, x1, y1 = _ink_box(coverage)
    line = draw_line(text, face, MEASURED_EM, tracking)
    scale_x = (x1 - x0) / (line.right - line.left)
    scale_y = (y1 - y0) / (line.bottom - line.top)
    matrix = np.array([[scale_x, 0, x0 - line.left * scale_x], [0, scale_y, y0 - line.top * scale_y], [0, 0, 1]])
    drawn = _laid_over(text, face, tracking, matrix, coverage.shape)
    # A face that must be squeezed or stretched to fit is the wrong face.
    stretch = abs(math.log(scale_x / scale_y))
    return _Fit(face, tracking, matrix, _correlation(_softened(drawn), target) - 0.5 * stretch)


def _laid_over(text: str, face: Face, tracking: float, matrix: Matrix, shape: tuple[int, ...]) -> Float:
    import cv2

    line = draw_line(text, face, MEASURED_EM, tracking)
    drawn = cv2.warpPerspective(line.coverage, pixel_matrix(matrix @ line.to_em), (shape[1], shape[0]))
    return np.asarray(drawn, dtype=np.float32)


def _softened(coverage: Float) -> Float:
    import cv2

    return np.asarray(cv2.GaussianBlur(coverage, (0, 0), 1.2), dtype=np.float32)


def _correlation(first: Float, second: Float) -> float:
    """Pearson's correlation of two coverages, in [-1, 1]."""
    a, b = first - first.mean(), second - second.mean()
    scale = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / scale if scale > 0 else 0.0


def _refined(text: str, fit: _Fit, coverage: Float) -> _Fit:
    """The fit moved, scaled and sheared to where the letters lie best (ECC, Evangelidis & Psarakis 2008).

    The penalty for a stretch stays: a shear or stretch beyond a few percent means another face.
    """
    matrix = _aligned(text, fit, coverage, perspective=False)
    drawn = _laid_over(text, fit.face, fit.tracking, matrix, coverage.shape)
    scale_x, scale_y = float(np.hypot(matrix[0, 0], matrix[1, 0])), float(matrix[1, 1])
    if scale_x <= 0 or scale_y <= 0:
        return fit
    stretch = abs(math.log(scale_x / scale_y))
    shear = abs(float(matrix[0, 1])) / scale_y
    score = _correlation(_softened(drawn), _softened(coverage)) - 0.3 * stretch - 0.3 * shear
    return _Fit(fit.face, fit.tracking, matrix, score) if score > fit.score - 0.05 else fit


def _aligned(text: str, fit: _Fit, coverage: Float, perspective: bool) -> Matrix:
    """The fit's matrix after alignment by ECC; the old one when the alignment does not converge."""
    import cv2

    start = _laid_over(text, fit.face, fit.tracking, fit.matrix, coverage.shape)
    mode = cv2.MOTION_HOMOGRAPHY if perspective else cv2.MOTION_AFFINE
    warp = np.eye(3 if perspective else 2, 3, dtype=np.float32)
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-5)
    try:
        # ECC's warp takes places of the template (the picture's letters) to places of the drawn ones.
        _, warp = cv2.findTransformECC(_softened(coverage), _softened(start), warp, mode, stop, None, 5)
    except cv2.error:
        return fit.matrix
    full = np.eye(3)
    full[: warp.shape[0]] = warp
    shift = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]], dtype=np.float64)
    try:
        moved = shift @ np.linalg.inv(full) @ np.linalg.inv(shift) @ fit.matrix
    except np.linalg.LinAlgError:
        return fit.matrix
    return moved / moved[2, 2] if np.isfinite(moved).all() and abs(moved[2, 2]) > 1e-9 else fit.matrix


def _with_matching_weight(text: str, fit: _Fit, coverage: Float) -> _Fit:
    """The fit's family in the weight that puts as much ink on the page as the picture has.

    The amount of ink does not depend on blur or on how well the letters lie, so it tells the weight apart
    better than the correlation, which favours bold letters.
    """
    x0, y0, x1, y1 = _ink_box(coverage)
    aspect = (x1 - x0) / (y1 - y0)
    wanted = float(coverage.sum())
    if fit.face.family == "Lato":
        faces = [replace(fit.face, weight=float(weight)) for weight in LATO_WEIGHTS]
        amounts = [_amount_of_ink(text, face, fit) for face in faces]
        face = faces[int(np.argmin(np.abs(np.log(np.array(amounts) / wanted))))]
    else:
        weights = (250.0, 400.0, 550.0, 700.0, 850.0)
        amounts = [_amount_of_ink(text, _noto_like(text, fit, weight, aspect), fit) for weight in weights]
        weight = 5 * round(float(np.interp(wanted, np.maximum.accumulate(amounts), weights)) / 5)
        face = _noto_like(text, fit, float(weight), aspect)
    matrix = _matrix_from_frame(text, face, fit)
    return _refined(text, _Fit(face, fit.tracking, matrix, -1.0), coverage)


def _noto_like(text: str, fit: _Fit, weight: float, aspect: float) -> Face:
    """Noto Sans in another weight, as wide as the text is; a tracked text keeps its width of letters."""
    if fit.tracking:
        return replace(fit.face, weight=weight)
    return _noto_of_aspect(text, weight, fit.face.italic, aspect)


def _amount_of_ink(text: str, face: Face, fit: _Fit) -> float:
    """The ink of the text in a face, in strip pixels, when its frame lies where the fit's lies."""
    line = draw_line(text, face, MEASURED_EM, fit.tracking)
    to_strip = _matrix_from_frame(text, face, fit) @ line.to_em
    return float(line.coverage.sum()) * abs(float(np.linalg.det(to_strip[:2, :2])))


def _matrix_from_frame(text: str, face: Face, fit: _Fit) -> Matrix:
    return line_matrix(text, face, fit.tracking, _em_frame(text, fit, fit.matrix))


def _with_perspective(text: str, fit: _Fit, coverage: Float) -> _Fit:
    """The fit with a full perspective warp, when that lays the letters clearly better."""
    matrix = _aligned(text, fit, coverage, perspective=True)
    drawn = _laid_over(text, fit.face, fit.tracking, matrix, coverage.shape)
    before = _laid_over(text, fit.face, fit.tracking, fit.matrix, coverage.shape)
    target = _softened(coverage)
    gain = _correlation(_softened(drawn), target) - _correlation(_softened(before), target)
    return replace(fit, matrix=matrix) if gain > 0.01 else fit


def _em_frame(text: str, fit: _Fit, matrix: Matrix) -> Corners:
    """The four corners of capitals × ink of the fitted text, through a matrix from em places."""
    line, cap = draw_line(text, fit.face, MEASURED_EM, fit.tracking), cap_height(fit.face)
    frame = np.array([[line.left, -cap], [line.right, -cap], [line.right, 0.0], [line.left, 0.0]])
    points = transform(matrix, frame)
    return cast(Corners, tuple((float(x), float(y)) for x, y in points))


def _frame(text: str, fit: _Fit, strip: Strip) -> Corners:
    return cast(
        Corners,
        tuple((round(x, 3), round(y, 3)) for x, y in _em_frame(text, fit, strip.to_image @ fit.matrix)),
    )


def _appearance(
    rgb: Image, text: str, fit: _Fit, corners: Corners, ink: Ink
) -> tuple[float, tuple[int, int, int], tuple[int, int, int]]:
    """Softness, color and background of the text as it stands in the picture.

    Softness is the blur with which the drawn letters' edges are as steep as the picture's: that does not ask
    the letters to lie exactly on each other. The color solves I = B + coverage · (F - B) by least squares.
    """
    height, width = rgb.shape[:2]
    points = np.asarray(corners)
    size = side_lengths(corners)[1]
    margin = 0.45 * size + 2
    x0, y0 = (max(0, int(v)) for v in np.floor(points.min(axis=0) - np.array([2, margin])))
    x1, y1 = (int(v) for v in np.minimum((width, height), np.ceil(points.max(axis=0) + np.array([2, margin]))))
    pixels = rgb[y0:y1, x0:x1].astype(np.float64)
    background = np.median(ink.ground.reshape(-1, 3), axis=0).astype(np.float64)
    direction = ink.color - background
    seen = ((pixels - background) @ direction / max(float(direction @ direction), 1e-6)).clip(0, 1)
    matrix = line_matrix(text, fit.face, fit.tracking, corners)
    steepness = _steepness(seen)
    best = (math.inf, 0.0, np.zeros_like(seen, dtype=np.float32))
    for softness in (0.0, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0):
        coverage = place_line(text, fit.face, fit.tracking, matrix, size, (x0, y0, x1, y1), softness)
        difference = abs(_steepness(coverage) - steepness)
        if difference < best[0]:
            best = (difference, softness, coverage)
    _, softness, coverage = best
    if ink.patterned:  # the pattern's own edges tell nothing about the letters'
        softness = min(softness, 0.4)
    amount = coverage.ravel().astype(np.float64)
    solved, *_ = np.linalg.lstsq(np.column_stack([1 - amount, amount]), pixels.reshape(-1, 3), rcond=None)
    # Thin strokes never show their full color; least squares sees through the mixing. Where the letters do
    # not lie exactly it says too little contrast instead, and the pixels inside the strokes know better.
    mixed = solved[1].clip(0, 255)
    excess = np.linalg.norm(mixed - background) / max(float(np.linalg.norm(direction)), 1e-6)
    color = mixed if 1.08 <= excess <= 1.5 else ink.color
    return softness, _rounded(color), _rounded(background)


def _steepness(coverage: NDArray[np.floating[Any]]) -> float:
    """How steep the edges are: a high quantile of the change between neighbours, over pixels that change."""
    across = np.abs(np.diff(coverage, axis=1)).ravel()
    changing = across[across > 0.08]
    return float(np.quantile(changing, 0.8)) if changing.size else 0.0


def _rounded(color: NDArray[np.floating[Any]]) -> tuple[int, int, int]:
    red, green, blue = (round(float(value)) for value in color.clip(0, 255))
    return red, green, blue
