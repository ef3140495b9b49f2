"""Where an edit may act."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from costa_dsl.checks.region import box_mask, drawn, edit_region, grown, in_pixels
from costa_dsl.model.artifact import Target, TextLine, TextStyle
from costa_dsl.store.values import Mask
from tests.checks.scenes import ellipse, line, target

SHAPE = (120, 200, 3)
OPEN = line("OPEN", 20, 20, 80, 40)
DATE = line("call 555 123 456 today", 20, 60, 180, 80)
ERASED = TextStyle(line("SHUT", 100, 90, 150, 110), "Lato", 20, (0, 0, 0), (255, 255, 255), 0.0)


def region(
    subtask: str, place: Target | None = None, grow: float = 0, words: Any = None, **artifacts: Any
) -> Mask | None:
    artifacts = {name.replace("_", "-"): value for name, value in artifacts.items()}
    parameters = {"grow": grow} if grow else {}
    return edit_region(subtask, artifacts, place or Target(), words or {}, parameters, SHAPE, {})


def test_a_mask_grown() -> None:
    mask = ellipse(SHAPE, 60, 60, 20, 20)
    for subtask in ("object-removal", "object-recoloration", "object-replacement"):
        found = region(subtask, grow=5, mask=mask)
        assert found is not None
        assert np.array_equal(found, grown(mask, 5))
    given = region("object-removal", mask=mask)
    assert given is not mask
    assert np.array_equal(given, mask)


@pytest.mark.parametrize("subtask", ["background-removal", "outpainting", "image-upscaling", "denoising"])
def test_edits_of_the_whole_picture_have_no_region(subtask: str) -> None:
    assert region(subtask, mask=ellipse(SHAPE, 60, 60, 20, 20)) is None


def test_the_lines_that_the_words_mean() -> None:
    text = (OPEN, DATE)
    found = region("text-removal", words={"text": "open"}, text=text)
    assert np.array_equal(found, drawn([OPEN], SHAPE[:2]))
    part = region("text-redaction", words={"kind": "phone"}, text=text)
    assert part is not None
    assert part[70, 60:120].all()
    assert not part[70, 20:45].any()
    assert not part[70, 150:180].any()
    assert np.array_equal(part, region("text-redaction", words={"pattern": r"555[\d ]*\d"}, text=text))
    both = region("text-replacement", words={"text": "OPEN", "with": "SHUT"}, text=text, erased_text=(ERASED,))
    assert np.array_equal(both, drawn([OPEN, ERASED.line], SHAPE[:2]))
    only_erased = region("text-replacement", words={"text": "gone", "with": "x"}, text=text, erased_text=(ERASED,))
    assert np.array_equal(only_erased, drawn([ERASED.line], SHAPE[:2]))
    assert np.array_equal(region("keyword-highlighting", text_regions=text), drawn(text, SHAPE[:2]))


@pytest.mark.parametrize("grow", [1, 4, 12])
def test_a_disc_of_opencv_stays_within_the_grown_line(grow: int) -> None:
    """Tools may grow a line by a disc-shaped kernel, whose steps reach half a pixel beyond the circle."""
    tilted = TextLine(((20.3, 30.1), (90.7, 20.2), (93.4, 41.9), (23, 52)), "OPEN", 1.0)
    allowed = region("text-removal", grow=grow, words={"text": "OPEN"}, text=(tilted,))
    assert allowed is not None
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * grow + 1, 2 * grow + 1))
    assert not (cv2.dilate(drawn([tilted], SHAPE[:2]).astype(np.uint8), disc).astype(bool) & ~allowed).any()
    assert not (allowed & ~grown(drawn([tilted], SHAPE[:2]), grow + 1)).any()


def test_the_box_of_the_plan_is_the_last_resort() -> None:
    box = target(box=[10, "25%", 60.5, 60])
    found = region("text-addition", box, words={"text": "OPEN"}, text=(OPEN,))
    assert found is not None
    assert found.sum() == 51 * 30
    assert found[30:60, 10:61].all()
    assert region("text-addition", words={"text": "OPEN"}, text=(OPEN,)) is None
    assert region("text-removal", words={"text": "nowhere"}, text=(OPEN,)) is None


def test_a_tool_that_grounds_on_its_own_says_where() -> None:
    mask = ellipse(SHAPE, 60, 60, 20, 20)
    found = edit_region("object-recoloration", {}, Target("sky"), {}, {"grow": 2}, SHAPE, {"mask": mask})
    assert np.array_equal(found, grown(mask, 2))


@pytest.mark.parametrize("seed", range(6))
def test_drawn_lines_hold_every_pixel_whose_center_they_hold(seed: int) -> None:
    random = np.random.default_rng(seed)
    middle, (across, down) = random.uniform(30, 90, 2), random.uniform(8, 30, 2)
    angle = random.uniform(-1, 1)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([(-across, -down), (across, -down), (across, down), (-across, down)]) @ turn.T + middle
    found = drawn([TextLine(tuple(map(tuple, corners.tolist())), "", 1.0)], (120, 120))
    shape = Polygon(corners)
    for row in range(0, 120, 3):
        for column in range(120):
            center = Point(column + 0.5, row + 0.5)
            if shape.buffer(-0.1).contains(center):
                assert found[row, column]
            elif not shape.buffer(1.1).contains(center):
                assert not found[row, column]


def test_boxes_and_lengths() -> None:
    assert in_pixels("12.5%", 80) == 10
    assert in_pixels(7, 80) == 7
    assert not box_mask([50, 50, 50, 60], (100, 100)).any()
    assert box_mask([-9, -9, 999, 999], (10, 20)).all()
    with pytest.raises(ValueError, match="four numbers"):
        box_mask([1, 2, 3], (10, 10))
