"""Objects, masks and cut-outs: right ones pass, each kind of wrong one fails."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from skimage import data

from costa_dsl.model.artifact import Box
from tests.checks.scenes import Answers, RealInstruments, check, ellipse, pasted, score, target

CAT = data.chelsea()
COFFEE = data.coffee()
REGION = ellipse(COFFEE.shape, 300, 190, 130, 110)
CUP = Box(170, 80, 430, 300, "cup", 0.9)
GRAY = pasted(COFFEE, REGION, 128)


def answers(before: tuple[Box, ...], after: tuple[Box, ...]) -> Answers:
    return Answers(boxes=[(COFFEE, before), (GRAY, after)])


def removal(before: tuple[Box, ...], after: tuple[Box, ...]) -> float | None:
    result = check(
        "object-absent", COFFEE, GRAY, subtask="object-removal", region=REGION, target=target("cup"),
        instruments=answers(before, after),
    )  # fmt: skip
    return None if result is None else result.score


def test_a_removed_object_is_absent() -> None:
    assert removal((CUP,), ()) == 1
    assert removal((CUP,), (CUP,)) is not None
    assert removal((CUP,), (CUP,)) < 0.2  # type: ignore[operator]
    beside = Box(440, 60, 590, 300, "cup", 0.95)
    touching = Box(330, 60, 590, 300, "cup", 0.95)
    assert removal((CUP, beside), (beside,)) == 1
    assert removal((CUP, touching), (touching,)) == 1
    half = Box(200, 90, 300, 290, "cup", 0.6)
    assert removal((CUP,), (half,)) < 0.8  # type: ignore[operator]


def test_absence_proves_nothing_where_nothing_was_seen() -> None:
    assert removal((), ()) is None
    assert removal((Box(0, 0, 50, 50, "cup", 0.9),), ()) is None
    unknown = check("object-absent", COFFEE, GRAY, region=REGION, target=target("cup"), instruments=Answers())
    assert unknown is None
    assert check("object-absent", COFFEE, GRAY, region=REGION, instruments=answers((CUP,), ())) is None


def test_a_plan_can_forbid_an_object_in_the_whole_picture() -> None:
    elsewhere = Box(0, 0, 50, 50, "dog", 0.9)
    assert score("object-absent", COFFEE, GRAY, "dog", region=REGION, instruments=answers((), (elsewhere,))) < 0.8
    assert score("object-absent", COFFEE, GRAY, "dog", region=REGION, instruments=answers((), ())) == 1


def test_an_added_object_must_be_new() -> None:
    def addition(before: tuple[Box, ...], after: tuple[Box, ...]) -> float:
        return score(
            "object-present", COFFEE, GRAY, subtask="object-addition", region=REGION, target=target("cup"),
            instruments=answers(before, after),
        )  # fmt: skip

    assert addition((), (CUP,)) == 1
    assert addition((CUP,), (CUP,)) == 0
    assert addition((), ()) == 0
    assert addition((), (Box(0, 0, 50, 50, "cup", 0.9),)) == 0
    assert addition((), (Box(170, 80, 430, 300, "cup", 0.4),)) < 0.8
    assert score("object-present", COFFEE, GRAY, "cup", instruments=answers((CUP,), (CUP,))) == 1


def test_with_a_real_detector() -> None:
    real = RealInstruments()
    body = np.zeros(CAT.shape[:2], bool)
    body[:, :430] = True
    gone = pasted(CAT, body, 128)
    more = {"subtask": "object-removal", "region": body, "target": target("cat"), "instruments": real}
    assert score("object-absent", CAT, gone, **more) == 1
    assert score("object-absent", CAT, CAT, **more) < 0.5
    assert score("object-absent", CAT, cv2.GaussianBlur(CAT, (0, 0), 1.5), **more) < 0.5
    assert check("object-absent", CAT, gone, **{**more, "target": target("unicorn")}) is None
    assert score("object-present", CAT, CAT, "cat", instruments=real) == 1
    assert score("object-present", CAT, gone, "cat", instruments=real) == 0


@pytest.mark.parametrize(
    ("boxes", "wanted", "low", "high"),
    [
        ((CUP,), True, 1, 1),
        ((), True, 0, 0),
        ((Box(170, 80, 430, 300, "cup", 0.5),), True, 0.8, 0.8),
        ((Box(170, 80, 430, 300, "cup", 0.3),), True, 0.3, 0.6),
        ((Box(500, 80, 700, 300, "cup", 0.9),), True, 0.4, 0.6),
        ((Box(10, 10, 10, 10, "cup", 0.9),), True, 0, 0),
        ((CUP, Box(171, 80, 430, 300, "cup", 0.9)), True, 0.7, 0.85),
        ((CUP, Box(0, 0, 90, 90, "cup", 0.9)), 2, 1, 1),
        ((CUP,), 2, 0.5, 0.5),
    ],
)
def test_found_boxes(boxes: tuple[Box, ...], wanted: object, low: float, high: float) -> None:
    found = score("object-found", COFFEE, COFFEE, wanted, outputs={"boxes": boxes}, target=target("cup"))
    assert low <= found <= high


def crumbs(mask: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(0).random(mask.shape) > 0.75
    return np.asarray(mask & noise)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("right", 1, 1), ("empty", 0, 0), ("all", 0, 0), ("crumbs", 0, 0.1), ("elsewhere", 0, 0),
     ("box", 0.79, 0.79), ("turned", 0, 0), ("a corner", 0, 0.5)],
)  # fmt: skip
def test_masks(name: str, low: float, high: float) -> None:
    mask = {
        "right": REGION,
        "empty": np.zeros_like(REGION),
        "all": np.ones_like(REGION),
        "crumbs": crumbs(REGION),
        "elsewhere": ellipse(COFFEE.shape, 60, 60, 50, 50),
        "box": ellipse(COFFEE.shape, 300, 190, 1, 1),
        "turned": REGION.T,
        "a corner": ellipse(COFFEE.shape, 190, 100, 14, 14),
    }[name]
    if name == "box":
        mask[80:300, 170:430] = True
    result = check("mask-plausible", COFFEE, COFFEE, outputs={"mask": mask}, artifacts={"boxes": (CUP,)})
    assert result is not None
    assert low <= result.score <= high, result.sentence
    assert check("mask-plausible", COFFEE, COFFEE) is None


def test_groundings_lie_where_the_plan_says() -> None:
    def grounding(mask: np.ndarray, **at: object) -> float:
        return score("grounding-plausible", COFFEE, COFFEE, outputs={"mask": mask}, target=target(**at))

    full = np.zeros_like(REGION)
    full[80:300, 170:430] = True
    assert grounding(REGION, box=[165, 75, 435, 305]) == 1
    assert grounding(full, box=[170, 80, 430, 300]) == 1
    assert grounding(REGION, box=["0%", "0%", "20%", "20%"]) == 0
    assert grounding(np.zeros_like(REGION), box=[165, 75, 435, 305]) == 0
    assert grounding(REGION, point=[300, 190]) == 1
    assert grounding(REGION, point=["50%", "50%"]) == 1
    assert grounding(REGION, point=[20, 20]) == 0
    assert grounding(REGION, color="red") == 1
    assert grounding(crumbs(REGION), color="red") < 0.8
    assert score("grounding-plausible", COFFEE, COFFEE, outputs={}) == 0
    assert score("grounding-plausible", COFFEE, COFFEE, outputs={"boxes": (CUP,)}) == 1
    outside = Box(700, 80, 900, 300, "cup", 1.0)
    assert score("grounding-plausible", COFFEE, COFFEE, outputs={"boxes": (outside,)}) == 0


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("right", 1, 1), ("soft edge", 0.9, 1), ("nothing", 0, 0), ("all", 0, 0.1), ("haze", 0, 0.5),
     ("crumbs", 0, 0.1), ("inverse", 0, 0.1),
     ("recolored", 0, 0.1), ("no alpha", 0, 0), ("other size", 0, 0)],
)  # fmt: skip
def test_cutouts(name: str, low: float, high: float) -> None:
    alpha = REGION * np.uint8(255)
    right = np.dstack([COFFEE, alpha])
    after = {
        "right": right,
        "soft edge": np.dstack([COFFEE, cv2.GaussianBlur(alpha, (0, 0), 2)]),
        "nothing": np.dstack([COFFEE, alpha * 0]),
        "all": np.dstack([COFFEE, alpha * 0 + 255]),
        "haze": np.dstack([COFFEE, np.where(REGION, 255, 60).astype(np.uint8)]),
        "crumbs": np.dstack([COFFEE, crumbs(REGION) * np.uint8(255)]),
        "inverse": np.dstack([COFFEE, 255 - alpha]),
        "recolored": np.dstack([255 - COFFEE, alpha]),
        "no alpha": COFFEE,
        "other size": right[:-1],
    }[name]
    result = check("cutout-plausible", COFFEE, after, subtask="background-removal")
    assert result is not None
    assert low <= result.score <= high, result.sentence
