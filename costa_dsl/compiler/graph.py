"""The toolpath graph: the compiler's output, the search's input.

States are what is known between two tool calls (which steps are done, which artifacts are at hand); an
invocation leads from one state to another by calling one tool. A path from start to goal is one complete way
to do the plan's job.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from costa_dsl.model.artifact import Target
from costa_dsl.model.plan import Plan, Step

IR_VERSION = 1
Role = Literal["step", "supply"]


@dataclass(frozen=True, slots=True, order=True)
class ArtifactKey:
    """An artifact at hand: its type, and whose it is (empty for one that belongs to the whole picture)."""

    type: str
    owner: str = ""

    def __str__(self) -> str:
        return f"{self.type}({self.owner})" if self.owner else self.type


@dataclass(frozen=True, slots=True)
class State:
    """A place in the graph. `artifacts` are those at hand and still of use, besides the picture."""

    id: str
    artifacts: tuple[ArtifactKey, ...]


@dataclass(frozen=True, slots=True)
class Invocation:
    """One tool call that leads from `source` to `target` (state ids).

    Attributes:
        step: the id of the plan's step that it serves.
        role: `step` when it does the step's own subtask, `supply` when it makes something that the step's tool needs.
        subtask: what it does itself.
        needs, gives: artifacts besides the picture.
        seconds, quality: the benchmark's estimate.
    """

    id: str
    source: str
    target: str
    step: str
    role: Role
    tool: str
    subtask: str
    needs: tuple[ArtifactKey, ...]
    gives: tuple[ArtifactKey, ...]
    seconds: float
    quality: float


@dataclass(frozen=True, eq=False)
class GraphStep:
    """A step of the plan as the graph uses it: its target is resolved (`at: {of: …}` is followed)."""

    step: Step
    target: Target
    owner: str

    @property
    def id(self) -> str:
        return self.step.id


@dataclass(frozen=True, eq=False)
class ToolpathGraph:
    """A verified, canonical graph; `states` and `invocations` are in topological order."""

    plan: Plan
    steps: Mapping[str, GraphStep]
    states: tuple[State, ...]
    invocations: tuple[Invocation, ...]
    start: str
    goal: str
    digest: str = field(default="")

    @cached_property
    def outgoing(self) -> dict[str, tuple[Invocation, ...]]:
        """The invocations that lead out of each state."""
        table: dict[str, list[Invocation]] = {state.id: [] for state in self.states}
        for invocation in self.invocations:
            table[invocation.source].append(invocation)
        return {state: tuple(found) for state, found in table.items()}

    def to_value(self) -> dict[str, Any]:
        """The graph as plain values, in the form that is printed and hashed."""
        return {
            "apiVersion": "costa/v1",
            "kind": "ToolpathGraph",
            "version": IR_VERSION,
            "digest": self.digest,
            "plan": self.plan.name,
            "task": self.plan.task,
            "start": self.start,
            "goal": self.goal,
            "steps": [_step_value(step) for step in self.steps.values()],
            "states": [{"id": state.id, "artifacts": [str(key) for key in state.artifacts]} for state in self.states],
            "invocations": [_invocation_value(invocation) for invocation in self.invocations],
        }


def _step_value(found: GraphStep) -> dict[str, Any]:
    step = found.step
    value: dict[str, Any] = {"id": step.id, "do": step.subtask}
    if found.target.object is not None:
        value["object"] = found.target.object
    if found.target.at:
        value["at"] = {key: _plain(place) for key, place in found.target.at}
    if step.arguments:
        value["arguments"] = {word: _plain(argument) for word, argument in step.arguments.items()}
    if step.expect:
        value["expect"] = [{expectation.check: _plain(expectation.wanted)} for expectation in step.expect]
    value["span"] = str(step.origin.span())
    return value


def _invocation_value(invocation: Invocation) -> dict[str, Any]:
    return {
        "id": invocation.id,
        "source": invocation.source,
        "target": invocation.target,
        "step": invocation.step,
        "role": invocation.role,
        "tool": invocation.tool,
        "subtask": invocation.subtask,
        "needs": [str(key) for key in invocation.needs],
        "gives": [str(key) for key in invocation.gives],
        "seconds": invocation.seconds,
        "quality": invocation.quality,
    }


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
