"""A plan: a tree of subtasks with a policy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeAlias

from costa_dsl.diagnostics import Diagnostic, Related, Sink, closest
from costa_dsl.model.artifact import Target
from costa_dsl.model.origin import Origin
from costa_dsl.syntax import Document, Route

# Keys of a step that are not words of the vocabulary.
STEP_KEYS = frozenset({"do", "id", "at", "expect", "tools", "note"})


@dataclass(frozen=True)
class ToolChoice:
    """`tools: {only: […], avoid: […]}`."""

    only: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()

    def allows(self, tool: str) -> bool:
        return tool not in self.avoid and (not self.only or tool in self.only)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a whole run may take; None is no limit.

    Attributes:
        seconds: of the run, checks included, from its beginning; of one that is taken up again, of all its processes.
        calls: attempts of tools. What is found in the cache is none.
        usd: US dollars.
    """

    seconds: float | None = None
    calls: int | None = None
    usd: float | None = None

    def over(self, other: Budget) -> Budget:
        """The other budget with the limits of this one instead of its own."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(other, **{name: limit for name, limit in values.items() if limit is not None})


@dataclass(frozen=True)
class Policy:
    """How to weigh and when to be content.

    Attributes:
        alpha: 0 (quality only) … 2 (cost only).
        threshold: the least quality of a step, in [0, 1].
        attempts: at most so many attempts of one tool on one input.
        objective: what a path is worth, as people write it (see model/objective_spec.py).
        strategy: how the search goes on: lazy, commit, paper or exhaustive.
        budget: when a run ends with what there is.
    """

    alpha: float = 1.0
    threshold: float = 0.8
    attempts: int = 3
    seed: int = 0
    budget: Budget = Budget()
    objective: str = "costa"
    strategy: str = "lazy"
    tools: ToolChoice = ToolChoice()


@dataclass(frozen=True)
class Expectation:
    """A check that must hold; `wanted` is True for one without an argument, which may stand `alone`, in no mapping."""

    check: str
    wanted: Any
    origin: Origin
    alone: bool = False


@dataclass(frozen=True, eq=False)
class Step:
    """One subtask to do. `arguments` holds the words of the vocabulary, without `object`."""

    id: str
    subtask: str
    target: Target
    arguments: Mapping[str, Any]
    expect: tuple[Expectation, ...]
    tools: ToolChoice
    origin: Origin


@dataclass(frozen=True, eq=False)
class Sequence:
    """One after the other."""

    items: tuple[Node, ...]
    origin: Origin


@dataclass(frozen=True, eq=False)
class AnyOrder:
    """All of them, in whichever order is best."""

    items: tuple[Node, ...]
    origin: Origin


@dataclass(frozen=True, eq=False)
class OneOf:
    """One of them, whichever is best."""

    items: tuple[Node, ...]
    origin: Origin


Node: TypeAlias = Step | Sequence | AnyOrder | OneOf


def steps_of(node: Node) -> Iterator[Step]:
    """Every step below a node, in the order of the text."""
    stack: list[Node] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Step):
            yield current
        else:
            stack.extend(reversed(current.items))


@dataclass(frozen=True, eq=False)
class Plan:
    """A whole plan file; `used_variables` are those of its `vars:` that something in it refers to."""

    name: str
    task: str
    policy: Policy
    tree: Node
    expect: tuple[Expectation, ...]
    image: str | None
    variables: tuple[str, ...]
    used_variables: frozenset[str]
    origin: Origin

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(steps_of(self.tree))

    @staticmethod
    def from_document(document: Document, sink: Sink) -> Plan:
        """Read a document that fits the plan schema.

        Undefined `${variables}` and ids that stand twice go to the sink; the plan is complete all the same.
        """
        reader = _Reader(document, sink)
        value: Any = document.value
        tree = reader.node(value["tree"], ("tree",))
        inputs = value.get("inputs") or {}
        task = reader.text(value["task"], ("task",))
        expect = reader.expectations(value.get("expect"), ("expect",))
        image = reader.substitute(inputs.get("image"), ("inputs", "image"))
        return Plan(
            name=value.get("name") or _name_from(document),
            task=task,
            policy=_policy(value.get("policy") or {}),
            tree=tree,
            expect=expect,
            image=image,
            variables=tuple(value.get("vars") or ()),
            used_variables=frozenset(reader.used),
            origin=Origin(document),
        )


def _name_from(document: Document) -> str:
    stem = re.split(r"[\\/]", document.source.name)[-1].split(".")[0]
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "plan"


def _policy(value: Mapping[str, Any]) -> Policy:
    default = Policy()
    budget = value.get("budget") or {}
    return Policy(
        alpha=float(value.get("alpha", default.alpha)),
        threshold=float(value.get("threshold", default.threshold)),
        attempts=int(value.get("attempts", default.attempts)),
        seed=int(value.get("seed", default.seed)),
        budget=Budget(budget.get("seconds"), budget.get("calls", budget.get("executions")), budget.get("usd")),
        objective=str(value.get("objective", default.objective)),
        strategy=str(value.get("strategy", default.strategy)),
        tools=_choice(value.get("tools")),
    )


def _choice(value: Mapping[str, Any] | None) -> ToolChoice:
    value = value or {}
    return ToolChoice(tuple(value.get("only") or ()), tuple(value.get("avoid") or ()))


def _freeze(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_freeze(item) for item in value)
    return value


class _Reader:
    """Turns the plain values of one document into nodes, numbering steps without an id."""

    _VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_-]*)\}")

    def __init__(self, document: Document, sink: Sink) -> None:
        self._document = document
        self._sink = sink
        value: Any = document.value
        self._variables: Mapping[str, Any] = value.get("vars") or {}
        self.used: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._ids: dict[str, Origin] = {}
        self._given = {step["id"] for step in _plain_steps(value["tree"]) if isinstance(step.get("id"), str)}

    def node(self, value: Any, route: Route) -> Node:
        origin = Origin(self._document, route)
        if isinstance(value, list):
            return Sequence(self._items(value, route), origin)
        if "any_order" in value:
            return AnyOrder(self._items(value["any_order"], (*route, "any_order")), origin)
        if "one_of" in value:
            return OneOf(self._items(value["one_of"], (*route, "one_of")), origin)
        return self._step(value, route)

    def _items(self, values: list[Any], route: Route) -> tuple[Node, ...]:
        return tuple(self.node(value, (*route, index)) for index, value in enumerate(values))

    def _step(self, value: Mapping[str, Any], route: Route) -> Step:
        origin = Origin(self._document, route)
        words = {key: self.substitute(word, (*route, key)) for key, word in value.items() if key not in STEP_KEYS}
        at = self.substitute(value.get("at") or {}, (*route, "at"))
        name = words.pop("object", None)
        return Step(
            id=self._id(value, origin),
            subtask=value["do"],
            target=Target(
                object=name if isinstance(name, str) else None,
                at=tuple(sorted((key, _freeze(place)) for key, place in at.items())),
            ),
            arguments=words,
            expect=self.expectations(value.get("expect"), (*route, "expect")),
            tools=_choice(value.get("tools")),
            origin=origin,
        )

    def _id(self, value: Mapping[str, Any], origin: Origin) -> str:
        if given := value.get("id"):
            if first := self._ids.get(given):
                self._sink.add(_duplicate_id(given, origin, first))
            self._ids.setdefault(given, origin)
            return str(given)
        subtask = str(value["do"])
        number = self._numbers.get(subtask, 0) + 1
        while (name := subtask if number == 1 else f"{subtask}-{number}") in self._given or name in self._ids:
            number += 1
        self._numbers[subtask] = number
        self._ids[name] = origin
        return name

    def expectations(self, values: list[Any] | None, route: Route) -> tuple[Expectation, ...]:
        found = []
        for index, value in enumerate(values or ()):
            here = (*route, index)
            if isinstance(value, str):
                found.append(Expectation(value, True, Origin(self._document, here), alone=True))
            else:
                found.extend(
                    Expectation(check, self.substitute(wanted, (*here, check)), Origin(self._document, here))
                    for check, wanted in value.items()
                )
        return tuple(found)

    def text(self, value: str, route: Route) -> str:
        return str(self.substitute(value, route))

    def substitute(self, value: Any, route: Route) -> Any:
        """`${name}` replaced by `vars`; a value that is nothing but one variable keeps the variable's type."""
        if isinstance(value, list):
            return [self.substitute(item, (*route, index)) for index, item in enumerate(value)]
        if isinstance(value, dict):
            return {key: self.substitute(item, (*route, key)) for key, item in value.items()}
        if not isinstance(value, str):
            return value
        if "${" not in value:
            return value
        if whole := self._VARIABLE.fullmatch(value):
            return self._variable(whole[1], route)
        return self._VARIABLE.sub(lambda match: str(self._variable(match[1], route)), value)

    def _variable(self, name: str, route: Route) -> Any:
        if name not in self._variables:
            near = closest(name, self._variables)
            self._sink.add(
                Diagnostic(
                    "COS3101",
                    f'undefined variable "{name}"',
                    self._document.span(route),
                    label=f'did you mean "{near}"?' if near else "not under vars:",
                    help=f"define it: `vars: {{{name}: …}}`",
                )
            )
            return "${" + name + "}"
        self.used.add(name)
        return self._variables[name]


def _duplicate_id(given: str, here: Origin, first: Origin) -> Diagnostic:
    return Diagnostic(
        "COS3102",
        f'two steps have the id "{given}"',
        here.span("id"),
        label="the second one",
        related=(Related("first defined here", first.span("id")),),
        help="give each step its own id",
    )


def _plain_steps(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every step of a plain tree, before it is read."""
    if isinstance(value, list):
        for item in value:
            yield from _plain_steps(item)
    elif isinstance(value, dict):
        if "do" in value:
            yield value
        for construct in ("any_order", "one_of"):
            yield from _plain_steps(value.get(construct))
