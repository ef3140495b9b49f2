"""The toolpath graph: the compiler's output, the search's input.

States are what is known between two tool calls (which steps are done, which artifacts are at hand); an
invocation leads from one state to another by calling one tool. A path from start to goal is one complete way
to do the plan's job.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from costa_dsl.compiler.cut import ALL, Scope
from costa_dsl.model.artifact import Target
from costa_dsl.model.context import Conditions, conditions_value
from costa_dsl.model.plan import Plan, Step

IR_VERSION = 3
Role = Literal["step", "supply"]


@dataclass(frozen=True, slots=True, order=True)
class ArtifactKey:
    """An artifact at hand: its type, and whose it is (empty for one that belongs to the whole picture)."""

    type: str
    owner: str = ""

    def __str__(self) -> str:
        return f"{self.type}({self.owner})" if self.owner else self.type

    @staticmethod
    def parse(text: str) -> ArtifactKey:
        """The inverse of `str`: a type holds no bracket, an owner may."""
        name, bracket, owner = text.partition("(")
        return ArtifactKey(name, owner.removesuffix(")") if bracket else "")


@dataclass(frozen=True, slots=True)
class State:
    """A place in the graph. `artifacts` are those at hand and still of use, besides the picture."""

    id: str
    artifacts: tuple[ArtifactKey, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """Another estimate of an invocation, for targets whose measured features meet all conditions."""

    when: Conditions
    seconds: float
    quality: float
    n: int


@dataclass(frozen=True, slots=True)
class Invocation:
    """One tool call that leads from `source` to `target` (state ids).

    Attributes:
        step: the id of the plan's step that it serves.
        role: `step` when it does the step's own subtask, `supply` when it makes something that the step's tool needs.
        subtask: what it does itself.
        needs, gives: artifacts besides the picture.
        seconds, quality: the benchmark's estimate, when no case holds.
        n: how many measurements the estimate is made of.
        usd: what one attempt costs, in US dollars.
        cases: other estimates, each with the conditions under which it counts; the first whose conditions hold does.
        unmeasured: it has cases, and no check will tell how good its result is: an estimate below the threshold cannot
            become more, so that it is of no use where no better case holds.
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
    n: int = 1
    usd: float = 0.0
    cases: tuple[Case, ...] = ()
    unmeasured: bool = False


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
    """A verified, canonical graph; `states` and `invocations` are in topological order.

    Attributes:
        scope: which part of the plan it does.
        digest: sha256 over all of `to_value` but the digest and the name of the plan's file.
    """

    plan: Plan
    steps: Mapping[str, GraphStep]
    states: tuple[State, ...]
    invocations: tuple[Invocation, ...]
    start: str
    goal: str
    scope: Scope = ALL
    digest: str = field(default="")

    @cached_property
    def outgoing(self) -> dict[str, tuple[Invocation, ...]]:
        """The invocations that lead out of each state."""
        table: dict[str, list[Invocation]] = {state.id: [] for state in self.states}
        for invocation in self.invocations:
            table[invocation.source].append(invocation)
        return {state: tuple(found) for state, found in table.items()}

    def to_value(self) -> dict[str, Any]:
        """The graph as plain values, in the form that is printed, hashed and read back.

        It holds the whole plan, so that it can be run without it; places in the plan are routes, which no
        rearranging of keys changes.
        """
        value = {
            "apiVersion": "costa/v1",
            "kind": "ToolpathGraph",
            "version": IR_VERSION,
            "digest": self.digest,
            "source": self.plan.origin.document.source.name,
            "plan": plan_value(self.plan),
            "start": self.start,
            "goal": self.goal,
            "steps": [step_value(step) for step in self.steps.values()],
            "states": [{"id": state.id, "artifacts": [str(key) for key in state.artifacts]} for state in self.states],
            "invocations": [_invocation_value(invocation) for invocation in self.invocations],
        }
        if self.scope != ALL:
            value["scope"] = {"first": self.scope.first, "last": self.scope.last}
        return value


def plan_value(plan: Plan) -> dict[str, Any]:
    """A plan as plain values with sorted keys: what was read, its name, and what it is compiled with."""
    written: Any = plan.origin.document.value
    policy = {**(written.get("policy") or {}), "alpha": plan.policy.alpha}
    # What stands in no file, but on the command line that compiled it, is kept too: also the default instead of what
    # stands in the file.
    for name, usual in (("objective", "costa"), ("strategy", "lazy")):
        if (wanted := getattr(plan.policy, name)) != usual or name in policy:
            policy[name] = wanted
    if limits := {name: limit for name, limit in asdict(plan.policy.budget).items() if limit is not None}:
        policy["budget"] = limits
    value = {**written, "name": plan.name, "policy": policy}
    sorted_value: dict[str, Any] = _sorted(value)
    return sorted_value


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def step_value(found: GraphStep) -> dict[str, Any]:
    """What the plan does not say itself: which thing a step works on once its references are followed."""
    step = found.step
    value: dict[str, Any] = {"id": step.id, "do": step.subtask, "at": "/".join(map(str, step.origin.route))}
    if found.owner:
        value["owner"] = found.owner
    return value


def _invocation_value(invocation: Invocation) -> dict[str, Any]:
    value: dict[str, Any] = {
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
        "n": invocation.n,
    }
    if invocation.usd:
        value["usd"] = invocation.usd
    if invocation.cases:
        value["cases"] = [case_value(case) for case in invocation.cases]
    if invocation.unmeasured:
        value["unmeasured"] = True
    return value


def case_value(case: Case) -> dict[str, Any]:
    """A case as plain values."""
    return {"when": conditions_value(case.when), "seconds": case.seconds, "quality": case.quality, "n": case.n}
