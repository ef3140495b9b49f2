"""The strategy `paper`: Algorithm 1 of CoSTA* as published (arXiv 2503.10613), to reproduce it and as a baseline.

Its nodes are the invocations of the graph (the paper's are tools). It keeps one scalar g = J(C, Q) per node with the
measured C and Q of the way to it, orders the open list by f = g + h, runs *every* neighbor of a node before it
chooses one, and ends at the first complete path that it takes from the open list. h is the paper's recursion
from the leaves over the benchmark alone. FACTS §3 tells where this loses the best path and what it costs.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import ClassVar

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import Objective
from costa_dsl.search.space import Course, Exhausted, Finished, Label, Space


@dataclass(frozen=True, slots=True)
class Paper:
    """Algorithm 1: eager execution, one scalar per node, f = g + h."""

    name: ClassVar[str] = "paper"
    learns: ClassVar[bool] = False

    def search(self, space: Space) -> Course:
        heuristic = published_heuristic(space.graph, space.objective)
        least: dict[str, float] = {}  # g per node, by the id of its invocation
        queue: list[tuple[float, int, Label]] = [(heuristic[space.graph.start], 0, space.root)]
        while queue:
            _, _, label = heapq.heappop(queue)
            if label.invocation is not None and _cost(label, space.objective) > least[label.invocation.id]:
                continue  # a better way to this node was found since
            if label.state == space.graph.goal:
                return Finished(label)
            for child in space.expand(label):
                accepted = yield from space.run(child)
                assert child.invocation is not None
                if not accepted:
                    continue
                cost = _cost(child, space.objective)
                if cost < least.get(child.invocation.id, float("inf")):
                    least[child.invocation.id] = cost
                    heapq.heappush(queue, (cost + heuristic[child.state], child.number, child))
        return Exhausted()


def _cost(label: Label, objective: Objective) -> float:
    return label.rank(objective)[0]


def published_heuristic(graph: ToolpathGraph, objective: Objective) -> dict[str, float]:
    """h of each state: J of the seconds and quality of the neighbor that minimises it, from the goal backwards.

    h(x) = min over neighbors y of J(h_C(y) + C(y), h_Q(y) · Q(y)); the two components of the minimiser are handed on.
    """
    found = {graph.goal: (0.0, 0.0, 1.0)}
    for state in reversed(graph.states):
        if state.id == graph.goal:
            continue
        ways = []
        for way in graph.outgoing[state.id]:
            _, seconds, quality = found[way.target]
            totals = (seconds + way.seconds, quality * way.quality)
            ways.append((objective.rank(*totals, 0.0)[0], *totals))
        found[state.id] = min(ways)
    return {state: value for state, (value, _, _) in found.items()}
