"""A drawing as one SVG file that needs nothing else: no script, no font, no program to lay it out.

States are pills (or dots, when only the picture is at hand), a label on each line names the tools that can take
that way. It follows the reader's light or dark background, and says everything in tooltips.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Literal

from costa_dsl.compiler.drawing.layout import Layers, Placement, longest_ways, make_layers, place
from costa_dsl.compiler.drawing.measure import cut_to, text_width, wrap
from costa_dsl.compiler.drawing.simplify import simplify
from costa_dsl.compiler.drawing.svg_parts import Label, StateBox, label_of, number, state_box
from costa_dsl.compiler.drawing.svg_style import MARKERS, STYLE
from costa_dsl.compiler.drawing.words import Link, clean, links_of, summary
from costa_dsl.compiler.graph import ToolpathGraph

MARGIN = 24.0
LEAST_WIDTH = 470.0
SLIDE = (1600.0, 900.0)  # the direction is chosen whose letters are larger on a slide of this shape
Direction = Literal["right", "down"]


@dataclass(frozen=True)
class Picture:
    """A drawing before it is written: every box with its corner, every line with its path.

    Attributes:
        boxes: states, then the labels of the links, in the order of the graph.
        corners: the upper left corner of each box.
        paths: for each link the path data of its line to the label, and from there to the state.
    """

    boxes: tuple[StateBox | Label, ...]
    corners: tuple[tuple[float, float], ...]
    links: tuple[Link, ...]
    paths: tuple[tuple[str, str], ...]
    width: float
    height: float
    note: str


def to_svg(graph: ToolpathGraph, path: Collection[str] = ()) -> str:
    """The SVG file; invocations whose ids are in `path` are drawn bold. The same graph gives the same bytes."""
    path = frozenset(path)
    picture = draw(graph, path)
    name = f"costa-{graph.digest.removeprefix('sha256:')[:8] or 'graph'}"
    title = clean(graph.plan.name)
    about = f"Toolpath graph of {title}: {summary(graph, path)}"
    width = max(picture.width, LEAST_WIDTH) + 2 * MARGIN
    header, top = _header(graph, path, picture, width)
    size = f"{number(width)} {number(top + picture.height + MARGIN)}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="costa-graph" id="{name}" viewBox="0 0 {size}" '
        f'width="{size.split()[0]}" height="{size.split()[1]}" role="img" '
        f'aria-label="{escape(about)}">',
        f"<title>{escape(about)}</title>",
        f"<desc>{escape(_description(graph, path))}</desc>",
        f"<style>{STYLE}</style>",
        MARKERS.replace("NAME", name),
        '<rect class="paper" width="100%" height="100%"/>',
        *header,
        f'<g transform="translate({number((width - picture.width) / 2)} {number(top)})">',
    ]
    # What is bold comes last, so that no thin line crosses over it.
    order = sorted(range(len(picture.links)), key=lambda index: picture.links[index].best)
    for index in order:
        link = picture.links[index]
        look = "line" + (" supply" if link.supplies else "") + (" best" if link.best else "")
        into, onward = picture.paths[index]
        arrow = f"url(#{name}-{'best' if link.best else 'arrow'})"
        lines.append(f'<path class="{look}" d="{into}"/>')
        lines.append(f'<path class="{look}" d="{onward}" marker-end="{arrow}"/>')
    for box, (x, y) in zip(picture.boxes, picture.corners, strict=True):
        lines.extend(box.draw(x, y))
    return "\n".join([*lines, "</g>", "</svg>"]) + "\n"


def draw(graph: ToolpathGraph, path: Collection[str]) -> Picture:
    """Lay a graph out; one that is too large to be drawn as a whole is simplified, and `note` says how."""
    links, note = simplify(graph, links_of(graph, path))
    ends = {graph.start, graph.goal, *(state for link in links for state in (link.source, link.target))}
    states = [state for state in graph.states if state.id in ends]
    on_path = {state for link in links if link.best for state in (link.source, link.target)}
    boxes: list[StateBox | Label] = [state_box(graph, state, state.id in on_path) for state in states]
    boxes.extend(label_of(graph, link, path) for link in links)

    numbers = {state.id: index for index, state in enumerate(states)}
    far = longest_ways([state.id for state in states], [(link.source, link.target) for link in links])
    ranks = [2 * far[state.id] for state in states]
    lines: list[tuple[int, int]] = []
    best: set[int] = set()
    for index, link in enumerate(links, start=len(states)):
        ranks.append((far[link.source] + far[link.target] - 1) // 2 * 2 + 1)
        if link.best:
            best |= {len(lines), len(lines) + 1}
        lines += [(numbers[link.source], index), (index, numbers[link.target])]
    layers = make_layers(ranks, lines, best)

    widths, heights = [box.width for box in boxes], [box.height for box in boxes]
    right, down = place(layers, widths, heights), place(layers, heights, widths)
    letters = [
        min(SLIDE[0] / max(width, 1.0), SLIDE[1] / max(height, 1.0))
        for width, height in ((right.length, right.breadth), (down.breadth, down.length))
    ]
    if letters[0] >= letters[1]:
        return _picture(layers, right, "right", boxes, links, note)
    return _picture(layers, down, "down", boxes, links, note)


def _picture(
    layers: Layers,
    placed: Placement,
    direction: Direction,
    boxes: Sequence[StateBox | Label],
    links: Sequence[Link],
    note: str,
) -> Picture:
    layer_of = {item: index for index, layer in enumerate(layers.layers) for item in layer}
    right = direction == "right"

    def point(along: float, across: float) -> str:
        return f"{number(along)} {number(across)}" if right else f"{number(across)} {number(along)}"

    def borders(item: int) -> tuple[float, float]:
        """Where a line enters and leaves an item: a box at its own border, a passage at those of its layer."""
        layer = layer_of[item]
        start, extent = placed.starts[layer], placed.extents[layer]
        if item >= len(boxes):
            return start, start + extent
        own = boxes[item].width if right else boxes[item].height
        return start + (extent - own) / 2, start + (extent + own) / 2

    def line(chain: Sequence[int]) -> str:
        parts = ["M" + point(borders(chain[0])[1], placed.across[chain[0]])]
        for first, second in pairwise(chain):
            layer, following = layer_of[first], layer_of[second]
            leave, enter = placed.starts[layer] + placed.extents[layer], placed.starts[following]
            from_, to = placed.across[first], placed.across[second]
            if from_ != to:
                middle = (leave + enter) / 2
                if leave != borders(first)[1]:
                    parts.append("L" + point(leave, from_))
                parts.append(f"C{point(middle, from_)} {point(middle, to)} {point(enter, to)}")
            end = borders(second)[second >= len(boxes)]
            if from_ == to or end != enter:  # no piece of no length: the arrow head would not know its direction
                parts.append("L" + point(end, to))
        return "".join(parts)

    corners = []
    for item, box in enumerate(boxes):
        along, across = borders(item)[0], placed.across[item]
        corners.append((along, across - box.height / 2) if right else (across - box.width / 2, along))
    paths = tuple((line(layers.chains[2 * index]), line(layers.chains[2 * index + 1])) for index in range(len(links)))
    width, height = (placed.length, placed.breadth) if right else (placed.breadth, placed.length)
    return Picture(tuple(boxes), tuple(corners), tuple(links), paths, width, height, note)


def _header(graph: ToolpathGraph, path: Collection[str], picture: Picture, width: float) -> tuple[list[str], float]:
    """Title, task, sizes and legend; and where the drawing below may begin."""
    room = width - 2 * MARGIN
    y = MARGIN + 14.0
    lines = [f'<text class="title" x="{number(MARGIN)}" y="{number(y)}">']
    lines[0] += f"{escape(cut_to(clean(graph.plan.name), 17.0, room, bold=True))}</text>"
    rows = wrap(clean(graph.plan.task), 12.0, min(room, 900.0), 2)
    rows += wrap(summary(graph, path), 12.0, room, 2) + wrap(picture.note, 12.0, room, 4)
    for row in rows:
        y += 18.0
        lines.append(f'<text class="about" x="{number(MARGIN)}" y="{number(y)}">{escape(row)}</text>')
    y += 22.0
    x = MARGIN
    kinds = [("best", "best path", any(link.best for link in picture.links))]
    others = [link for link in picture.links if not link.best]
    kinds.append(("", "does a step", any(not link.supplies for link in others)))
    kinds.append(("supply", "supplies what a tool needs", any(link.supplies for link in others)))
    for look, words, shown in kinds:
        if shown:
            lines.append(f'<path class="line {look}" d="M{number(x)} {number(y - 4)}h28"/>')
            lines.append(f'<text class="about" x="{number(x + 35)}" y="{number(y)}">{words}</text>')
            x += 35 + text_width(words, 12.0) + 14
    return lines, y + 24.0


def _description(graph: ToolpathGraph, path: Collection[str]) -> str:
    """The best path in words, for those who do not see the drawing."""
    tools = [f"{call.tool} ({call.step})" for call in graph.invocations if call.id in path]
    task = clean(graph.plan.task)
    return f"{task} Best path: {clean(', then '.join(tools))}." if tools else task
