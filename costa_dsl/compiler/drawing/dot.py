"""A drawing for Graphviz."""

from __future__ import annotations

from collections.abc import Collection

from costa_dsl.compiler.drawing.words import call_tooltip, state_tooltip
from costa_dsl.compiler.graph import ToolpathGraph


def to_dot(graph: ToolpathGraph, path: Collection[str] = ()) -> str:
    """A drawing in Graphviz's language; invocations whose ids are in `path` are drawn bold."""
    lines = [
        f"digraph {_quote(graph.plan.name)} {{",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=10];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    for state in graph.states:
        at_hand = "\n".join(str(key) for key in state.artifacts)
        label = state.id.removeprefix("s-") + ("\n" + at_hand if at_hand else "")
        shape = ", shape=doublecircle" if state.id == graph.goal else ""
        tooltip = _quote(state_tooltip(state))
        lines.append(f"  {_quote(state.id)} [label={_quote(label)}{shape}, tooltip={tooltip}];")
    for found in graph.invocations:
        purpose = found.step if found.role == "step" else found.subtask
        label = f"{found.tool}\n{purpose}\n{found.seconds:g} s, q {found.quality:g}"
        look = ", penwidth=2.5" if found.id in path else (", style=dashed" if found.role == "supply" else "")
        tooltip = _quote(call_tooltip(graph, found, found.id in path))
        lines.append(
            f"  {_quote(found.source)} -> {_quote(found.target)} [label={_quote(label)}{look}, tooltip={tooltip}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
