"""lower: lattice + tools + recipes → states and invocations.

Explores forward from the start. Two ways that end at the same control point with the same useful artifacts end
in the same state; an artifact that no later step could use is forgotten, so that ways meet again early.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from costa_dsl.compiler.backtrack import Backtracker, Supply
from costa_dsl.compiler.expand import Lattice, StepEdge
from costa_dsl.compiler.graph import ArtifactKey, GraphStep, Role
from costa_dsl.compiler.order import topological
from costa_dsl.compiler.select import Selection

# (control point, the step being supplied or "" (see `_supplied`), artifacts at hand)
StateKey = tuple[int, str, frozenset[ArtifactKey]]


@dataclass(frozen=True, eq=False)
class Edge:
    """An invocation before it has an id."""

    source: StateKey
    target: StateKey
    step: GraphStep
    role: Role
    supply: Supply


@dataclass(frozen=True, eq=False)
class RawGraph:
    """What lowering found; states in the order of exploration, possibly with dead ends."""

    start: StateKey
    goal: StateKey
    edges: tuple[Edge, ...]
    stuck: tuple[str, ...]  # ids of steps for which no tool could be supplied somewhere


def lower(
    lattice: Lattice,
    steps: Mapping[str, GraphStep],
    selections: Mapping[str, Selection],
    backtrackers: Mapping[str, Backtracker],
) -> RawGraph:
    """Every way to do the lattice's steps with the selected tools."""
    by_point: dict[int, list[StepEdge]] = defaultdict(list)
    for step_edge in lattice.edges:
        by_point[step_edge.source].append(step_edge)
    order = topological(0, ((edge.source, edge.target) for edge in lattice.edges))
    rank = {point: index for index, point in enumerate(order)}
    last_use = _last_uses(lattice, rank, steps, selections, backtrackers)

    start: StateKey = (0, "", frozenset())
    at_point: dict[int, dict[StateKey, None]] = defaultdict(dict)
    at_point[0][start] = None
    edges: dict[tuple[StateKey, StateKey, str, str], Edge] = {}
    stuck: dict[str, None] = {}

    def add(source: StateKey, target: StateKey, step: GraphStep, role: Role, supply: Supply) -> None:
        edges.setdefault((source, target, step.id, supply.tool.name), Edge(source, target, step, role, supply))

    for point in order:
        for state in at_point[point]:
            for step_edge in by_point[point]:
                step = steps[step_edge.step.id]
                tracker = backtrackers[step.id]
                moved = False
                mains = [tracker.supply(tool, step.step.subtask) for tool in selections[step.id].tools]
                for main in mains:
                    supplied = _supplied(step.id, main, mains)
                    for recipe in tracker.recipes(main, state[2]):
                        here, available = state, state[2]
                        for supply in recipe:
                            available = tracker.after(supply, available)
                            there: StateKey = (point, supplied, available)
                            add(here, there, step, "supply", supply)
                            here = there
                        end = step_edge.target
                        useful = frozenset(
                            key for key in tracker.after(main, available) if last_use.get(key, -1) >= rank[end]
                        )
                        there = (end, "", useful)
                        add(here, there, step, "step", main)
                        at_point[end][there] = None
                        moved = True
                if not moved:
                    stuck[step.id] = None
    # Nothing is still of use at the end, so that every complete way ends in one state.
    return RawGraph(start, (lattice.end, "", frozenset()), tuple(edges.values()), tuple(stuck))


def _supplied(step: str, main: Supply, mains: Sequence[Supply]) -> str:
    """What is being supplied: the step; with the needs of its tool when its tools need different things.

    Tools that need the same share every state on the way. Did others share them too, one could be reached by a
    recipe that was made for another and holds more than it needs.
    """
    if len({other.needs for other in mains}) == 1:
        return step
    return f"{step} ({', '.join(map(str, main.needs)) or 'nothing'})"


def _last_uses(
    lattice: Lattice,
    rank: Mapping[int, int],
    steps: Mapping[str, GraphStep],
    selections: Mapping[str, Selection],
    backtrackers: Mapping[str, Backtracker],
) -> dict[ArtifactKey, int]:
    """The rank of the last control point at which some step could still use each artifact."""
    uses: dict[str, set[ArtifactKey]] = {}
    last: dict[ArtifactKey, int] = {}
    for edge in lattice.edges:
        step = steps[edge.step.id]
        if step.id not in uses:
            uses[step.id] = _could_use(step, selections[step.id], backtrackers[step.id])
        for key in uses[step.id]:
            last[key] = max(last.get(key, -1), rank[edge.source])
    return last


def _could_use(step: GraphStep, selection: Selection, tracker: Backtracker) -> set[ArtifactKey]:
    """Everything that any tool for this step needs, directly or through its suppliers."""
    found: set[ArtifactKey] = set()
    open_keys = [key for tool in selection.tools for key in tracker.supply(tool, step.step.subtask).needs]
    while open_keys:
        key = open_keys.pop()
        if key not in found:
            found.add(key)
            open_keys.extend(need for provider in tracker.providers(key.type) for need in provider.needs)
    return found
