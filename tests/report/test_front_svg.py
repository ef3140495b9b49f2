"""What is true of the plot of any front: nothing overlaps, everything is inside, and points stand where they belong."""

from __future__ import annotations

import math
import random
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import CostaObjective
from costa_dsl.model.objectives import MinQuality
from costa_dsl.report.front import describe_front, interval_words
from costa_dsl.report.front_axes import axis_of
from costa_dsl.report.front_labels import crosses
from costa_dsl.report.front_style import colors
from costa_dsl.report.front_svg import WIDTH, draw, front_svg
from costa_dsl.search.pareto import Interval, ParetoFront, pareto_front
from tests.compiler.drawings.reading import Rectangle, overlap
from tests.search.graphs import call, graph_from, graphs

SVG = "{http://www.w3.org/2000/svg}"
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def one_step(tools: list[tuple[float, ...]]) -> ToolpathGraph:
    """A choice between tools with seconds, quality and perhaps dollars."""
    return graph_from(2, [call(f"tool{place}", 0, 1, *tool[:2], usd=sum(tool[2:])) for place, tool in enumerate(tools)])


def arc(number: int) -> ToolpathGraph:
    """Tools each of which is the best for some α."""
    angles = [place / (number - 1) for place in range(number)]
    return one_step([(10 * math.exp(3.2 * t), 2 - math.exp(0.65 * (1 - math.sin(t * math.pi / 2)))) for t in angles])


def scattered(number: int, seed: int, prices: bool = False) -> ToolpathGraph:
    draw_ = random.Random(seed)
    tools = []
    for _ in range(number):
        seconds = draw_.uniform(1, 60)
        quality = 0.5 + 0.4 * (seconds / 60) ** 0.5 * draw_.uniform(0.5, 1)
        tools.append((seconds, quality, draw_.choice((0.0, 0.01, 0.1)) if prices else 0.0))
    return one_step(tools)


GRAPHS = {
    "one path": one_step([(12.7, 1.0)]),
    "nothing at all": one_step([(0.0, 0.0)]),
    "nearly the same": one_step([(1.0, 0.9), (1.0000001, 0.9000001)]),
    "no seconds": one_step([(0.0, 0.3), (1.0, 0.5), (2.0, 0.9)]),
    "from a blink to a day": one_step([(0.0001, 0.1), (1.0, 0.5), (90000.0, 0.9)]),
    "sixty that win": arc(60),
    "many": scattered(800, 1),
    "dollars": scattered(80, 2, prices=True),
    "very many": scattered(40_000, 3),
}


def assert_sound(graph: ToolpathGraph, front: ParetoFront, alpha: float = 1.0) -> None:
    picture = draw(graph, front, CostaObjective(alpha))
    frames: list[Rectangle] = []
    for text in picture.texts:
        left = {"start": text.x, "middle": text.x - text.width / 2, "end": text.x - text.width}[text.anchor]
        frames.append((left, text.y - 10.5, text.width, 13.0))
    for text, (left, top, width, height) in zip(picture.texts, frames, strict=True):
        assert left >= 0, text
        assert top >= 0, text
        assert left + width <= WIDTH, text
        assert top + height <= picture.height, text
    for (one, first), (other, second) in combinations(zip(picture.texts, frames, strict=True), 2):
        assert not overlap(first, second), (one, other)
    points = [(left, top, right - left, bottom - top) for left, top, right, bottom in picture.points]
    assert len(points) == len(front.paths)
    for text, frame in zip(picture.texts, frames, strict=True):
        assert not any(overlap(frame, point) for point in points), text
    middles = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in picture.points]
    for (path, (x, y)), (other, (to_x, to_y)) in pairwise(zip(front.paths, middles, strict=True)):
        assert x <= to_x
        assert (y >= to_y) if path.quality <= other.quality else (y <= to_y)
    root = ElementTree.fromstring(front_svg(graph, front, CostaObjective(alpha)))
    looks = [element.get("class") for element in root.iter(f"{SVG}circle")]
    kinds = {"point": sum(bool(path.wins) for path in front.paths), "ring": 1}
    for look, number in kinds.items():
        assert looks.count(look) == number + 1, "each once in the legend, too"


@pytest.mark.parametrize("name", GRAPHS)
def test_nothing_overlaps(name: str) -> None:
    front = pareto_front(GRAPHS[name], most_points=300)
    for alpha in (0.0, 1.0, 2.0):
        assert_sound(GRAPHS[name], front, alpha)


@QUIET
@given(graphs(6, 4), st.sampled_from([0.0, 0.7, 2.0]))
def test_nothing_overlaps_in_any_front(graph: ToolpathGraph, alpha: float) -> None:
    assert_sound(graph, pareto_front(graph), alpha)


