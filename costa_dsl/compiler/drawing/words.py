"""What every drawing says about a graph: which invocations share a line, and how names and numbers are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from costa_dsl.compiler.graph import ArtifactKey, Invocation, State, ToolpathGraph

# What could not stand in XML, or would turn the words around it: controls, lone surrogates, noncharacters,
# line and paragraph separators, and the marks that override the direction of writing.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_JOINS = frozenset("\u200d\ufe0e\ufe0f")  # they belong to the character before


@dataclass(frozen=True, slots=True)
class Choice:
    """Invocations that do the same thing between the same two states: alternative tools for one job."""

    heading: str
    supplies: bool
    calls: tuple[Invocation, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """All that leads from one state to another: one line of a drawing, with one label.

    Attributes:
        best: whether the best path goes this way.
        supplies: whether all of it makes what a later tool needs, and none does a step of the plan.
    """

    source: str
    target: str
    choices: tuple[Choice, ...]
    best: bool

    @property
    def supplies(self) -> bool:
        return all(choice.supplies for choice in self.choices)

    @property
    def calls(self) -> tuple[Invocation, ...]:
        return tuple(call for choice in self.choices for call in choice.calls)


def links_of(graph: ToolpathGraph, path: Collection[str]) -> list[Link]:
    """The lines of a drawing in the order of the graph; those between the same states are one.

    Args:
        graph: any toolpath graph.
        path: ids of the invocations of the best path.
    """
    table: dict[tuple[str, str], dict[tuple[str, str, str], list[Invocation]]] = {}
    for call in graph.invocations:
        jobs = table.setdefault((call.source, call.target), {})
        jobs.setdefault((call.step, call.role, call.subtask), []).append(call)
    return [
        Link(
            source,
            target,
            tuple(Choice(_heading(calls[0]), calls[0].role == "supply", tuple(calls)) for calls in jobs.values()),
            any(call.id in path for calls in jobs.values() for call in calls),
        )
        for (source, target), jobs in table.items()
    ]


def _heading(call: Invocation) -> str:
    if call.role == "supply":
        return f"{call.subtask} for {call.step}"
    if call.step.startswith(call.subtask):  # the id that a step without one gets
        return call.step
    return f"{call.step}: {call.subtask}"


def clean(text: str) -> str:
    """Text that may stand anywhere: white space becomes one space, what cannot be shown becomes U+FFFD."""
    return _UNFIT.sub("\ufffd", " ".join(text.split()))


def artifact_words(key: ArtifactKey) -> str:
    """`mask of hat`; where a thing is to be found (`hat @{…}`) is left to the tooltip."""
    owner = key.owner.split(" @{", 1)[0]
    return clean(f"{key.type} of {owner}" if owner else key.type)


def state_words(graph: ToolpathGraph, state: State) -> list[str]:
    """The lines inside a state: its artifacts, or which end of the graph it is; none for the picture alone."""
    ends = [word for word, end in (("start", graph.start), ("goal", graph.goal)) if state.id == end]
    return [*ends, *dict.fromkeys(artifact_words(key) for key in state.artifacts)]


def state_tooltip(state: State) -> str:
    """Everything about a state."""
    at_hand = "\n".join(f"at hand: {clean(str(key))}" for key in state.artifacts) or "at hand: the picture alone"
    return f"state {clean(state.id)}\n{at_hand}"


def call_tooltip(graph: ToolpathGraph, call: Invocation, best: bool) -> str:
    """Everything about an invocation, with the line of the plan that it serves."""
    purpose = f"supplies {call.subtask} for step {call.step}" if call.role == "supply" else f"does step {call.step}"
    lines = [
        f"{call.tool} {purpose}" + (f" ({call.subtask})" if call.role == "step" else ""),
        f"{call.seconds:g} s, quality {call.quality:g}" + (", on the best path" if best else ""),
        "needs: " + (", ".join(str(key) for key in call.needs) or "the picture alone"),
        "gives: " + (", ".join(str(key) for key in call.gives) or "the picture alone"),
        f"plan: {graph.steps[call.step].step.origin}",
    ]
    return "\n".join(clean(line) for line in lines)


def seconds_words(seconds: float) -> str:
    """Three digits and the unit: `1.95 s`, `1,234 s`, `<0.001 s`."""
    if 0 < seconds < 0.001:
        return "<0.001 s"
    return f"{seconds:,.0f} s" if seconds >= 1000 else f"{seconds:.3g} s"


def count(number: int, noun: str) -> str:
    """`1 state`, `2,000 states`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def summary(graph: ToolpathGraph, path: Collection[str], between: str = " · ") -> str:
    """The sizes of a graph and what its best path costs, for a title."""
    words = [count(len(graph.states), "state"), count(len(graph.invocations), "invocation")]
    chosen = [call for call in graph.invocations if call.id in path]
    if chosen:
        quality = 1.0
        for call in chosen:
            quality *= call.quality
        words.append(f"best path {seconds_words(sum(call.seconds for call in chosen))}, quality {quality:.3f}")
    return between.join(words)


def cells(text: str) -> int:
    """How many columns of a terminal a text fills: East Asian wide characters and emoji fill two, marks none."""
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if char in _JOINS or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, most: int, sign: str = "…") -> str:
    """The text, shortened at its end to so many columns with a sign that something is missing."""
    if cells(text) <= most:
        return text
    kept: list[str] = []
    room = most - len(sign)
    for char in text:
        room -= _cells(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip(" \u200d") + sign
