"""The front of a graph as one SVG file: seconds to the right, quality up, and below which path is the best at which α.

A filled point is the best path for some α, in the color of its piece of the band; a hollow one never is. The stairs
part what can be had (below) from what cannot. Everything is in tooltips, too; dark and light follow the reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from costa_dsl.compiler.drawing.measure import cut_to, text_width, wrap
from costa_dsl.compiler.drawing.svg_parts import Text, number
from costa_dsl.compiler.drawing.words import clean, seconds_words
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import USD, CostaObjective, Objective
from costa_dsl.report.front import chosen_of, interval_words, quality_words, sizes, tools_of
from costa_dsl.report.front_axes import Axis, axis_of
from costa_dsl.report.front_labels import Box, Labels, Segment
from costa_dsl.report.front_style import STYLE, colors
from costa_dsl.search.pareto import LAST_ALPHA, ParetoFront

WIDTH, MARGIN = 860.0, 24.0
PLOT_HEIGHT, ROOM = 380.0, 34.0
BAND_HEIGHT = 22.0
SIZE = 12.0
MOST_NAMED = 60  # so many points may have a label; the tooltips have them all


@dataclass
class Picture:
    """A plot before it is written: every text with its place, and the lines of SVG of all else."""

    height: float = 0.0
    texts: list[Text] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    points: list[Box] = field(default_factory=list)

    def write(self, x: float, y: float, words: str, look: str, anchor: str = "start", bold: bool = False) -> float:
        """Add a text at its baseline; its width."""
        width = text_width(words, 17.0 if look == "title" else SIZE, bold or look in ("title", "axis-name"))
        self.texts.append(Text(x, y, words, look, width, anchor))
        return width


def front_svg(graph: ToolpathGraph, front: ParetoFront, objective: Objective) -> str:
    """The SVG file. The same front gives the same bytes."""
    picture = draw(graph, front, objective)
    about = f"Front of {clean(graph.plan.name)}: {sizes(graph, front)}"
    size = f"{number(WIDTH)} {number(picture.height)}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="costa-front" viewBox="0 0 {size}" width="{number(WIDTH)}" '
        f'height="{number(picture.height)}" role="img" aria-label="{escape(about)}">',
        f"<title>{escape(about)}</title>",
        f"<desc>{escape(_description(front))}</desc>",
        f"<style>{STYLE}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
        *picture.shapes,
        *(text.draw(0, 0) for text in picture.texts),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def draw(graph: ToolpathGraph, front: ParetoFront, objective: Objective) -> Picture:
    """Lay the plot out."""
    picture = Picture()
    chosen = chosen_of(front, objective)
    winners = [place for place, path in enumerate(front.paths) if path.wins]
    # From α = 0 on, as the band goes; points that win at the same α have the order of the table.
    winners.sort(key=lambda place: (_wins(front, place), -place))
    shades = dict(zip(winners, colors(len(winners)), strict=True))
    top = _header(picture, graph, front, objective)
    bottom = top + PLOT_HEIGHT
    across, up = _axes(picture, front, top, bottom)
    _stairs(picture, front, across, up, bottom)
    _points(picture, front, chosen, shades, across, up)
    _band(picture, front, objective, winners, shades, across.start - ROOM, bottom + 74.0)
    return picture


def _wins(front: ParetoFront, place: int) -> tuple[float, float]:
    wins = front.paths[place].wins
    return (wins.first, wins.last) if wins else (LAST_ALPHA, LAST_ALPHA)


# ---- above the plot ----------------------------------------------------------------------------------------
def _header(picture: Picture, graph: ToolpathGraph, front: ParetoFront, objective: Objective) -> float:
    """Title, task and legend; where the plot may begin."""
    room, y = WIDTH - 2 * MARGIN, MARGIN + 14.0
    picture.write(MARGIN, y, cut_to(clean(graph.plan.name), 17.0, room, bold=True), "title")
    rows = wrap(clean(graph.plan.task), SIZE, room, 2) + wrap(_summary(graph, front), SIZE, room, 2)
    for row in rows:
        y += 18.0
        picture.write(MARGIN, y, row, "about")
    y += 26.0
    x = MARGIN + 6.0
    money = _dearer(front)
    others = [place for place in range(len(front.paths)) if place not in money]
    kinds = [
        ("point", "the best at some α", any(path.wins for path in front.paths)),
        ("hollow", "never the best at any α", any(not front.paths[place].wins for place in others)),
        ("hollow cheaper", "beaten but for its dollars", bool(money)),
        ("ring", _choice(objective), True),
    ]  # fmt: skip
    for look, words, shown in kinds:
        if not shown:
            continue
        fill = f' fill="{colors(1)[0]}"' if look == "point" else ""
        picture.shapes.append(
            f'<circle class="{look}" cx="{number(x)}" cy="{number(y - 4)}" r="{6 if look == "ring" else 5}"{fill}/>'
        )
        x += 12.0 + picture.write(x + 12.0, y, words, "about") + 22.0
    return y + 34.0


def _choice(objective: Objective) -> str:
    if isinstance(objective, CostaObjective):
        return f"the plan's choice, at α {objective.alpha:g}"
    return cut_to(f"the plan's choice, by {clean(objective.spec)}", SIZE, 260.0)


def _summary(graph: ToolpathGraph, front: ParetoFront) -> str:
    words = sizes(graph, front)
    if not front.exact:
        words += f"; thinned: no other path has a J that is more than {front.gap:.2%} less, at any α"
    return words


def _dearer(front: ParetoFront) -> set[int]:
    """Paths that others beat in seconds and quality: they are there for their dollars."""
    found, best = set(), -1.0
    for place, path in enumerate(front.paths):
        if path.quality <= best:
            found.add(place)
        best = max(best, path.quality)
    return found


# ---- the plot ----------------------------------------------------------------------------------------------
def _axes(picture: Picture, front: ParetoFront, top: float, bottom: float) -> tuple[Axis, Axis]:
    """Grid, round numbers and names of both axes."""
    up = axis_of([path.quality for path in front.paths], bottom - ROOM, top + ROOM, ROOM, most=1.0)
    marks = [(up.at(value), words) for value, words in up.ticks(0.0, 1.0)]
    left = MARGIN + max((text_width(words, SIZE) for _, words in marks), default=0.0) + 10.0
    right = WIDTH - MARGIN
    across = axis_of([path.seconds for path in front.paths], left + ROOM, right - ROOM, ROOM, logarithmic=True)
    for y, words in marks:
        picture.shapes.append(_rule(left, y, right, y))
        picture.write(left - 8.0, y + 4.0, words, "tick", "end")
    taken = 0.0
    for value, words in across.ticks(0.0, steps=8):
        x, half = across.at(value), text_width(words, SIZE) / 2
        picture.shapes.append(_rule(x, top, x, bottom))
        if x - half >= taken and x + half <= WIDTH - 4.0:
            picture.write(x, bottom + 18.0, words, "tick", "middle")
            taken = x + half + 8.0
    size = f'width="{number(right - left)}" height="{number(bottom - top)}"'
    picture.shapes.append(f'<rect class="frame" x="{number(left)}" y="{number(top)}" {size}/>')
    picture.write(MARGIN, top - 10.0, "quality", "axis-name")
    scale = " (logarithmic)" if across.logarithmic else ""
    picture.write(right, bottom + 38.0, f"seconds{scale}", "axis-name", "end")
    return across, up


def _rule(x: float, y: float, to_x: float, to_y: float, look: str = "grid") -> str:
    return f'<line class="{look}" x1="{number(x)}" y1="{number(y)}" x2="{number(to_x)}" y2="{number(to_y)}"/>'


def _corners(front: ParetoFront, across: Axis, up: Axis) -> list[tuple[float, float]]:
    """The points of the stairs: those that no other one beats in seconds and quality."""
    beaten = _dearer(front)
    return [
        (across.at(path.seconds), up.at(path.quality))
        for place, path in enumerate(front.paths)
        if place not in beaten
    ]  # fmt: skip


def _stairs(picture: Picture, front: ParetoFront, across: Axis, up: Axis, bottom: float) -> None:
    corners = _corners(front, across, up)
    right = WIDTH - MARGIN
    path = f"M{number(corners[0][0])} {number(bottom)}"
    path += "".join(
        f"V{number(y)}H{number(x)}" for (_, y), (x, _) in zip(corners, [*corners[1:], (right, 0.0)], strict=True)
    )
    picture.shapes.append(f'<path class="below" d="{path}V{number(bottom)}Z"/>')
    picture.shapes.append(f'<path class="stairs" d="{path}"/>')


def _points(picture: Picture, front: ParetoFront, chosen: int, shades: dict[int, str], across: Axis, up: Axis) -> None:
    """The points with their tooltips, and labels beside as many as there is room for, the most telling first."""
    radius = 6.0 if len(front.paths) <= 40 else 4.5 if len(front.paths) <= 150 else 3.0
    beaten = _dearer(front)
    spots = [(across.at(path.seconds), up.at(path.quality)) for path in front.paths]
    qualities = quality_words(front)
    for place in sorted(range(len(spots)), key=lambda place: (place in shades, place == chosen, place)):
        x, y = spots[place]
        look = "point" if place in shades else "hollow cheaper" if place in beaten else "hollow"
        fill = f' fill="{shades[place]}"' if place in shades else ""
        picture.shapes.append(f"<g><title>{escape(_tooltip(front, place, qualities[place]))}</title>")
        if place == chosen:
            picture.shapes.append(f'<circle class="ring" cx="{number(x)}" cy="{number(y)}" r="{number(radius + 3)}"/>')
        picture.shapes.append(
            f'<circle class="{look}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"{fill}/></g>'
        )
    reach = radius + 1.5
    picture.points = [(x - reach, y - reach, x + reach, y + reach) for x, y in spots]
    corners = _corners(front, across, up)
    lines: list[Segment] = [(corners[0][0], up.start + ROOM, *corners[0])]
    for here, there in zip(corners, [*corners[1:], (WIDTH - MARGIN, corners[-1][1])], strict=True):
        lines += [(*here, there[0], here[1]), (there[0], here[1], *there)]
    frame = (across.start - ROOM + 2, up.end - ROOM + 2, across.end + ROOM - 2, up.start + ROOM - 2)
    labels = Labels(frame, picture.points, lines)
    order = sorted(
        range(len(spots)), key=lambda place: (place != chosen, place not in shades, _narrow(front, place), place)
    )
    for place in order[:MOST_NAMED]:
        wins = front.paths[place].wins
        forms = [f"{place + 1}: α {interval_words(wins)}", str(place + 1)] if wins else [str(place + 1)]
        for words in forms:
            bold = place == chosen
            found = labels.put(spots[place], radius + (3 if bold else 0), text_width(words, SIZE, bold))
            if found:
                if found.leader:
                    picture.shapes.append(_rule(*found.leader, "leader"))
                look = "bold" if bold else "name" if wins else "about"
                picture.write(found.box[0], found.box[3] - 3.5, words, look, bold=bold)
                break


def _narrow(front: ParetoFront, place: int) -> float:
    first, last = _wins(front, place)
    return first - last


def _tooltip(front: ParetoFront, place: int, quality: str) -> str:
    path = front.paths[place]
    cost = f", {path.usd:.3g} USD" if USD in front.criteria else ""
    when = f"the best at α {interval_words(path.wins)}" if path.wins else "never the best at any α"
    rows = [f"{place + 1}: {seconds_words(path.seconds)}, quality {quality}{cost}", when]
    rows += [f"{step}: {tools}" for step, tools in tools_of(path).items()]
    return "\n".join(clean(row) for row in rows)


# ---- below the plot ----------------------------------------------------------------------------------------
def _band(
    picture: Picture, front: ParetoFront, objective: Objective, winners: list[int], shades: dict[int, str],
    left: float, top: float,
) -> None:  # fmt: skip
    """Which path is the best from α = 0 to α = 2."""
    right = WIDTH - MARGIN

    def at(alpha: float) -> float:
        return left + (right - left) * alpha / LAST_ALPHA

    picture.write(left, top - 16.0, "the best path by α", "axis-name")
    if isinstance(objective, CostaObjective):
        x = at(objective.alpha)
        picture.shapes.append(
            f'<path class="mark" d="M{number(x - 5)} {number(top - 10)}h10l-5 7z"><title>α of the plan: '
            f"{objective.alpha:g}</title></path>"
        )
    qualities, reached = quality_words(front), 0.0
    for place in winners:
        first, last = _wins(front, place)
        width = at(last) - at(first)
        # Paths that differ in dollars alone win at the same α: the piece is the first one's.
        if width <= 0 or first < reached:
            continue
        reached = last
        size = f'width="{number(width)}" height="{number(BAND_HEIGHT)}"'
        look = "segment" if width > 4 else "sliver"
        picture.shapes.append(
            f"<g><title>{escape(_tooltip(front, place, qualities[place]))}</title>"
            f'<rect class="{look}" x="{number(at(first))}" y="{number(top)}" {size} fill="{shades[place]}"/></g>'
        )
        words = str(place + 1)
        if text_width(words, SIZE, bold=True) + 6.0 <= width:
            picture.write((at(first) + at(last)) / 2, top + 15.5, words, "segment-name", "middle", bold=True)
    ends = {0.0: ("0: quality alone", "start"), LAST_ALPHA: ("2: seconds alone", "end")}
    for alpha in (0.0, 0.5, 1.0, 1.5, LAST_ALPHA):
        words, anchor = ends.get(alpha, (f"{alpha:g}", "middle"))
        picture.write(at(alpha), top + BAND_HEIGHT + 17.0, words, "tick", anchor)
    picture.height = top + BAND_HEIGHT + 17.0 + MARGIN


def _description(front: ParetoFront) -> str:
    """The ends of the front in words, for those who do not see the drawing."""
    qualities = quality_words(front)
    ends = [
        f"{name}: {seconds_words(front.paths[place].seconds)}, quality {qualities[place]}"
        for name, place in (("fastest", 0), ("last", -1))
    ]
    return "; ".join(ends[: 1 if len(front.paths) == 1 else 2])
