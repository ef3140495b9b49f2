"""What every executor promises: one attempt of one tool in, a typed result out, whatever the tool does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

from costa_dsl.model.artifact import Placement
from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ToolCall


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt gave nothing, with a kind of `ToolFailure`; `log` is a traceback, for the run directory."""

    kind: str
    message: str
    help: str = ""
    log: str = ""


@dataclass(frozen=True)
class Execution:
    """What came of one attempt: values by artifact type, or a failure.

    `seconds` is working time; loading code and models is counted apart, since it happens once per process.
    `printed` is what the tool wrote to its standard output and error, shortened in the middle when there was much.
    """

    seconds: float
    load_seconds: float
    values: Mapping[str, Any] = field(default_factory=dict)
    placement: Placement | None = None
    failure: Failure | None = None
    printed: str = ""

    @property
    def log(self) -> str:
        """What a person who looks for the cause of a failure wants to read."""
        parts = (self.printed, self.failure.log if self.failure is not None else "")
        return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)

    def or_stop(self) -> Execution:
        """This execution, unless it was cancelled: then there is nothing to record, and the run ends.

        Raises:
            KeyboardInterrupt: the executor was told to cancel.
        """
        if self.failure is not None and self.failure.kind == "cancelled":
            raise KeyboardInterrupt
        return self


class Executor(Protocol):
    """Where tools run. Whoever makes an executor closes it; it is a context manager for that.

    All executors give the same values bit for bit: arrays are contiguous and in the order of bytes of this machine,
    everything else is what the store would give back (`runtime/output.py`).
    """

    def run(self, tool: Tool, call: ToolCall, gives: tuple[str, ...]) -> Execution:
        """One attempt. Never raises for anything that the tool does. Several threads may call it at a time.

        The executor supplies `call.models`; what the caller put there is not used.
        """

    def cancel(self) -> None:
        """End what runs, as `cancelled`, and everything that is asked for afterwards.

        May be called in a signal handler and in any thread.
        """

    def close(self) -> None:
        """End what runs, and leave no process and no file behind. Closing again does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def cancelled(tool: str) -> Failure:
    """The failure of an attempt that somebody stopped."""
    return Failure("cancelled", f"{tool} was stopped")
