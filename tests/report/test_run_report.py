"""What a person sees at the end of a run: the table, and the overlay that is never painted into the picture."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image

from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.select import Selection
from costa_dsl.diagnostics import Sink
from costa_dsl.model.artifact import Box, Placement
from costa_dsl.report.overlay import write_overlay
from costa_dsl.report.progress import Progress
from costa_dsl.report.run import describe_run
from costa_dsl.report.table import table
from costa_dsl.runtime.execute import Outcome, execute
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.store.pictures import LoadedPicture
from tests.conftest import make_catalog, make_plan, make_tool

CATALOG = make_catalog(
    make_tool("finder", "object-detection", gives="boxes", more="grounds: [object]")
    + make_tool("masker", "object-segmentation", gives="mask", more="grounds: [object]")
    + make_tool("widener", "outpainting"),
    {
        ("finder", "object-detection"): (0.1, 0.9),
        ("masker", "object-segmentation"): (0.1, 0.9),
        ("widener", "outpainting"): (0.1, 0.9),
    },
)


def blob() -> np.ndarray:
    mask = np.zeros((80, 100), bool)
    mask[50:70, 10:30] = True
    return mask


FUNCTIONS = {
    "finder": lambda call: {"boxes": (Box(40, 20, 70, 60, "cup", 0.9),)},
    "masker": lambda call: {"mask": blob()},
    "widener": lambda call: {
        "image": np.pad(call.image, ((0, 0), (int(call.arguments["left"]), 0), (0, 0)), mode="edge"),
        "placement": Placement(int(call.arguments["left"]), 0),
    },
}


def run(tmp_path: Path, tree: str, observer: Progress | None = None) -> Outcome:
    graph = compile_plan(make_plan(tree), CATALOG, Sink(), assume_available=True).graph
    picture = LoadedPicture(np.full((80, 100, 3), 100, np.uint8), "drawn")
    executor = InlineExecutor(find=FUNCTIONS.__getitem__)
    return execute(graph, CATALOG, picture, tmp_path / "run", observer or Progress(io.StringIO()), executor)


def test_the_overlay_is_another_picture_and_follows_the_canvas(tmp_path: Path) -> None:
    steps = ("object-detection, object: cup", "object-segmentation, object: blob", "outpainting, left: 50")
    outcome = run(tmp_path, "\n".join(f"- {{do: {step}}}" for step in steps))
    assert write_overlay(outcome) == "overlay.png"
    overlay = np.asarray(Image.open(tmp_path / "run" / "overlay.png").convert("RGB")).astype(int)
    output = np.asarray(Image.open(tmp_path / "run" / "output.png").convert("RGB")).astype(int)
    assert np.array_equal(output[:, 50:], np.full((80, 100, 3), 100))
    drawn = np.abs(overlay - output).max(axis=2) > 20
    assert drawn[30:58, 90].all()  # the left side of the box, moved by 50
    assert drawn[55:65, 65:75].all()  # the inside of the mask, moved by 50
    assert not drawn[66:, :45].any()


def test_a_plan_without_analysis_has_no_overlay(tmp_path: Path) -> None:
    assert write_overlay(run(tmp_path, "- {do: outpainting, left: 5}")) is None
    assert not (tmp_path / "run" / "overlay.png").exists()


LEFT_OUT = {"found": Selection((), {"other": "it is too slow"})}


def test_the_table_says_what_was_done_and_why(tmp_path: Path) -> None:
    text = describe_run(run(tmp_path, "- {do: object-detection, object: cup, id: found}"), LEFT_OUT, None, checks=True)
    (line,) = [line for line in text.splitlines() if line.startswith("found ")]
    assert "finder" in line
    assert "0.90?" in line  # no check measures how good a detection is
    assert "found: object-found" in text
    assert "left out: other for found: it is too slow" in text
    assert "completed: path" in text
    assert "output.png" in text


def test_progress_tells_each_start_and_end(tmp_path: Path) -> None:
    stream = io.StringIO()
    run(tmp_path, "- {do: object-detection, object: cup, id: found}", Progress(stream))
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("[1] found: finder (")
    assert lines[1].startswith("[1] found: ok, ")


def test_columns_are_as_wide_as_their_longest_cell() -> None:
    text = table(["a", "number"], [["漢字", "1"], ["x", "22"]], right=(1,))
    assert text.splitlines() == ["a     number", "----  ------", "漢字       1", "x         22"]
