"""A drawing in Mermaid's language, as GitHub and many documentation tools draw it between ```` ```mermaid ```` fences.

GitHub draws at most 500 lines and 50,000 characters; what goes beyond is left out, the best path last, and the
title and a comment say so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from costa_dsl.compiler.drawing.words import (
    Choice,
    Link,
    clean,
    count,
    cut,
    links_of,
    seconds_words,
    state_words,
    summary,
)
from costa_dsl.compiler.graph import ToolpathGraph

MOST_LINES = 500
MOST_CHARACTERS = 50_000
MOST_NAME = 40
RESERVE = 1_200  # characters for the title, the comment and the styles' fixed words

# Everything by which Mermaid or the HTML in its labels could be led astray.
_MARKS = '"#&<>;`\\{}[]()|*_~$%@'
_ESCAPES = {ord(mark): f"#{ord(mark)};" for mark in _MARKS}
_ICON = re.compile(r":(?=\S)")  # `fa:fa-car` would become a picture

_HEAD = """---
title: {title}
config:
  flowchart:
    wrappingWidth: 600
---
"""
_STYLES = (
    "  classDef tools fill:none,stroke:#818b98,stroke-width:1px",
    "  classDef best stroke:#0969da,stroke-width:3px",
    "  classDef taken fill:none,stroke:#0969da,stroke-width:2px",
)


def to_mermaid(graph: ToolpathGraph, path: Collection[str] = ()) -> str:
    """A flowchart; the lines of invocations whose ids are in `path` are bold. The same graph gives the same bytes."""
    path = frozenset(path)
    links = links_of(graph, path)
    numbers = {state.id: number for number, state in enumerate(graph.states)}
    on_path = {state for link in links if link.best for state in (link.source, link.target)}
    boxes = {
        state.id: _box(numbers[state.id], state_words(graph, state), state.id in (graph.start, graph.goal))
        + (":::best" if state.id in on_path else "")
        for state in graph.states
    }
    texts = [_line(index, numbers, link, path) for index, link in enumerate(links)]
    shown = _fitting(graph, links, texts, boxes)
    drawn = {graph.start, graph.goal}.union(*((links[index].source, links[index].target) for index in shown))

    title = f"{cut(clean(graph.plan.name), 3 * MOST_NAME)}: {summary(graph, path)}"
    comment = []
    if len(shown) < len(links):
        left = sum(len(link.calls) for link in links) - sum(len(links[index].calls) for index in shown)
        words = f"{count(left, 'invocation')} and {count(len(graph.states) - len(drawn), 'state')} left out"
        title += f" ({words})"
        comment = [
            f"%% {words}: GitHub draws at most {MOST_LINES} lines and {MOST_CHARACTERS:,} characters; "
            "`--emit svg` and `--emit dot` draw more."
        ]
    # A title is read as HTML: what looks like a tag would vanish.
    title = json.dumps(title.replace("<", "‹").replace(">", "›"), ensure_ascii=False)
    bold = [f"{2 * place},{2 * place + 1}" for place, index in enumerate(shown) if links[index].best]
    lines = [
        *comment,
        "flowchart LR",
        *(f"  {boxes[state.id]}" for state in graph.states if state.id in drawn),
        *(f"  {texts[index]}" for index in shown),
        *_STYLES,
        *([f"  linkStyle {','.join(bold)} stroke:#0969da,stroke-width:4px"] if bold else []),
    ]
    return _HEAD.format(title=title) + "\n".join(lines) + "\n"


def _fitting(graph: ToolpathGraph, links: list[Link], texts: list[str], boxes: dict[str, str]) -> list[int]:
    """The links that are drawn: the best path first, then in the order of the graph, while there is room."""
    room = MOST_CHARACTERS - RESERVE - len(boxes[graph.start]) - len(boxes[graph.goal])
    drawn = {graph.start, graph.goal}
    shown: list[int] = []
    for index in sorted(range(len(links)), key=lambda index: not links[index].best):
        link = links[index]
        new = {link.source, link.target} - drawn
        # A link takes its text, two numbers among the bold lines, and the boxes that only it needs.
        need = _length(texts[index]) + 3 + (10 if link.best else 0) + sum(_length(boxes[state]) + 3 for state in new)
        if 2 * len(shown) + 2 > MOST_LINES or need > room:
            break
        room -= need
        drawn |= new
        shown.append(index)
    return sorted(shown)


def _length(text: str) -> int:
    """As JavaScript counts: emoji are two."""
    return len(text.encode("utf-16-le")) // 2


def _box(number: int, words: list[str], end: bool) -> str:
    label = "<br/>".join(_escape(cut(word, MOST_NAME)) for word in words) or " "
    opening, closing = ("([", "])") if end else ("(", ")") if words else ("((", "))")
    return f'n{number}{opening}"{label}"{closing}'


def _line(index: int, numbers: dict[str, int], link: Link, path: Collection[str]) -> str:
    """A link as two lines with a box between, which Mermaid places better than a text on a line."""
    label = "<br/>".join(row for choice in link.choices for row in _rows(choice, path))
    box = f't{index}["{label}"]:::{"taken" if link.best else "tools"}'
    line, arrow = ("-.-", "-.->") if link.supplies else ("---", "-->")
    return f"n{numbers[link.source]} {line} {box} {arrow} n{numbers[link.target]}"


def _rows(choice: Choice, path: Collection[str]) -> list[str]:
    rows = [f"<i>{_escape(cut(clean(choice.heading), 2 * MOST_NAME))}</i>"]
    for call in choice.calls:
        tool = _escape(cut(clean(call.tool), MOST_NAME))
        numbers = _escape(f"{seconds_words(call.seconds)}, q {call.quality:.2f}")
        rows.append(f"<b>{tool}</b> {numbers}" if call.id in path else f"{tool} {numbers}")
    return rows


def _escape(text: str) -> str:
    return _ICON.sub("#58;", text.translate(_ESCAPES))
