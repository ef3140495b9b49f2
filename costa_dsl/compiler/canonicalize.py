"""canonicalize: drop dead ends, give everything an id made from its content, and fix one order.

An id depends only on how a state is reached, never on the order in which files or keys were read, so that the
same plan and catalog give the same graph, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.cut import Scope
from costa_dsl.compiler.graph import Case, GraphStep, Invocation, State, ToolpathGraph
from costa_dsl.compiler.lower import Edge, RawGraph, StateKey
from costa_dsl.compiler.order import topological
from costa_dsl.model.plan import Plan


def canonicalize(
    raw: RawGraph, plan: Plan, scope: Scope, steps: Mapping[str, GraphStep], catalog: Catalog
) -> ToolpathGraph | None:
    """The graph that is printed and searched; None when no path leads from start to goal."""
    edges = _alive(raw)
    if not edges:
        return None
    incoming: dict[StateKey, list[Edge]] = defaultdict(list)
    for edge in edges:
        incoming[edge.target].append(edge)
    names = {raw.start: "s-start"}
    states = [State("s-start", ())]
    invocations: list[Invocation] = []
    for key in topological(raw.start, ((edge.source, edge.target) for edge in edges)):
        if key != raw.start:
            arrivals = sorted((names[edge.source], edge.step.id, edge.role, edge.supply.name) for edge in incoming[key])
            names[key] = "s-goal" if key == raw.goal else f"s-{_hash(arrivals)}"
            states.append(State(names[key], tuple(sorted(key[2]))))
        invocations.extend(_invocation(edge, names, catalog) for edge in incoming[key])
    used = {found.step for found in invocations}
    order = {state.id: index for index, state in enumerate(_by_rank(states, invocations))}
    graph = ToolpathGraph(
        plan=plan,
        steps={name: steps[name] for name in steps if name in used},
        states=tuple(sorted(states, key=lambda state: order[state.id])),
        invocations=tuple(
            sorted(invocations, key=lambda found: (order[found.source], found.step, found.tool, found.target))
        ),
        start="s-start",
        goal="s-goal",
        scope=scope,
    )
    return replace(graph, digest=digest(graph))


def digest(graph: ToolpathGraph) -> str:
    """sha256 of the canonical JSON of a graph without its digest and without the name of the plan's file."""
    value = graph.to_value()
    del value["digest"], value["source"]
    return "sha256:" + hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _alive(raw: RawGraph) -> list[Edge]:
    """The edges from which the goal can be reached."""
    into: dict[StateKey, list[Edge]] = defaultdict(list)
    for edge in raw.edges:
        into[edge.target].append(edge)
    reached = {raw.goal}
    stack = [raw.goal]
    while stack:
        for edge in into[stack.pop()]:
            if edge.source not in reached:
                reached.add(edge.source)
                stack.append(edge.source)
    return [edge for edge in raw.edges if edge.target in reached]


def _by_rank(states: list[State], invocations: list[Invocation]) -> list[State]:
    """States by their distance from the start (longest way), then by id: one topological order for all runs."""
    depth = {state.id: 0 for state in states}
    into: dict[str, list[str]] = defaultdict(list)
    for found in invocations:
        into[found.target].append(found.source)
    for state in states:  # already topological
        for source in into[state.id]:
            depth[state.id] = max(depth[state.id], depth[source] + 1)
    return sorted(states, key=lambda state: (depth[state.id], state.id))


def _invocation(edge: Edge, names: Mapping[StateKey, str], catalog: Catalog) -> Invocation:
    row = catalog.row(edge.supply.tool.name, edge.supply.subtask)
    if row is None:  # select lets no such tool through
        raise AssertionError(f"no benchmark row for {edge.supply.name}")
    source, target = names[edge.source], names[edge.target]
    cases = catalog.cases_of(edge.supply.tool.name, edge.supply.subtask)
    expected = [found.check for found in edge.step.step.expect] if edge.role == "step" else []
    return Invocation(
        id=f"i-{_hash([source, edge.step.id, edge.role, *edge.supply.name, target])}",
        source=source,
        target=target,
        step=edge.step.id,
        role=edge.role,
        tool=edge.supply.tool.name,
        subtask=edge.supply.subtask,
        needs=tuple(sorted(edge.supply.needs)),
        gives=tuple(sorted(edge.supply.gives)),
        seconds=row.seconds,
        quality=row.quality,
        n=row.n,
        usd=edge.supply.tool.price_usd,
        cases=tuple(Case(case.when, case.seconds, case.quality, case.n) for case in cases),
        unmeasured=bool(cases) and not catalog.is_measured(edge.supply.subtask, expected),
    )


def _hash(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]
