"""Tools in this process: the simplest executor, and the one attempt that a worker process makes too."""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

import numpy as np

from costa_dsl.catalog.availability import implementation
from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ModelCache, ToolCall, ToolFailure, ToolFunction
from costa_dsl.runtime.executor import Execution, Failure, cancelled
from costa_dsl.runtime.output import checked_output
from costa_dsl.runtime.printed import Printed

FindFunction = Callable[[str], ToolFunction]
Clock = Callable[[], float]

# OpenCV's number for "cannot allocate"; its exception is no MemoryError.
_OPENCV_NO_MEMORY = -4


def installed_function(name: str) -> ToolFunction:
    """The function behind an implementation name.

    Raises:
        ToolFailure: no installed package brings it, or it cannot be imported.
    """
    entry = implementation(name)
    if entry is None:
        raise ToolFailure("unavailable", f'no installed package brings the implementation "{name}"')
    try:
        function: ToolFunction = entry.load()
    except (ImportError, AttributeError) as error:
        raise ToolFailure("unavailable", f'"{name}" cannot be loaded: {error}', "`costa tools doctor`") from error
    return function


def run_here(
    tool: str, find: Callable[[], ToolFunction], call: ToolCall, gives: tuple[str, ...], clock: Clock
) -> Execution:
    """One attempt in this process. Whatever the tool raises becomes a failure, except KeyboardInterrupt.

    Args:
        tool: its name, for the sentences.
        find: gives the tool's function; how long that takes counts as loading.
        call: its arrays are handed on read-only; its `models` are used.
    """
    loaded_before = call.models.load_seconds
    started = found = clock()
    values: dict[str, Any] = {}
    placement = failure = None
    try:
        function = find()
        found = clock()
        values, placement = checked_output(tool, call, function(_read_only(call)), gives)
    except ToolFailure as expected:
        failure = Failure(expected.kind, expected.message, expected.help)
    except (Exception, SystemExit) as error:
        failure = _failure(tool, error)
    importing = found - started
    loading = call.models.load_seconds - loaded_before
    seconds = max(0.0, clock() - started - importing - loading)
    return Execution(seconds, importing + loading, values, placement, failure)


def _failure(tool: str, error: BaseException) -> Failure:
    of_native_code = getattr(error, "code", None) == _OPENCV_NO_MEMORY or "std::bad_alloc" in str(error)
    if isinstance(error, MemoryError) or of_native_code:
        return Failure("out-of-memory", f"{tool} needs more memory than there is", "use a smaller picture")
    return Failure("crash", f"{tool} crashed: {type(error).__name__}: {error}"[:2000], log=traceback.format_exc())


def _read_only(call: ToolCall) -> ToolCall:
    artifacts = {name: _locked(value) for name, value in call.artifacts.items()}
    return replace(call, image=_locked(call.image), artifacts=artifacts)


def _locked(value: Any) -> Any:
    """The same array in a view that refuses to be written to."""
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


@dataclass
class InlineExecutor:
    """Runs tools in this process, one after the other. Nothing protects this process from them.

    Timeouts and memory limits do not hold here, and `cancel` waits for the tool that runs.

    Args:
        find: gives the function behind a manifest's implementation name.
        clock: seconds from any beginning.
    """

    find: FindFunction = installed_function
    clock: Clock = time.perf_counter
    models: ModelCache = field(default_factory=ModelCache)
    _turn: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _stopped: bool = field(default=False, init=False, repr=False)

    def run(self, tool: Tool, call: ToolCall, gives: tuple[str, ...]) -> Execution:
        with self._turn:
            if self._stopped:
                return Execution(0.0, 0.0, failure=cancelled(tool.name))
            printed = Printed()
            with contextlib.redirect_stdout(printed):
                execution = run_here(
                    tool.name,
                    lambda: self.find(tool.implementation),
                    replace(call, models=self.models),
                    gives,
                    self.clock,
                )
            return replace(execution, printed=printed.text())

    def cancel(self) -> None:
        self._stopped = True

    def close(self) -> None:
        self._stopped = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
