"""A path of a toolpath graph as a workflow of ComfyUI, in the JSON form that its server takes ("API format").

    {"1": {"class_type": "LoadImage", "inputs": {"image": "market.jpg"}, "_meta": {"title": "…"}}, …}

A link to output 0 of node 1 is written `["1", 0]`. Every node stands behind those that it takes from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from costa_dsl.catalog.catalog import IMAGE, Catalog
from costa_dsl.compiler.graph import ArtifactKey, Invocation, ToolpathGraph
from costa_dsl.diagnostics import Diagnostic, Related, Severity, Sink
from costa_dsl.exchange.comfyui_nodes import KEY, ComfyNodes, NodeInput, nodes_of
from costa_dsl.model.tool import Tool

Workflow = dict[str, dict[str, Any]]
_SAMPLE = "sample:"
_NO_PICTURE = "picture.png"


def to_comfyui(graph: ToolpathGraph, path: Sequence[Invocation], catalog: Catalog, sink: Sink) -> Workflow | None:
    """The workflow of a path from the graph's start to its goal; None, with errors in the sink, when there is none.

    Every tool on the path must declare its nodes; the first attempt's parameters count.
    """
    tools = {invocation.tool: catalog.tools[invocation.tool] for invocation in path}
    found = Sink()
    declared: dict[str, ComfyNodes] = {}
    for name, tool in tools.items():
        nodes = nodes_of(tool, found)
        if nodes is not None:
            declared[name] = nodes
        elif not _declares(tool):
            found.add(_undeclared(graph, next(step for step in path if step.tool == name), tool))
    writer = _Writer(graph, found)
    writer.load(_picture_of(graph, sink))
    for invocation in path:
        if invocation.tool in declared:
            writer.call(invocation, tools[invocation.tool], declared[invocation.tool])
    sink.extend(found)
    if found.has_errors:
        return None
    writer.save(graph.plan.name)
    return writer.workflow


def _declares(tool: Tool) -> bool:
    document: Any = tool.origin.document.value
    return KEY in document


def _undeclared(graph: ToolpathGraph, invocation: Invocation, tool: Tool) -> Diagnostic:
    return Diagnostic(
        "COS5101",
        f"the tool {tool.name} on the best path does not say which nodes of ComfyUI do its job",
        graph.steps[invocation.step].step.origin.span("do"),
        label=f"done by {tool.name}" if invocation.role == "step" else f"needs {tool.name}",
        help=f"add `{KEY}:` to its manifest when there are such nodes, or choose another tool: "
        f"`tools: {{avoid: [{tool.name}]}}`",
        related=(Related("its manifest", tool.origin.span("name")),),
    )


def _picture_of(graph: ToolpathGraph, sink: Sink) -> str:
    """What the picture is called in ComfyUI's folder of inputs."""
    image = graph.plan.image
    if image and not image.startswith(_SAMPLE):
        return re.split(r"[\\/]", image)[-1] or _NO_PICTURE
    name = f"{image.removeprefix(_SAMPLE)}.png" if image else _NO_PICTURE
    found = f'the packaged picture "{image}" is no file' if image else "the plan names no picture"
    sink.add(
        Diagnostic(
            "COS5104",
            f'{found}: the workflow loads "{name}"',
            graph.plan.origin.span("inputs", "image") if image else None,
            Severity.WARNING,
            help="put the picture under this name into ComfyUI's folder of inputs, or change the node LoadImage",
        )
    )
    return name


@dataclass
class _Writer:
    """Numbers nodes and remembers where each artifact comes out."""

    graph: ToolpathGraph
    sink: Sink
    workflow: Workflow = field(default_factory=dict)
    at_hand: dict[ArtifactKey, list[Any]] = field(default_factory=dict)

    def node(self, class_type: str, inputs: dict[str, Any], title: str) -> str:
        name = str(len(self.workflow) + 1)
        self.workflow[name] = {"class_type": class_type, "inputs": inputs, "_meta": {"title": title}}
        return name

    def load(self, picture: str) -> None:
        self.at_hand[ArtifactKey(IMAGE)] = [self.node("LoadImage", {"image": picture}, "Load Image"), 0]

    def save(self, plan: str) -> None:
        picture = self.at_hand[ArtifactKey(IMAGE)]
        self.node("SaveImage", {"images": picture, "filename_prefix": plan}, "Save Image")

    def call(self, invocation: Invocation, tool: Tool, declared: ComfyNodes) -> None:
        """Add the nodes of one tool call."""
        needs = {IMAGE: ArtifactKey(IMAGE), **{key.type: key for key in invocation.needs}}
        names: dict[str, str] = {}
        for node in declared.nodes:
            inputs: dict[str, Any] = {}
            for name, source in node.inputs.items():
                if source.source == "node":
                    inputs[name] = [names[source.name], source.slot]
                elif source.source == "artifact":
                    # A tool whose nodes are unknown was to bring it: that is reported already.
                    inputs[name] = self.at_hand.get(needs[source.name], ["", 0])
                else:
                    inputs[name] = self.value(source, invocation, tool)
            names[node.name] = self.node(node.class_type, inputs, f"{invocation.step}: {tool.title}")
        gives = {key.type: key for key in invocation.gives}
        for artifact, (node_name, slot) in declared.outputs.items():
            key = ArtifactKey(IMAGE) if artifact == IMAGE else gives.get(artifact)
            if key is not None:
                self.at_hand[key] = [names[node_name], slot]

    def value(self, source: NodeInput, invocation: Invocation, tool: Tool) -> Any:
        """A constant, a parameter of the first attempt, or what the step says."""
        value = source.value if source.source == "value" else self._said(source, invocation, tool)
        value = source.value if value is None else value
        fault = ""
        if value is None:
            fault = f'the step has no "{source.name}", and the node takes its value from there'
        elif source.choices:
            if str(value) in source.choices:
                value = source.choices[str(value)]
            else:
                fault = f'"{value}" is none of the values that the node has words for: {", ".join(source.choices)}'
        elif not isinstance(value, str | bool | int | float):
            fault = f'"{source.name}" is a list, and what goes into a node is a text or a number'
        elif source.times is not None:
            if isinstance(value, str | bool):
                fault = f'"{source.name}" is "{value}", and only a number can be multiplied'
            else:
                value = value * source.times
        if not fault and isinstance(value, float) and not math.isfinite(value):
            fault = f"the value is {value}, and JSON has no such number"
        if fault:
            self._report(source, invocation, fault)
        return value

    def _said(self, source: NodeInput, invocation: Invocation, tool: Tool) -> Any:
        step = self.graph.steps[invocation.step]
        if source.source == "parameter":
            return tool.defaults().get(source.name)
        if source.source == "place":
            return dict(step.target.at).get(source.name)
        return step.target.object if source.name == "object" else step.step.arguments.get(source.name)

    def _report(self, source: NodeInput, invocation: Invocation, message: str) -> None:
        span = self.graph.steps[invocation.step].step.origin.span("do")
        related = (Related("the node's input", source.origin.span()),)
        help = "write it in the step, or give the input a `default:` in the manifest"
        self.sink.add(Diagnostic("COS5103", message, span, help=help, related=related))
