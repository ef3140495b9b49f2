"""Text that must be readable, or no longer: with known readings, and with RapidOCR on drawn signs."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.checks.region import drawn
from costa_dsl.checks.text import edit_distance, nearest_reading
from costa_dsl.model.artifact import TextLine
from tests.checks.scenes import Answers, RealInstruments, check, line, pasted, score, sign

CLOSED, OPEN, BLANK = sign("CLOSED"), sign("OPEN"), sign("")
PLACE = line("CLOSED", 100, 30, 320, 90)
REGION = drawn([PLACE], CLOSED.shape[:2])
REAL = RealInstruments()


def replacement(after: np.ndarray, with_: str = "OPEN", old: str = "CLOSED") -> dict[str, object]:
    words = {"text": old, "with": with_}
    return {"subtask": "text-replacement", "arguments": words, "region": REGION, "instruments": REAL}


def test_replacement_read_by_a_real_reader() -> None:
    more = replacement(OPEN)
    assert score("text-present", CLOSED, OPEN, **more) == 1
    assert score("text-absent", CLOSED, OPEN, **more) == 1
    assert score("text-present", CLOSED, CLOSED, **more) < 0.5
    assert score("text-absent", CLOSED, CLOSED, **more) == 0
    assert score("text-present", CLOSED, sign("OPFN"), **more) <= 0.5
    assert score("text-present", CLOSED, BLANK, **more) == 0
    assert score("text-absent", CLOSED, BLANK, **more) == 1
    smeared = cv2.GaussianBlur(OPEN, (0, 0), 14)
    assert score("text-present", CLOSED, smeared, **more) < 0.8
    both = sign("OPENCLOSED", size=(420, 120))
    assert score("text-absent", CLOSED, both, **more) < 0.8


def test_removal_and_redaction_read_by_a_real_reader() -> None:
    more = {"subtask": "text-removal", "arguments": {"text": "CLOSED"}, "region": REGION, "instruments": REAL}
    assert score("text-absent", CLOSED, BLANK, **more) == 1
    assert score("text-absent", CLOSED, CLOSED, **more) == 0
    half = CLOSED.copy()
    half[:, :210] = 255
    assert score("text-absent", CLOSED, half, **more) < 0.8
    pale = np.where(CLOSED < 128, 200, 255).astype(np.uint8)
    assert score("text-absent", CLOSED, pale, **more) < 0.8
    redacted = pasted(CLOSED, REGION, 0)
    pattern = {
        **more,
        "subtask": "text-redaction",
        "arguments": {"pattern": "CLO.*"},
        "artifacts": {"text": (PLACE,)},
    }
    assert score("text-absent", CLOSED, redacted, **pattern) == 1
    assert score("text-absent", CLOSED, CLOSED, **pattern) == 0


def test_addition_must_be_new_and_in_its_place() -> None:
    two = np.vstack([OPEN, OPEN])
    before = np.vstack([OPEN, BLANK])
    more = {"subtask": "text-addition", "arguments": {"text": "OPEN"}, "instruments": REAL}
    below = np.zeros(two.shape[:2], bool)
    below[120:] = True
    assert score("text-present", before, two, region=below, **more) == 1
    assert score("text-present", before, two, **more) == 1
    assert score("text-present", before, before, region=below, **more) == 0
    assert score("text-present", before, before, **more) == 0


def test_expectations_look_at_the_whole_picture() -> None:
    both = np.vstack([OPEN, CLOSED])
    more = {"instruments": REAL, "region": np.zeros(both.shape[:2], bool)}
    assert score("text-present", both, both, "CLOSED", **more) == 1
    assert score("text-absent", both, both, "CLOSED", **more) == 0
    assert score("text-absent", both, both, "EXIT", **more) == 1
    assert score("text-present", both, both, "OPEN CLOSED", **more) == 1


def test_small_text_is_read_again_in_a_close_up() -> None:
    """The whole picture's reading says nothing; the enlarged region's does."""
    big = np.full((900, 1200, 3), 255, np.uint8)
    region = np.zeros(big.shape[:2], bool)
    region[400:420, 500:560] = True

    class OnlyCloseUps(Answers):
        def read_text(self, image: np.ndarray) -> tuple[TextLine, ...]:
            return (line("OPEN", 50, 50, 280, 120),) if image.shape[0] < 900 else ()

    more = {"subtask": "text-replacement", "arguments": {"text": "SHUT", "with": "OPEN"}, "region": region}
    assert score("text-present", big, big, instruments=OnlyCloseUps(), **more) == 1
    assert score("text-present", big, big, instruments=Answers(lines=[(big, ())]), **more) == 0


def test_texts_that_look_alike_are_told_apart() -> None:
    """ "8:30" becomes "9:30": three of four characters stay."""
    picture = np.zeros((100, 400, 3), np.uint8)
    region = np.ones(picture.shape[:2], bool)

    def absent(read: str) -> float:
        reader = Answers(lines=[(picture, (line(read, 10, 10, 200, 60),))])
        more = {"subtask": "text-replacement", "arguments": {"text": "Open 8:30", "with": "Open 9:30"}}
        return score("text-absent", picture, picture, region=region, instruments=reader, **more)

    assert absent("Open 9:30") == 1
    assert absent("Open 8:30") == 0


def test_words_beside_the_region_do_not_count() -> None:
    picture = np.zeros((100, 400, 3), np.uint8)
    region = np.zeros(picture.shape[:2], bool)
    region[:, 200:] = True
    reader = Answers(lines=[(picture, (line("Sale today", 0, 10, 190, 60),))])
    more = {"subtask": "text-removal", "arguments": {"text": "Sale"}, "region": region, "instruments": reader}
    assert score("text-absent", picture, picture, **more) == 1
    region[:, 150:] = True  # the end of the line reaches into it
    assert score("text-absent", picture, picture, **more) == 0


def test_new_words_may_run_into_their_neighbors_where_the_region_is_a_part_of_the_line() -> None:
    """The reader gives "WE AREOPEN" for a line of which only the last word was written anew."""
    more = replacement(OPEN)
    merged = Answers(lines=[(OPEN, (line("WE AREOPEN", 5, 30, 320, 90),))])
    assert score("text-present", CLOSED, OPEN, **{**more, "instruments": merged}) == 1
    wrong = Answers(lines=[(OPEN, (line("WE AREOPFN", 5, 30, 320, 90),))])
    assert score("text-present", CLOSED, OPEN, **{**more, "instruments": wrong}) <= 0.5
    alone = Answers(lines=[(OPEN, (line("REOPEN", 100, 30, 320, 90),))])
    assert score("text-present", CLOSED, OPEN, **{**more, "instruments": alone}) < 0.8


def test_letters_that_the_reader_does_not_know_are_not_judged() -> None:
    for text in ("Ελλάδα", "Москва"):
        words = {"subtask": "text-addition", "arguments": {"text": text}, "instruments": REAL}
        assert check("text-present", BLANK, OPEN, **words) is None
    words = {"subtask": "text-addition", "arguments": {"text": "Überraschung, ça va?"}, "instruments": REAL}
    assert check("text-present", BLANK, OPEN, **words) is not None


def test_nothing_to_measure_without_a_reader_or_a_text() -> None:
    class NoReader(Answers):
        def read_text(self, image: np.ndarray) -> None:  # type: ignore[override]
            return None

    for name in ("text-present", "text-absent"):
        assert check(name, OPEN, OPEN, "OPEN", instruments=NoReader()) is None
        assert check(name, OPEN, OPEN, instruments=Answers(lines=[(OPEN, ())])) is None


@pytest.mark.parametrize(
    ("lines", "wanted", "low", "high"),
    [
        ((PLACE,), True, 1, 1),
        ((), True, 0, 0),
        ((line("", 0, 0, 50, 20),), True, 0, 0),
        ((line("CLOSED", 1000, 0, 1100, 20),), True, 0, 0),
        ((line("CLOSED", 100, 30, 320, 90, 0.5),), True, 0.8, 0.8),
        ((PLACE,), "CLOSED", 1, 1),
        ((PLACE,), "OPEN", 0, 0.2),
    ],
)
def test_found_text(lines: tuple[TextLine, ...], wanted: object, low: float, high: float) -> None:
    assert low <= score("text-found", CLOSED, CLOSED, wanted, outputs={"text": lines}) <= high


def test_regions_without_words_are_found_text_too() -> None:
    assert score("text-found", CLOSED, CLOSED, outputs={"text-regions": (line("", 0, 0, 50, 20),)}) == 1


def test_readings_are_runs_of_words_and_of_lines() -> None:
    lines = [line("Fresh bread daily", 0, 0, 100, 20), line("from 7 am", 0, 30, 100, 50)]
    assert nearest_reading("bread", lines) == (0, "bread")
    assert nearest_reading("Fresh bread", lines)[0] == 0
    assert nearest_reading("Freshbread daily", lines)[0] == 0
    assert nearest_reading("Fresh bread daily from 7 am", lines)[0] == 0
    assert nearest_reading("bread", [line("breadth", 0, 0, 9, 9)])[0] == pytest.approx(0.4)
    assert nearest_reading("x", []) == (1, "")


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_edit_distance_is_a_metric(one: str, two: str, three: str) -> None:
    assert edit_distance(one, two) == edit_distance(two, one)
    assert (edit_distance(one, two) == 0) == (one == two)
    assert edit_distance(one, three) <= edit_distance(one, two) + edit_distance(two, three)
    assert abs(len(one) - len(two)) <= edit_distance(one, two) <= max(len(one), len(two))
