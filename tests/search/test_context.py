"""The benchmark's word on an invocation, by what is known of its target."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.compiler.graph import Case
from costa_dsl.model.context import Features, all_hold, read_conditions
from costa_dsl.search.context import Prior, case_of, prior_of
from tests.model.test_context import FOUND, WRITTEN
from tests.search.graphs import call

CASES = st.lists(
    st.builds(
        Case,
        WRITTEN.map(read_conditions),
        st.floats(0, 100),
        st.floats(0, 1),
        st.integers(1, 50),
    ),
    max_size=4,
).map(tuple)
FALLBACK = call("paint", 0, 1, 2.0, 0.5)


@given(CASES, FOUND)
def test_the_first_case_whose_conditions_all_hold_counts(cases: tuple[Case, ...], known: Features) -> None:
    told = prior_of(replace(FALLBACK, cases=cases), known)
    holding = [case for case in cases if all_hold(case.when, known)]
    expected = holding[0] if holding else FALLBACK
    assert told == Prior(expected.seconds, expected.quality, expected.n)
    assert case_of(replace(FALLBACK, cases=cases), known) == (holding[0] if holding else None)


@given(CASES)
def test_where_nothing_is_known_the_fallback_counts(cases: tuple[Case, ...]) -> None:
    assert prior_of(replace(FALLBACK, cases=cases), {}) == Prior(2.0, 0.5, 1)


@given(CASES, FOUND, st.integers(0, 4))
def test_a_hidden_case_changes_nothing(cases: tuple[Case, ...], known: Features, place: int) -> None:
    """A case again, with other numbers, anywhere behind itself."""
    if cases:
        again = replace(cases[0], quality=1 - cases[0].quality)
        longer = (*cases[: place + 1], again, *cases[place + 1 :])
        assert prior_of(replace(FALLBACK, cases=longer), known) == prior_of(replace(FALLBACK, cases=cases), known)


def test_painting_over_text() -> None:
    """The paper's own example: about 0.95 on plain ground, 0.2 elsewhere."""
    paint = replace(
        call("paint", 0, 1, 0.045, 0.2), n=30, cases=(Case(read_conditions({"background": "plain"}), 0.04, 0.95, 8),)
    )
    assert prior_of(paint, {"background": 0.01}) == (0.04, 0.95, 8)
    assert prior_of(paint, {"background": 0.7}) == (0.045, 0.2, 30)
    assert prior_of(paint, {"area": 0.01}) == (0.045, 0.2, 30)
