"""Prints a toolpath graph: YAML and canonical JSON for machines and people, DOT for drawings."""

from __future__ import annotations

import json
from collections.abc import Collection

from costa_dsl.compiler.graph import ToolpathGraph


def to_json(graph: ToolpathGraph) -> str:
    """JSON with a fixed order of keys and entries; the same graph gives the same bytes."""
    return json.dumps(graph.to_value(), indent=2, ensure_ascii=False) + "\n"


def to_yaml(graph: ToolpathGraph) -> str:
    """The same content as `to_json`, as YAML."""
    import yaml

    header = "# yaml-language-server: $schema=../schemas/toolpath-graph.schema.json\n"
    return header + yaml.dump(graph.to_value(), sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)


def to_dot(graph: ToolpathGraph, path: Collection[str] = ()) -> str:
    """A Graphviz drawing; invocations whose ids are in `path` are drawn bold."""
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
        lines.append(f"  {_quote(state.id)} [label={_quote(label)}{shape}];")
    for found in graph.invocations:
        purpose = found.step if found.role == "step" else found.subtask
        label = f"{found.tool}\n{purpose}\n{found.seconds:g} s, q {found.quality:g}"
        look = ", penwidth=2.5" if found.id in path else (", style=dashed" if found.role == "supply" else "")
        lines.append(f"  {_quote(found.source)} -> {_quote(found.target)} [label={_quote(label)}{look}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
