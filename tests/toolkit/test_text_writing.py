"""Replacing, adding, covering and highlighting text on drawn signs and packaged photographs."""

from __future__ import annotations

import numpy as np
import pytest

from costa_dsl.toolkit.api import ToolFailure
from costa_dsl.toolkit.text_addition import contrast_ratio
from costa_dsl.toolkit.text_fonts import Face, runs_of
from costa_dsl.toolkit.text_ink import polygon_mask
from tests.toolkit.text_scenes import delta_e, draw_sign, read_text, replace_words, run_tool


@pytest.mark.parametrize(
    ("sign", "old", "new", "whole"),
    [
        (draw_sign("We are closed"), "closed", "opened", "We are opened"),
        (
            draw_sign("Night train", color=(250, 240, 200), ground=(20, 30, 60)),
            "night train",
            "Early coach",
            "Early coach",
        ),
        (draw_sign("Garden Café", size=(640, 400), angle=10), "Garden Café", "Garden Hotel", "Garden Hotel"),
    ],
)
def test_the_new_text_reads_exactly_and_looks_like_the_old(sign, old, new, whole) -> None:  # type: ignore[no-untyped-def]
    done = replace_words(sign.image, old, new)
    text = read_text(done["image"])
    assert [line.text for line in text] == [whole]
    region = np.zeros(sign.image.shape[:2], dtype=bool)
    for place in done["erased-text"]:
        region |= polygon_mask(region.shape, place.corners, grow=16)
    assert np.array_equal(done["image"][~region], sign.image[~region])
    (style,) = run_tool("text-style", done["image"], arguments={"text": new}, artifacts={"text": text})["text-style"]
    assert delta_e(style.color, sign.color) < 5
    assert style.size == pytest.approx(sign.capital, rel=0.1)
    assert style.angle == pytest.approx(done["text-style"][0].angle, abs=1.0)


def test_the_same_words_come_back_nearly_pixel_for_pixel() -> None:
    sign = draw_sign("Harbour road")
    done = replace_words(sign.image, "Harbour road", "Harbour road")
    error = np.abs(done["image"].astype(int) - sign.image)
    assert error.mean() < 1.0


def test_a_line_in_the_middle_stays_in_the_middle_and_a_left_one_left() -> None:
    middle = replace_words(draw_sign("Welcome to town").image, "Welcome to town", "Welcome home")
    changed = np.flatnonzero((middle["image"] != middle["erased"]).any(axis=(0, 2)))
    assert (changed[0] + changed[-1]) / 2 == pytest.approx(320, abs=4)
    sign = np.hstack([draw_sign("Welcome home").image, np.full((200, 300, 3), (240, 235, 220), np.uint8)])
    left = replace_words(sign, "Welcome home", "Welcome all")
    start = np.flatnonzero((left["image"] != left["erased"]).any(axis=(0, 2)))[0]
    assert start == pytest.approx(np.flatnonzero((sign != sign[0, 0]).any(axis=(0, 2)))[0], abs=3)


def test_two_lines_share_the_new_words() -> None:
    image = np.vstack([draw_sign("Fresh bread").image[40:160], draw_sign("every day").image[40:160]])
    done = replace_words(image, "Fresh bread every day", "Sweet rolls each night")
    assert [line.text for line in read_text(done["image"])] == ["Sweet rolls", "each night"]


def test_a_text_that_is_much_too_long_is_refused_with_numbers() -> None:
    sign = draw_sign("Hi", size=(300, 200))
    with pytest.raises(ToolFailure, match="there is room for") as caught:
        replace_words(sign.image, "Hi", "An extraordinarily long greeting")
    assert caught.value.kind == "unsupported"


def test_letters_that_lato_lacks_come_from_noto_and_others_are_refused() -> None:
    assert {face.family for _, face in runs_of("Café Αθήνα Москва", Face("Lato"))} == {"Lato", "Noto Sans"}
    with pytest.raises(ToolFailure, match=r"U\+65E5"):
        runs_of("日本", Face())


