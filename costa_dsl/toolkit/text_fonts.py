"""The packaged typefaces, and drawing a line of text in them as coverage (how much of a pixel is ink).

Places within a line are in em: x from the pen's start to the right, y from the baseline *down*, so that the
capitals reach from -cap_height to 0.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from costa_dsl.diagnostics.suggest import closest
from costa_dsl.toolkit.api import Float, ToolFailure
from costa_dsl.toolkit.text_ink import Corners, Matrix, matrix_between, pixel_matrix

# Lato comes in five weights, upright and italic, one file each.
LATO_WEIGHTS = {100: "Thin", 300: "Light", 400: "Regular", 700: "Bold", 900: "Black"}
# The axes of the packaged variable Noto Sans: weight, and width in percent.
NOTO_WEIGHTS = (100.0, 900.0)
NOTO_WIDTHS = (62.5, 100.0)
WEIGHT_WORDS = {
    "thin": 100, "light": 300, "regular": 400, "medium": 500, "semibold": 600, "bold": 700, "black": 900,
}  # fmt: skip
FAMILIES = ("Noto Sans", "Lato")
# Lines are measured in drawings of this size; one size for all keeps frames and their inverses in step.
MEASURED_EM = 96


@dataclass(frozen=True, slots=True)
class Face:
    """One cut of a packaged family: weight 100 … 900, width in percent (Noto Sans only), slant."""

    family: str = "Noto Sans"
    weight: float = 400.0
    width: float = 100.0
    italic: bool = False

    @property
    def name(self) -> str:
        """The face in words, as `TextStyle.font` holds it; `Face.parse` is the inverse."""
        slant = " italic" if self.italic else ""
        return f"{self.family} weight={self.weight:g} width={self.width:g}{slant}"

    @classmethod
    def parse(cls, name: str) -> Face:
        """A face from its name; weight, width and slant may be missing, as in `font: Lato` of a plan.

        Raises:
            ToolFailure: `unsupported` when no packaged family has that name.
        """
        words = name.split()
        values = dict(word.split("=", 1) for word in words if "=" in word)
        italic = any(word.casefold() in ("italic", "oblique") for word in words)
        plain = [word for word in words if "=" not in word and word.casefold() not in ("italic", "oblique")]
        weight = 400.0
        if plain and plain[-1].casefold() in WEIGHT_WORDS:
            weight = float(WEIGHT_WORDS[plain.pop().casefold()])
        family = " ".join(plain)
        known = {known.casefold(): known for known in FAMILIES}
        if family.casefold() not in known:
            guess = closest(family, FAMILIES)
            raise ToolFailure(
                "unsupported",
                f'no packaged font is called "{family}"',
                (f'Did you mean "{guess}"? ' if guess else "") + f"There are: {', '.join(FAMILIES)}.",
            )
        try:
            return cls(
                known[family.casefold()], float(values.get("weight", weight)),
                float(values.get("width", 100)), italic,
            ).clamped()  # fmt: skip
        except ValueError:
            raise ToolFailure("unsupported", f'"{name}" is not a font', "Write weight=400 width=100.") from None

    def clamped(self) -> Face:
        """The nearest face that the package holds."""
        if self.family == "Lato":
            weight = min(LATO_WEIGHTS, key=lambda known: (abs(known - self.weight), known))
            return replace(self, weight=float(weight), width=100.0)
        return replace(
            self,
            weight=min(max(self.weight, NOTO_WEIGHTS[0]), NOTO_WEIGHTS[1]),
            width=min(max(self.width, NOTO_WIDTHS[0]), NOTO_WIDTHS[1]),
        )


@dataclass(frozen=True)
class DrawnLine:
    """A line drawn large: coverage float32 H×W in [0, 1], its scale, and the ink's extent in em.

    `to_em` takes the drawing's pixel places to em places.
    """

    coverage: Float
    to_em: Matrix
    left: float
    top: float
    right: float
    bottom: float


@lru_cache(maxsize=64)
def font_path(family: str, italic: bool, weight: float) -> Path:
    """The file of a packaged font.

    Raises:
        ToolFailure: `unavailable` when the package is not installed.
    """
    if family == "Lato":
        package, part = "font-lato", LATO_WEIGHTS[int(weight)]
        ending = f"Lato-{('' if part == 'Regular' and italic else part) + ('Italic' if italic else '')}.ttf"
    else:
        package, ending = "fontpkg-noto-sans", f"NotoSans{'-Italic' if italic else ''}[wdth,wght].ttf"
    try:
        for file in metadata.files(package) or ():
            if file.name == ending:
                return Path(str(file.locate()))
    except metadata.PackageNotFoundError:
        pass
    raise ToolFailure("unavailable", f"the font {ending} is not installed", "Install the extra: costa-dsl[local].")


@lru_cache(maxsize=256)
def load_font(face: Face, em: int) -> ImageFont.FreeTypeFont:
    """The face at `em` pixels."""
    font = ImageFont.truetype(str(font_path(face.family, face.italic, face.weight if face.family == "Lato" else 0)), em)
    if face.family == "Noto Sans":
        font.set_variation_by_axes([face.weight, face.width])
    return font


# A variable font takes some 20 ms to settle on new axes, so what all its cuts share is measured once.
@lru_cache(maxsize=64)
def _cap_height(family: str, italic: bool, weight: float) -> float:
    return -load_font(Face(family, weight, 100.0, italic), 1000).getbbox("H", anchor="ls")[1] / 1000


def cap_height(face: Face) -> float:
    """The height of the capital H in em (in Noto Sans it is the same in every cut)."""
    return _cap_height(face.family, face.italic, face.weight if face.family == "Lato" else 400.0)


def has_glyph(face: Face, char: str) -> bool:
    """Whether the face draws the character itself and not its sign for "missing"."""
    return _has_glyph(face.family, face.italic, char)


@lru_cache(maxsize=4096)
def _has_glyph(family: str, italic: bool, char: str) -> bool:
    if char.isspace() or unicodedata.category(char) in ("Cf", "Mn"):
        return True
    font = load_font(Face(family, 400.0, 100.0, italic), 64)
    missing = font.getmask("\U0010fffe")
    glyph = font.getmask(char)
    return glyph.size != missing.size or bytes(glyph) != bytes(missing)


def runs_of(text: str, face: Face) -> tuple[tuple[str, Face], ...]:
    """The text cut into runs, each with a face that has its letters: the wanted one or Noto Sans like it.

    Raises:
        ToolFailure: `unsupported` for characters that no packaged font has.
    """
    spare = replace(face, family="Noto Sans").clamped()
    missing = sorted({char for char in text if not has_glyph(face, char) and not has_glyph(spare, char)})
    if missing:
        listed = ", ".join(f"{char!r} (U+{ord(char):04X})" for char in missing[:8])
        raise ToolFailure(
            "unsupported", f"no packaged font has a glyph for {listed}",
            "Noto Sans and Lato hold Latin, Greek and Cyrillic; write the text in one of these scripts.",
        )  # fmt: skip
    runs: list[tuple[str, Face]] = []
    for cluster in _clusters(text):
        wanted = face if all(has_glyph(face, char) for char in cluster) else spare
        if runs and (runs[-1][1] == wanted or cluster.isspace()):
            runs[-1] = (runs[-1][0] + cluster, runs[-1][1])
        else:
            runs.append((cluster, wanted))
    return tuple(runs)


@lru_cache(maxsize=512)
def draw_line(text: str, face: Face, em: int, tracking: float = 0.0) -> DrawnLine:
    """One line drawn at `em` pixels, kerned by the font, with `tracking` em added between letters.

    Raises:
        ToolFailure: `unsupported` for missing glyphs, `invalid-input` for a text without ink.
    """
    pieces: list[tuple[float, str, ImageFont.FreeTypeFont]] = []
    pen = 0.0
    for run, cut in runs_of(text, face):
        font = load_font(cut, em)
        if not tracking:
            pieces.append((pen, run, font))
        else:
            so_far = ""
            for number, cluster in enumerate(_clusters(run)):
                # The pen stands where kerning put it: after the length of all that comes before, together.
                start = font.getlength(so_far + cluster) - font.getlength(cluster)
                pieces.append((pen + start + number * tracking * em, cluster, font))
                so_far += cluster
            pen += len(_clusters(run)) * tracking * em
        pen += font.getlength(run)
    pad = em
    size = (max(1, math.ceil(pen)) + 2 * pad, 3 * em)
    canvas = Picture.new("L", size, 0)
    draw = ImageDraw.Draw(canvas)
    for x, piece, font in pieces:
        draw.text((pad + x, 2 * em), piece, fill=255, font=font, anchor="ls")
    coverage: Float = np.asarray(canvas, dtype=np.float32) / np.float32(255)
    rows, columns = np.flatnonzero(coverage.max(axis=1) > 0.5), np.flatnonzero(coverage.max(axis=0) > 0.5)
    if not rows.size:
        raise ToolFailure(
            "invalid-input", f"the text {text!r} has nothing to draw", "Write at least one visible character."
        )
    margin = 4
    top, left = max(0, rows[0] - margin), max(0, columns[0] - margin)
    coverage = np.ascontiguousarray(coverage[top : rows[-1] + 1 + margin, left : columns[-1] + 1 + margin])
    to_em = np.array([[1 / em, 0, (left - pad) / em], [0, 1 / em, (top - 2 * em) / em], [0, 0, 1]])
    return DrawnLine(
        coverage, to_em,
        (columns[0] - pad) / em, (rows[0] - 2 * em) / em,
        (columns[-1] + 1 - pad) / em, (rows[-1] + 1 - 2 * em) / em,
    )  # fmt: skip


def line_matrix(text: str, face: Face, tracking: float, corners: Corners) -> Matrix:
    """The matrix from em places to the picture for a text whose frame (capitals × ink) has these corners."""
    line = draw_line(text, face, MEASURED_EM, tracking)
    cap = cap_height(face)
    frame = ((line.left, -cap), (line.right, -cap), (line.right, 0.0), (line.left, 0.0))
    return matrix_between(frame, corners)


def place_line(
    text: str, face: Face, tracking: float, matrix: Matrix, size: float,
    window: tuple[int, int, int, int], softness: float = 0.0,
) -> Float:  # fmt: skip
    """The coverage of a line in a window (x0, y0, x1, y1) of the picture, float32, anti-aliased.

    `matrix` takes em places to the picture; `size` is the height of the capitals in pixels and only sets how
    large the glyphs are drawn before they are warped. Each pixel is the mean of 4×4 samples (2×2 for large
    letters); `softness` is the sigma of a Gaussian blur in pixels.
    """
    import cv2

    x0, y0, x1, y1 = window
    fine = 4 if size < 160 else 2
    em = int(min(max(fine * size / cap_height(face), 48), 1400))
    line = draw_line(text, face, em, tracking)
    to_window = np.array([[fine, 0, -fine * x0], [0, fine, -fine * y0], [0, 0, 1]], dtype=np.float64)
    warp = pixel_matrix(to_window @ matrix @ line.to_em)
    large = cv2.warpPerspective(line.coverage, warp, (fine * (x1 - x0), fine * (y1 - y0)), flags=cv2.INTER_LINEAR)
    if softness > 0.05:
        large = cv2.GaussianBlur(large, (0, 0), softness * fine)
    coverage = cv2.resize(large, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    return np.asarray(coverage, dtype=np.float32).clip(0, 1)


def _clusters(text: str) -> list[str]:
    """The text in user-seen characters: combining marks stay with their base."""
    clusters: list[str] = []
    for char in text:
        if clusters and unicodedata.combining(char):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters
