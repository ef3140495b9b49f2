"""A graph that was compiled before, made ready for this machine."""

from __future__ import annotations

from dataclasses import replace

from costa_dsl.catalog.availability import missing
from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.canonicalize import digest
from costa_dsl.compiler.compile import Compiled
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.compiler.read import read_graph
from costa_dsl.compiler.select import Selection
from costa_dsl.diagnostics import CostaError, Diagnostic, Sink
from costa_dsl.model.plan import Plan
from costa_dsl.syntax import Document


def load_graph(
    document: Document,
    catalog: Catalog,
    sink: Sink,
    plan: Plan | None = None,
    *,
    assume_available: bool = False,
) -> Compiled:
    """Read a graph; ways through tools that this machine lacks are left out, with a warning for each tool.

    Raises:
        CostaError: the graph is not sound, or no complete way is left.
    """
    graph = read_graph(document, catalog, sink, plan)
    if graph is None:
        raise CostaError(*sink.sorted())
    if assume_available:
        return Compiled(graph, {})
    lacking = {name: missing(catalog.tools[name]) for name in sorted({found.tool for found in graph.invocations})}
    lacking = {name: lacks for name, lacks in lacking.items() if lacks}
    if not lacking:
        return Compiled(graph, {})
    told = {name: "; ".join(f"{lack.what} ({lack.command})" for lack in lacks) for name, lacks in lacking.items()}
    kept = without_tools(graph, frozenset(lacking))
    if kept is None:
        message = "every way through this graph needs a tool that this machine lacks"
        raise CostaError(
            Diagnostic(
                "COS4102",
                message,
                document.span(("kind",)),
                help="\n".join(f"{name}: {reason}" for name, reason in told.items()),
            )
        )
    return Compiled(replace(kept, digest=digest(kept)), {"": Selection((), told)})


def without_tools(graph: ToolpathGraph, excluded: frozenset[str]) -> ToolpathGraph | None:
    """The graph without the ways through some tools; None when no complete way is left."""
    kept = [found for found in graph.invocations if found.tool not in excluded]
    forward = {graph.start}
    for found in kept:
        if found.source in forward:
            forward.add(found.target)
    backward = {graph.goal}
    for found in reversed(kept):
        if found.target in backward:
            backward.add(found.source)
    alive = forward & backward
    if graph.start not in alive or graph.goal not in alive:
        return None
    return replace(
        graph,
        states=tuple(state for state in graph.states if state.id in alive),
        invocations=tuple(found for found in kept if found.source in alive and found.target in alive),
    )
