"""What a run tells the world while it goes on: one typed stream for progress, journal and report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from costa_dsl.compiler.graph import Invocation
from costa_dsl.runtime.attempts import Attempt


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool was chosen; `why` is the sentence that the table at the end shows too."""

    number: int
    invocation: Invocation
    why: str


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """One attempt, accepted or not."""

    number: int
    invocation: Invocation
    attempt: Attempt
    threshold: float


@dataclass(frozen=True, slots=True)
class ToolReused:
    """The same tool on the same input was run before; its result is taken again."""

    number: int
    invocation: Invocation


@dataclass(frozen=True, slots=True)
class ToolLeftOut:
    """A tool does not run: by what was measured of the target, its result would not be good enough."""

    invocation: Invocation
    reason: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that was stopped goes on: so many attempts, with the seconds of their tools, stand in its journal."""

    attempts: int
    seconds: float


Event = ToolStarted | AttemptEnded | ToolReused | ToolLeftOut | Resumed
Observer = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The observer that nobody listens to."""
