"""How two toolpath graphs differ: in steps, in the tools that may do them, in what those are expected to cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from costa_dsl.compiler.graph import Invocation, ToolpathGraph, plan_value, step_value
from costa_dsl.model.context import Conditions

# What an invocation does, whatever it is called and wherever it stands.
_Call = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: `sign` is `-` (only in the first), `+` (only in the second) or `~` (changed)."""

    sign: str
    what: str

    def __str__(self) -> str:
        return f"{self.sign} {self.what}"


def differences(first: ToolpathGraph, second: ToolpathGraph) -> list[Difference]:
    """Every difference, steps first; empty exactly when the graphs have one digest."""
    if first.digest == second.digest:
        return []
    found = [*_steps(first, second), *_calls(first, second)]
    for name in ("policy", "task", "expect"):
        one, other = plan_value(first.plan).get(name), plan_value(second.plan).get(name)
        if one != other:
            found.append(Difference("~", f"{name}: {one} → {other}"))
    if first.scope != second.scope:
        found.append(Difference("~", f"scope: {first.scope} → {second.scope}"))
    if len(first.states) != len(second.states) or len(first.invocations) != len(second.invocations):
        found.append(Difference("~", f"size: {_size(first)} → {_size(second)}"))
    return found or [Difference("~", "the ways between the same tools")]


def _size(graph: ToolpathGraph) -> str:
    return f"{len(graph.states)} states, {len(graph.invocations)} invocations"


def _steps(first: ToolpathGraph, second: ToolpathGraph) -> Iterator[Difference]:
    one, other = (_step_values(graph) for graph in (first, second))
    for name in one:
        if name not in other:
            yield Difference("-", f"step {name}: {one[name]}")
        elif one[name] != other[name]:
            yield Difference("~", f"step {name}: {one[name]} → {other[name]}")
    for name in other:
        if name not in one:
            yield Difference("+", f"step {name}: {other[name]}")


def _step_values(graph: ToolpathGraph) -> Mapping[str, str]:
    """Each step in words, without its place in the plan."""
    values = {}
    for name, step in graph.steps.items():
        value = step_value(step)
        words = {**step.step.arguments, "expect": [found.check for found in step.step.expect]}
        shown = " ".join(f"{word}={value}" for word, value in sorted(words.items()) if value)
        values[name] = " ".join(part for part in (value["do"], value.get("owner", ""), shown) if part)
    return values


def _calls(first: ToolpathGraph, second: ToolpathGraph) -> Iterator[Difference]:
    one, other = (_estimates(graph) for graph in (first, second))
    for call in sorted(one.keys() | other.keys()):
        step, role, tool, subtask = call
        name = f"{tool} for {step}" + (f" ({subtask})" if role == "supply" else "")
        if call not in other:
            yield Difference("-", name)
        elif call not in one:
            yield Difference("+", name)
        elif list(one[call].items()) != list(other[call].items()):
            yield from _changed(name, one[call], other[call])


class _Estimate(NamedTuple):
    seconds: float
    quality: float
    usd: float
    n: int


# The fallback under no conditions, and each case under its own, in their order.
_Estimates = dict[Conditions, _Estimate]


def _estimates(graph: ToolpathGraph) -> dict[_Call, _Estimates]:
    return {
        _call(found): {
            (): _Estimate(found.seconds, found.quality, found.usd, found.n),
            **{case.when: _Estimate(case.seconds, case.quality, found.usd, case.n) for case in found.cases},
        }
        for found in graph.invocations
    }


def _call(found: Invocation) -> _Call:
    return (found.step, found.role, found.tool, found.subtask)


def _changed(name: str, one: _Estimates, other: _Estimates) -> Iterator[Difference]:
    """What the estimates of one call differ in."""
    for when in [*one, *(when for when in other if when not in one)]:
        place = f"{name} when {' and '.join(map(str, when))}" if when else name
        old, new = one.get(when), other.get(when)
        if old is not None and new is not None:
            if old != new:
                counted = old.n != new.n
                yield Difference("~", f"{place}: {_words(old, counted)} → {_words(new, counted)}")
        elif old is not None:
            yield Difference("-", f"{place}: {_words(old, False)}")
        elif new is not None:
            yield Difference("+", f"{place}: {_words(new, False)}")
    if one.keys() == other.keys() and list(one) != list(other):
        yield Difference("~", f"{name}: the order of its cases")


def _words(estimate: _Estimate, counted: bool) -> str:
    money = f", {estimate.usd:g} USD" if estimate.usd else ""
    return f"{estimate.seconds:g} s, quality {estimate.quality:g}{money}" + (f", n {estimate.n}" if counted else "")
