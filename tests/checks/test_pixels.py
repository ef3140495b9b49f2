"""What had to stay, what had to change, and the size of the canvas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from skimage import data

from costa_dsl.checks.evidence import Evidence
from costa_dsl.checks.guarantees import PREDICATES, broken_guarantees
from costa_dsl.model.artifact import Placement
from tests.checks.scenes import Answers, check, ellipse, pasted, score

COFFEE = data.coffee()
CUP = ellipse(COFFEE.shape, 300, 190, 130, 110)


def test_nothing_outside_changed() -> None:
    after = pasted(COFFEE, CUP, 255 - COFFEE)
    assert score("outside-unchanged", COFFEE, after, region=CUP) == 1
    assert check("outside-unchanged", COFFEE, after) is None  # there is no outside


def test_each_changed_pixel_outside_is_counted() -> None:
    after = pasted(COFFEE, CUP, 0)
    for x in (0, 5, 599):
        after[3, x, 1] ^= 1
    result = check("outside-unchanged", COFFEE, after, region=CUP)
    assert result is not None
    assert result.sentence == f"3 of {(~CUP).sum():,} pixels outside the region changed"
    assert 0.7 < result.score < 0.8
    shifted = np.roll(COFFEE, 1, axis=1)
    assert score("outside-unchanged", COFFEE, shifted, region=CUP) == 0


def test_a_change_of_size_or_of_transparency_outside_is_a_change() -> None:
    assert score("outside-unchanged", COFFEE, COFFEE[:-1], region=CUP) == 0
    opaque = np.dstack([COFFEE, np.full(CUP.shape, 255, np.uint8)])
    assert score("outside-unchanged", COFFEE, opaque, region=CUP) == 1
    clear = opaque.copy()
    clear[..., 3][~CUP] = 0
    assert score("outside-unchanged", COFFEE, clear, region=CUP) == 0


@pytest.mark.parametrize(
    ("subtask", "change", "low", "high"),
    [
        ("object-recoloration", "red", 1, 1),
        ("object-recoloration", "none", 0, 0),
        ("object-recoloration", "tenth", 0.15, 0.35),
        ("object-removal", "invisible", 0, 0),
        ("object-removal", "noise", 0, 0.05),
        ("text-removal", "tenth", 1, 1),
    ],
)
def test_enough_must_look_different(subtask: str, change: str, low: float, high: float) -> None:
    noise = np.random.default_rng(0).normal(0, 3, COFFEE.shape)
    tenth = CUP & (np.cumsum(CUP).reshape(CUP.shape) < 0.1 * CUP.sum())
    after = {
        "red": lambda: pasted(COFFEE, CUP, (255, 0, 90)),
        "none": lambda: COFFEE.copy(),
        "tenth": lambda: pasted(COFFEE, tenth, (0, 255, 255)),
        "invisible": lambda: pasted(COFFEE, CUP, np.clip(COFFEE.astype(int) + 3, 0, 255)),
        "noise": lambda: pasted(COFFEE, CUP, np.clip(COFFEE + noise, 0, 255)),
    }[change]()
    assert low <= score("inside-changed", COFFEE, after, subtask=subtask, region=CUP) <= high


def test_a_change_at_another_place_does_not_count() -> None:
    other = ellipse(COFFEE.shape, 60, 60, 50, 50)
    assert score("inside-changed", COFFEE, pasted(COFFEE, other, 0), subtask="object-removal", region=CUP) == 0
    assert score("inside-changed", COFFEE, COFFEE, region=np.zeros_like(CUP)) == 0
    assert score("inside-changed", COFFEE, 255 - COFFEE) == 1
    few = COFFEE.copy()
    few[10:22, 10:40] = 255 - few[10:22, 10:40]  # a short text somewhere in the picture
    assert score("inside-changed", COFFEE, few, subtask="text-addition") == 1
    assert score("inside-changed", COFFEE, COFFEE, subtask="text-addition") == 0
    assert score("inside-changed", COFFEE, few, subtask="style-filter") < 0.8


@pytest.mark.parametrize(
    ("subtask", "words", "size", "right"),
    [
        ("object-removal", {}, (600, 400), True),
        ("object-removal", {}, (601, 400), False),
        ("object-removal", {}, (400, 600), False),
        ("outpainting", {"left": "10%", "right": "10%"}, (720, 400), True),
        ("outpainting", {"left": "10%", "right": "10%"}, (600, 400), False),
        ("outpainting", {"left": "10%", "right": "10%"}, (660, 400), False),
        ("outpainting", {"top": 32}, (600, 432), True),
        ("outpainting", {"top": 32}, (600, 431), False),
        ("outpainting", {"aspect": "16:9"}, (711, 400), True),
        ("outpainting", {"aspect": "1:1"}, (600, 600), True),
        ("outpainting", {"aspect": "1:1"}, (400, 400), False),
        ("image-upscaling", {"scale": 2}, (1200, 800), True),
        ("image-upscaling", {"scale": 2}, (1199, 800), False),
        ("image-upscaling", {"scale": 1.333}, (799, 533), True),
        ("image-upscaling", {"scale": 4}, (600, 400), False),
        ("rotate", {"angle": 90}, (400, 600), True),
        ("rotate", {"angle": 90}, (600, 400), False),
        ("flip", {"axis": "horizontal"}, (600, 400), True),
    ],
)
def test_the_size_follows_the_words(subtask: str, words: dict[str, Any], size: tuple[int, int], right: bool) -> None:
    after = np.zeros((size[1], size[0], 3), np.uint8)
    assert score("canvas-size", COFFEE, after, subtask=subtask, arguments=words) == right


def test_sizes_that_the_words_leave_open_or_that_a_plan_states() -> None:
    after = np.zeros((100, 150, 3), np.uint8)
    assert check("canvas-size", COFFEE, after, subtask="crop", arguments={"aspect": "3:2"}) is None
    assert check("canvas-size", COFFEE, after, subtask="rotate", arguments={"angle": 7}) is None
    assert score("canvas-size", COFFEE, after, "150x100", subtask="crop") == 1
    assert score("canvas-size", COFFEE, after, "100x150", subtask="crop") == 0


def test_the_old_picture_stands_in_the_new_one() -> None:
    wide = np.pad(COFFEE, ((8, 0), (60, 60), (0, 0)), mode="reflect")
    more = {"subtask": "outpainting"}
    assert score("original-kept", COFFEE, wide, placement=Placement(60, 8), **more) == 1
    for wrong in (
        Placement(61, 8),
        Placement(60, 7),
        Placement(60.5, 8),
        Placement(60, 8, 1.01, 1),
        Placement(700, 8),
    ):
        assert score("original-kept", COFFEE, wide, placement=wrong, **more) < 0.8
    assert score("original-kept", COFFEE, wide, **more) == 0
    touched = wide.copy()
    touched[100, 100, 0] ^= 1
    assert 0.7 < score("original-kept", COFFEE, touched, placement=Placement(60, 8), **more) < 0.8
    assert score("original-kept", COFFEE, np.roll(wide, 1, 0), placement=Placement(60, 8), **more) == 0


def test_guarantees_hold_or_say_what_broke() -> None:
    after = pasted(COFFEE, CUP, 0)
    names = ["outside-unchanged", "canvas-size"]
    right = Evidence("object-removal", COFFEE, after, Answers(), region=CUP)
    assert broken_guarantees(names, right) == []
    leaked = after.copy()
    leaked[0, 0] = 255 - leaked[0, 0]
    (sentence,) = broken_guarantees(names, Evidence("object-removal", COFFEE, leaked, Answers(), region=CUP))
    assert sentence.startswith("outside-unchanged: 1 of ")
    assert len(broken_guarantees(names, Evidence("object-removal", COFFEE, after[1:], Answers(), region=CUP))) == 2
    assert broken_guarantees(["image-unchanged"], Evidence("object-detection", COFFEE, COFFEE, Answers())) == []
    (sentence,) = broken_guarantees(["image-unchanged"], Evidence("object-detection", COFFEE, leaked, Answers()))
    assert "pixels changed in an analysis" in sentence
    assert len(broken_guarantees(["original-kept"], Evidence("outpainting", COFFEE, after, Answers()))) == 1
    assert set(PREDICATES) == {"image-unchanged", "outside-unchanged", "canvas-size", "original-kept"}
    with pytest.raises(KeyError):
        broken_guarantees(["beautiful"], right)


@pytest.mark.parametrize("name", ["outside-unchanged", "inside-changed", "canvas-size", "original-kept"])
@pytest.mark.parametrize("shape", [(1, 1, 3), (9000, 16, 3), (1, 300, 4)])
def test_extreme_pictures_are_measured(name: str, shape: tuple[int, ...]) -> None:
    before = np.zeros(shape, np.uint8)
    region = np.ones(shape[:2], bool)
    white = np.full(shape, 255, np.uint8)
    for after in (before, white):
        check(name, before, after, region=region, placement=Placement())
