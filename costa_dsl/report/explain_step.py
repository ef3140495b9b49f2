"""Why a step is done by this tool, and not by the others."""

from __future__ import annotations

from dataclasses import replace

from costa_dsl.compiler.compile import Compiled
from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.compiler.load import without_tools
from costa_dsl.model.objective import Objective, shown
from costa_dsl.report.table import table
from costa_dsl.search.search import forecast
from costa_dsl.search.space import Label


def explain_step(program: Compiled, name: str, objective: Objective) -> str:
    """Each tool for a step with the best whole path through it, each way to supply it, and each tool left out."""
    graph = program.graph
    best = forecast(graph, objective)
    chosen = {part.invocation.tool for part in best.path() if part.invocation and _does(part.invocation, name)}
    step = graph.steps.get(name)
    lines = [f"{name}" + (f": {step.step.subtask}" + (f" of {step.owner}" if step.owner else "") if step else "")]
    rows = []
    for tool in sorted({found.tool for found in graph.invocations if _does(found, name)}):
        path = best_through(graph, name, tool, objective)
        if path is None:
            continue
        own = next(found for found in graph.invocations if _does(found, name) and found.tool == tool)
        rows.append(
            [
                "*" if tool in chosen else "",
                tool,
                f"{own.seconds:.3g}",
                f"{own.quality:.2f}",
                f"{path.seconds:.3g}",
                f"{path.quality:.3f}",
                shown(path.rank(objective)),
                " → ".join(_supplies(path, name)) or "nothing",
            ]
        )
    header = [
        "",
        "tool",
        "seconds",
        "quality",
        "path seconds",
        "path quality",
        "path J" if objective.spec == "costa" else "path rank",
        "supplied by",
    ]
    if rows:
        lines.append(table(header, rows, right=(2, 3, 4, 5, 6)).rstrip("\n"))
        lines.append(f"* on the best path by {objective.title}: the smallest of the whole path wins, not of the step")
    else:
        lines.append("no path of the graph does this step")
    selection = program.selections.get(name)
    if selection is not None:
        lines += [f"not {tool}: {reason}" for tool, reason in selection.excluded.items()]
    return "\n".join(lines) + "\n"


def best_through(graph: ToolpathGraph, step: str, tool: str, objective: Objective) -> Label | None:
    """The best path on which one tool does a step; None when there is none."""
    # Rename the others out of the way: a path may then use the tool elsewhere, but nothing else for this step.
    marked = replace(
        graph,
        invocations=tuple(
            replace(found, tool="\0") if _does(found, step) and found.tool != tool else found
            for found in graph.invocations
        ),
    )
    only = without_tools(marked, frozenset({"\0"}))
    return forecast(only, objective) if only is not None else None


def _does(invocation: Invocation, step: str) -> bool:
    return invocation.step == step and invocation.role == "step"


def _supplies(path: Label, step: str) -> list[str]:
    return [
        part.invocation.tool
        for part in path.path()
        if part.invocation and part.invocation.step == step and part.invocation.role == "supply"
    ]
