"""What a unit looks like after a pass, as text: for `--print-after`, and for tests that read a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from costa_dsl.compiler.graph import ArtifactKey
from costa_dsl.compiler.lower import StateKey
from costa_dsl.compiler.passes import PASSES, Pass, Unit
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Step


def show(one: Pass, unit: Unit) -> str:
    """A heading with the pass's contract, then what it made; the same unit gives the same text."""
    contract = " ".join((type(one).__doc__ or "").split())
    return "\n".join([f"// after {one.name}: {contract}", *_SHOWN[one.name](unit), ""])


def _resolved(unit: Unit) -> Iterator[str]:
    assert unit.tree is not None
    yield from _tree(unit.tree, unit, "")


def _tree(node: Node, unit: Unit, indent: str) -> Iterator[str]:
    if isinstance(node, Step):
        owner = unit.steps[node.id].owner
        yield f"{indent}{node.id}: {node.subtask}" + (f" of {owner}" if owner else "")
        return
    yield indent + ("any_order" if isinstance(node, AnyOrder) else "one_of" if isinstance(node, OneOf) else "sequence")
    for item in node.items:
        yield from _tree(item, unit, indent + "  ")


def _expanded(unit: Unit) -> Iterator[str]:
    assert unit.lattice is not None
    yield f"{unit.lattice.points} points, from p0 to p{unit.lattice.end}"
    for edge in unit.lattice.edges:
        yield f"p{edge.source} -- {edge.step.id} --> p{edge.target}"


def _selected(unit: Unit) -> Iterator[str]:
    for name, selection in unit.selections.items():
        yield f"{name}: " + (", ".join(tool.name for tool in selection.tools) or "no tool")
        for tool, reason in selection.excluded.items():
            yield f"  not {tool}: {reason}"


def _backtracked(unit: Unit) -> Iterator[str]:
    for name, step in unit.steps.items():
        for tool in unit.selections[name].tools:
            tracker = unit.backtrackers[name]
            recipes = tracker.recipes(tracker.supply(tool, step.step.subtask), frozenset())
            for recipe in recipes:
                yield f"{name}: " + " -> ".join([*(supply.tool.name for supply in recipe), tool.name])
            if not recipes:
                yield f"{name}: nothing supplies {tool.name}"


def _lowered(unit: Unit) -> Iterator[str]:
    assert unit.raw is not None
    names = {key: f"r{index}" for index, key in enumerate(_in_order(unit))}
    for key, name in names.items():
        yield f"{name} at p{key[0]}" + (f" supplying {key[1]}" if key[1] else "") + _at_hand(key[2])
    for edge in unit.raw.edges:
        yield f"{names[edge.source]} -- {edge.step.id}: {edge.supply.tool.name} --> {names[edge.target]}"
    for name in unit.raw.stuck:
        yield f"stuck: {name}"


def _in_order(unit: Unit) -> dict[StateKey, None]:
    assert unit.raw is not None
    found: dict[StateKey, None] = {unit.raw.start: None}
    for edge in unit.raw.edges:
        found.setdefault(edge.source)
        found.setdefault(edge.target)
    return found


def _canonical(unit: Unit) -> Iterator[str]:
    graph = unit.graph
    if graph is None:
        yield "no complete path"
        return
    yield graph.digest
    for state in graph.states:
        yield state.id + _at_hand(state.artifacts)
        for found in graph.outgoing[state.id]:
            estimate = f"({found.seconds:g} s, {found.quality:g})"
            yield f"  {found.id} {found.role} {found.step}: {found.tool} {estimate} --> {found.target}"


def _at_hand(artifacts: tuple[ArtifactKey, ...] | frozenset[ArtifactKey]) -> str:
    return " with " + ", ".join(str(key) for key in sorted(artifacts)) if artifacts else ""


_SHOWN: dict[str, Callable[[Unit], Iterator[str]]] = {
    "resolve": _resolved,
    "expand": _expanded,
    "select": _selected,
    "backtrack": _backtracked,
    "lower": _lowered,
    "canonicalize": _canonical,
}
assert set(_SHOWN) == {one.name for one in PASSES}
