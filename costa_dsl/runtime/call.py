"""What a tool is given and what it gives back: the whole interface between costa and a tool's code."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from costa_dsl.model.artifact import Box, Target, TextLine, TextStyle
from costa_dsl.store.values import Image, Mask

T = TypeVar("T")


class ToolFailure(Exception):  # noqa: N818  (the field's word is failure: an expected outcome, not a bug)
    """A tool that cannot do its job says so with one sentence, and what would help.

    `kind` is one of `not-found` (the object or text is not there), `invalid-input`, `unsupported`,
    `unavailable`, `invalid-output`, `guarantee`; or of those that an executor finds: `crash`, `timeout`,
    `out-of-memory`, `cancelled`.
    """

    def __init__(self, kind: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.help = help


class ModelCache:
    """Loads each model once per process and keeps the loading time apart from the working time."""

    def __init__(self) -> None:
        self._models: dict[Hashable, Any] = {}
        self.load_seconds = 0.0

    def get(self, key: Hashable, load: Callable[[], T]) -> T:
        """The model under `key`, made by `load()` the first time it is asked for."""
        if key not in self._models:
            started = time.perf_counter()
            self._models[key] = load()
            self.load_seconds += time.perf_counter() - started
        model: T = self._models[key]
        return model


@dataclass(frozen=True)
class ToolCall:
    """One attempt of one tool.

    Attributes:
        subtask: the subtask to do; a tool may implement several.
        image: the current picture, uint8 H×W×3 or H×W×4, sRGB. Never written to.
        artifacts: the tool's other needs by artifact type: `boxes` (tuple of Box), `mask` (bool H×W),
            `text-regions` and `text` (tuple of TextLine), `text-style` (tuple of TextStyle), …
        target: what the step works on, if it names an object or a place.
        arguments: the step's words from the plan (`to`, `with`, `left`, `text` …), already type-checked.
            Words naming a file hold an absolute path.
        parameters: the tool's own parameters for this attempt, defaults filled in.
        objects: the manifest's `objects:`, label to synonyms: the closed vocabulary of a detector.
        models: the cache that keeps loaded models; the executor supplies it.
        seed: for tools that draw random numbers; a function of plan, step and attempt.
    """

    subtask: str
    image: Image
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    target: Target = field(default_factory=Target)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, Sequence[str]] = field(default_factory=dict)
    models: ModelCache = field(default_factory=ModelCache)
    seed: int = 0

    @property
    def boxes(self) -> tuple[Box, ...]:
        boxes: tuple[Box, ...] = self.artifacts["boxes"]
        return boxes

    @property
    def mask(self) -> Mask:
        mask: Mask = self.artifacts["mask"]
        return mask

    @property
    def text(self) -> tuple[TextLine, ...]:
        lines: tuple[TextLine, ...] = self.artifacts["text"]
        return lines

    @property
    def text_style(self) -> tuple[TextStyle, ...]:
        styles: tuple[TextStyle, ...] = self.artifacts["text-style"]
        return styles


# A tool's function: gives the artifacts that its manifest's `gives:` names, by type. An edit that changes
# the canvas also gives "placement" (a Placement). It raises ToolFailure when it cannot do its job.
ToolFunction = Callable[[ToolCall], Mapping[str, Any]]
