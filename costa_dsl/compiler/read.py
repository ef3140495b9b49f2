"""Reads a printed toolpath graph back, and proves it again: a graph is never believed because it looks like one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.backtrack import Backtracker
from costa_dsl.compiler.canonicalize import digest
from costa_dsl.compiler.cut import Scope, cut, steps_in
from costa_dsl.compiler.graph import ArtifactKey, GraphStep, Invocation, State, ToolpathGraph, plan_value, step_value
from costa_dsl.compiler.select import Selector, resolve_steps
from costa_dsl.compiler.verify import Violation, verify, verify_shape
from costa_dsl.diagnostics import CostaError, Diagnostic, Related, Severity, Sink
from costa_dsl.model.plan import Plan
from costa_dsl.rules.names import unknown_name
from costa_dsl.rules.run import check_plan
from costa_dsl.schema import check_document
from costa_dsl.syntax import Document, Route


def read_graph(document: Document, catalog: Catalog, sink: Sink, plan: Plan | None = None) -> ToolpathGraph | None:
    """The graph in a document that fits the toolpath-graph schema; None, with findings, when it is not sound.

    Args:
        document: the graph as it was printed.
        catalog: the catalog that it shall run with; needs and gives of its tools must be the same there.
        sink: receives every finding, each at its place in the document.
        plan: the plan in the file that the graph names, when that could be read: if it is still the same plan,
            the steps of the graph keep their places in that file; else they get places in the graph's own text.
    """
    own = _plan_in(document, sink)
    if own is None:
        return None
    same = plan is not None and plan_value(_with_alpha(plan, own)) == plan_value(own)
    used = _with_alpha(plan, own) if same and plan is not None else own
    check_plan(used, catalog, sink)
    if sink.has_errors:
        return None
    value: Any = document.value
    scope = Scope(**value["scope"]) if "scope" in value else Scope()
    try:
        wanted = steps_in(cut(used, scope))
        steps = {name: step for name, step in resolve_steps(used, sink).items() if name in wanted}
    except CostaError as error:
        sink.extend(error.diagnostics)
        return None
    sink.extend(_about_steps(document, steps))
    sink.extend(_about_ids(document))
    sink.extend(_about_tools(document, steps, Selector(used, catalog, assume_available=True), catalog))
    if sink.has_errors:
        return None
    graph = _graph(value, used, steps, scope)
    sink.extend(_unsound(document, verify(graph, catalog)))
    if sink.has_errors:
        return None
    if digest(graph) != value["digest"]:
        sink.add(
            Diagnostic(
                "COS5004",
                "the digest is of another graph: this one was changed after it was printed",
                document.span(("digest",)),
                Severity.WARNING,
                help="it is sound all the same; `costa compile` prints it with its own digest",
            )
        )
    return replace(graph, digest=digest(graph))


def read_recorded(document: Document, sink: Sink) -> ToolpathGraph | None:
    """The graph of a run, to look at and not to run: no catalog is asked whether its tools are still what they were.

    Args:
        document: the graph as it was printed.
        sink: receives every finding; with errors among them, the answer is None.
    """
    plan = _plan_in(document, sink)
    if plan is None:
        return None
    value: Any = document.value
    scope = Scope(**value["scope"]) if "scope" in value else Scope()
    try:
        steps = resolve_steps(plan, sink)
    except CostaError as error:
        sink.extend(error.diagnostics)
        return None
    sink.extend(_about_steps(document, steps))
    sink.extend(_about_ids(document))
    if sink.has_errors:
        return None
    graph = _graph(value, plan, steps, scope)
    sink.extend(_unsound(document, verify_shape(graph)))
    return None if sink.has_errors else replace(graph, digest=digest(graph))


def _with_alpha(plan: Plan, other: Plan) -> Plan:
    return replace(plan, policy=replace(plan.policy, alpha=other.policy.alpha))


def _unsound(document: Document, violations: Iterable[Violation]) -> Iterator[Diagnostic]:
    for violation in violations:
        span = document.span(_route_of(document.value, violation.subject))
        message = f"this graph is not sound ({violation.invariant}): {violation.message}"
        yield Diagnostic("COS5005", message, span, help="compile the plan again; a graph is not made to be edited")


def _plan_in(document: Document, sink: Sink) -> Plan | None:
    value: Any = document.value
    root = document.root.child("plan") if document.root else None
    inner = Document(document.source, value["plan"], document.index, root)
    if check_document(inner, sink) != "Plan":
        sink.add(
            Diagnostic(
                "COS5006",
                "the plan that this graph was made of cannot be read",
                document.span(("plan",), key=True),
                help="compile the plan again; a graph is not made to be edited",
            )
        )
        return None
    return Plan.from_document(inner, sink)


def _about_steps(document: Document, steps: Mapping[str, GraphStep]) -> Iterator[Diagnostic]:
    """The listed steps are those of the plan, with the same things to work on."""
    value: Any = document.value
    for index, entry in enumerate(value["steps"]):
        step = steps.get(entry["id"])
        if step is None or step_value(step) != entry:
            yield Diagnostic(
                "COS5006",
                f'the step "{entry["id"]}" is not what the plan in this graph says',
                document.span(("steps", index)),
                help="compile the plan again; a graph is not made to be edited",
            )


def _about_ids(document: Document) -> Iterator[Diagnostic]:
    """Each id stands once, and states are named that exist."""
    value: Any = document.value
    for key in ("states", "invocations"):
        first: dict[str, int] = {}
        for index, entry in enumerate(value[key]):
            if entry["id"] in first:
                yield Diagnostic(
                    "COS5002",
                    f'two {key} have the id "{entry["id"]}"',
                    document.span((key, index, "id")),
                    related=(Related("first defined here", document.span((key, first[entry["id"]], "id"))),),
                )
            first.setdefault(entry["id"], index)
    states = {entry["id"] for entry in value["states"]}
    named: list[Route] = [("start",), ("goal",)]
    named += [("invocations", index, end) for index in range(len(value["invocations"])) for end in ("source", "target")]
    for route in named:
        name = str(document.value_at(route))
        if name not in states:
            yield unknown_name("COS5002", "state", name, states, document.span(route))


def _about_tools(
    document: Document, steps: Mapping[str, GraphStep], selector: Selector, catalog: Catalog
) -> Iterator[Diagnostic]:
    """The tools are those of the catalog: there, doing what they did, with the same needs and gives."""
    value: Any = document.value
    trackers = {name: Backtracker(selector, step) for name, step in steps.items()}
    listed = {entry["id"] for entry in value["steps"]}
    for index, entry in enumerate(value["invocations"]):
        route: Route = ("invocations", index)
        tool = catalog.tools.get(entry["tool"])
        if entry["step"] not in listed or entry["step"] not in steps:
            yield unknown_name("COS5006", "step", entry["step"], steps, document.span((*route, "step")))
        elif tool is None:
            help = "compile the plan again with this catalog, or name the one that it was compiled with"
            yield unknown_name("COS5003", "tool", entry["tool"], catalog.tools, document.span((*route, "tool")), help)
        elif entry["subtask"] not in tool.implements:
            yield _other_catalog(document, (*route, "subtask"), f'"{tool.name}" does not do {entry["subtask"]}')
        else:
            supply = trackers[entry["step"]].supply(tool, entry["subtask"])
            for key, keys in (("needs", supply.needs), ("gives", supply.gives)):
                if sorted(map(str, keys)) != sorted(entry[key]):
                    now = ", ".join(sorted(map(str, keys))) or "nothing"
                    yield _other_catalog(document, (*route, key), f'"{tool.name}" {key} {now} in this catalog')


def _other_catalog(document: Document, route: Route, message: str) -> Diagnostic:
    return Diagnostic("COS5003", message, document.span(route), help="compile the plan again with this catalog")


def _graph(value: Any, plan: Plan, steps: Mapping[str, GraphStep], scope: Scope) -> ToolpathGraph:
    return ToolpathGraph(
        plan=plan,
        steps={entry["id"]: steps[entry["id"]] for entry in value["steps"]},
        states=tuple(State(entry["id"], _keys(entry["artifacts"])) for entry in value["states"]),
        invocations=tuple(
            Invocation(**{**entry, "needs": _keys(entry["needs"]), "gives": _keys(entry["gives"])})
            for entry in value["invocations"]
        ),
        start=value["start"],
        goal=value["goal"],
        scope=scope,
    )


def _keys(written: list[str]) -> tuple[ArtifactKey, ...]:
    return tuple(ArtifactKey.parse(text) for text in written)


def _route_of(value: Any, subject: str) -> Route:
    """Where the state or invocation with an id stands in the document."""
    for key in ("states", "invocations"):
        for index, entry in enumerate(value[key]):
            if entry["id"] == subject:
                return (key, index, "id")
    return ("digest",)
