"""A drawing for terminals: states from top to bottom, branches as lanes at the left, as `git log --graph` has them.

Plain ASCII without color, besides what names bring along; rows of at most 100 columns. `*` at the start of a row
marks the best path, `o` is a state, `+` is a tool on the lane of its branch.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from costa_dsl.compiler.drawing.words import Link, cells, clean, cut, links_of, seconds_words, state_words, summary
from costa_dsl.compiler.graph import ToolpathGraph

COLUMNS = 100
MOST_LANES = 16
LEAST_NAME = 12


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its lanes, whether it is on the best path, and its text (`tool` has more columns than a state)."""

    lanes: str
    best: bool = False
    text: str = ""
    tool: tuple[str, str, str, str] | None = None
    leads: str = ""


def to_ascii(graph: ToolpathGraph, path: Collection[str] = ()) -> str:
    """The drawing as text; invocations whose ids are in `path` are marked. The same graph gives the same bytes."""
    path = frozenset(path)
    links = links_of(graph, path)
    drawn = _Lanes(graph, links, path)
    rows, note = drawn.rows, ""
    if not drawn.fits:
        rows = _numbered(graph, links, path)
        note = f"More than {MOST_LANES} branches are open at once: numbers of states stand for the lanes.\n"
    head = f"{clean(graph.plan.name)}: {summary(graph, path, ', ')}"
    marks = "* best path   o state   + tool" if path else "o state   + tool"
    return f"{cut(head, COLUMNS, '...')}\n{note}{marks}\n\n" + _table(rows)


class _Lanes:
    """Rows with lanes. A branch is followed to where it meets another before the next branch is begun."""

    def __init__(self, graph: ToolpathGraph, links: list[Link], path: Collection[str]) -> None:
        self._graph, self._path = graph, path
        self._states = {state.id: state for state in graph.states}
        self._best = _best_states(links)
        self._outgoing: dict[str, list[Link]] = {state: [] for state in self._states}
        self._waiting = dict.fromkeys(self._states, 0)
        for link in links:
            self._outgoing[link.source].append(link)
            self._waiting[link.target] += 1
        self._lanes: list[Link] = []
        self.rows: list[Row] = []
        self.fits = True
        self._draw()

    def _draw(self) -> None:
        stack: list[Link | str] = [self._graph.start]
        while stack and self.fits:
            item = stack.pop()
            if isinstance(item, str):
                outgoing = sorted(self._outgoing[item], key=lambda link: not link.best)
                self._state(item, outgoing)
                stack.extend(reversed(outgoing))
            else:
                self._link(item)
                self._waiting[item.target] -= 1
                if self._waiting[item.target] == 0:
                    stack.append(item.target)

    def _state(self, state: str, outgoing: list[Link]) -> None:
        arriving = [lane for lane, link in enumerate(self._lanes) if link.target == state]
        first = arriving[0] if arriving else 0
        for gone, lane in enumerate(arriving[1:]):
            self._merge(first, lane - gone)
        text = ", ".join(state_words(self._graph, self._states[state])) or "picture"
        lanes = max(len(self._lanes), 1)
        gutter = " ".join("o" if lane == first else "|" for lane in range(lanes))
        self.rows.append(Row(gutter, state in self._best, text))
        self._lanes[first : first + 1] = outgoing[:1]
        for more, link in enumerate(outgoing[1:]):
            self._split(first + more, link)
        self.fits = len(self._lanes) <= MOST_LANES

    def _link(self, link: Link) -> None:
        lane = next(place for place, other in enumerate(self._lanes) if other is link)
        gutter = " ".join("+" if place == lane else "|" for place in range(len(self._lanes)))
        self.rows.extend(_tool_rows(link, gutter, self._path))

    def _split(self, lane: int, link: Link) -> None:
        """A new lane to the right of `lane`; those further right make room."""
        signs = [" "] * (2 * len(self._lanes))
        for place in range(len(self._lanes)):
            signs[2 * place + (place > lane)] = "\\" if place > lane else "|"
        signs[2 * lane + 1] = "\\"
        self.rows.append(Row("".join(signs).rstrip()))
        self._lanes.insert(lane + 1, link)

    def _merge(self, into: int, lane: int) -> None:
        """`lane` runs into a lane further left, under those between; those further right close up."""
        count = len(self._lanes)
        if lane > into + 1:
            signs = [" "] * (2 * count)
            for place in range(count):
                if place != lane:
                    signs[2 * place] = "|"
            for column in range(2 * into + 3, 2 * lane - 1, 2):
                signs[column] = "_"
            signs[2 * lane - 1] = "/"
            self.rows.append(Row("".join(signs).rstrip()))
        signs = [" "] * (2 * count)
        for place in range(count):
            if place < lane:
                signs[2 * place] = "|"
            elif place > lane:
                signs[2 * place - 1] = "/"
        signs[2 * into + 1] = "/"
        self.rows.append(Row("".join(signs).rstrip()))
        del self._lanes[lane]


def _numbered(graph: ToolpathGraph, links: list[Link], path: Collection[str]) -> list[Row]:
    """Rows without lanes: each tool names the number of the state that it leads to."""
    numbers = {state.id: f"#{number}" for number, state in enumerate(graph.states, start=1)}
    best = _best_states(links)
    outgoing: dict[str, list[Link]] = {state.id: [] for state in graph.states}
    for link in links:
        outgoing[link.source].append(link)
    rows: list[Row] = []
    for state in graph.states:
        text = ", ".join(state_words(graph, state)) or "picture"
        rows.append(Row("o", state.id in best, f"{numbers[state.id]} {text}"))
        for link in outgoing[state.id]:
            rows.extend(_tool_rows(link, "+", path, numbers[link.target]))
    return rows


def _best_states(links: list[Link]) -> set[str]:
    return {state for link in links if link.best for state in (link.source, link.target)}


def _tool_rows(link: Link, lanes: str, path: Collection[str], leads: str = "") -> list[Row]:
    return [
        Row(
            lanes,
            call.id in path,
            tool=(clean(call.tool), clean(choice.heading), seconds_words(call.seconds), f"{call.quality:.2f}"),
            leads=leads,
        )
        for choice in link.choices
        for call in choice.calls
    ]


def _table(rows: list[Row]) -> str:
    """The rows with their columns aligned, cut where they would be too wide."""
    lanes = max((len(row.lanes) for row in rows), default=1)
    tools = [row.tool for row in rows if row.tool]
    seconds = max((len(tool[2]) for tool in tools), default=0)
    leads = max((len(row.leads) for row in rows), default=0)
    room = COLUMNS - 2 - lanes - 2  # the mark, the lanes, the gap behind them
    names = room - 2 - 2 - seconds - 2 - len("0.00") - (leads + 4 if leads else 0)
    widest = [max((cells(tool[column]) for tool in tools), default=0) for column in (0, 1)]
    job = min(widest[1], max(names - widest[0], LEAST_NAME))
    tool = min(widest[0], names - job)
    lines = []
    for row in rows:
        start = f"{'*' if row.best else ' '} {row.lanes}"
        if row.tool:
            parts = [
                _fill(row.tool[0], tool),
                _fill(row.tool[1], job),
                row.tool[2].rjust(seconds),
                row.tool[3],
                *([f"-> {row.leads}"] if leads else []),
            ]
            start = start.ljust(lanes + 4) + "  ".join(parts)
        elif row.text:
            start = start.ljust(lanes + 4) + cut(row.text, room, "...")
        lines.append(start.rstrip())
    return "\n".join(lines) + "\n"


def _fill(text: str, width: int) -> str:
    short = cut(text, width, "...")
    return short + " " * (width - cells(short))
