"""The invocations of a run as its journal tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from costa_dsl.store.journal import Line
from costa_dsl.store.run_folder import step_folder

# The names of members, and of which types they are.
_Members: TypeAlias = Mapping[str, type | tuple[type, ...]]
_NUMBER = (int, float)
# What the lines that are told of must have, and of which types.
_MEMBERS: Mapping[str, _Members] = {
    "run": {"picture": str, "image": dict, "plan": str, "catalog": str},
    "started": {"number": int, "tool": str, "step": str, "why": str},
    "attempt": {
        "number": int, "attempt": int, "parameters": dict, "seconds": _NUMBER, "quality": _NUMBER, "measured": bool,
        "checks": list, "outputs": dict, "cached": bool,
    },
    "outcome": {"invocation": str, "accepted": bool},
}  # fmt: skip
_CHECK: _Members = {"check": str, "score": _NUMBER, "sentence": str}
_REF: _Members = {"digest": str, "path": str}
_FAILURE: _Members = {"kind": str, "message": str, "help": str}


def fault_of(line: Line) -> str | None:
    """Why a line is not one that can be told of, in words; None when it is."""
    if not isinstance(line.get("at"), _NUMBER):
        return "no time"
    members = _MEMBERS.get(line["event"], {})
    parts: list[tuple[str, object, _Members]] = [("", line, members)]
    if line["event"] == "run":
        parts.append(("image", line.get("image"), _REF))
    if line["event"] == "attempt" and isinstance(line.get("checks"), list) and isinstance(line.get("outputs"), dict):
        parts.extend(("checks", check, _CHECK) for check in line["checks"])
        parts.extend(("outputs", ref, _REF) for ref in line["outputs"].values())
        if line.get("failure") is not None:
            parts.append(("failure", line["failure"], _FAILURE))
    for place, value, wanted in parts:
        if not isinstance(value, dict):
            return f"{place} is not an object"
        for name, kind in wanted.items():
            if not isinstance(value.get(name), kind):
                return f"{place + '.' if place else ''}{name} is missing or of the wrong type"
    return None


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
