"""The style of drawn signs against the truth: face, size, color, angle, softness."""

from __future__ import annotations

import numpy as np
import pytest

from costa_dsl.model.artifact import TextStyle
from costa_dsl.toolkit.api import Image, ToolFailure
from costa_dsl.toolkit.text_fonts import Face
from tests.toolkit.text_scenes import Sign, delta_e, draw_sign, read_text, run_tool


def style_of(image: Image, text: str) -> TextStyle:
    (found,) = run_tool("text-style", image, arguments={"text": text}, artifacts={"text": read_text(image)})[
        "text-style"
    ]
    assert isinstance(found, TextStyle)
    return found


@pytest.mark.parametrize(
    "sign",
    [
        draw_sign("Fresh bread", weight=700),
        draw_sign("Fresh bread", weight=400, color=(20, 40, 120), ground=(250, 250, 250)),
        draw_sign("Fresh bread", weight=900, color=(255, 230, 120), ground=(30, 60, 50), em=80),
        draw_sign("Fresh bread", weight=700, italic=True, color=(10, 10, 10)),
    ],
)
def test_face_size_and_color_of_a_sign(sign: Sign) -> None:
    found = style_of(sign.image, sign.text)
    face = Face.parse(found.font)
    assert face.family == "Lato"
    assert found.size == pytest.approx(sign.capital, rel=0.1)
    assert delta_e(found.color, sign.color) < 5
    assert abs(found.angle) < 0.5


def test_slant_and_weight_are_told_apart() -> None:
    assert Face.parse(style_of(draw_sign("Harbour", italic=True).image, "Harbour").font).italic
    light = Face.parse(style_of(draw_sign("Harbour", weight=400).image, "Harbour").font)
    black = Face.parse(style_of(draw_sign("Harbour", weight=900).image, "Harbour").font)
    assert not light.italic
    assert light.weight < 600 <= black.weight


def test_the_angle_of_a_turned_sign() -> None:
    sign = draw_sign("Garden gate", size=(640, 400), angle=10)
    found = style_of(sign.image, sign.text)
    assert found.angle == pytest.approx(10, abs=0.7)
    assert found.size == pytest.approx(sign.capital, rel=0.1)


def test_a_blurred_sign_is_soft() -> None:
    import cv2

    sharp = draw_sign("Soft focus", color=(250, 250, 250), ground=(30, 80, 60))
    soft = np.asarray(cv2.GaussianBlur(sharp.image, (0, 0), 1.8))
    assert style_of(sharp.image, sharp.text).softness <= 0.3
    assert style_of(soft, sharp.text).softness == pytest.approx(1.8, abs=0.5)


def test_the_color_of_one_word_is_its_own() -> None:
    left = draw_sign("Mind the", color=(250, 250, 250), ground=(0, 90, 140), size=(320, 120), em=60)
    right = draw_sign("gap", color=(255, 190, 80), ground=(0, 90, 140), size=(160, 120), em=60)
    image = np.hstack([left.image[:, :-12], right.image[:, 18:]])
    assert delta_e(style_of(image, "gap").color, (255, 190, 80)) < 5


def test_a_text_that_is_not_there_is_a_failure_that_names_what_is() -> None:
    sign = draw_sign("Closed")
    with pytest.raises(ToolFailure) as caught:
        style_of(sign.image, "Opened")
    assert caught.value.kind == "not-found"
    assert "Closed" in caught.value.help


def test_face_names_read_back() -> None:
    for face in (Face(), Face("Noto Sans", 615, 72, True), Face("Lato", 900)):
        assert Face.parse(face.name) == face
    assert Face.parse("lato bold italic") == Face("Lato", 700, 100, True)
    with pytest.raises(ToolFailure, match="Latto"):
        Face.parse("Latto")
