"""What is true of the drawings of any graph: nothing overlaps, and what is drawn reads back as the graph."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

from costa_dsl.compiler.drawing import to_ascii, to_mermaid, to_svg
from costa_dsl.compiler.drawing.ascii import COLUMNS
from costa_dsl.compiler.drawing.svg import draw
from costa_dsl.compiler.drawing.svg_parts import Label, Text
from costa_dsl.compiler.drawing.words import cells, clean, cut, links_of, state_words
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import CostaObjective
from costa_dsl.search.search import forecast
from tests.compiler.drawings.reading import Rectangle, follow, inside, overlap, trace_back, walk

SVG = "{http://www.w3.org/2000/svg}"


def best_of(graph: ToolpathGraph) -> set[str]:
    """The invocations of the best path, as the command asks the search for them."""
    best = forecast(graph, CostaObjective(1.0))
    return {part.invocation.id for part in best.path() if part.invocation}


def assert_sound(graph: ToolpathGraph) -> None:
    """Everything that is true of the drawings of any graph."""
    path = best_of(graph)
    assert_svg_is_sound(graph, path)
    assert_text_reads_back(graph, path)
    mermaid = to_mermaid(graph, path)
    assert mermaid.count('"]:::') == len(links_of(graph, path))
    assert mermaid.count("<b>") == len(path)


def assert_svg_is_sound(graph: ToolpathGraph, path: set[str]) -> None:
    picture = draw(graph, path)
    boxes: list[Rectangle] = [
        (*corner, box.width, box.height) for box, corner in zip(picture.boxes, picture.corners, strict=True)
    ]
    for x, y, width, height in boxes:
        assert min(x, y) >= -0.1
        assert x + width <= picture.width + 0.2
        assert y + height <= picture.height + 0.2
    for first, second in combinations(boxes, 2):
        assert not overlap(first, second), (first, second)
    for box in picture.boxes:
        texts = (
            [*box.headings, *(text for row in box.rows for text in row.texts)]
            if isinstance(box, Label)
            else list(box.texts)
        )
        frames = [extent(text) for text in texts]
        for left, top, width, height in frames:
            assert left >= 0
            assert top >= 0
            assert left + width <= box.width + 0.2
            assert top + height <= box.height + 0.2
        for first, second in combinations(frames, 2):
            assert not overlap(first, second)
    for line in [part for pair in picture.paths for part in pair]:
        points = list(walk(line))
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        top, bottom = min(y for _, y in points), max(y for _, y in points)
        near = [box for box in boxes if overlap(box, (left, top, right - left, bottom - top))]
        assert not any(inside(point, box) for point in points for box in near), line
    spine = [
        point
        for link, pair in zip(picture.links, picture.paths, strict=True)
        if link.best
        for part in pair
        for point in walk(part)
    ]
    across = [{round(point[axis], 1) for point in spine} for axis in (0, 1)]
    assert min(map(len, across)) == 1, "the best path is one straight line"
    root = ElementTree.fromstring(to_svg(graph, path))
    shown = [element for element in root.iter(f"{SVG}g") if element.get("class", "").startswith("call")]
    assert len(shown) == len(graph.invocations)
    assert sum(element.get("class") == "call best" for element in shown) == len(path)


def extent(text: Text) -> Rectangle:
    left = {"start": text.x, "middle": text.x - text.width / 2, "end": text.x - text.width}[text.anchor]
    return (left, text.y - 10.5, text.width, 13.0)


def assert_text_reads_back(graph: ToolpathGraph, path: set[str]) -> None:
    """Following the lanes with the eye gives the graph's links."""
    rows = to_ascii(graph, path).split("\n\n", 1)[1].splitlines()
    assert all(cells(row) <= COLUMNS for row in rows)
    links = links_of(graph, path)
    if "#1 start" in rows[0]:
        return
    gutter = rows[0].index("start")
    lanes = [row[2:gutter] for row in rows]
    links_by_words = {(link.source, f"{link.calls[0].tool} {clean(link.choices[0].heading)}"): link for link in links}
    assert len(links_by_words) == len(links)
    place_of = {graph.start: 0}
    state_at = {0: graph.start}
    for place, lane in enumerate(lanes):
        if "+" not in lane or lane == lanes[place - 1]:
            continue
        column = lane.index("+")
        source = state_at[trace_back(lanes, place, column)]
        text = " ".join(rows[place][gutter:].split())
        words = re.sub(r" <?[\d.,e-]+ s \d\.\d\d$", "", text)
        # Names that are too long for the row are cut.
        shape = re.compile(re.escape(words).replace(re.escape("..."), ".*"))
        key = next(key for key in links_by_words if key[0] == source and shape.fullmatch(key[1]))
        link = links_by_words.pop(key)
        end = follow(lanes, place, column)
        assert place_of.setdefault(link.target, end) == end
        assert state_at.setdefault(end, link.target) == link.target
    assert not links_by_words
    assert len(place_of) == len(graph.states)
    on_path = {graph.start, *(link.target for link in links if link.best)}
    for state in graph.states:
        row = rows[place_of[state.id]]
        text = ", ".join(state_words(graph, state)) or "picture"
        assert row[gutter:] == cut(text, COLUMNS - gutter, "...")
        assert row.startswith("*") == (state.id in on_path)
