"""The paper's own table: its dependency graph, its choices, and the text branch that needs two things at once."""

from __future__ import annotations

import pytest

from costa_dsl.catalog.catalog import Catalog, dependency_edges
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.diagnostics import Sink
from costa_dsl.model.objective import CostaObjective
from costa_dsl.search.search import forecast
from tests.conftest import make_plan

RECOLOR = "- {do: object-recoloration, object: car, to: red}"
REPLACE = "- {do: object-replacement, object: cat, with: dog}"
REMOVE = "- {do: object-removal, object: cat}"


@pytest.mark.parametrize(
    ("tree", "alpha", "minimum"),
    [
        (RECOLOR, 1.0, 13.61),
        (RECOLOR, 1.5, 45.26),
        (REPLACE, 0.5, 3.66),
        (REPLACE, 1.0, 12.63),
        (REPLACE, 1.5, 43.59),
        (REMOVE, 0.5, 3.74),
        (REMOVE, 1.0, 13.12),
        (REMOVE, 1.5, 44.43),
    ],
)
def test_forecast_is_the_true_minimum_of_the_papers_table(
    paper: Catalog, tree: str, alpha: float, minimum: float
) -> None:
    compiled = compile_plan(make_plan(tree), paper, Sink(), assume_available=True)
    objective = CostaObjective(alpha)
    best = forecast(compiled.graph, objective)
    assert objective.value(best.seconds, best.quality) == pytest.approx(minimum, abs=0.006)


def test_the_rule_gives_the_papers_32_edges(paper: Catalog) -> None:
    edges = dependency_edges(paper.tools.values())

    def after(*names: str) -> set[str]:
        return {right for left, right in edges if left in names}

    assert len(edges) == 32
    assert len(paper.tools) + 1 == 29
    assert len(after("image")) == 14
    assert after("yolov7", "grounding-dino") == {"sam"}
    assert after("sam") == {"sd-erase", "sd-inpaint", "dall-e"}
    assert after("craft") == {"deepfont", "easyocr"}
    assert after("deepfont") == {"gpt-4o-text"}
    assert after("easyocr") == {"gpt-4o-text", "clip"}
    assert len(after("gpt-4o-text")) == 5
    assert after("dall-e-text", "sd-erase-text", "text-removal-by-painting") == {"pillow-writing"}


def test_a_tool_with_two_needs_gets_both_on_every_path(paper: Catalog) -> None:
    graph = compile_plan(make_plan("- {do: sentiment-analysis}"), paper, Sink(), assume_available=True).graph
    best = forecast(graph, CostaObjective(1.0))
    tools = [part.invocation.tool for part in best.path() if part.invocation]
    assert tools == ["craft", "deepfont", "easyocr", "gpt-4o-text"]
    assert len(graph.invocations) == 4
