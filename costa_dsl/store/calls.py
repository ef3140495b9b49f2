"""The invocations of a run as its journal tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from costa_dsl.store.journal import Line
from costa_dsl.store.run_folder import step_folder


@dataclass(frozen=True)
class Call:
    """One invocation as the journal tells of it: what was started, and its attempts, as their lines.

    Attributes:
        number: its place in the order in which tools ran, from 1.
        invocation: its members in graph.json; empty when that is not known.
    """

    number: int
    started: Line
    attempts: tuple[Line, ...]
    invocation: Mapping[str, Any]
    accepted: bool | None

    @property
    def step(self) -> str:
        return str(self.started["step"])

    @property
    def tool(self) -> str:
        return str(self.started["tool"])

    @property
    def subtask(self) -> str:
        return str(self.invocation.get("subtask", ""))

    @property
    def is_supply(self) -> bool:
        return self.invocation.get("role") == "supply"

    @property
    def seconds(self) -> float:
        return float(sum(line["seconds"] for line in self.attempts))

    @property
    def best(self) -> Line | None:
        """The attempt that counts: the one with the highest quality, of equals the last; None before the first."""
        return max(
            self.attempts,
            key=lambda line: (line["quality"], line.get("failure") is None, line["attempt"]),
            default=None,
        )

    @property
    def folder(self) -> str:
        """Where its files lie in the run directory."""
        return step_folder(self.number, self.subtask, self.tool)


def read_calls(lines: Iterable[Line], invocations: Iterable[Mapping[str, Any]]) -> tuple[Call, ...]:
    """Every invocation that was started, in order.

    Args:
        lines: of a journal.
        invocations: of the graph, as plain values.
    """
    known = {found.get("id"): found for found in invocations}
    calls: list[Call] = []
    for line in lines:
        if line["event"] == "started":
            found = known.get(line.get("invocation")) or _invocation(known.values(), line)
            calls.append(Call(line["number"], line, (), found, None))
        elif line["event"] == "attempt" and calls:
            last = calls[-1]
            calls[-1] = Call(last.number, last.started, (*last.attempts, line), last.invocation, None)
        elif line["event"] == "outcome" and calls and calls[-1].accepted is None:
            last = calls[-1]
            named = known.get(line["invocation"], last.invocation)
            calls[-1] = Call(last.number, last.started, last.attempts, named, line["accepted"])
    return tuple(calls)


def _invocation(known: Iterable[Mapping[str, Any]], line: Line) -> Mapping[str, Any]:
    """Of a journal that does not name the invocation: the only one of this tool for this step."""
    found = [one for one in known if one.get("step") == line["step"] and one.get("tool") == line["tool"]]
    return found[0] if len(found) == 1 else {}
