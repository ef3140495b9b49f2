"""The parts of an SVG drawing: the box of a state, the label of a line, and what they need to be measured and drawn."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from html import escape

from costa_dsl.compiler.drawing.measure import cut_to, text_width
from costa_dsl.compiler.drawing.words import (
    Link,
    call_tooltip,
    clean,
    seconds_words,
    state_tooltip,
    state_words,
)
from costa_dsl.compiler.graph import Invocation, State, ToolpathGraph

STATE_TEXT, CALL_TEXT, SMALL_TEXT = 12.0, 12.0, 10.5
MOST_NAME = 210.0  # the widest that a name may be before it is cut
MOST_ARTIFACTS = 4  # lines in a state; the tooltip has them all
ROW, HEADING = 18.0, 15.0
EDGE = 8.0  # between a box's border and its text


@dataclass(frozen=True)
class Text:
    """One piece of text at a baseline, relative to the corner of its box."""

    x: float
    y: float
    words: str
    look: str
    width: float
    anchor: str = "start"

    def draw(self, x: float, y: float) -> str:
        anchor = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        return (
            f'<text class="{self.look}" x="{number(x + self.x)}" y="{number(y + self.y)}"{anchor}>'
            f"{escape(self.words)}</text>"
        )


@dataclass(frozen=True)
class Row:
    """A tool in a label: its texts, and whether the best path takes it."""

    top: float
    texts: tuple[Text, ...]
    best: bool
    tooltip: str


@dataclass(frozen=True)
class Label:
    """The box on a line: for each job its heading, then a row for each tool that can do it."""

    width: float
    height: float
    headings: tuple[Text, ...]
    rows: tuple[Row, ...]
    best: bool
    supplies: bool

    def draw(self, x: float, y: float) -> list[str]:
        """The lines of SVG, with the box's corner at (x, y)."""
        look = "label" + (" best" if self.best else "") + (" supply" if self.supplies else "")
        parts = [f'<g class="{look}">', rectangle("frame", x, y, self.width, self.height, 5)]
        parts.extend(heading.draw(x, y) for heading in self.headings)
        for row in self.rows:
            parts.append(f'<g class="call{" best" if row.best else ""}">')
            parts.append(f"<title>{escape(row.tooltip)}</title>")
            parts.append(rectangle("row", x + 3, y + row.top, self.width - 6, ROW, 3))
            parts.extend(text.draw(x, y) for text in row.texts)
            parts.append("</g>")
        return [*parts, "</g>"]


@dataclass(frozen=True)
class StateBox:
    """A state: a pill with the artifacts at hand, or a dot when there is only the picture."""

    width: float
    height: float
    texts: tuple[Text, ...]
    look: str
    tooltip: str

    def draw(self, x: float, y: float) -> list[str]:
        """The lines of SVG, with the box's corner at (x, y)."""
        shape = rectangle("shape", x, y, self.width, self.height, min(11.0, self.height / 2))
        texts = [text.draw(x, y) for text in self.texts]
        return [f'<g class="{self.look}">', f"<title>{escape(self.tooltip)}</title>", shape, *texts, "</g>"]


def rectangle(look: str, x: float, y: float, width: float, height: float, radius: float) -> str:
    return (
        f'<rect class="{look}" x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
        f'rx="{number(radius)}"/>'
    )


def number(value: float) -> str:
    """A coordinate: one digit after the point at most."""
    return f"{value:.1f}".removesuffix(".0")


def state_box(graph: ToolpathGraph, state: State, best: bool) -> StateBox:
    """The box of a state; `best` when the best path comes by."""
    words = state_words(graph, state)
    end = state.id in (graph.start, graph.goal)
    look = "state" + (" end" if end else "") + (" best" if best else "")
    tooltip = state_tooltip(state)
    if not words:
        return StateBox(14.0, 14.0, (), look, tooltip)
    if len(words) > MOST_ARTIFACTS:
        words = [*words[: MOST_ARTIFACTS - 1], f"+ {len(words) - MOST_ARTIFACTS + 1} more"]
    words = [cut_to(word, STATE_TEXT, MOST_NAME, bold=end) for word in words]
    widths = [text_width(word, STATE_TEXT, bold=end) for word in words]
    width = max(*widths, 26.0) + 2 * EDGE + 4
    texts = tuple(
        Text(width / 2, 17.0 + 16.0 * place, word, "name", widths[place], "middle") for place, word in enumerate(words)
    )
    return StateBox(round(width, 1), 10.0 + 16.0 * len(words), texts, look, tooltip)


def label_of(graph: ToolpathGraph, link: Link, path: Collection[str]) -> Label:
    """The label of a line: its width is that of its longest row, and numbers stand in columns."""
    tools: dict[str, str] = {call.id: cut_to(clean(call.tool), CALL_TEXT, MOST_NAME, bold=True) for call in link.calls}
    names = max(text_width(words, CALL_TEXT, bold=True) for words in tools.values())
    seconds = max(text_width(seconds_words(call.seconds), CALL_TEXT, bold=True) for call in link.calls)
    quality = text_width("q 0.00", CALL_TEXT, bold=True)
    headings = [cut_to(clean(choice.heading), SMALL_TEXT, 1.4 * MOST_NAME) for choice in link.choices]
    width = round(
        2 * EDGE + max(names + 12 + seconds + 10 + quality, *(text_width(text, SMALL_TEXT) for text in headings)), 1
    )

    def row(call: Invocation, top: float) -> Row:
        base = top + 13.0
        cost, worth = seconds_words(call.seconds), f"q {call.quality:.2f}"
        texts = (
            Text(EDGE, base, tools[call.id], "tool", text_width(tools[call.id], CALL_TEXT, bold=True)),
            Text(width - EDGE - quality - 10, base, cost, "figure", text_width(cost, CALL_TEXT, bold=True), "end"),
            Text(width - EDGE, base, worth, "figure", text_width(worth, CALL_TEXT, bold=True), "end"),
        )
        return Row(top, texts, call.id in path, call_tooltip(graph, call, call.id in path))

    rows: list[Row] = []
    tops: list[Text] = []
    top = 4.0
    for choice, heading in zip(link.choices, headings, strict=True):
        tops.append(Text(EDGE, top + 11.0, heading, "job", text_width(heading, SMALL_TEXT)))
        top += HEADING
        for call in choice.calls:
            rows.append(row(call, top))
            top += ROW
        top += 3.0
    return Label(width, top, tuple(tops), tuple(rows), link.best, link.supplies)
