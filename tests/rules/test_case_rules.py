"""Rules about benchmark rows with conditions: what never counts, what stands twice, and the row for all the rest."""

from __future__ import annotations

import pytest

from costa_dsl.diagnostics import Severity
from tests.rules import findings, marked, others, told
from tests.rules.test_tool_rules import REMOVAL, row, table

FALLBACK = row("telea", REMOVAL)


def case(when: str, tool: str = "telea", subtask: str = REMOVAL) -> str:
    return row(tool, subtask).replace("seconds:", f"when: {when}, seconds:")


def test_sound_cases_are_left_alone() -> None:
    cases = (
        case("{background: plain, area: {at_most: 5%}}"),
        case("{background: plain}"),
        case("{background: busy}"),
        case("{instances: {above: 3}, text: true}"),
        case("{color_distance: {at_least: 20}, contrast: {below: 5}}"),
        case("{area: {at_least: 5%, at_most: 5%}}"),
    )
    assert findings(table(*cases, FALLBACK)) == []
    assert findings(table(FALLBACK, *cases)) == []


def test_the_fallback_may_stand_in_another_table() -> None:
    assert findings(table(case("{background: plain}")), table(FALLBACK)) == []


def test_cases_without_a_fallback() -> None:
    (found,) = findings(table(case("{background: plain}"), case("{background: busy}")))
    assert (found.code, found.severity, marked(found)) == ("COS2025", Severity.ERROR, "{background: plain}")
    assert found.message == "telea · object-removal has rows with `when:`, but none without"


@pytest.mark.parametrize(
    ("when", "feature", "bounds"),
    [
        ("{area: {at_least: 10%, at_most: 2%}}", "area", "{at_least: 10%, at_most: 2%}"),
        ("{text: true, area: {above: 0.1, below: 0.1}}", "area", "{above: 0.1, below: 0.1}"),
        ("{instances: {above: 1, below: 2}}", "instances", "{above: 1, below: 2}"),
        ("{background: {above: 1}}", "background", "{above: 1}"),
    ],
)
def test_bounds_that_contradict_each_other(when: str, feature: str, bounds: str) -> None:
    (found,) = findings(table(case(when), FALLBACK))
    assert (found.code, found.severity, marked(found)) == ("COS2026", Severity.ERROR, bounds)
    assert f"`{feature}`" in found.message


@pytest.mark.parametrize(
    "again", ["{background: plain}", "{background: {at_most: 10%}}", "{background: {at_most: 0.1}}"]
)
def test_the_same_conditions_twice(again: str) -> None:
    (found,) = findings(table(case("{background: plain}"), case(again), FALLBACK))
    assert (found.code, found.severity, marked(found)) == ("COS2027", Severity.ERROR, again)
    assert [(message, text) for message, text, _ in others(found)] == [
        ("the same conditions here", "{background: plain}")
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("{area: {at_most: 10%}}", "{area: {at_most: 1%}}"),
        ("{area: {at_most: 10%}}", "{area: {below: 10%}, text: true}"),
        ("{background: plain}", "{background: {below: 5%}}"),
        ("{instances: {at_least: 1}}", "{instances: 2}"),
    ],
)
def test_a_row_behind_one_that_always_counts(first: str, second: str) -> None:
    (found,) = findings(table(case(first), case(second), FALLBACK))
    assert (found.code, found.severity, marked(found)) == ("COS2028", Severity.WARNING, second)
    assert others(found)[0][:2] == ("this one counts instead", first)
    assert findings(table(case(second), case(first), FALLBACK)) == []


def test_a_row_that_never_counts_is_told_for_one_reason() -> None:
    found = findings(table(case("{area: {at_most: 50%}}"), case("{area: {at_least: 2%, at_most: 1%}}"), FALLBACK))
    assert told(found) == [("COS2026", "{at_least: 2%, at_most: 1%}")]


def test_other_tools_and_subtasks_have_their_own_cases() -> None:
    text = table(
        case("{text: true}"),
        case("{text: true}", "patchmatch"),
        FALLBACK,
        row("patchmatch", REMOVAL),
    )
    assert findings(text) == []


def test_a_conditional_row_is_about_a_known_tool_too() -> None:
    found = findings(table(case("{text: true}", "telae"), FALLBACK))
    assert ("COS2009", "telae") in told(found)


@pytest.mark.parametrize(
    ("when", "code", "text", "label"),
    [
        ("{aera: {at_most: 5%}}", "COS1012", "aera", 'did you mean "area"?'),
        ("{colour_distance: {at_most: 5}}", "COS1012", "colour_distance", 'did you mean "color_distance"?'),
        ("{area: {atmost: 5%}}", "COS1012", "atmost", 'did you mean "at_most"?'),
        ("{background: plian}", "COS1013", "plian", 'did you mean "plain"?'),
        ("{area: {at_most: 105%}}", "COS1015", "105%", ""),
        ("{area: {at_most: 5}}", "COS1014", "5", ""),
        ("{instances: 1.5}", "COS1010", "1.5", ""),
        ("{text: maybe}", "COS1010", "maybe", ""),
        ("{}", "COS1016", "{}", ""),
    ],
)
def test_slips_are_told_once(when: str, code: str, text: str, label: str) -> None:
    """And a row whose conditions are not understood is taken neither for the fallback nor for another case."""
    (found,) = findings(table(case("{background: busy}"), case(when), FALLBACK))
    assert (found.code, marked(found)) == (code, text)
    assert label in found.label
