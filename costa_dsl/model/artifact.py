"""The typed things that tools hand to each other, as plain data.

Pictures and masks are arrays and live in `costa_dsl.store.values`; boxes and lines of text are plain
tuples of numbers, so that this module needs nothing heavy.

Coordinates: pixels, origin at the top left corner of the top left pixel, x to the right, y down.
Boxes are half-open: a box covers the columns x0 … x1 - 1 and the rows y0 … y1 - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Box:
    """One found object: half-open pixel box, the label it was found under, a score in [0, 1]."""

    x0: float
    y0: float
    x1: float
    y1: float
    label: str
    score: float

    @property
    def area(self) -> float:
        return max(0.0, self.x1 - self.x0) * max(0.0, self.y1 - self.y0)

    def iou(self, other: Box) -> float:
        """Intersection over union, in [0, 1]."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        if width <= 0 or height <= 0:
            return 0.0
        shared = width * height
        return shared / (self.area + other.area - shared)


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text: four corners clockwise from the top left of the *text*, the words, a score in [0, 1].

    `text` is empty when the line was found but not read (text detection without extraction). `edges` tells
    where each character begins and ends along the line: len(text) + 1 rising fractions in [0, 1], or nothing
    when that was not measured.
    """

    corners: tuple[Point, Point, Point, Point]
    text: str
    score: float
    edges: tuple[float, ...] = ()

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The axis-aligned bounding box (x0, y0, x1, y1) in pixels."""
        xs = [x for x, _ in self.corners]
        ys = [y for _, y in self.corners]
        return (min(xs), min(ys), max(xs), max(ys))


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a line of text looks: the packaged font nearest to it, its size and colors.

    `line.corners` is the frame of the letters themselves: from the height of the capitals down to the baseline,
    from the first ink to the last. `size` is the height of the line's capitals in pixels; `angle` is in
    degrees, counter-clockwise; colors are sRGB, 0 … 255. `tracking` is extra space between letters in em;
    `softness` is the blur of the letters' edges, a Gaussian sigma in pixels.
    """

    line: TextLine
    font: str
    size: float
    color: tuple[int, int, int]
    background: tuple[int, int, int]
    angle: float
    tracking: float = 0.0
    softness: float = 0.0


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the old picture lies in the new one after an edit that changes the canvas.

    An old pixel position (x, y) is found at (x · scale_x + x_offset, y · scale_y + y_offset).
    """

    x_offset: float = 0.0
    y_offset: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 1.0

    def then(self, later: Placement) -> Placement:
        """This placement followed by a later one."""
        return Placement(
            self.x_offset * later.scale_x + later.x_offset,
            self.y_offset * later.scale_y + later.y_offset,
            self.scale_x * later.scale_x,
            self.scale_y * later.scale_y,
        )

    def apply(self, x: float, y: float) -> Point:
        return (x * self.scale_x + self.x_offset, y * self.scale_y + self.y_offset)


@dataclass(frozen=True, slots=True)
class Target:
    """What a step works on: a referring expression, and how to find it when no detector shall look for it.

    `at` holds the plan's `at:` mapping, already checked: `{"color": "green"}`, `{"box": [x0, y0, x1, y1]}`, …
    """

    object: str | None = None
    at: tuple[tuple[str, Any], ...] = ()

    def place(self, word: str) -> Any:
        """The value under one key of `at:`, or None."""
        return dict(self.at).get(word)
