"""Referring expressions: what is understood, what is refused, and which boxes a pick means."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.model.artifact import Box
from costa_dsl.model.reference import PICKS, Pick, Reference, parse_reference, select_boxes

OBJECTS = {
    "person": ["human", "people"],
    "dog": ["puppy"],
    "cup": ["mug"],
    "knife": [],
    "bus": [],
    "wine glass": ["wineglass"],
    "potted plant": ["plant"],
    "scissors": [],
    "teddy bear": [],
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("dog", Reference("dog")),
        ("The  Dog.", Reference("dog")),
        ("all dogs", Reference("dog")),
        ("all of the dogs", Reference("dog")),
        ("every puppy", Reference("dog")),
        ("people", Reference("person")),
        ("mugs", Reference("cup")),
        ("knives", Reference("knife")),
        ("buses", Reference("bus")),
        ("wine glasses", Reference("wine glass")),
        ("wine-glass", Reference("wine glass")),
        ("a plant", Reference("potted plant")),
        ("the left dog", Reference("dog", "left")),
        ("far right person", Reference("person", "right")),
        ("leftmost teddy bear", Reference("teddy bear", "left")),
        ("largest cup", Reference("cup", "largest")),
        ("the smallest of dogs", None),
        ("the dog on the left", Reference("dog", "left")),
        ("the dog that is at the far right side of the picture", Reference("dog", "right")),
        ("person in the middle", Reference("person", "middle")),
        ("left scissors", Reference("scissors", "left")),
    ],
)
def test_expressions(expression: str, expected: Reference | None) -> None:
    assert parse_reference(expression, OBJECTS) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "the brown dog",
        "the left brown dog",
        "the largest left dog",
        "two dogs",
        "all left dogs",
        "the people on the left",  # several, but nobody knows how many
        "dog and cup",
        "the dog beside the cup",
        "unicorn",
        "left",
        "",
        "   ",
    ],
)
def test_what_cannot_be_honored_is_refused(expression: str) -> None:
    assert parse_reference(expression, OBJECTS) is None


def test_a_label_beats_the_synonym_of_another_label() -> None:
    assert parse_reference("plant", {"tree": ["plant"], "plant": []}) == Reference("plant")


@given(st.text(alphabet="abdglmpu theofrt-left s", max_size=30))
def test_any_text_gives_a_label_of_the_vocabulary_or_nothing(expression: str) -> None:
    reference = parse_reference(expression, OBJECTS)
    assert reference is None or (reference.label in OBJECTS and reference.pick in (None, *PICKS))


LEFT = Box(0, 40, 10, 60, "dog", 0.5)
MIDDLE = Box(40, 30, 80, 70, "dog", 0.9)
RIGHT = Box(100, 50, 120, 90, "dog", 0.7)


@pytest.mark.parametrize(
    ("pick", "expected"),
    [
        ("left", LEFT),
        ("right", RIGHT),
        ("top", MIDDLE),  # as high as LEFT, and surer
        ("bottom", RIGHT),
        ("middle", MIDDLE),
        ("largest", MIDDLE),
        ("smallest", LEFT),
    ],
)
def test_a_pick_means_one_box_in_whatever_order_they_come(pick: Pick, expected: Box) -> None:
    for boxes in permutations((LEFT, MIDDLE, RIGHT)):
        assert select_boxes(boxes, pick) == (expected,)


def test_no_pick_means_every_box_and_no_box_stays_none() -> None:
    assert select_boxes((LEFT, RIGHT), None) == (LEFT, RIGHT)
    assert select_boxes((), "left") == ()
