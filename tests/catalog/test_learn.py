"""Conditional rows learnt from measurements: found where there is something to learn, and nowhere else."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costa_dsl.catalog.learn import LEAST, Sample, learn_cases, round_between
from costa_dsl.model.context import Features, conditions_value


def samples(*pairs: tuple[Features, float]) -> list[Sample]:
    return [Sample(0.1, quality, features) for features, quality in pairs]


def by_background(noise: float = 0.02, seed: int = 1) -> list[Sample]:
    """Good up to 0.2, bad above; the area has nothing to do with it."""
    draw = random.Random(seed)
    found = []
    for place in range(12):
        busy = place / 12
        quality = (0.95 if busy <= 0.2 else 0.3) + draw.uniform(-noise, noise)
        found.append(({"background": busy, "area": draw.random()}, quality))
    return samples(*found)


def test_the_feature_and_the_limit_that_matter_are_found() -> None:
    measured = [
        *by_background(),
        *samples(*(({"background": value, "area": 0.5}, 0.94) for value in (0.01, 0.05, 0.1))),
    ]
    plain, busy = learn_cases(measured)
    assert conditions_value(plain.when) == {"background": {"at_most": 0.2}}
    assert conditions_value(busy.when) == {"background": {"above": 0.2}}
    assert min(one.quality for one in plain.samples) > 0.9
    assert max(one.quality for one in busy.samples) < 0.4
    assert len(plain.samples) + len(busy.samples) == len(measured)


def test_too_few_cases_teach_nothing() -> None:
    measured = samples(
        *(({"background": 0.01 * place}, 0.95) for place in range(LEAST - 1)),
        *(({"background": 0.5 + 0.01 * place}, 0.2) for place in range(LEAST)),
    )
    assert learn_cases(measured) == ()


def test_small_differences_teach_nothing() -> None:
    measured = samples(*(({"area": place / 20}, 0.9 if place < 10 else 0.85) for place in range(20)))
    assert learn_cases(measured) == ()


@pytest.mark.parametrize("seed", range(20))
def test_noise_teaches_nothing(seed: int) -> None:
    draw = random.Random(seed)
    measured = samples(
        *(
            ({name: draw.random() for name in ("area", "background", "contrast", "color_distance")}, draw.random())
            for _ in range(16)
        )
    )
    assert learn_cases(measured) == ()


def test_nothing_teaches_nothing() -> None:
    assert learn_cases([]) == ()
    assert learn_cases(samples(({}, 0.2), ({}, 0.9))) == ()


def test_truths_and_counts_are_written_as_such() -> None:
    measured = samples(*(({"text": place < 6}, 0.9 if place < 6 else 0.1) for place in range(12)))
    assert [conditions_value(case.when) for case in learn_cases(measured)] == [{"text": False}, {"text": True}]
    measured = samples(*(({"instances": 1 + place // 3}, 0.9 if place < 6 else 0.1) for place in range(12)))
    assert [conditions_value(case.when) for case in learn_cases(measured)] == [
        {"instances": {"at_most": 2}},
        {"instances": {"at_least": 3}},
    ]


def test_the_order_of_the_measurements_does_not_matter() -> None:
    measured = [*by_background(), *by_background(seed=2)]
    mixed = random.Random(5).sample(measured, len(measured))
    assert [case.when for case in learn_cases(measured)] == [case.when for case in learn_cases(mixed)]


@given(st.floats(0, 100), st.floats(1e-6, 50))
def test_a_round_limit_lies_between(low: float, width: float) -> None:
    high = low + width
    limit = round_between(low, high)
    assert low <= limit < high


def test_limits_are_round() -> None:
    assert round_between(0.0312, 0.2873) == 0.2
    assert round_between(0.041, 0.0432) == 0.042
    assert round_between(18.3, 37.9) == 30
