"""What a check looks at and what it says: the whole interface between costa and a check's code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from costa_dsl.model.artifact import Box, Placement, Target, TextLine

if TYPE_CHECKING:
    from costa_dsl.store.values import Image, Mask


class Instruments(Protocol):
    """Models that measure: costa runs an available tool for each, once per picture."""

    def read_text(self, image: Image) -> tuple[TextLine, ...] | None:
        """The lines of text in a picture, read; None when no tool on this machine can read."""

    def find(self, image: Image, expression: str) -> tuple[Box, ...] | None:
        """The boxes of an object (empty: it is not there); None when no tool here knows such objects."""


@dataclass(frozen=True)
class Evidence:
    """One finished attempt, as seen by the checks.

    Attributes:
        subtask: the subtask that was done.
        before, after: the pictures, uint8 H×W×3 or H×W×4 sRGB; the same array for an analysis.
        placement: where `before` lies in `after`, for edits that change the canvas.
        target, arguments, parameters: as in the tool's call.
        artifacts: what the tool was given, by artifact type.
        outputs: what the tool gave, by artifact type (without the picture).
        region: bool mask on the canvas of `before`: where the edit was allowed to act; None for the whole picture.
        instruments: models that measure.
    """

    subtask: str
    before: Image
    after: Image
    instruments: Instruments
    placement: Placement | None = None
    target: Target = field(default_factory=Target)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    region: Mask | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A measurement: a score in [0, 1], one sentence, and the numbers behind it."""

    check: str
    score: float
    sentence: str
    measured: Mapping[str, float] = field(default_factory=dict)

    def to_value(self) -> dict[str, Any]:
        """The result as plain values, rounded, for people and records."""
        return {
            "check": self.check,
            "score": round(self.score, 4),
            "sentence": self.sentence,
            "measured": {name: round(float(number), 6) for name, number in self.measured.items()},
        }

    def to_line(self) -> dict[str, Any]:
        """The result as plain values in full, for journals."""
        return {
            "check": self.check,
            "score": float(self.score),
            "sentence": self.sentence,
            "measured": {name: float(number) for name, number in self.measured.items()},
        }

    @staticmethod
    def from_line(line: Mapping[str, Any]) -> CheckResult:
        """The inverse of `to_line`."""
        return CheckResult(line["check"], line["score"], line["sentence"], line["measured"])


# A check's function. `wanted` is the value under `expect:` (True for a check without one). It gives None when
# there is nothing to measure here (no such model on this machine, no region): then it does not count.
CheckFunction = Callable[[Evidence, Any], CheckResult | None]
