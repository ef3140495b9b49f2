"""Keys and differences: exactly what was changed is named."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.store.preimage import ABSENT, action_key, canonical, differences

NAMES = st.sampled_from(["tool", "a", "b.c", "größe", "inputs", ""])
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4))
PREIMAGES = st.dictionaries(NAMES, VALUES, min_size=1, max_size=5)


def places(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The path of every field that is no mapping with names in it."""
    if isinstance(value, dict) and (value or not path):
        return [place for name, inner in value.items() for place in places(inner, (*path, name))]
    return [path]


def holder(value: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    for name in path[:-1]:
        value = value[name]
    return value


@given(PREIMAGES, st.data())
def test_one_changed_field_is_named_with_both_values(before: dict[str, Any], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(places(before)))
    after = copy.deepcopy(before)
    was = holder(before, path)[path[-1]]
    # A mapping in place of a mapping would be a change of the fields within.
    changed = data.draw(LEAVES.filter(lambda leaf: canonical(leaf) != canonical(was)))
    holder(after, path)[path[-1]] = changed
    found = differences(before, after)
    assert [(one.path, one.here, one.there) for one in found] == [(path, was, changed)]
    assert action_key(before) != action_key(after)


@given(PREIMAGES, st.data())
def test_one_missing_field_is_named(before: dict[str, Any], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(places(before)))
    after = copy.deepcopy(before)
    del holder(after, path)[path[-1]]
    assert [(one.path, one.there) for one in differences(before, after)] == [(path, ABSENT)]
    assert [(one.path, one.here) for one in differences(after, before)] == [(path, ABSENT)]


@given(PREIMAGES, PREIMAGES)
def test_no_difference_exactly_when_the_keys_are_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (differences(one, other) == ()) == (action_key(one) == action_key(other))
    assert differences(one, json.loads(canonical(one))) == ()


def test_the_order_of_names_does_not_count_but_kinds_of_numbers_do() -> None:
    assert action_key({"a": 1, "b": 2}) == action_key({"b": 2, "a": 1})
    assert len({action_key({"a": value}) for value in (1, 1.0, True, "1", [1])}) == 5


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), b"bytes"])
def test_what_is_no_json_has_no_key(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        action_key({"a": value})
