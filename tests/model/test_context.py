"""Conditions on features: which values they admit, which condition hides which, and that printing loses nothing."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.model.context import FEATURES, Condition, all_hold, conditions_value, hides, read_conditions
from costa_dsl.resources import data_folder

# Few values, so that bounds often meet.
SHARES = st.sampled_from([0, 0.05, "5%", 0.1, "10%", "33.3%", 0.5, 1, "100%"])
WORDS = st.sampled_from(["at_least", "above", "at_most", "below"])
WRITTEN = st.fixed_dictionaries(
    {},
    optional={
        "area": st.dictionaries(WORDS, SHARES, min_size=1),
        "background": st.sampled_from(["plain", "busy"]) | st.dictionaries(WORDS, SHARES, min_size=1),
        "contrast": st.dictionaries(WORDS, st.sampled_from([0, 2.5, 20]), min_size=1),
        "instances": st.integers(0, 3) | st.dictionaries(WORDS, st.integers(0, 3), min_size=1),
        "text": st.booleans(),
    },
).filter(bool)
FOUND = st.fixed_dictionaries(
    {},
    optional={
        "area": st.sampled_from([0.0, 0.02, 0.05, 0.07, 0.1, 0.333, 0.5, 1.0]),
        "background": st.sampled_from([0.0, 0.05, 0.1, 0.100001, 0.6, 1.0]),
        "contrast": st.sampled_from([0.0, 1.0, 2.5, 20.0, 90.0]),
        "instances": st.integers(0, 4),
        "text": st.booleans(),
    },
)


def condition(feature: str, written: Any) -> Condition:
    (found,) = read_conditions({feature: written})
    return found


@pytest.mark.parametrize(
    ("feature", "written", "inside", "outside"),
    [
        ("area", {"at_most": "5%"}, [0.0, 0.02, 0.05], [0.0500001, 1.0]),
        ("area", {"below": 0.05}, [0.0, 0.0499], [0.05, 0.3]),
        ("area", {"above": "2%", "at_most": "10%"}, [0.021, 0.1], [0.02, 0.11]),
        ("area", {"at_least": 0.1, "above": 0.2}, [0.21], [0.2, 0.15]),
        ("area", {"at_most": 0.2, "below": 0.2}, [0.19], [0.2]),
        ("background", "plain", [0.0, 0.1], [0.1001, 1.0]),
        ("background", "busy", [0.1001, 1.0], [0.0, 0.1]),
        ("instances", 1, [1], [0, 2]),
        ("instances", {"above": 1}, [2, 9], [1]),
        ("instances", {"below": 3, "at_least": 1}, [1, 2], [0, 3]),
        ("text", True, [True], [False]),
        ("text", False, [False], [True]),
        ("contrast", {"at_least": 20}, [20.0, 130.0], [19.9]),
    ],
)
def test_which_values_meet_a_condition(feature: str, written: Any, inside: list[float], outside: list[float]) -> None:
    found = condition(feature, written)
    assert [found.holds({feature: value}) for value in inside] == [True] * len(inside)
    assert [found.holds({feature: value}) for value in outside] == [False] * len(outside)


@pytest.mark.parametrize("name", FEATURES)
def test_what_is_not_known_meets_no_condition(name: str) -> None:
    feature = FEATURES[name]
    found = Condition(name, feature.low, feature.high)
    assert not found.holds({})
    assert not found.holds({name: math.nan})
    assert found.holds({name: feature.low})


@pytest.mark.parametrize(
    ("written", "impossible"),
    [
        ({"area": {"at_least": "10%", "at_most": "2%"}}, True),
        ({"area": {"above": 0.1, "at_most": 0.1}}, True),
        ({"area": {"at_least": 0.1, "at_most": 0.1}}, False),
        ({"area": {"above": 1}}, True),
        ({"area": {"below": 0}}, True),
        ({"instances": {"above": 1, "below": 2}}, True),
        ({"instances": {"below": 0}}, True),
        ({"instances": 0}, False),
        ({"contrast": {"above": 1e9}}, False),
    ],
)
def test_bounds_that_no_value_meets(written: dict[str, Any], impossible: bool) -> None:
    (found,) = read_conditions(written)
    assert found.is_impossible is impossible


@given(WRITTEN)
def test_printing_and_reading_change_nothing(written: dict[str, Any]) -> None:
    found = read_conditions(written)
    value = conditions_value(found)
    assert read_conditions(value) == found
    assert conditions_value(read_conditions(value)) == value
    assert list(value) == sorted(value)


@given(WRITTEN, FOUND)
def test_words_and_percentages_mean_what_the_printed_numbers_do(written: dict[str, Any], known: dict[str, Any]) -> None:
    found = read_conditions(written)
    assert all_hold(found, known) == all_hold(read_conditions(conditions_value(found)), known)
    assert all_hold(found, known) == all(one.holds(known) for one in found)


@given(WRITTEN, WRITTEN, FOUND)
def test_where_one_hides_the_other_it_holds_whenever_that_does(
    one: dict[str, Any], other: dict[str, Any], known: dict[str, Any]
) -> None:
    first, later = read_conditions(one), read_conditions(other)
    if hides(first, later) and all_hold(later, known):
        assert all_hold(first, known)


@pytest.mark.parametrize(
    ("one", "other", "hidden"),
    [
        ({"area": {"at_most": "10%"}}, {"area": {"at_most": "1%"}, "text": True}, True),
        ({"area": {"at_most": "10%"}}, {"text": True}, False),
        ({"background": "plain"}, {"background": {"at_most": 0.1}}, True),
        ({"background": "plain"}, {"background": {"below": 0.1}}, True),
        ({"background": {"below": 0.1}}, {"background": "plain"}, False),
        ({"background": "plain", "text": True}, {"background": "plain"}, False),
    ],
)
def test_which_conditions_hide_which(one: dict[str, Any], other: dict[str, Any], hidden: bool) -> None:
    assert hides(read_conditions(one), read_conditions(other)) is hidden


def test_conditions_in_words() -> None:
    found = read_conditions({"background": "busy", "area": {"at_least": "2%", "below": "10%"}, "text": True})
    assert [str(one) for one in found] == ["area at least 0.02 and below 0.1", "background above 0.1", "text true"]


@pytest.mark.parametrize("schema", ["benchmark-table", "toolpath-graph"])
def test_the_schemas_know_exactly_these_features(schema: str) -> None:
    text = (data_folder("schemas") / f"{schema}.schema.json").read_text(encoding="utf-8")
    assert set(json.loads(text)["$defs"]["when"]["properties"]) == set(FEATURES)
