"""What is known of the targets of steps at some point of a run: measured as soon as it can be, each thing once.

A target's place is known at once where the plan names a box, else when boxes, a mask or lines of text are at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from costa_dsl.checks.features import Subject, measure_features
from costa_dsl.checks.region import box_mask, drawn, meant_lines
from costa_dsl.compiler.graph import ArtifactKey, GraphStep, ToolpathGraph
from costa_dsl.model.artifact import Box, TextLine
from costa_dsl.model.color import color_of
from costa_dsl.model.context import Features
from costa_dsl.store.artifacts import ArtifactRef
from costa_dsl.store.values import Mask

# Words that say which text a step works on. What `text-addition` calls `text` is still to be written.
TEXT_WORDS = frozenset({"text", "pattern", "kind"})
WRITES = frozenset({"text-addition"})


class Context:
    """Measures targets, and remembers what it has measured for the rest of the run.

    Args:
        get: reads a stored artifact.
    """

    def __init__(self, get: Callable[[ArtifactRef], Any]) -> None:
        self._get = get
        self._known: dict[tuple[str, ...], Features] = {}

    def features(self, step: GraphStep, image: ArtifactRef, artifacts: Mapping[ArtifactKey, ArtifactRef]) -> Features:
        """The features of a step's target in the picture as it is, as far as they can be known now; else empty.

        Args:
            step: as it stands in the graph: its target's references are followed.
            image: the current picture.
            artifacts: what is at hand besides it; the places in it are those of the current picture.
        """
        at_hand = {
            kind: artifacts[key]
            for kind in ("mask", "boxes", "text", "text-regions")
            for key in (ArtifactKey(kind, step.owner), ArtifactKey(kind))
            if key in artifacts and (kind.startswith("text") or key.owner == step.owner)
        }
        known = (step.id, image.digest, *(f"{kind} {ref.digest}" for kind, ref in at_hand.items()))
        if known not in self._known:
            self._known[known] = self._measure(step, image, at_hand)
        return self._known[known]

    def _measure(self, step: GraphStep, image: ArtifactRef, at_hand: Mapping[str, ArtifactRef]) -> Features:
        values = {kind: self._get(ref) for kind, ref in at_hand.items()}
        pixels = self._get(image)
        subject = subject_of(step, pixels.shape[:2], values)
        return {} if subject is None else measure_features(pixels, subject, asked_color(step))


def asked_color(step: GraphStep) -> tuple[int, int, int] | None:
    """The sRGB color that a step's `to` names; None when it names none."""
    to = step.step.arguments.get("to")
    return color_of(to) if isinstance(to, str) else None


def subject_of(step: GraphStep, size: tuple[int, int], artifacts: Mapping[str, Any]) -> Subject | None:
    """A step's target in a picture of (height, width), by the most exact artifact at hand; None when nothing tells.

    Args:
        artifacts: by type: `mask` and `boxes` of the target, `text` and `text-regions` of the whole picture.
    """
    lines = artifacts.get("text", artifacts.get("text-regions"))
    boxes: tuple[Box, ...] | None = artifacts.get("boxes")
    meant = _meant(step, artifacts)
    mask = artifacts.get("mask")
    if mask is not None and mask.shape == size:
        return Subject(mask, len(boxes) if boxes else None, lines)
    if meant:
        return Subject(drawn(meant, size), len(meant), lines)
    if boxes:
        return Subject(_covered([(box.x0, box.y0, box.x1, box.y1) for box in boxes], size), len(boxes), lines)
    box = step.target.place("box")
    if box is not None and not _works_on_text(step):
        return Subject(box_mask(box, size), 1, lines)
    return None


def _works_on_text(step: GraphStep) -> bool:
    return step.step.subtask not in WRITES and not TEXT_WORDS.isdisjoint(step.step.arguments)


def _meant(step: GraphStep, artifacts: Mapping[str, Any]) -> tuple[TextLine, ...]:
    """The lines that a step means by its words or by `at: {text: …}`, once the picture's text is read."""
    read = {"text": artifacts["text"]} if artifacts.get("text") else {}
    if not read:
        return ()
    place = step.target.place("text")
    if place is not None:
        return meant_lines(read, {"text": place})
    return meant_lines(read, step.step.arguments) if _works_on_text(step) else ()


def _covered(boxes: list[tuple[float, float, float, float]], size: tuple[int, int]) -> Mask:
    result: Mask = np.zeros(size, dtype=bool)
    for box in boxes:
        result |= box_mask(box, size)
    return result


def watched(graph: ToolpathGraph) -> tuple[GraphStep, ...]:
    """The steps of a graph whose features can change an estimate: some tool for them has cases."""
    names = {found.step for found in graph.invocations if found.cases}
    return tuple(step for name, step in graph.steps.items() if name in names)
