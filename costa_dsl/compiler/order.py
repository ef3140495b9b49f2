"""Topological order, for lattices and graphs alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def topological(start: Node, edges: Iterable[tuple[Node, Node]]) -> list[Node]:
    """The nodes that can be reached from `start`, each after all nodes with an edge to it.

    Parallel edges may be given; a node that lies on a cycle is left out.
    """
    waiting: dict[Node, int] = defaultdict(int)
    outgoing: dict[Node, list[Node]] = defaultdict(list)
    for source, target in edges:
        waiting[target] += 1
        outgoing[source].append(target)
    order, ready = [], [start]
    while ready:
        node = ready.pop()
        order.append(node)
        for target in outgoing[node]:
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    return order
