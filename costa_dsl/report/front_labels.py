"""Puts labels beside the points of a plot so that none covers a point, a line or another label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Place = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom
Segment = tuple[float, float, float, float]  # from x, y to x, y

HEIGHT = 15.0
GAP = 3.0
# How far out a label may stand from its point, to the side and up or down; from the third on a thin line leads to it.
REACHES = ((8.0, 4.0), (4.0, 9.0), (14.0, 16.0), (20.0, 32.0), (26.0, 50.0), (60.0, 24.0))
NEAR = 2


@dataclass(frozen=True, slots=True)
class Placed:
    """A label in its box, and the line that leads to it, if it needs one."""

    box: Box
    leader: Segment | None


@dataclass
class Labels:
    """The room inside a frame, and what is in the way."""

    frame: Box
    points: Sequence[Box]
    lines: Sequence[Segment]
    placed: list[Placed] = field(default_factory=list)

    def put(self, point: Place, radius: float, width: float) -> Placed | None:
        """Place one more label at a point; None when there is no room for it."""
        far = (max(x for x, _ in REACHES) + width + radius, max(y for _, y in REACHES) + HEIGHT + radius)
        around = (point[0] - far[0], point[1] - far[1], point[0] + far[0], point[1] + far[1])
        boxes = [box for box in self.points if _overlap(box, around)]
        boxes += [_wider(one.box, GAP) for one in self.placed]
        lines = [line for line in self.lines if crosses(line, around)]
        lines += [one.leader for one in self.placed if one.leader]
        for found in _places(point, radius, width):
            if not _inside(found.box, self.frame):
                continue
            if any(_overlap(found.box, box) for box in boxes) or any(crosses(line, found.box) for line in lines):
                continue
            if found.leader and any(
                crosses(found.leader, box) for box in boxes if not (box[0] <= point[0] <= box[2] and _on(box, point))
            ):
                continue
            self.placed.append(found)
            return found
        return None


def _places(point: Place, radius: float, width: float) -> Iterator[Placed]:
    """Where a label may stand, the best first.

    That is above and to the left, or below and to the right: no other point of the stairs is there.
    """
    x, y = point
    for number, (side, up) in enumerate(REACHES):
        for sign in (-1, 1):
            corner = (x + sign * (radius + side - 4.0), y + sign * (radius + up - 4.0))
            left, top = (corner[0] - width, corner[1] - HEIGHT) if sign < 0 else corner
            leader = None
            if number >= NEAR:
                leader = (x + sign * radius * 0.7, y + sign * radius * 0.7, *corner)
            yield Placed((left, top, left + width, top + HEIGHT), leader)
        if number == 1:  # right above or below, as little to the side as there is room for
            for share in (0.25, 0.5, 0.75):
                for sign in (-1, 1):
                    left = x - width * (1 - share) if sign < 0 else x - width * share
                    top = y + sign * (radius + 4.0) - (HEIGHT if sign < 0 else 0.0)
                    yield Placed((left, top, left + width, top + HEIGHT), None)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _inside(box: Box, frame: Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _on(box: Box, point: Place) -> bool:
    return box[1] <= point[1] <= box[3]


def _wider(box: Box, by: float) -> Box:
    return (box[0] - by, box[1] - by, box[2] + by, box[3] + by)


def crosses(line: Segment, box: Box) -> bool:
    """Whether a line touches a box: it is cut by the four sides in turn, and something must be left (Liang, Barsky)."""
    begin, end = 0.0, 1.0
    for start, stop, low, high in ((line[0], line[2], box[0], box[2]), (line[1], line[3], box[1], box[3])):
        length = stop - start
        if length == 0:
            if not low < start < high:
                return False
            continue
        first, last = sorted(((low - start) / length, (high - start) / length))
        begin, end = max(begin, first), min(end, last)
    return begin < end
