"""The best path of a plan as a workflow of ComfyUI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from costa_dsl.catalog.load import load_catalog
from costa_dsl.diagnostics import Diagnostic, Sink, SourceText
from costa_dsl.exchange.comfyui import Workflow, to_comfyui
from costa_dsl.exchange.comfyui_nodes import nodes_of
from costa_dsl.model.objective import CostaObjective
from costa_dsl.model.tool import Tool
from costa_dsl.resources import data_folder
from costa_dsl.schema import check_document
from costa_dsl.search.search import forecast
from costa_dsl.syntax import read_documents
from tests.conftest import checked_compile, make_catalog, make_plan, make_tool
from tests.exchange.comfyui_facts import NODES, assert_sound

SCALE = """comfyui:
  nodes:
    enlarge:
      class_type: ImageScaleBy
      inputs: {image: {artifact: image}, upscale_method: lanczos, scale_by: {word: scale}}
  outputs: {image: {node: enlarge}}"""
MODEL = """comfyui:
  nodes:
    shrink:
      class_type: ImageScaleBy
      inputs: {image: {node: grow}, upscale_method: area, scale_by: {word: scale, times: 0.25}}
    grow: {class_type: ImageUpscaleWithModel, inputs: {upscale_model: {node: load}, image: {artifact: image}}}
    load: {class_type: UpscaleModelLoader, inputs: {model_name: RealESRGAN_x4plus.pth}}
  outputs: {image: {node: shrink, slot: 0}}"""
FLIP = """comfyui:
  nodes:
    turn:
      class_type: ImageFlip
      inputs:
        image: {artifact: image}
        flip_method: {word: axis, choices: {horizontal: "y-axis: horizontally", vertical: "x-axis: vertically"}}
  outputs: {image: {node: turn}}"""
MASK = """grounds: [mask]
comfyui:
  nodes: {load: {class_type: LoadImageMask, inputs: {image: {place: mask}, channel: red}}}
  outputs: {mask: {node: load}}"""
SHARPEN = """parameters: {gain: {type: number, default: 1.5}}
comfyui:
  nodes:
    sharpen:
      class_type: ImageSharpen
      inputs: {image: {artifact: image}, sharpen_radius: 2, sigma: 1, alpha: {parameter: gain}}
  outputs: {image: {node: sharpen}}"""


def export(
    tree: str, tools: str, rows: dict[tuple[str, str], tuple[float, float]], head: str = "", lenient: bool = False
) -> Workflow | list[Diagnostic]:
    """The workflow, or the errors."""
    catalog = make_catalog(tools, rows)
    graph = checked_compile(make_plan(tree, head), catalog, lenient=lenient).graph
    best = forecast(graph, CostaObjective(1.0))
    sink = Sink()
    path = [label.invocation for label in best.path() if label.invocation is not None]
    workflow = to_comfyui(graph, path, catalog, sink)
    if workflow is None:
        return [found for found in sink if found.severity == "error"]
    assert not sink.has_errors
    assert_sound(workflow)
    return workflow


def inputs(workflow: Workflow | list[Diagnostic]) -> list[tuple[str, dict[str, Any]]]:
    assert isinstance(workflow, dict), [(found.code, found.message) for found in workflow]
    return [(node["class_type"], node["inputs"]) for node in workflow.values()]


def errors(found: Workflow | list[Diagnostic]) -> list[tuple[str, str]]:
    assert isinstance(found, list), found
    return [(one.code, one.message) for one in found]


def test_one_node() -> None:
    workflow = export(
        "  - {do: image-upscaling, scale: 2}",
        make_tool("resize", "image-upscaling", more=SCALE),
        {("resize", "image-upscaling"): (1, 0.9)},
        "name: twice\ninputs: {image: photos/market.jpg}",
    )
    assert workflow == {
        "1": {"class_type": "LoadImage", "inputs": {"image": "market.jpg"}, "_meta": {"title": "Load Image"}},
        "2": {
            "class_type": "ImageScaleBy",
            "inputs": {"image": ["1", 0], "upscale_method": "lanczos", "scale_by": 2},
            "_meta": {"title": "image-upscaling: resize"},
        },
        "3": {
            "class_type": "SaveImage",
            "inputs": {"images": ["2", 0], "filename_prefix": "twice"},
            "_meta": {"title": "Save Image"},
        },
    }


def test_several_nodes_in_any_order_of_the_manifest_constants_and_choices() -> None:
    workflow = export(
        "  - {do: flip, axis: vertical}\n  - {do: image-upscaling, scale: 2}",
        make_tool("mirror", "flip", more=FLIP) + make_tool("model", "image-upscaling", more=MODEL),
        {("mirror", "flip"): (1, 1), ("model", "image-upscaling"): (1, 1)},
    )
    assert inputs(workflow)[1:] == [
        ("ImageFlip", {"image": ["1", 0], "flip_method": "x-axis: vertically"}),
        ("UpscaleModelLoader", {"model_name": "RealESRGAN_x4plus.pth"}),
        ("ImageUpscaleWithModel", {"upscale_model": ["3", 0], "image": ["2", 0]}),
        ("ImageScaleBy", {"image": ["4", 0], "upscale_method": "area", "scale_by": 0.5}),
        ("SaveImage", {"images": ["5", 0], "filename_prefix": "test"}),
    ]


def test_a_mask_that_one_tool_supplies_to_another() -> None:
    invert = """comfyui:
  nodes: {other: {class_type: InvertMask, inputs: {mask: {artifact: mask}}},
          fill: {class_type: ImageInvert, inputs: {image: {artifact: image}}}}
  outputs: {image: {node: fill}}"""
    workflow = export(
        "  - {do: object-removal, object: cup, at: {mask: masks/cup.png}}",
        make_tool("from-file", "grounding", gives="mask", more=MASK)
        + make_tool("erase", "object-removal", needs="image, mask", more=invert),
        {("from-file", "grounding"): (0.1, 1), ("erase", "object-removal"): (1, 0.9)},
        lenient=True,  # there is no such file
    )
    assert inputs(workflow)[1:4] == [
        ("LoadImageMask", {"image": "masks/cup.png", "channel": "red"}),
        ("InvertMask", {"mask": ["2", 0]}),
        ("ImageInvert", {"image": ["1", 0]}),
    ]


def test_a_parameter() -> None:
    workflow = export(
        "  - {do: sharpen}", make_tool("crisp", "sharpen", more=SHARPEN), {("crisp", "sharpen"): (1, 0.9)}
    )
    assert inputs(workflow)[1] == ("ImageSharpen", {"image": ["1", 0], "sharpen_radius": 2, "sigma": 1, "alpha": 1.5})


def test_each_tool_without_nodes_is_told_once() -> None:
    found = export(
        "  - {do: image-upscaling, scale: 2}\n  - {do: sharpen}\n  - {do: image-upscaling, scale: 3}",
        make_tool("resize", "image-upscaling") + make_tool("crisp", "sharpen"),
        {("resize", "image-upscaling"): (1, 0.9), ("crisp", "sharpen"): (1, 0.9)},
    )
    assert errors(found) == [
        ("COS5101", "the tool resize on the best path does not say which nodes of ComfyUI do its job"),
        ("COS5101", "the tool crisp on the best path does not say which nodes of ComfyUI do its job"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{node: grow}", "{node: grown}", '"grown" is no node here'),
        ("{artifact: image}", "{artifact: mask}", '"mask" is nothing that the tool needs'),
        ("{node: load}", "{parameter: gain}", '"gain" is no parameter of the tool'),
        ("{node: shrink, slot: 0}", "{node: shrunk}", '"shrunk" is no node here'),
        ("outputs: {image:", "outputs: {mask:", '"mask" comes out here, and tool does not give it'),
        ("{artifact: image}", "{node: shrink}", 'the node "shrink" waits for nodes that wait for it'),
        ("{artifact: image}", "{artifact: image, word: scale}", "a value comes from one place"),
        ("{artifact: image}", "{default: 3}", "a value comes from one place"),
    ],
)
def test_nodes_that_do_not_hold_together(old: str, new: str, message: str) -> None:
    assert old in MODEL
    found = export(
        "  - {do: image-upscaling, scale: 2}",
        make_tool("tool", "image-upscaling", more=MODEL.replace(old, new)),
        {("tool", "image-upscaling"): (1, 0.9)},
    )
    told = errors(found)
    assert {code for code, _ in told} == {"COS5102"}
    assert any(one.startswith(message) for _, one in told), told


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ("{word: size}", 'the step has no "size", and the node takes its value from there'),
        ('{word: scale, choices: {"3": x}}', '"2" is none of the values that the node has words for: 3'),
        ("{word: scale, times: 1.0e+308}", "the value is inf, and JSON has no such number"),
        ("{place: box}", 'the step has no "box", and the node takes its value from there'),
    ],
)
def test_values_that_are_not_there(scale: str, message: str) -> None:
    tool = make_tool("resize", "image-upscaling", more=SCALE.replace("{word: scale}", scale))
    found = export("  - {do: image-upscaling, scale: 2}", tool, {("resize", "image-upscaling"): (1, 0.9)})
    assert errors(found) == [("COS5103", message)]


@pytest.mark.parametrize("scale", [".inf", "{word: scale, times: .nan}"])
def test_numbers_without_end_are_no_manifest(scale: str) -> None:
    text = make_tool("resize", "image-upscaling", more=SCALE.replace("{word: scale}", scale))
    sink = Sink()
    (document,) = read_documents(SourceText("t.yaml", text), sink)
    check_document(document, sink)
    assert sink.has_errors


def test_a_default_stands_in() -> None:
    tool = make_tool("crisp", "sharpen", more=SHARPEN.replace("{parameter: gain}", "{word: amount, default: 0.5}"))
    assert inputs(export("  - {do: sharpen}", tool, {("crisp", "sharpen"): (1, 0.9)}))[1][1]["alpha"] == 0.5


PACKAGED = sorted(
    path
    for path in data_folder("tools").glob("*.yaml")
    if "comfyui" in yaml.safe_load(path.read_text(encoding="utf-8"))
)


def test_some_packaged_tool_has_nodes() -> None:
    assert "lanczos" in [path.stem for path in PACKAGED]


@pytest.mark.parametrize("path", PACKAGED, ids=lambda path: path.stem)
def test_packaged_nodes_are_real(path: Path) -> None:
    catalog = load_catalog("default", Sink())
    sink = Sink()
    declared = nodes_of(catalog.tools[path.stem], sink)
    assert list(sink) == []
    assert declared is not None
    for node in declared.nodes:
        takes, _ = NODES[node.class_type]
        assert set(node.inputs) == set(takes)


NAME = st.sampled_from(["a", "b", "image", "mask", "scale"])
SOURCE = st.one_of(
    st.integers(-3, 3),
    st.text(st.characters(codec="ascii"), max_size=3),
    st.dictionaries(
        st.sampled_from(["artifact", "node", "word", "place", "parameter", "default"]), NAME, min_size=1, max_size=2
    ),
)
NODE = st.fixed_dictionaries({"class_type": st.just("X"), "inputs": st.dictionaries(NAME, SOURCE, max_size=3)})
DECLARED = st.fixed_dictionaries(
    {
        "nodes": st.dictionaries(NAME, NODE, min_size=1, max_size=3),
        "outputs": st.dictionaries(NAME, st.fixed_dictionaries({"node": NAME}), min_size=1, max_size=2),
    }
)


@given(DECLARED)
@settings(max_examples=200, deadline=None)
def test_any_declaration_gives_nodes_or_findings(declared: dict[str, Any]) -> None:
    manifest = yaml.safe_load(make_tool("t", "image-upscaling")) | {"comfyui": declared}
    sink = Sink()
    (document,) = read_documents(SourceText("t.yaml", json.dumps(manifest)), sink)
    assert check_document(document, sink) == "Tool", list(sink)
    nodes = nodes_of(Tool.from_document(document), sink)
    assert (nodes is None) == sink.has_errors
    if nodes is not None:
        seen: set[str] = set()
        for node in nodes.nodes:
            assert set(node.before()) <= seen
            seen.add(node.name)
