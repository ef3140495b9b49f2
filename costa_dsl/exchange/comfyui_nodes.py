"""What a manifest says under `comfyui:`: which nodes of ComfyUI do the tool's job, and what goes into them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from costa_dsl.diagnostics import Diagnostic, Related, Sink, closest
from costa_dsl.model.origin import Origin
from costa_dsl.model.tool import Tool

KEY = "comfyui"
SOURCES = ("artifact", "node", "word", "place", "parameter")


@dataclass(frozen=True, eq=False)
class NodeInput:
    """What goes into one input of a node.

    Attributes:
        source: `value` for a constant, else `artifact`, `node`, `word`, `place` or `parameter`.
        name: what the source is called: an artifact type, a node, a word, a key of `at:`, a parameter.
        slot: the output of the node, from 0.
        times: a number that the value is multiplied with.
        choices: what the node calls each value.
        value: the constant, or what stands in when the step does not say the word; None when there is none.
    """

    source: str
    name: str
    slot: int
    times: float | None
    choices: Mapping[str, Any]
    value: Any
    origin: Origin


@dataclass(frozen=True, eq=False)
class ComfyNode:
    """One node; inputs by name, in the order of the manifest."""

    name: str
    class_type: str
    inputs: Mapping[str, NodeInput]
    origin: Origin

    def before(self) -> Iterator[str]:
        """The nodes of the same tool that must come first."""
        return (source.name for source in self.inputs.values() if source.source == "node")


@dataclass(frozen=True, eq=False)
class ComfyNodes:
    """The nodes of one tool, each after those that it takes from; where each artifact comes out: (node, slot)."""

    nodes: tuple[ComfyNode, ...]
    outputs: Mapping[str, tuple[str, int]]


def nodes_of(tool: Tool, sink: Sink) -> ComfyNodes | None:
    """What a manifest declares; None when it declares nothing, or (with errors in the sink) nothing that holds."""
    document: Any = tool.origin.document.value
    if KEY not in document:
        return None
    value = document[KEY]
    origin = tool.origin.at(KEY)
    nodes = {name: _node(name, entry, origin.at("nodes", name)) for name, entry in value["nodes"].items()}
    outputs = {artifact: (entry["node"], entry.get("slot", 0)) for artifact, entry in value["outputs"].items()}
    faults = Sink()
    faults.extend(_faults(tool, nodes, outputs, origin))
    sink.extend(faults)
    return None if faults.has_errors else ComfyNodes(tuple(_sorted(nodes)), outputs)


def _node(name: str, entry: Mapping[str, Any], origin: Origin) -> ComfyNode:
    inputs = {key: _input(value, origin.at("inputs", key)) for key, value in entry["inputs"].items()}
    return ComfyNode(name, entry["class_type"], inputs, origin)


def _input(value: Any, origin: Origin) -> NodeInput:
    if not isinstance(value, dict):
        return NodeInput("value", "", 0, None, {}, value, origin)
    source = next((source for source in SOURCES if source in value), "")
    return NodeInput(
        source,
        value.get(source, ""),
        value.get("slot", 0),
        value.get("times"),
        value.get("choices") or {},
        value.get("default"),
        origin,
    )


def _faults(
    tool: Tool, nodes: Mapping[str, ComfyNode], outputs: Mapping[str, tuple[str, int]], origin: Origin
) -> Iterator[Diagnostic]:
    for node in nodes.values():
        for source in node.inputs.values():
            written: Any = source.origin.document.value_at(source.origin.route)
            if isinstance(written, dict) and len(set(SOURCES) & set(written)) != 1:
                message = f"a value comes from one place: {', '.join(SOURCES[:-1])} or {SOURCES[-1]}"
                yield Diagnostic("COS5102", message, source.origin.span(), help="write one of them, or a constant")
                continue
            known = {"node": nodes, "artifact": tool.needs, "parameter": tool.parameters}.get(source.source)
            if known is not None and source.name not in known:
                yield _unknown(source.source, source.name, list(known), source.origin.at(source.source), tool)
    for artifact, (name, _) in outputs.items():
        if name not in nodes:
            yield _unknown("node", name, list(nodes), origin.at("outputs", artifact, "node"), tool)
        if artifact not in tool.gives:
            message = f'"{artifact}" comes out here, and {tool.name} does not give it'
            help = f"it gives: {', '.join(tool.gives)}"
            yield Diagnostic("COS5102", message, origin.span("outputs", artifact, key=True), help=help)
    for artifact in tool.gives:
        if artifact not in outputs:
            message = f'{tool.name} gives "{artifact}", and no node is said to bring it out'
            yield Diagnostic("COS5102", message, origin.span("outputs"), help=f"add `{artifact}: {{node: …}}`")
    for node in _circular(nodes):
        message = f'the node "{node.name}" waits for nodes that wait for it'
        yield Diagnostic("COS5102", message, node.origin.span(), help="let each node take from nodes before it")


def _unknown(kind: str, name: str, known: list[str], origin: Origin, tool: Tool) -> Diagnostic:
    near = closest(name, known)
    what = {"node": "no node here", "artifact": "nothing that the tool needs", "parameter": "no parameter of the tool"}
    label = f'did you mean "{near}"?' if near else f"known: {', '.join(known) or 'none'}"
    related = (Related("the tool", tool.origin.span("name")),)
    return Diagnostic("COS5102", f'"{name}" is {what[kind]}', origin.span(), label=label, related=related)


def _circular(nodes: Mapping[str, ComfyNode]) -> list[ComfyNode]:
    placed = {node.name for node in _sorted(nodes)}
    return [node for node in nodes.values() if node.name not in placed]


def _sorted(nodes: Mapping[str, ComfyNode]) -> list[ComfyNode]:
    """The nodes, each after those that it takes from; those that wait for each other are left out."""
    found: dict[str, ComfyNode] = {}
    waiting = list(nodes.values())
    while ready := [node for node in waiting if all(name in found or name not in nodes for name in node.before())]:
        found.update((node.name, node) for node in ready)
        waiting = [node for node in waiting if node.name not in found]
    return list(found.values())
