"""A run's progress as plain lines on stderr, one when a tool starts and one when an attempt ends."""

from __future__ import annotations

from typing import TextIO

from costa_dsl.runtime.events import AttemptEnded, Event, Resumed, ToolLeftOut, ToolReused, ToolStarted


class Progress:
    """An observer that writes lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        if isinstance(event, Resumed):
            made = "1 attempt was" if event.attempts == 1 else f"{event.attempts} attempts were"
            self._say(f"going on: {made} made before, {event.seconds:.2f} s of tools")
            return
        found = event.invocation
        if isinstance(event, ToolLeftOut):
            self._say(f"    {found.step}: {found.tool} is left out ({event.reason})")
            return
        what = f"[{event.number}] {found.step}" + (f" · {found.subtask}" if found.role == "supply" else "")
        if isinstance(event, ToolStarted):
            self._say(f"{what}: {found.tool} ({event.why})")
        elif isinstance(event, ToolReused):
            self._say(f"{what}: {found.tool} was run on this before; its result is used again")
        elif isinstance(event, AttemptEnded):
            attempt = event.attempt
            verdict = "ok" if attempt.accepted(event.threshold) else "not good enough"
            if attempt.failure is not None:
                verdict = "failed"
            found_there = ", found in the cache" if attempt.cached else ""
            measured = f"{attempt.seconds:.2f} s, quality {attempt.quality:.2f} ({attempt.summary})"
            self._say(f"{what}: {verdict}{found_there}, {measured}")

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)