def test_added_text_stays_in_its_box_and_reads_back() -> None:
    from skimage import data

    image = data.coffee()
    result = run_tool(
        "pillow-text-addition",
        image,
        arguments={"text": "Fresh coffee", "color": "white"},
        at={"box": ["55%", "80%", "98%", "97%"]},
    )["image"]
    changed = np.argwhere((result != image).any(axis=2))
    (y0, x0), (y1, x1) = changed.min(axis=0), changed.max(axis=0)
    assert x0 >= 330
    assert y0 >= 320
    assert x1 < 588
    assert y1 < 388
    assert "Fresh coffee" in [line.text for line in read_text(result)]


def test_without_a_place_the_calmest_is_taken_in_a_legible_color() -> None:
    from skimage import data

    rng = np.random.default_rng(3)
    image = rng.integers(0, 256, (300, 500, 3), dtype=np.uint8)
    image[20:140, 40:460] = (30, 60, 120)
    result = run_tool("pillow-text-addition", image, arguments={"text": "Calm here", "size": "8%"})["image"]
    changed = np.argwhere((result != image).any(axis=2))
    assert changed[:, 0].max() < 140
    assert changed[:, 0].min() >= 20
    assert [line.text for line in read_text(result[20:140, 40:460])] == ["Calm here"]
    photo = data.rocket()
    written = run_tool("pillow-text-addition", photo, arguments={"text": "Launch day"})["image"]
    assert "Launch day" in [line.text for line in read_text(written)]


def test_the_wanted_height_of_capitals_is_met() -> None:
    image = np.full((200, 500, 3), 255, np.uint8)
    result = run_tool(
        "pillow-text-addition",
        image,
        arguments={"text": "HHH", "size": 40, "color": "black"},
        at={"point": [250, 100]},
    )
    rows = np.flatnonzero((result["image"] < 128).all(axis=2).any(axis=1))
    assert rows[-1] + 1 - rows[0] == pytest.approx(40, abs=1)


def test_contrast_has_the_values_of_wcag() -> None:
    black, white, gray = (np.array([float(v)] * 3) for v in (0, 255, 119))
    assert contrast_ratio(black, white) == pytest.approx(21.0)
    assert contrast_ratio(gray, white) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("shape", [(16, 2000), (3, 400)])
def test_thin_pictures_take_thin_text(shape: tuple[int, int]) -> None:
    image = np.zeros((*shape, 3), dtype=np.uint8)
    if shape[0] == 3:
        with pytest.raises(ToolFailure, match="no legible size"):
            run_tool("pillow-text-addition", image, arguments={"text": "hello"})
    else:
        result = run_tool("pillow-text-addition", image, arguments={"text": "hello"})["image"]
        assert (result != image).any()


def test_redaction_leaves_one_color_under_the_bar() -> None:
    sign = draw_sign("Call 044 123 45 67")
    text = read_text(sign.image)
    result = run_tool("redact-solid", sign.image, arguments={"kind": "phone"}, artifacts={"text": text})["image"]
    changed = (result != sign.image).any(axis=2)
    assert (result[changed] == 0).all()
    assert not any(char.isdigit() for line in read_text(result) for char in line.text)


def test_highlighting_colors_the_ground_and_keeps_the_words() -> None:
    sign = draw_sign("Mind the gap", color=(20, 20, 20), ground=(250, 250, 250))
    text = read_text(sign.image)
    result = run_tool("highlight", sign.image, arguments={"text": "the", "color": "yellow"}, artifacts={"text": text})[
        "image"
    ]
    assert "".join(line.text for line in read_text(result)).replace(" ", "") == "Mindthegap"
    changed = (result != sign.image).any(axis=2)
    bright = result[changed & (sign.image.min(axis=2) > 240)]
    assert delta_e(tuple(int(v) for v in np.median(bright, axis=0)), (250, 250, 38)) < 5
