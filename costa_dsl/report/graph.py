"""A compiled graph for people: its invocations with estimates, and the best path by the benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.compiler.select import Selection
from costa_dsl.report.table import table
from costa_dsl.search.estimates import Bounds, Estimates
from costa_dsl.search.objective import CostaObjective
from costa_dsl.search.search import Label


def count_paths(graph: ToolpathGraph) -> int:
    """How many complete paths a graph has."""
    ways = {state.id: 0 for state in graph.states}
    ways[graph.start] = 1
    for state in graph.states:
        for invocation in graph.outgoing[state.id]:
            ways[invocation.target] += ways[state.id]
    return ways[graph.goal]


def describe(graph: ToolpathGraph, selections: Mapping[str, Selection], best: Label, objective: CostaObjective) -> str:
    """The text that `costa compile` prints."""
    on_path = {part.invocation.id for part in best.path() if part.invocation}
    rows = [
        [
            "*" if found.id in on_path else "",
            found.step,
            found.subtask if found.role == "supply" else "",
            found.tool,
            f"{found.seconds:.3g}",
            f"{found.quality:.2f}",
            f"{found.source.removeprefix('s-')} → {found.target.removeprefix('s-')}",
        ]
        for found in graph.invocations
    ]
    paths = count_paths(graph)
    lines = [
        f"{graph.plan.name}: {len(graph.states)} states, {len(graph.invocations)} invocations, "
        f"{paths:,} path{'s' if paths != 1 else ''}",
        graph.digest,
        "",
        table(["", "step", "supplies", "tool", "seconds", "quality", "from → to"], rows, right=(4, 5)),
        f"* best path by benchmark at α {objective.alpha:g}: {best.seconds:.3g} s, quality {best.quality:.3f}, "
        f"J {objective.value(best.seconds, best.quality):.4g}",
    ]
    for step, selection in selections.items():
        where = f"{step}: " if step else ""
        lines.extend(f"  {where}not {tool}: {reason}" for tool, reason in selection.excluded.items())
    return "\n".join(lines) + "\n"


def estimates(graph: ToolpathGraph) -> str:
    """For each state the artifacts at hand, and what is still to come at the best: the bounds of the search."""
    bounds = Bounds.of(graph, Estimates())
    rows = [
        [
            state.id.removeprefix("s-"),
            f"{bounds.least_seconds[state.id]:.3g}",
            f"{bounds.greatest_quality[state.id]:.3f}",
            ", ".join(map(str, state.artifacts)),
        ]
        for state in graph.states
    ]
    return table(["state", "least seconds", "best quality", "at hand"], rows, right=(1, 2))


def forecast_value(graph: ToolpathGraph, best: Label, objective: CostaObjective) -> str:
    """The same as one JSON document."""
    value = {
        "version": 1,
        "plan": graph.plan.name,
        "digest": graph.digest,
        "states": len(graph.states),
        "invocations": len(graph.invocations),
        "paths": count_paths(graph),
        "alpha": objective.alpha,
        "seconds": best.seconds,
        "quality": best.quality,
        "objective": objective.value(best.seconds, best.quality),
        "path": [
            {
                "step": part.invocation.step,
                "subtask": part.invocation.subtask,
                "role": part.invocation.role,
                "tool": part.invocation.tool,
                "seconds": part.invocation.seconds,
                "quality": part.invocation.quality,
            }
            for part in best.path()
            if part.invocation
        ],
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
