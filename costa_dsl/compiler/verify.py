"""The verifier: what must be true of every toolpath graph, each rule under its name.

Every rule is local to a state or an invocation, or one sweep over the graph, so that a graph of any size is
proven, not sampled. A graph that breaks a rule is a defect of costa (or was edited by hand).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.cut import cut
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.plan import Node, OneOf, Step

# Sets of steps are listed and compared up to this many.
MOST_CHOICES = 4096


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken invariant, by name, with a sentence, and the id of the state or invocation that breaks it."""

    invariant: str
    message: str
    subject: str = ""


def verify(graph: ToolpathGraph, catalog: Catalog) -> list[Violation]:
    """Every violation found; empty for a sound graph."""
    found = list(_acyclic(graph))
    if found:
        return found  # the other rules walk the graph
    return [
        *_no_dead_state(graph),
        *_ports_satisfied(graph, catalog),
        *_subtasks_covered(graph),
        *_steps_done_by_their_tools(graph, catalog),
        *_estimates_finite(graph),
    ]


def verify_shape(graph: ToolpathGraph) -> list[Violation]:
    """The violations of what a search needs, and no catalog: an order of the states, a way on from each, estimates."""
    return list(_acyclic(graph)) or [*_no_dead_state(graph), *_estimates_finite(graph)]


def _acyclic(graph: ToolpathGraph) -> Iterator[Violation]:
    order = {state.id: index for index, state in enumerate(graph.states)}
    for invocation in graph.invocations:
        if invocation.source not in order or invocation.target not in order:
            yield Violation("known-states", f"{invocation.id} joins a state that is not in the graph", invocation.id)
        elif order[invocation.source] >= order[invocation.target]:
            yield Violation(
                "acyclic", f"{invocation.id} leads back from {invocation.source} to {invocation.target}", invocation.id
            )


def _no_dead_state(graph: ToolpathGraph) -> Iterator[Violation]:
    forward, backward = {graph.start}, {graph.goal}
    for invocation in graph.invocations:
        if invocation.source in forward:
            forward.add(invocation.target)
    for invocation in reversed(graph.invocations):
        if invocation.target in backward:
            backward.add(invocation.source)
    for state in graph.states:
        if state.id not in forward or state.id not in backward:
            yield Violation("no-dead-state", f"{state.id} is on no path from start to goal", state.id)


def _ports_satisfied(graph: ToolpathGraph, catalog: Catalog) -> Iterator[Violation]:
    """A state's artifacts are at hand however it was reached, and enough for what leaves it."""
    artifacts = {state.id: frozenset(state.artifacts) for state in graph.states}
    subtasks = catalog.vocabulary.subtasks
    for invocation in graph.invocations:
        before = artifacts[invocation.source]
        if lacking := set(invocation.needs) - before:
            names = ", ".join(str(key) for key in sorted(lacking))
            yield Violation("ports-satisfied", f"{invocation.tool} at {invocation.id} lacks {names}", invocation.id)
        subtask = subtasks[invocation.subtask]
        owner = graph.steps[invocation.step].owner
        kept = {
            key
            for key in before
            if not subtask.is_edit
            or (key.type in subtask.preserves and not (subtask.forgets_target and key.owner == owner))
        }
        if made_up := artifacts[invocation.target] - kept - set(invocation.gives):
            names = ", ".join(str(key) for key in sorted(made_up))
            yield Violation(
                "artifacts-fresh", f"{invocation.target} claims {names} after {invocation.id}", invocation.target
            )


def _subtasks_covered(graph: ToolpathGraph) -> Iterator[Violation]:
    """On each complete path the steps done are exactly one choice of the plan's tree.

    A sweep carries, per state, the sets of steps that ways to it have done (two ways may have done different
    branches of a `one_of`), each set as the bits of one integer, and compares those at the goal with the tree.
    """
    bit = {step.id: 1 << index for index, step in enumerate(graph.plan.steps)}
    allowed = _choices(cut(graph.plan, graph.scope), bit)
    done: dict[str, set[int]] = {state.id: set() for state in graph.states}
    done[graph.start].add(0)
    for state in graph.states:
        for invocation in graph.outgoing[state.id]:
            mine = 0 if invocation.role == "supply" else bit[invocation.step]
            for so_far in done[state.id]:
                if so_far & mine:
                    yield Violation(
                        "each-step-once", f"{invocation.id} does step {invocation.step} again", invocation.id
                    )
                else:
                    done[invocation.target].add(so_far | mine)
        if state.id != graph.goal:
            if len(done[state.id]) > MOST_CHOICES:
                return  # more combinations of branches than can be listed
            done[state.id] = set()
    if allowed is not None:
        for bits in sorted(done[graph.goal] - allowed):
            names = ", ".join(name for name, mine in bit.items() if bits & mine)
            yield Violation(
                "subtasks-covered", f"a complete path does {names}: no choice of the plan's tree", graph.goal
            )


def _choices(node: Node, bit: Mapping[str, int]) -> set[int] | None:
    """The sets of steps (as bits) that do the job of a tree; None when there are too many to list."""
    if isinstance(node, Step):
        return {bit[node.id]}
    found: set[int] = set() if isinstance(node, OneOf) else {0}
    for item in node.items:
        part = _choices(item, bit)
        if part is None or len(found) * len(part) > MOST_CHOICES:
            return None
        found = found | part if isinstance(node, OneOf) else {left | right for left in found for right in part}
    return found


def _steps_done_by_their_tools(graph: ToolpathGraph, catalog: Catalog) -> Iterator[Violation]:
    """An invocation ends its step by the step's own subtask, with a tool of the catalog that does it."""
    for invocation in graph.invocations:
        wanted = graph.steps[invocation.step].step.subtask
        if invocation.role == "step" and invocation.subtask != wanted:
            message = f"{invocation.id} does {invocation.subtask} where {invocation.step} is {wanted}"
            yield Violation("step-does-its-subtask", message, invocation.id)
        tool = catalog.tools.get(invocation.tool)
        if tool is None or invocation.subtask not in tool.implements:
            message = f"{invocation.tool} cannot do {invocation.subtask}"
            yield Violation("tool-implements", message, invocation.id)


def _estimates_finite(graph: ToolpathGraph) -> Iterator[Violation]:
    for invocation in graph.invocations:
        if not (math.isfinite(invocation.seconds) and invocation.seconds >= 0):
            yield Violation(
                "estimates-finite", f"{invocation.id} is estimated at {invocation.seconds} seconds", invocation.id
            )
        if not 0 <= invocation.quality <= 1:
            yield Violation(
                "quality-in-range", f"{invocation.id} is estimated at quality {invocation.quality}", invocation.id
            )
        if not (math.isfinite(invocation.usd) and invocation.usd >= 0):
            yield Violation("estimates-finite", f"{invocation.id} is estimated at {invocation.usd} USD", invocation.id)
