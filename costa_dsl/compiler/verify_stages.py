"""The verifier between the passes: what must be true of a unit after each of them, by name.

The tests run it after every pass of everything that they compile; a finished graph is always verified (verify.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from costa_dsl.compiler.cut import steps_in
from costa_dsl.compiler.graph import ArtifactKey
from costa_dsl.compiler.order import topological
from costa_dsl.compiler.passes import Pass, Unit
from costa_dsl.compiler.verify import Violation, verify


def verify_after(one: Pass, unit: Unit) -> list[Violation]:
    """What a unit breaks of that which holds after a pass; empty when it is sound."""
    return list(_RULES[one.name](unit))


def _resolved(unit: Unit) -> Iterator[Violation]:
    wanted = steps_in(unit.tree) if unit.tree is not None else frozenset()
    if unit.tree is None or wanted != set(unit.steps):
        yield Violation("steps-resolved", "the steps are not those of the tree")
    for name, step in unit.steps.items():
        if "of" in dict(step.target.at) and "side" not in dict(step.target.at):
            yield Violation("references-followed", f"{name} still refers to another step", name)


def _expanded(unit: Unit) -> Iterator[Violation]:
    lattice = unit.lattice
    if lattice is None:
        yield Violation("lattice-made", "there is no lattice")
        return
    order = topological(0, ((edge.source, edge.target) for edge in lattice.edges))
    if len(order) != lattice.points:
        yield Violation(
            "lattice-acyclic", f"{lattice.points - len(order)} points lie on a cycle or on no way from the start"
        )
    reaches = {lattice.end}
    into: dict[int, list[int]] = {}
    for edge in lattice.edges:
        into.setdefault(edge.target, []).append(edge.source)
    stack = [lattice.end]
    while stack:
        for source in into.get(stack.pop(), ()):
            if source not in reaches:
                reaches.add(source)
                stack.append(source)
    if len(reaches) != lattice.points:
        yield Violation("lattice-no-dead-end", f"{lattice.points - len(reaches)} points do not lead to the end")
    if {edge.step.id for edge in lattice.edges} != set(unit.steps):
        yield Violation("lattice-covers-steps", "the lattice does not do each step of the tree")


def _selected(unit: Unit) -> Iterator[Violation]:
    for name, step in unit.steps.items():
        selection = unit.selections.get(name)
        if selection is None:
            yield Violation("tools-selected", f"{name} has no selection", name)
            continue
        known = {tool.name for tool in unit.catalog.tools_for(step.step.subtask)}
        if {tool.name for tool in selection.tools} | set(selection.excluded) != known:
            yield Violation(
                "every-tool-judged", f"some tool for {name} is neither taken nor left out for a reason", name
            )
        if not all(selection.excluded.values()):
            yield Violation("reasons-given", f"a tool for {name} is left out without a reason", name)


def _backtracked(unit: Unit) -> Iterator[Violation]:
    for name, step in unit.steps.items():
        tracker = unit.backtrackers[name]
        for tool in unit.selections[name].tools:
            main = tracker.supply(tool, step.step.subtask)
            recipes = tracker.recipes(main, frozenset())
            sets = [frozenset(supply.name for supply in recipe) for recipe in recipes]
            if any(one < other for one in sets for other in sets):
                yield Violation("recipes-minimal", f"a recipe for {tool.name} holds another one", name)
            for recipe in recipes:
                at_hand: frozenset[ArtifactKey] = frozenset()
                for supply in (*recipe, main):
                    if not set(supply.needs) <= at_hand:
                        yield Violation(
                            "recipes-run", f"{supply.tool.name} lacks what it needs in a recipe for {tool.name}", name
                        )
                    at_hand = tracker.after(supply, at_hand)


def _lowered(unit: Unit) -> Iterator[Violation]:
    raw = unit.raw
    if raw is None:
        yield Violation("graph-lowered", "there is no raw graph")
        return
    for edge in raw.edges:
        if not set(edge.supply.needs) <= edge.source[2]:
            yield Violation(
                "ports-satisfied", f"{edge.supply.tool.name} lacks what it needs for {edge.step.id}", edge.step.id
            )
        if (edge.role == "step") != (edge.target[1] == ""):
            yield Violation("roles-end-steps", f"{edge.step.id} ends with a supplier, or goes on after its own tool")


def _canonical(unit: Unit) -> Iterator[Violation]:
    if unit.graph is not None:
        yield from verify(unit.graph, unit.catalog)


_RULES: dict[str, Callable[[Unit], Iterator[Violation]]] = {
    "resolve": _resolved,
    "expand": _expanded,
    "select": _selected,
    "backtrack": _backtracked,
    "lower": _lowered,
    "canonicalize": _canonical,
}
