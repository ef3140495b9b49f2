"""The nodes of a subtask tree: as they are written, and as a graph."""

from __future__ import annotations

from dataclasses import dataclass

from costa_dsl.diagnostics import SourceSpan


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A node by its text; the same text in two entries is one node with the parents of both.

    Attributes:
        number: its position among the nodes, from 0.
        parents: the numbers of the nodes that may come before it; empty for a root.
        span: where its text stands first.
    """

    number: int
    text: str
    parents: tuple[int, ...]
    span: SourceSpan


@dataclass(frozen=True, eq=False)
class TaskTree:
    """A tree: `nodes` by number. When it is `sound`, each is on some way from a root to a node without children."""

    task: str
    nodes: tuple[TreeNode, ...]
    sound: bool

    @property
    def roots(self) -> list[int]:
        return [node.number for node in self.nodes if not node.parents]

    def children(self) -> dict[int, list[int]]:
        """The nodes that name each node as a parent, in the order of the text."""
        found: dict[int, list[int]] = {node.number: [] for node in self.nodes}
        for node in self.nodes:
            for parent in node.parents:
                found[parent].append(node.number)
        return found


@dataclass
class Entry:
    """One entry of the list, as it is written."""

    text: str
    parents: list[tuple[str, SourceSpan]]
    span: SourceSpan


def short(text: str) -> str:
    """A text that fits into a sentence."""
    return text if len(text) <= 60 else text[:57] + "…"
