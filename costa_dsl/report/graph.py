"""A compiled graph for people: its invocations with estimates, and the best path by the benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.compiler.select import Selection
from costa_dsl.model.objective import QUALITY, SECONDS, Objective, shown
from costa_dsl.report.table import table
from costa_dsl.search.estimates import Estimates
from costa_dsl.search.fronts import fronts_of
from costa_dsl.search.search import Forecast
from costa_dsl.search.space import Certificate


def count_paths(graph: ToolpathGraph) -> int:
    """How many complete paths a graph has."""
    return _ways_to(graph)[graph.goal]


def count_ways(graph: ToolpathGraph) -> int:
    """How many ways there are from the start to the end of some invocation: what `exhaustive` would run."""
    ways = _ways_to(graph)
    return sum(ways[found.source] for found in graph.invocations)


def _ways_to(graph: ToolpathGraph) -> dict[str, int]:
    """The number of ways from the start to each state."""
    ways = {state.id: 0 for state in graph.states}
    ways[graph.start] = 1
    for state in graph.states:
        for invocation in graph.outgoing[state.id]:
            ways[invocation.target] += ways[state.id]
    return ways


def describe(
    graph: ToolpathGraph, selections: Mapping[str, Selection], forecast: Forecast, objective: Objective
) -> str:
    """The text that `costa compile` prints."""
    best = forecast.label
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
        f"* best path by benchmark: {best.seconds:.3g} s, quality {best.quality:.3f}, "
        + (f"{best.usd:.3g} USD, " if best.usd else "")
        + f"{objective.title}: {shown(forecast.certificate.rank)} ({proof_words(forecast.certificate)})",
    ]
    for step, selection in selections.items():
        where = f"{step}: " if step else ""
        lines.extend(f"  {where}not {tool}: {reason}" for tool, reason in selection.excluded.items())
    return "\n".join(lines) + "\n"


def estimates(graph: ToolpathGraph) -> str:
    """For each state the artifacts at hand, and what is still to come at the best: the bounds of the search."""
    fronts = fronts_of(graph, Estimates(), frozenset({SECONDS, QUALITY}))
    rows = [
        [
            state.id.removeprefix("s-"),
            f"{min(point.least[0] for point in fronts.points[state.id]):.3g}",
            f"{max(point.least[1] for point in fronts.points[state.id]):.3f}",
            str(len(fronts.points[state.id])),
            ", ".join(map(str, state.artifacts)),
        ]
        for state in graph.states
    ]
    return table(["state", "least seconds", "best quality", "ways worth knowing", "at hand"], rows, right=(1, 2, 3))


def forecast_value(graph: ToolpathGraph, forecast: Forecast, objective: Objective) -> str:
    """The same as one JSON document."""
    best = forecast.label
    value = {
        "version": 2,
        "plan": graph.plan.name,
        "digest": graph.digest,
        "states": len(graph.states),
        "invocations": len(graph.invocations),
        "paths": count_paths(graph),
        "alpha": graph.plan.policy.alpha,
        "seconds": best.seconds,
        "quality": best.quality,
        "usd": best.usd,
        "objective": {"name": objective.spec, "rank": list(forecast.certificate.rank)},
        "proof": proof_value(forecast.certificate),
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


def proof_words(certificate: Certificate) -> str:
    """What is proven about a path, in a few words."""
    if certificate.status == "optimal":
        return "provably the best by the estimates"
    words = {
        "feasible": "not proven the best",
        "infeasible": "no path keeps what is demanded"
        if certificate.gap == 0
        else "no path that was found keeps what is demanded",
        "budget": "the budget ended the search",
        "cancelled": "the search was cancelled",
    }[certificate.status]
    if certificate.gap is None or not certificate.bound or certificate.status == "infeasible":
        return words
    return f"{words}: no path can rank below {shown(certificate.bound)}, {certificate.gap:.1%} less"


def proof_value(certificate: Certificate) -> dict[str, Any]:
    """A certificate as plain values; numbers that are not known are null."""
    return {
        "status": certificate.status,
        "bound": list(certificate.bound) or None,
        "gap": certificate.gap,
    }
