"""Small real tools, a catalog of them and a picture: what the tests of the interpreter share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.diagnostics import Sink
from costa_dsl.model.artifact import Placement
from costa_dsl.runtime.call import ToolCall, ToolFailure
from costa_dsl.runtime.execute import Outcome, execute
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.store.pictures import LoadedPicture
from tests.conftest import make_catalog, make_plan, make_tool

Tool = Callable[[ToolCall], Mapping[str, Any]]
RED = (200, 30, 30)


def picture() -> LoadedPicture:
    """A grey gradient with a blue square."""
    rows = np.linspace(90, 160, 96)[:, None, None]
    pixels = np.repeat(np.repeat(rows, 128, 1), 3, 2).astype(np.uint8)
    pixels[30:60, 40:80] = (30, 60, 200)
    return LoadedPicture(pixels, "drawn")


def find_blue(call: ToolCall) -> Mapping[str, Any]:
    return {"mask": (call.image[..., 2] > 180) & (call.image[..., 0] < 60)}


def paint(call: ToolCall) -> Mapping[str, Any]:
    image = call.image.copy()
    if call.parameters.get("strength", 1):
        image[call.mask] = RED
    return {"image": image}


def spill(call: ToolCall) -> Mapping[str, Any]:
    image = call.image.copy()
    image[call.mask] = RED
    image[0, 0] = RED
    return {"image": image}


def widen(call: ToolCall) -> Mapping[str, Any]:
    left = int(call.arguments["left"])
    return {"image": np.pad(call.image, ((0, 0), (left, 0), (0, 0)), mode="edge"), "placement": Placement(left, 0)}


def crash(call: ToolCall) -> Mapping[str, Any]:
    raise ZeroDivisionError("a defect of the tool")


def decline(call: ToolCall) -> Mapping[str, Any]:
    raise ToolFailure("not-found", "nothing of this kind here", "look elsewhere")


FUNCTIONS: dict[str, Tool] = {
    "finder": find_blue,
    "painter": paint,
    "widener": widen,
    "crashing": crash,
    "declining": decline,
    "spilling": spill,
    "float-image": lambda call: {"image": call.image.astype(np.float64) / 255},
    "flat-image": lambda call: {"image": call.image[..., 0]},
    "nothing-given": lambda call: {},
    "not-an-array": lambda call: {"image": [[1, 2], [3, 4]]},
    "wrong-size": lambda call: {"image": call.image[1:]},
    "unchanged": lambda call: {"image": call.image},
}
GUARANTEES = "guarantees: [outside-unchanged, canvas-size]"
EDITORS = [name for name in FUNCTIONS if name not in ("finder", "widener", "painter")]


def catalog_with(editor: str = "painter", more: str = GUARANTEES) -> Catalog:
    """A finder, a widener, the painter, and one more editor that looks faster and better than the painter."""
    tools = (
        make_tool("finder", "grounding", gives="mask", more="grounds: [color]")
        + make_tool("widener", "outpainting", more="guarantees: [original-kept]")
        + make_tool(
            "painter", "object-recoloration", needs="image, mask", more=more if editor == "painter" else GUARANTEES
        )
        + (make_tool(editor, "object-recoloration", needs="image, mask", more=more) if editor != "painter" else "")
    )
    rows = {
        ("finder", "grounding"): (0.01, 1.0),
        ("widener", "outpainting"): (0.01, 0.9),
        ("painter", "object-recoloration"): (5.0, 0.85),
        (editor, "object-recoloration"): (0.01 if editor != "painter" else 5.0, 0.95),
    }
    return make_catalog(tools, rows)


PAINT = "- {do: object-recoloration, object: square, at: {color: blue}, to: 'rgb(200,30,30)', id: paint}"


def compiled(catalog: Catalog, tree: str = PAINT, head: str = "") -> ToolpathGraph:
    return compile_plan(make_plan(tree, head), catalog, Sink(), assume_available=True).graph


def executor_with(functions: Mapping[str, Tool]) -> InlineExecutor:
    """The tools above and others, for which no time passes: what is decided does not depend on this machine."""
    return InlineExecutor(find={**FUNCTIONS, **functions}.__getitem__, clock=lambda: 0.0)


def run(tmp_path: Path, catalog: Catalog, tree: str = PAINT, head: str = "", **functions: Tool) -> Outcome:
    executor = InlineExecutor(find={**FUNCTIONS, **functions}.__getitem__)
    return execute(compiled(catalog, tree, head), catalog, picture(), tmp_path / "run", executor=executor)
