"""expand: the tree of subtasks → a lattice of control points joined by steps.

A list is a chain, `one_of` parallel branches, `any_order` the lattice of finished subsets. Items of an
`any_order` that cannot influence each other (analyses) need no choice of order: they are chained.
"""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass, field

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Step, steps_of

# Beyond this many step edges the lattice would be too large to search in reasonable time.
MOST_EDGES = 20_000


@dataclass(frozen=True, slots=True)
class StepEdge:
    """Doing `step` leads from control point `source` to control point `target`."""

    source: int
    step: Step
    target: int


@dataclass(frozen=True)
class Lattice:
    """Control points 0 … points - 1 in no particular order; 0 is the start."""

    points: int
    end: int
    edges: tuple[StepEdge, ...]


@dataclass
class _Builder:
    catalog: Catalog
    points: int = 1
    edges: list[StepEdge] = field(default_factory=list)

    def point(self) -> int:
        self.points += 1
        return self.points - 1

    def build(self, node: Node, entry: int, end: int) -> None:
        """Add every way to do `node` between two points."""
        if isinstance(node, Step):
            self.edges.append(StepEdge(entry, node, end))
        elif isinstance(node, OneOf):
            for item in node.items:
                self.build(item, entry, end)
        elif isinstance(node, AnyOrder):
            groups = _independent_groups(node.items, self.catalog)
            for index, group in enumerate(groups):
                stop = end if index == len(groups) - 1 else self.point()
                self.subsets(group, entry, stop)
                entry = stop
        else:
            for index, item in enumerate(node.items):
                stop = end if index == len(node.items) - 1 else self.point()
                self.build(item, entry, stop)
                entry = stop

    def subsets(self, items: Items[Node], entry: int, end: int) -> None:
        everything = (1 << len(items)) - 1
        at = {0: entry, everything: end}
        for done in range(everything + 1):
            for index, item in enumerate(items):
                if not done >> index & 1:
                    after = done | 1 << index
                    if after not in at:
                        at[after] = self.point()
                    if done not in at:
                        at[done] = self.point()
                    self.build(item, at[done], at[after])


def expand(tree: Node, catalog: Catalog) -> Lattice:
    """The lattice of a plan's tree.

    Raises:
        CostaError: its `any_order` lists allow too many orders.
    """
    count, worst = _count(tree, catalog)
    if count > MOST_EDGES:
        raise CostaError(
            Diagnostic(
                "COS4001",
                f"the orders of this plan need {count:,} steps in the graph; at most {MOST_EDGES:,} are allowed",
                (worst or tree).origin.span(),
                label="too many free orders here",
                help="put items whose order does not matter into a list inside `any_order`",
            )
        )
    builder = _Builder(catalog)
    end = builder.point()
    builder.build(tree, 0, end)
    return Lattice(builder.points, end, tuple(builder.edges))


def _count(node: Node, catalog: Catalog) -> tuple[int, AnyOrder | None]:
    """How many step edges `build` would add, and the any_order that adds the most of them."""
    if isinstance(node, Step):
        return 1, None
    counted = {id(item): _count(item, catalog) for item in node.items}
    if not isinstance(node, AnyOrder):
        total = sum(count for count, _ in counted.values())
        _, worst = max(counted.values(), key=lambda found: found[0], default=(0, None))
        return total, worst
    total = 0
    for group in _independent_groups(node.items, catalog):
        total += sum(counted[id(item)][0] for item in group) << (len(group) - 1)
    return total, node


def _independent_groups(items: Items[Node], catalog: Catalog) -> list[list[Node]]:
    """The items split into groups such that items of different groups commute; in the order of the text.

    Within a group every order is tried; the groups themselves follow each other in one canonical order.
    """
    groups: list[list[int]] = []
    for index, item in enumerate(items):
        mine = [index]
        rest = []
        for group in groups:
            if all(_commute(items[other], item, catalog) for other in group):
                rest.append(group)
            else:
                mine = [*group, *mine]
        groups = [*rest, sorted(mine)]
    return [[items[index] for index in group] for group in sorted(groups)]


def _commute(left: Node, right: Node, catalog: Catalog) -> bool:
    """Whether no step of one side can influence a step of the other: all are analyses."""
    subtasks = catalog.vocabulary.subtasks
    return all(not subtasks[step.subtask].is_edit for node in (left, right) for step in steps_of(node))
