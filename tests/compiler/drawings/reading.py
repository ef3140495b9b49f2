"""Reads drawings back: the lanes of a text drawing by following them, the lines of an SVG by walking along them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]


def follow(rows: list[str], row: int, column: int) -> int:
    """The row of the state to which the lane at a `+` leads down, read as an eye reads it."""
    crossing = False  # on the way under other lanes: the next row has the second half of the slope
    while True:
        row += 1
        line = rows[row].ljust(column + 2)
        here, left, right = line[column], line[column - 1] if column else " ", line[column + 1]
        if crossing and left == "/":
            column, crossing = column - 2, False
        elif here == "o":
            return row
        elif here in "|+":
            crossing = False
        elif right == "\\":
            column, crossing = column + 2, False
        elif left == "/":
            column -= 2
            while column and line[column - 1] == "_":
                column -= 2
            crossing = line[column] == "|"
            if line[column] == "o":
                return row
        else:
            raise AssertionError(f"the lane ends in nothing at row {row}, column {column}:\n" + "\n".join(rows))


def trace_back(rows: list[str], row: int, column: int) -> int:
    """The row of the state from which the lane at a `+` comes."""
    while True:
        row -= 1
        line = rows[row].ljust(column + 2)
        if line[column] == "o":
            return row
        if line[column] not in "|+":
            assert "\\" in line[column - 1] or line[column + 1] == "/", "the lane comes from nowhere"
            column += 2 if line[column + 1] == "/" else -2


def walk(path: str) -> Iterator[Point]:
    """Points along a path of M, L and C, close to each other."""
    at: Point = (0.0, 0.0)
    for command, numbers in re.findall(r"([MLC])([^MLC]*)", path):
        values = [float(value) for value in numbers.split()]
        points = list(zip(values[::2], values[1::2], strict=True))
        if command == "M":
            at = points[0]
        elif command == "L":
            yield from (_between(at, points[0], step / 40) for step in range(41))
            at = points[0]
        else:
            yield from (_cubic(at, *points, step / 40) for step in range(41))
            at = points[2]


def _between(first: Point, second: Point, share: float) -> Point:
    return (first[0] + (second[0] - first[0]) * share, first[1] + (second[1] - first[1]) * share)


def _cubic(a: Point, b: Point, c: Point, d: Point, share: float) -> Point:
    points = [a, b, c, d]
    while len(points) > 1:
        points = [_between(first, second, share) for first, second in pairwise(points)]
    return points[0]


def inside(point: Point, box: Rectangle) -> bool:
    """Whether a point is well inside a box (x, y, width, height)."""
    x, y, width, height = box
    return x + 0.3 < point[0] < x + width - 0.3 and y + 0.3 < point[1] < y + height - 0.3


def overlap(first: Rectangle, second: Rectangle) -> bool:
    return (
        first[0] < second[0] + second[2]
        and second[0] < first[0] + first[2]
        and first[1] < second[1] + second[3]
        and second[1] < first[1] + first[3]
    )
