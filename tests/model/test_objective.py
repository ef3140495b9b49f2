"""Objectives: monotone, read from what people write, and from plug-ins."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costa_dsl.model.objective import CRITERIA, CostaObjective, Objective, gap
from costa_dsl.model.objective_spec import BUILT_IN, ObjectiveError, read_objective
from costa_dsl.model.objectives import Lexicographic, MaxCost, MinQuality, WeightedSum
from tests.search.graphs import PRICES, QUALITIES, SECONDS, objectives

TOTALS = st.tuples(SECONDS, QUALITIES, PRICES)


@settings(max_examples=500, deadline=None)
@given(objectives(), TOTALS, TOTALS)
def test_each_is_monotone(
    objective: Objective, one: tuple[float, float, float], other: tuple[float, float, float]
) -> None:
    """What is nowhere better never ranks lower, and what is met by the worse is met by the better."""
    better = (min(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]))
    worse = (max(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]))
    assert gap(objective.rank(*better), objective.rank(*worse)) <= 0
    assert objective.is_met(*better) or not objective.is_met(*worse)


@settings(max_examples=300, deadline=None)
@given(objectives(), TOTALS, TOTALS)
def test_only_its_criteria_count(
    objective: Objective, one: tuple[float, float, float], other: tuple[float, float, float]
) -> None:
    mixed = [
        mine if name in objective.criteria else theirs for name, mine, theirs in zip(CRITERIA, one, other, strict=True)
    ]
    assert objective.rank(*one) == objective.rank(*mixed)


@settings(max_examples=300, deadline=None)
@given(objectives(), TOTALS, TOTALS, TOTALS)
def test_a_dominated_path_stays_dominated_whatever_follows(
    objective: Objective,
    one: tuple[float, float, float],
    other: tuple[float, float, float],
    rest: tuple[float, float, float],
) -> None:
    better = (min(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]))

    def followed(totals: tuple[float, float, float]) -> tuple[float, ...]:
        return objective.rank(totals[0] + rest[0], totals[1] * rest[1], totals[2] + rest[2])

    assert gap(followed(better), followed(other)) <= 0


@given(objectives().filter(lambda one: one.spec.split(":")[0] not in ("costa", "money")))
def test_what_is_printed_reads_back(objective: Objective) -> None:
    assert read_objective(objective.spec, 1.0) == objective


def test_j_is_the_papers() -> None:
    assert CostaObjective(1.0).value(12.265, 0.89) == pytest.approx(13.61, abs=0.005)
    assert CostaObjective(0.0).value(99.0, 0.9) == pytest.approx(1.1**2)
    assert CostaObjective(2.0).value(3.0, 0.1) == pytest.approx(9.0)
    assert [sorted(CostaObjective(alpha).criteria) for alpha in (0.0, 1.0, 2.0)] == [
        ["quality"],
        ["quality", "seconds"],
        ["seconds"],
    ]


@pytest.mark.parametrize("spec", BUILT_IN)
def test_every_example_can_be_read(spec: str) -> None:
    objective = read_objective(spec, 1.0)
    assert objective.spec == spec or objective.spec.split(":")[0] == spec.split(":")[0]
    assert objective.title
    assert all(math.isfinite(number) for number in objective.rank(1.0, 0.9, 0.1))


def test_reading() -> None:
    assert read_objective("max-cost:30", 1.0) == MaxCost(30.0)
    assert read_objective("max-cost: 30s", 1.0) == MaxCost(30.0)
    assert read_objective("max-cost:0.05usd", 1.0) == MaxCost(0.05, "usd")
    assert read_objective("max-cost:0.05 USD", 1.0) == MaxCost(0.05, "usd")
    assert read_objective("weighted-sum:quality=60, seconds=1", 1.0) == WeightedSum(1.0, 60.0)
    assert read_objective("lexicographic:quality, usd", 1.0) == Lexicographic(("quality", "usd"))
    assert read_objective(" min-quality:0.9 ", 0.3) == MinQuality(0.9)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", 'no objective ""'),
        ("fast", 'no objective "fast"'),
        ("costa:1", "takes no argument"),
        ("min-quality", "a number from 0 to 1"),
        ("min-quality:90", "a number from 0 to 1"),
        ("min-quality:nan", "a number from 0 to 1"),
        ("max-cost:-1", "a number from 0"),
        ("max-cost:inf", "a number from 0"),
        ("max-cost:30eur", '"30eur"'),
        ("weighted-sum:", "at most once each"),
        ("weighted-sum:seconds=0", "every weight is 0"),
        ("weighted-sum:seconds=1,seconds=2", "at most once each"),
        ("weighted-sum:speed=1", '"speed=1"'),
        ("weighted-sum:seconds=-1", "a number from 0"),
        ("lexicographic:", "each once"),
        ("lexicographic:quality,quality", "each once"),
        ("criteria:quality=0", "above 0"),
        ("criteria:quality=1.5", "at most 1"),
        ("criteria:seconds=inf", "a number from 0"),
    ],
)
def test_what_cannot_be_read(spec: str, words: str) -> None:
    with pytest.raises(ObjectiveError) as caught:
        read_objective(spec, 1.0)
    assert words in caught.value.message
    assert caught.value.help


# ---- plug-ins ----------------------------------------------------------------------------------------------
PLUG_IN = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Root:
    power: float
    spec: str = "root"
    title: str = "root of seconds, lost quality"
    criteria: frozenset = frozenset({"seconds", "quality"})

    def rank(self, seconds, quality, usd):
        return (seconds ** self.power, 1 - quality)

    def is_met(self, seconds, quality, usd):
        return True

def root(argument, alpha):
    return Root(float(argument or 0.5))

def secret(argument, alpha):
    return Root(0.5, criteria=frozenset({"seconds"}))
"""


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real installed package, as far as importlib can tell."""
    (tmp_path / "some_objectives.py").write_text(PLUG_IN)
    info = tmp_path / "some_objectives-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-objectives\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[costa.objectives]\n" + "".join(f"{name} = some_objectives:{name}\n" for name in ("root", "secret", "gone"))
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "some_objectives", raising=False)


@pytest.mark.usefixtures("plug_in")
def test_a_plug_in_is_an_objective() -> None:
    found = read_objective("root:0.25", 1.0)
    assert found.rank(16.0, 0.5, 0.0) == (2.0, 0.5)


@pytest.mark.usefixtures("plug_in")
@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("root:-1", "ZeroDivisionError"),
        ("root:x", "does not work"),
        ("secret", "though quality is not among its criteria"),
        ("gone", "does not work"),
    ],
)
def test_a_plug_in_that_breaks_its_word_is_refused(spec: str, words: str) -> None:
    with pytest.raises(ObjectiveError) as caught:
        read_objective(spec, 1.0)
    assert words in caught.value.message


def test_a_falling_rank_is_refused(tmp_path: Path, plug_in: None) -> None:
    module = tmp_path / "some_objectives.py"
    module.write_text(PLUG_IN.replace("seconds ** self.power", "-seconds"))
    with pytest.raises(ObjectiveError, match=r"falls from .* as seconds gets worse"):
        read_objective("root", 1.0)


def test_two_plug_ins_of_one_name_are_refused(tmp_path: Path, plug_in: None) -> None:
    again = tmp_path / "other-1.0.dist-info"
    again.mkdir()
    (again / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (again / "entry_points.txt").write_text("[costa.objectives]\nroot = some_objectives:root\n")
    with pytest.raises(ObjectiveError, match="2 installed packages"):
        read_objective("root", 1.0)
