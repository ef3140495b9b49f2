"""What the parent of a worker process knows about the attempt that runs in it: phases, times, how processes end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import psutil

from costa_dsl.model.tool import Tool
from costa_dsl.runtime.executor import Failure
from costa_dsl.runtime.printed import Printed

# Time for a process to start and to import costa, and for a tool to import its code and load its models. Generous:
# a busy machine with a cold disk is slow, and nothing but a defect takes as long.
START_SECONDS = 120.0
LOAD_SECONDS = 600.0
# How often memory is looked at; and the processes that a tool started, which takes longer to find out.
MEMORY_INTERVAL = 0.05
CHILDREN_INTERVAL = 0.5


class Ended(Exception):  # noqa: N818  (an expected outcome)
    """An attempt that ends without a result, and its worker with it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Watched:
    """One attempt as the parent sees it: in which phase it is, and for how long it may stay there."""

    def __init__(self, tool: Tool, clock: Callable[[], float] = time.monotonic) -> None:
        self.tool = tool
        self.phase = "start"
        self.printed = Printed()
        self.is_spoiled = False  # whether its worker can be used again
        self._clock = clock
        self._since = clock()
        self.look_at_memory = self._since + MEMORY_INTERVAL
        self.look_at_children = self._since + CHILDREN_INTERVAL
        self._spent = {"start": 0.0, "ready": 0.0, "load": 0.0, "work": 0.0}
        self._limits = {"start": START_SECONDS, "ready": START_SECONDS, "load": LOAD_SECONDS, "work": tool.timeout}

    def begin(self, phase: str) -> None:
        self._spent[self.phase] += self._clock() - self._since
        self.phase, self._since = phase, self._clock()

    def remaining(self) -> float:
        """Seconds that are left for the phase, all its pieces together."""
        return max(0.0, self._limits[self.phase] - self._time(self.phase))

    def worked(self) -> float:
        return self._time("work")

    def loaded(self) -> float:
        return self._time("load")

    def _time(self, phase: str) -> float:
        return self._spent[phase] + (self._clock() - self._since if phase == self.phase else 0.0)

    def too_long(self) -> Failure:
        name, limit = self.tool.name, self._limits[self.phase]
        if self.phase == "work":
            return Failure("timeout", f"{name} did not end within {limit:g} s", "raise `timeout` in its manifest")
        what = "loading its models" if self.phase == "load" else "starting its process"
        return Failure("timeout", f"{name} was still {what} after {limit:g} s")


def descendants(pid: int) -> list[psutil.Process]:
    try:
        found: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []
    return found


def signal_name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:
        return f"signal {number}"


def no_room(tool: str, error: OSError) -> Failure:
    message = f"there is no room for what {tool} is given: {error.strerror or error}"
    return Failure("out-of-memory", message, "make room in the temporary folder (TMPDIR)")


def worded(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def exit_of(pid: int) -> Any:
    """How a process has ended, None when it runs. It can be asked again, and its number stays taken."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
