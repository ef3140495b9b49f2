"""One YAML document: its plain value, and the place in the text of everything in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from costa_dsl.diagnostics import SourceSpan, SourceText

# A way into a document: keys of mappings and indices of lists, from the top.
Route = tuple[str | int, ...]

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]


@dataclass(slots=True)
class Node:
    """A value and the stretch [start, end) of the text that wrote it.

    An alias is a node of its own (its stretch is the `*name`) that shares the children of its anchor.
    `size` and `depth` count what the node would hold if every alias were written out.
    """

    start: int
    end: int
    value: Value
    keys: dict[str, tuple[int, int]]
    entries: dict[str, Node]
    items: list[Node]
    size: int = 1
    depth: int = 1

    def child(self, step: str | int) -> Node | None:
        """The node under a key or an index, or None."""
        if isinstance(step, str):
            return self.entries.get(step)
        return self.items[step] if 0 <= step < len(self.items) else None


# What scalars hold in place of children: one of each for all of them, never written to.
NO_PLACES: dict[str, tuple[int, int]] = {}
NO_NODES: dict[str, Node] = {}
NO_ITEMS: list[Node] = []


@dataclass(frozen=True)
class Document:
    """One document of a source text.

    Attributes:
        source: the whole text, shared by all documents of the file.
        value: the plain value: None, bool, int, float, str, list, dict with string keys.
        index: the position of the document in its file, from 0.
        root: the tree of places; None for a value that was not read from a text.
        finite: whether every number is finite, as far as the reader has seen.
    """

    source: SourceText
    value: Value
    index: int
    root: Node | None = field(default=None, repr=False, compare=False)
    finite: bool = True

    def span(self, route: Route = (), key: bool = False) -> SourceSpan:
        """The place of the value at `route`, or of its key when `key` is true.

        An item of a list has no key: its value stands in. When the route leads to nothing, the place is
        that of the nearest parent that exists.
        """
        node = self.root
        if node is None:
            return SourceSpan(self.source, 0, 0)
        for position, step in enumerate(route):
            child = node.child(step)
            if child is None:
                break
            if key and position == len(route) - 1 and isinstance(step, str):
                return SourceSpan(self.source, *node.keys[step])
            node = child
        return SourceSpan(self.source, node.start, node.end)

    def value_at(self, route: Route) -> Value:
        """The value at `route`.

        Raises:
            KeyError: the route leads to nothing.
        """
        value = self.value
        for step in route:
            value = _inside(value, step, route)
        return value


def _inside(value: Value, step: str | int, route: Route) -> Value:
    if isinstance(value, dict) and isinstance(step, str) and step in value:
        return value[step]
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    raise KeyError(route)
