"""The passes: values that turn one form of the program into the next, in the order in which they stand in PASSES.

What they hand on is a `Unit`: the plan, the catalog, and whatever the passes before have found out. The functions
that do the work live in modules of the passes' names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.backtrack import Backtracker
from costa_dsl.compiler.canonicalize import canonicalize
from costa_dsl.compiler.cut import ALL, Scope, cut, steps_in
from costa_dsl.compiler.expand import Lattice, expand
from costa_dsl.compiler.graph import GraphStep, ToolpathGraph
from costa_dsl.compiler.lower import RawGraph, lower
from costa_dsl.compiler.select import Selection, Selector, resolve_steps
from costa_dsl.diagnostics import Sink
from costa_dsl.model.plan import Node, Plan


@dataclass(frozen=True, eq=False)
class Unit:
    """What is being compiled, as far as it has come; a field is empty until its pass has run.

    Attributes:
        scope: which part of the plan.
        assume_available: as if every tool of the catalog were installed here.
        steps: every step of the plan by id, its references followed (resolve).
        tree: the part of the plan's tree (resolve).
        lattice: control points joined by steps (expand).
        selections: the tools for each step (select).
        backtrackers: the ways to supply what those tools need (backtrack).
        raw: states and invocations without names (lower).
        graph: the toolpath graph (canonicalize); None when no complete path exists.
    """

    plan: Plan
    catalog: Catalog
    scope: Scope = ALL
    assume_available: bool = False
    steps: Mapping[str, GraphStep] = field(default_factory=dict)
    tree: Node | None = None
    lattice: Lattice | None = None
    selections: Mapping[str, Selection] = field(default_factory=dict)
    backtrackers: Mapping[str, Backtracker] = field(default_factory=dict)
    raw: RawGraph | None = None
    graph: ToolpathGraph | None = None

    @property
    def selector(self) -> Selector:
        return Selector(self.plan, self.catalog, self.assume_available)


class Pass(Protocol):
    """A pass: its name on the command line, and what it does; its docstring is its contract.

    `run` raises CostaError when the plan cannot be compiled any further.
    """

    name: ClassVar[str]

    def run(self, unit: Unit) -> Unit: ...


@dataclass(frozen=True, slots=True)
class Resolve:
    """Follow `at: {of: id}` to what it means, and cut the tree to the wanted part."""

    name: ClassVar[str] = "resolve"

    def run(self, unit: Unit) -> Unit:
        sink = Sink()
        steps = resolve_steps(unit.plan, sink)
        sink.raise_if_errors()
        tree = cut(unit.plan, unit.scope)
        wanted = steps_in(tree)
        return replace(unit, tree=tree, steps={name: step for name, step in steps.items() if name in wanted})


@dataclass(frozen=True, slots=True)
class Expand:
    """The tree becomes a lattice of finished subsets; items that commute stand in one canonical order."""

    name: ClassVar[str] = "expand"

    def run(self, unit: Unit) -> Unit:
        assert unit.tree is not None
        return replace(unit, lattice=expand(unit.tree, unit.catalog))


@dataclass(frozen=True, slots=True)
class Select:
    """Each step gets the tools that may do it here, and every other tool a reason why not."""

    name: ClassVar[str] = "select"

    def run(self, unit: Unit) -> Unit:
        selector = unit.selector
        return replace(unit, selections={name: selector.select(step) for name, step in unit.steps.items()})


@dataclass(frozen=True, slots=True)
class Backtrack:
    """Each step gets what finds the recipes for its tools: all needs (AND), each by any provider (OR), minimal."""

    name: ClassVar[str] = "backtrack"

    def run(self, unit: Unit) -> Unit:
        selector = unit.selector
        return replace(unit, backtrackers={name: Backtracker(selector, step) for name, step in unit.steps.items()})


@dataclass(frozen=True, slots=True)
class Lower:
    """Steps become tool calls between states of artifacts at hand; what is still fresh is used again."""

    name: ClassVar[str] = "lower"

    def run(self, unit: Unit) -> Unit:
        assert unit.lattice is not None
        return replace(unit, raw=lower(unit.lattice, unit.steps, unit.selections, unit.backtrackers))


@dataclass(frozen=True, slots=True)
class Canonicalize:
    """Dead ends go; the rest gets estimates, names made from its content, one order, and a digest."""

    name: ClassVar[str] = "canonicalize"

    def run(self, unit: Unit) -> Unit:
        assert unit.raw is not None
        return replace(unit, graph=canonicalize(unit.raw, unit.plan, unit.scope, unit.steps, unit.catalog))


PASSES: tuple[Pass, ...] = (Resolve(), Expand(), Select(), Backtrack(), Lower(), Canonicalize())
