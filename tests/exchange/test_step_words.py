"""What stands in a node's text, as the words of a step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.exchange.step_words import NodeText, read_words, split_text
from tests.exchange.trees import VOCABULARY, imported, plan_of, tree_text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Outpainting (1)", ("Outpainting", "", "1")),
        ("Object Detection (Person) (3)", ("Object Detection", "Person", "3")),
        ("Object Detection", ("Object Detection", "", "")),
        ("  Object   Detection(Dog)(12) ", ("Object Detection", "Dog", "12")),
        ("Text Removal (Sale (now)) (2)", ("Text Removal", "Sale (now)", "2")),
        ("Changing Scenery (day to night) (Beach) (2)", ("Changing Scenery", "day to night, Beach", "2")),
        ("Text Removal (2024) (7)", ("Text Removal", "2024", "7")),
        ("(3)", ("", "3", "")),
        ("Object Detection (", ("Object Detection", "", "")),
        (")", (")", "", "")),
    ],
)
def test_parts_of_a_text(text: str, parts: tuple[str, str, str]) -> None:
    assert split_text(text) == NodeText(*parts)


@pytest.mark.parametrize(
    ("subtask", "argument", "words"),
    [
        ("object-detection", "Dog", {"object": "dog"}),
        ("object-detection", "Red BMW", {"object": "red BMW"}),
        ("object-recoloration", "Leaves -> Red Leaves", {"object": "leaves", "to": "red"}),
        ("object-recoloration", "Leaf -> Dark Green Leaves", {"object": "leaf", "to": "dark green"}),
        ("object-recoloration", "Car->Blue", {"object": "car", "to": "blue"}),
        ("object-recoloration", "Flowers → Red Roses", {"object": "flowers", "to": "red"}),
        ("object-recoloration", "Cat -> #ff0000", {"object": "cat", "to": "#ff0000"}),
        ("object-replacement", "Cat -> Dog", {"object": "cat", "with": "dog"}),
        ("text-replacement", "CLOSED -> Open Now", {"text": "CLOSED", "with": "Open Now"}),
        ("text-removal", "Keep Out", {"text": "Keep Out"}),
        ("text-redaction", "Email", {"kind": "email"}),
        ("text-redaction", "J. Smith", {"text": "J. Smith"}),
        ("changing-scenery", "Beach", {"to": "beach"}),
        ("question-answering", "What Is It?", {"question": "What Is It?"}),
        ("image-upscaling", "2x", {"scale": 2}),
        ("image-upscaling", "1.5", {"scale": 1.5}),
        ("outpainting", "16:9", {"aspect": "16:9"}),
        ("flip", "Horizontal", {"axis": "horizontal"}),
        ("rotate", "90 degrees", {"angle": 90}),
        ("exposure", "30%", {"amount": "30%"}),
    ],
)
def test_words_of_a_step(subtask: str, argument: str, words: dict[str, Any]) -> None:
    reading = read_words(VOCABULARY.subtasks[subtask], argument, VOCABULARY)
    assert dict(reading.step.words) == words
    assert (reading.lacking, reading.unplaced, reading.no_color) == ((), "", "")


@pytest.mark.parametrize(
    ("subtask", "argument", "lacking", "unplaced"),
    [
        ("outpainting", "", ("left", "right", "top", "bottom", "aspect"), ""),
        ("outpainting", "a lot", ("left", "right", "top", "bottom", "aspect"), "a lot"),
        ("object-replacement", "Cat", ("with",), ""),
        ("object-recoloration", "Red Leaves", ("to",), ""),
        ("image-upscaling", "Large", ("scale",), "Large"),
        ("depth-estimation", "Dog", (), "Dog"),
        ("changing-scenery", "Day -> Night", (), "Day"),
        ("object-detection", "", ("object",), ""),
        ("object-replacement", "-> Dog", ("object",), ""),
    ],
)
def test_what_a_text_does_not_say(subtask: str, argument: str, lacking: tuple[str, ...], unplaced: str) -> None:
    reading = read_words(VOCABULARY.subtasks[subtask], argument, VOCABULARY)
    assert (reading.lacking, reading.unplaced) == (lacking, unplaced)


def test_words_that_are_no_color_stay() -> None:
    reading = read_words(VOCABULARY.subtasks["object-recoloration"], "Leaves -> Autumn Leaves", VOCABULARY)
    assert dict(reading.step.words) == {"object": "leaves", "to": "autumn leaves"}
    assert reading.no_color == "Autumn Leaves"


@given(st.sampled_from(sorted(VOCABULARY.subtasks)), st.text(max_size=30))
def test_any_text_gives_words_that_fit(subtask: str, argument: str) -> None:
    reading = read_words(VOCABULARY.subtasks[subtask], argument, VOCABULARY)
    assert set(dict(reading.step.words)) <= set(VOCABULARY.subtasks[subtask].parameters)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).filter(str.strip))
def test_any_words_come_through_the_plan(words: str) -> None:
    """What YAML gives a meaning to, `${…}`, quotes, what nobody sees: it is read back as it was."""
    text = f"Text Removal ({words}) (1)"
    found, codes = imported(tree_text([{"subtask": text, "parent": []}], task=words))
    if found is None:
        assert codes == ["COS0014"]  # JSON allows what YAML does not
        return
    (step,) = plan_of(found.text).steps
    assert dict(step.arguments) == dict(found.steps[0].words)
    assert plan_of(found.text).task == words
