"""Which part of the read lines is meant."""

from __future__ import annotations

import pytest

from costa_dsl.model.artifact import TextLine
from costa_dsl.model.text_match import (
    TextNotFoundError,
    estimated_edges,
    match_kind,
    match_lines,
    match_pattern,
    part_of_line,
)


def line(text: str, y: float = 0, edges: tuple[float, ...] = ()) -> TextLine:
    return TextLine(((0, y), (100, y), (100, y + 10), (0, y + 10)), text, 0.9, edges)


def test_case_and_spaces_do_not_matter() -> None:
    assert [part.text for part in match_lines([line("WE ARE CLOSED")], "we  are closed")] == ["WE ARE CLOSED"]
    assert [part.text for part in match_lines([line("WEARE CLOSED")], "we are")] == ["WEARE"]


def test_a_part_is_cut_at_the_measured_edges() -> None:
    edges = (0.0, 0.2, 0.4, 0.5, 0.75, 1.0)
    (part,) = match_lines([line("AB CD", edges=edges)], "CD")
    assert part.text == "CD"
    assert part.corners == ((50, 0), (100, 0), (100, 10), (50, 10))
    assert part.edges == pytest.approx((0.0, 0.5, 1.0))


def test_without_measured_edges_wide_letters_take_more_room() -> None:
    edges = estimated_edges("WWiii")
    assert (edges[0], edges[-1]) == (0, 1)
    assert edges[2] > 0.6
    assert part_of_line(line("WWiii"), 0, 2).corners[1][0] == pytest.approx(100 * edges[2])


def test_only_whole_words_match() -> None:
    with pytest.raises(TextNotFoundError):
        match_lines([line("Cartoon")], "art")
    assert match_lines([line("(art)")], "art")[0].text == "art"


def test_every_occurrence_counts() -> None:
    parts = match_lines([line("no, no"), line("NO!", 20)], "no")
    assert [part.text for part in parts] == ["no", "no", "NO"]


def test_text_over_two_lines_gives_a_part_for_each() -> None:
    parts = match_lines([line("World Health"), line("Organization", 12)], "health organization")
    assert [(part.text, part.box[1]) for part in parts] == [("Health", 0), ("Organization", 12)]


def test_sharp_s_and_ligatures_fold() -> None:
    assert match_lines([line("Große Straße")], "GROSSE STRASSE")[0].text == "Große Straße"


def test_what_was_read_is_listed_and_the_nearest_named() -> None:
    with pytest.raises(TextNotFoundError) as caught:
        match_lines([line("Opening hours"), line("Closed")], "Openning hours")
    assert "Openning hours" in caught.value.message
    assert 'did you mean "Opening hours"' in caught.value.help
    assert '"Closed"' in caught.value.help


@pytest.mark.parametrize("nothing", ["", "   "])
def test_no_words_match_nothing(nothing: str) -> None:
    with pytest.raises(TextNotFoundError):
        match_lines([line("text")], nothing)


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("email", "Write to jo.doe@mail.example.org now", "jo.doe@mail.example.org"),
        ("phone", "Call +41 44 123 45 67 today", "+41 44 123 45 67"),
        ("price", "Clay pots $25.50 each", "$25.50"),
        ("price", "nur 1.299,00 € heute", "1.299,00 €"),
        ("date", "Valid until 31.12.2026!", "31.12.2026"),
        ("date", "On March 3, 2024 we", "March 3, 2024"),
        ("plate", "Car ZH 123456 left", "ZH 123456"),
    ],
)
def test_kinds(kind: str, text: str, found: str) -> None:
    assert [part.text for part in match_kind([line(text)], kind)] == [found]


def test_a_kind_that_is_not_there() -> None:
    with pytest.raises(TextNotFoundError, match="looks like an email"):
        match_kind([line("nothing here")], "email")


def test_patterns() -> None:
    assert [part.text for part in match_pattern([line("A1 b22 C")], r"[a-z]\d+")] == ["A1", "b22"]
