"""What is known of steps' targets in a run: as soon as it can be, from the most exact artifact, each thing once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costa_dsl.compiler.graph import ArtifactKey, GraphStep
from costa_dsl.compiler.select import resolve_steps
from costa_dsl.diagnostics import Sink
from costa_dsl.model.artifact import Box, TextLine
from costa_dsl.runtime.context import Context, asked_color, subject_of, watched
from costa_dsl.store.artifacts import ArtifactRef, ArtifactStore
from tests.compiler.test_cases import graph
from tests.conftest import make_plan

SIZE = (200, 300)


def step(text: str) -> GraphStep:
    (found,) = resolve_steps(make_plan(f"- {text}"), Sink()).values()
    return found


def scene() -> np.ndarray[Any, Any]:
    picture = np.full((*SIZE, 3), (30, 60, 140), dtype=np.uint8)
    picture[50:100, 100:180] = (220, 40, 40)
    return picture


def box(x0: float, y0: float, x1: float, y1: float) -> Box:
    return Box(x0, y0, x1, y1, "ball", 0.9)


def line(x0: float, y0: float, x1: float, y1: float, text: str) -> TextLine:
    edges = tuple(index / len(text) for index in range(len(text) + 1))
    return TextLine(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, 0.99, edges)


class Counted:
    """A store that counts how often it is read."""

    def __init__(self, root: Path) -> None:
        self.store = ArtifactStore(root)
        self.reads = 0

    def get(self, ref: ArtifactRef) -> Any:
        self.reads += 1
        return self.store.get(ref)

    def at_hand(self, artifacts: Mapping[ArtifactKey, Any]) -> dict[ArtifactKey, ArtifactRef]:
        return {key: self.store.put(key.type, value) for key, value in artifacts.items()}


def test_a_box_in_the_plan_is_known_at_once(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    context = Context(counted.get)
    image = counted.store.put("image", scene())
    removal = step("{do: object-recoloration, object: ball, at: {box: [100, 50, 60%, 50%]}, to: red}")
    found = context.features(removal, image, {})
    assert found["area"] == 80 * 50 / (200 * 300)
    assert found["instances"] == 1
    assert found["background"] == 0
    assert 0 < found["color_distance"] < 10
    assert found["contrast"] > 40
    assert "text" not in found


def test_nothing_is_known_before_something_tells(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    image = counted.store.put("image", scene())
    for text in (
        "{do: object-removal, object: ball}",
        "{do: object-removal, object: ball, at: {color: red}}",
        "{do: object-removal, object: ball, at: {point: [120, 60]}}",
        "{do: text-removal, text: CLOSED}",
        "{do: outpainting, left: 10%}",
        "{do: text-addition, text: CLOSED}",
    ):
        assert Context(counted.get).features(step(text), image, {}) == {}, text


def test_each_thing_is_measured_once_and_anew_when_something_changes(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    context = Context(counted.get)
    image = counted.store.put("image", scene())
    removal = step("{do: object-removal, object: ball}")
    boxes = counted.at_hand({ArtifactKey("boxes", "ball"): (box(100, 50, 180, 100),)})
    first = context.features(removal, image, boxes)
    reads = counted.reads
    assert context.features(removal, image, boxes) is first
    assert counted.reads == reads
    other = scene()
    other[:] = np.random.default_rng(1).integers(0, 256, other.shape)
    assert context.features(removal, counted.store.put("image", other), boxes)["background"] > 0.5
    mask = np.zeros(SIZE, dtype=bool)
    mask[50:100, 100:140] = True
    more = boxes | counted.at_hand({ArtifactKey("mask", "ball"): mask})
    assert context.features(removal, image, more)["area"] == first["area"] / 2
    assert context.features(removal, image, boxes) is first


def test_what_belongs_to_another_thing_tells_nothing(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    image = counted.store.put("image", scene())
    removal = step("{do: object-removal, object: ball}")
    foreign = counted.at_hand({ArtifactKey("boxes", "cup"): (box(100, 50, 180, 100),)})
    assert Context(counted.get).features(removal, image, foreign) == {}


def test_the_most_exact_artifact_tells() -> None:
    removal = step("{do: object-removal, object: ball, at: {box: [0, 0, 10, 10]}}")
    mask = np.zeros(SIZE, dtype=bool)
    mask[50:60, 100:120] = True
    boxes = (box(100, 50, 180, 100), box(0, 0, 20.5, 20))
    by = {
        "plan": subject_of(removal, SIZE, {}),
        "boxes": subject_of(removal, SIZE, {"boxes": boxes}),
        "mask": subject_of(removal, SIZE, {"boxes": boxes, "mask": mask}),
    }
    assert {name: (int(found.mask.sum()), found.instances) for name, found in by.items() if found} == {
        "plan": (100, 1),
        "boxes": (80 * 50 + 21 * 20, 2),
        "mask": (200, 2),
    }


def test_a_mask_of_another_canvas_is_not_used() -> None:
    removal = step("{do: object-removal, object: ball}")
    assert subject_of(removal, SIZE, {"mask": np.ones((10, 10), bool)}) is None


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("{do: text-removal, text: CLOSED}", 101 * 21),
        ("{do: text-removal, text: WE ARE CLOSED}", 201 * 21),
        ("{do: text-redaction, pattern: 'now|WE ARE'}", 101 * 21),
        ("{do: object-recoloration, object: word, at: {text: CLOSED}, to: green}", 101 * 21),
        ("{do: text-removal, text: OPEN}", None),
        ("{do: text-addition, text: CLOSED}", None),
    ],
)
def test_words_are_known_once_they_are_read(text: str, area: int | None) -> None:
    lines = (line(20, 40, 120, 60, "WE ARE"), line(120, 40, 220, 60, "CLOSED"))
    found = subject_of(step(text), SIZE, {"text": lines})
    assert (None if found is None else int(found.mask.sum())) == area
    if found is not None:
        assert found.lines == lines


def test_regions_that_nobody_has_read_tell_of_text_but_not_which() -> None:
    regions = {"text-regions": (line(20, 40, 120, 60, "x"),)}
    assert subject_of(step("{do: text-removal, text: CLOSED}"), SIZE, regions) is None
    found = subject_of(step("{do: object-removal, object: sign, at: {box: [0, 0, 150, 90]}}"), SIZE, regions)
    assert found is not None
    assert found.lines == regions["text-regions"]


@pytest.mark.parametrize(("to", "color"), [("red", (255, 0, 0)), ("'#102030'", (16, 32, 48)), ("a beach", None)])
def test_the_color_that_a_step_asks_for(to: str, color: tuple[int, int, int] | None) -> None:
    assert asked_color(step(f"{{do: changing-scenery, to: {to}}}")) == color
    assert asked_color(step("{do: object-removal, object: ball}")) is None


def test_only_steps_with_conditional_rows_are_watched() -> None:
    assert [found.id for found in watched(graph("background: plain | 0.95"))] == ["object-removal"]
    assert watched(graph()) == ()
