"""Finding and reading drawn signs, and pictures that hold nothing to read."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import ImageFont

from costa_dsl.toolkit.text_fonts import font_path
from tests.toolkit.text_scenes import character_error_rate, draw_sign, read_text, run_tool


def test_a_sign_is_read_word_for_word() -> None:
    lines = read_text(draw_sign("Open until 19:30").image)
    assert [line.text for line in lines] == ["Open until 19:30"]
    assert len(lines[0].edges) == len(lines[0].text) + 1


def test_words_are_cut_in_their_gap() -> None:
    sign = draw_sign("iiii WWW lilt", size=(640, 200))
    (line,) = read_text(sign.image)
    font = ImageFont.truetype(str(font_path("Lato", False, 700)), 64)
    start = 320 - font.getlength(sign.text) / 2
    for index in (5, 9):  # where WWW and lilt begin
        cut = line.box[0] + line.edges[index] * (line.box[2] - line.box[0])
        letter = start + font.getlength(sign.text[:index])
        gap = font.getlength(" ")
        assert letter - gap - 2 < cut < letter + 4


def test_a_turned_sign_keeps_its_corners_in_reading_direction() -> None:
    (line,) = read_text(draw_sign("Harbour", size=(640, 480), angle=12).image)
    assert line.text == "Harbour"
    (x0, y0), (x1, y1) = line.corners[0], line.corners[1]
    assert np.degrees(np.arctan2(y0 - y1, x1 - x0)) == pytest.approx(12, abs=2.5)


def test_a_sign_on_its_head_is_read_and_its_corners_turned() -> None:
    image = np.ascontiguousarray(draw_sign("Museum of Art").image[::-1, ::-1])
    (line,) = read_text(image)
    assert line.text == "Museum of Art"
    assert line.corners[0][0] > line.corners[1][0]


def test_white_letters_on_a_transparent_ground_are_read() -> None:
    sign = draw_sign("Exit", color=(255, 255, 255), ground=(0, 0, 0)).image
    image = np.dstack([np.full_like(sign, 255), sign[..., 0]])
    assert [line.text for line in read_text(image)] == ["Exit"]


def test_the_large_detector_reads_small_print_at_least_as_well() -> None:
    words = "small print under the contract"
    image = draw_sign(words, em=11, weight=400, color=(60, 60, 60), size=(900, 600)).image
    rates = []
    for detector in ("rapidocr-detect", "rapidocr-detect-large"):
        regions = run_tool(detector, image)["text-regions"]
        lines = run_tool("rapidocr-read", image, artifacts={"text-regions": regions})["text"]
        rates.append(character_error_rate(words, " ".join(line.text for line in lines)))
    assert rates[1] <= rates[0]
    assert rates[1] < 0.1


@pytest.mark.parametrize("shape", [(1, 1), (16, 2000), (60, 60)])
def test_empty_pictures_hold_no_text(shape: tuple[int, int]) -> None:
    for value in (0, 255):
        assert read_text(np.full((*shape, 3), value, dtype=np.uint8)) == ()


def test_reading_twice_gives_the_same() -> None:
    image = draw_sign("Twice the same").image
    assert read_text(image) == read_text(image)