@pytest.mark.parametrize("name", ["sixty that win", "dollars"])
def test_no_label_crosses_a_line(name: str) -> None:
    front = pareto_front(GRAPHS[name], most_points=300)
    picture = draw(GRAPHS[name], front, CostaObjective(1.0))
    leaders = [shape for shape in picture.shapes if 'class="leader"' in shape]
    assert leaders or name != "sixty that win"
    labels = [text for text in picture.texts if text.look in ("name", "bold", "about") and text.words[0].isdigit()]
    for shape in leaders:
        element = ElementTree.fromstring(shape)
        line = tuple(float(element.attrib[key]) for key in ("x1", "y1", "x2", "y2"))
        for text in labels:
            box = (text.x + 0.5, text.y - 9.5, text.x + text.width - 0.5, text.y + 1.5)
            assert not crosses(line, box), text.words  # type: ignore[arg-type]


def test_each_winner_has_its_interval_beside_it_when_there_is_room() -> None:
    graph = one_step([(1.0, 0.4), (2.0, 0.75), (4.0, 0.95)])
    front = pareto_front(graph)
    words = [text.words for text in draw(graph, front, CostaObjective(1.0)).texts]
    for place, path in enumerate(front.paths, start=1):
        assert f"{place}: α {interval_words(path.wins)}" in words


def test_markup_in_names_stays_text() -> None:
    evil = '<script>alert("1")</script> & \x07 \u202e'
    graph = graph_from(2, [call("a", 0, 1, 1.0, 0.5, tool=evil), call("b", 0, 1, 2.0, 0.9, tool="]]>")])
    front = pareto_front(graph)
    for objective in (CostaObjective(1.0), MinQuality(0.7)):
        text = front_svg(graph, front, objective)
        root = ElementTree.fromstring(text)
        assert not list(root.iter(f"{SVG}script"))
        assert any("<script>" in (title.text or "") for title in root.iter(f"{SVG}title"))
        assert "\x07" not in text
        assert "\u202e" not in text
    assert "\x07" not in describe_front(graph, front, CostaObjective(1.0), 64)


def test_the_same_front_gives_the_same_bytes() -> None:
    graph = GRAPHS["dollars"]
    assert len({front_svg(graph, pareto_front(graph), CostaObjective(1.0)) for _ in range(3)}) == 1


# ---- parts -------------------------------------------------------------------------------------------------
@QUIET
@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=5) | st.lists(st.floats(1e-6, 1), min_size=1, max_size=5),
    st.booleans(),
)
def test_axes_hold_their_values_and_have_round_ticks(values: list[float], logarithmic: bool) -> None:
    axis = axis_of(values, 50.0, 450.0, 30.0, logarithmic=logarithmic)
    for value in values:
        assert 49.9 <= axis.at(value) <= 450.1
    ticks = axis.ticks(0.0)
    assert len(ticks) <= 40
    for value, words in ticks:
        assert 19.9 <= axis.at(value) <= 480.1
        if max(values) >= 1e-6:
            assert float(words.replace(",", "")) == pytest.approx(value, rel=1e-6, abs=1e-9)
    assert len({words for _, words in ticks}) == len(ticks)


def test_a_decade_or_more_is_drawn_by_logarithm() -> None:
    wide = axis_of([1.0, 100.0], 0.0, 200.0, 10.0, logarithmic=True)
    assert wide.logarithmic
    assert wide.at(10.0) == pytest.approx(100.0)
    assert [words for _, words in wide.ticks(0.0)] == ["1", "2", "5", "10", "20", "50", "100"]
    assert not axis_of([1.0, 5.0], 0.0, 200.0, 10.0, logarithmic=True).logarithmic
    assert not axis_of([0.0, 500.0], 0.0, 200.0, 10.0, logarithmic=True).logarithmic


def test_lines_and_boxes() -> None:
    box = (0.0, 0.0, 10.0, 10.0)
    assert crosses((-5.0, 5.0, 15.0, 5.0), box)
    assert crosses((2.0, 2.0, 3.0, 3.0), box)
    assert not crosses((-5.0, 12.0, 15.0, 12.0), box)
    assert not crosses((-6.0, 5.0, 5.0, -6.0), box)


def test_colors_are_different_and_run_from_one_end_to_the_other() -> None:
    found = colors(60)
    assert len(set(found)) == 60
    assert (found[0], found[-1]) == tuple(colors(2))
    assert len(colors(1)) == 1


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        (None, "never"),
        (Interval(0.0, 2.0), "0 to 2"),
        (Interval(0.0, 2.0, opens=True), "above 0 to 2"),
        (Interval(2.0, 2.0), "2"),
        (Interval(0.51851851851, 0.51851851852), "0.519"),
        (Interval(1.23456, 1.23461), "1.23456 to 1.23461"),
        (Interval(0.3333, 1.2), "0.333 to 1.2"),
    ],
)
def test_intervals_in_words(wins: Interval | None, words: str) -> None:
    assert interval_words(wins) == words
