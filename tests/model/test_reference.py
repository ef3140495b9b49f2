"""Referring expressions: what is understood, what is refused rather than guessed, and which box is meant."""

from __future__ import annotations

import pytest

from costa_dsl.model.artifact import Box
from costa_dsl.model.reference import Pick, Reference, parse_reference, select_boxes

OBJECTS = {"person": ["human"], "dog": ["puppy"], "cup": ["mug"], "potted plant": ["plant"], "mouse": [], "top hat": []}


@pytest.mark.parametrize(
    ("expression", "label", "pick"),
    [
        ("dog", "dog", None),
        ("The Dog", "dog", None),
        ("puppies", "dog", None),
        ("all people", "person", None),
        ("mugs", "cup", None),
        ("plant", "potted plant", None),
        ("potted_plants", "potted plant", None),
        ("mice", "mouse", None),
        ("top hat", "top hat", None),
        ("the left dog", "dog", "left"),
        ("rightmost person", "person", "right"),
        ("the largest plant", "potted plant", "largest"),
        ("the dog on the left", "dog", "left"),
        ("the person at the far right of the picture", "person", "right"),
    ],
)
def test_what_is_understood(expression: str, label: str, pick: Pick | None) -> None:
    assert parse_reference(expression, OBJECTS) == Reference(label, pick)


@pytest.mark.parametrize(
    "expression", ["", "the", "elephant", "the brown dog", "left", "all left dogs", "dog and cat", "dog's tail", "🐕"]
)
def test_what_says_more_than_the_vocabulary_knows_is_not_guessed(expression: str) -> None:
    assert parse_reference(expression, OBJECTS) is None


BOXES = (
    Box(10, 50, 30, 80, "dog", 0.9),
    Box(100, 10, 180, 90, "dog", 0.8),
    Box(300, 70, 310, 80, "dog", 0.7),
)


@pytest.mark.parametrize(
    ("pick", "index"),
    [("left", 0), ("right", 2), ("top", 1), ("bottom", 2), ("middle", 1), ("largest", 1), ("smallest", 2)],
)
def test_the_box_that_is_meant(pick: Pick, index: int) -> None:
    assert select_boxes(BOXES, pick) == (BOXES[index],)


def test_no_pick_means_every_box() -> None:
    assert select_boxes(BOXES, None) == BOXES
    assert select_boxes((), "left") == ()
