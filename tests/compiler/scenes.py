"""The small catalog that tests of the compiler share."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import ToolpathGraph
from tests.conftest import checked_compile, make_catalog, make_plan, make_tool

TOOLS = (
    make_tool("finder", "object-detection", gives="boxes", more="grounds: [object]")
    + make_tool("slow-finder", "object-detection", gives="boxes", more="grounds: [object]")
    + make_tool("masker", "object-segmentation", needs="image, boxes", gives="mask")
    + make_tool("color-finder", "grounding", gives="mask", more="grounds: [color]")
    + make_tool("painter", "object-recoloration", needs="image, mask")
    + make_tool("eraser", "object-removal", needs="image, mask")
    + make_tool("widener", "outpainting")
    + make_tool("reader", "text-detection", gives="text-regions")
    + make_tool("ocr", "text-extraction", needs="image, text-regions", gives="text")
    + make_tool("styler", "text-style-detection", needs="image, text", gives="text-style")
    + make_tool("wiper", "text-removal", needs="image, text", gives="image, erased-text")
    + make_tool("writer", "text-replacement", needs="image, erased-text, text-style")
)
PAIRS = {
    ("finder", "object-detection"): (0.1, 0.8),
    ("slow-finder", "object-detection"): (1.0, 1.0),
    ("masker", "object-segmentation"): (0.5, 0.9),
    ("color-finder", "grounding"): (0.1, 0.9),
    ("painter", "object-recoloration"): (0.2, 0.9),
    ("eraser", "object-removal"): (2.0, 0.9),
    ("widener", "outpainting"): (1.0, 0.9),
    ("reader", "text-detection"): (0.3, 0.95),
    ("ocr", "text-extraction"): (0.3, 0.95),
    ("styler", "text-style-detection"): (0.1, 0.9),
    ("wiper", "text-removal"): (0.3, 0.9),
    ("writer", "text-replacement"): (0.1, 0.9),
}
CATALOG = make_catalog(TOOLS, PAIRS)


def graph_of(tree: str, catalog: Catalog = CATALOG) -> ToolpathGraph:
    """The graph of a tree, with the verifier between all passes."""
    return checked_compile(make_plan(tree), catalog).graph


def paths(graph: ToolpathGraph, state: str | None = None) -> Iterator[tuple[str, ...]]:
    """Every complete path, as `step:tool` words."""
    state = state or graph.start
    if state == graph.goal:
        yield ()
    for found in graph.outgoing[state]:
        for rest in paths(graph, found.target):
            yield (f"{found.step}:{found.tool}", *rest)
