"""Runs one attempt of one tool and turns whatever happens into a typed result."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from costa_dsl.catalog.availability import implementation
from costa_dsl.model.artifact import Box, Placement, TextLine, TextStyle
from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ModelCache, ToolCall, ToolFailure, ToolFunction


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

    `seconds` is working time; loading a model is counted apart, since it happens once per process.
    """

    seconds: float
    load_seconds: float
    values: Mapping[str, Any] = field(default_factory=dict)
    placement: Placement | None = None
    failure: Failure | None = None


class Executor(Protocol):
    """Where tools run."""

    models: ModelCache

    def run(self, tool: Tool, call: ToolCall, gives: tuple[str, ...]) -> Execution:
        """One attempt. Never raises for anything that the tool does."""


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


@dataclass
class InlineExecutor:
    """Runs tools in this process, one after the other."""

    find: Callable[[str], ToolFunction] = installed_function
    clock: Callable[[], float] = time.perf_counter
    models: ModelCache = field(default_factory=ModelCache)

    def run(self, tool: Tool, call: ToolCall, gives: tuple[str, ...]) -> Execution:
        loaded_before = self.models.load_seconds
        started = self.clock()
        values: dict[str, Any] = {}
        placement = None
        failure = None
        try:
            values = dict(self.find(tool.implementation)(call))
            placement = values.pop("placement", None)
            failure = _wrong_output(tool, call, values, placement, gives)
        except ToolFailure as expected:
            failure = Failure(expected.kind, expected.message, expected.help)
        except MemoryError:
            failure = Failure("out-of-memory", f"{tool.name} needs more memory than there is", "use a smaller picture")
        except Exception as error:
            message = f"{tool.name} crashed: {type(error).__name__}: {error}"
            failure = Failure("crash", message, log=traceback.format_exc())
        loading = self.models.load_seconds - loaded_before
        seconds = max(0.0, self.clock() - started - loading)
        if failure is not None:
            return Execution(seconds, loading, failure=failure)
        return Execution(seconds, loading, {name: values[name] for name in gives}, placement)


def _wrong_output(
    tool: Tool, call: ToolCall, values: Mapping[str, Any], placement: object, gives: tuple[str, ...]
) -> Failure | None:
    for artifact in gives:
        if artifact not in values:
            return Failure("invalid-output", f'{tool.name} did not give "{artifact}", which its manifest promises')
        if problem := _wrong_value(artifact, values[artifact], call):
            return Failure("invalid-output", f'{tool.name} gave a wrong "{artifact}": {problem}')
    if placement is not None and not isinstance(placement, Placement):
        return Failure("invalid-output", f"{tool.name} gave a placement of type {type(placement).__name__}")
    return None


def _wrong_value(artifact: str, value: Any, call: ToolCall) -> str | None:
    if artifact == "image":
        return _wrong_array(value, np.uint8, 3) or (
            None if value.shape[2] in (3, 4) else f"{value.shape[2]} channels, expected 3 or 4"
        )
    if artifact == "mask":
        wanted = call.image.shape[:2]
        return _wrong_array(value, np.bool_, 2) or (
            None if value.shape == wanted else f"size {value.shape}, expected {wanted}"
        )
    if artifact == "depth-map":
        return _wrong_array(value, np.float32, 2)
    kinds = {"boxes": Box, "text-regions": TextLine, "text": TextLine, "erased-text": TextLine, "text-style": TextStyle}
    kind = kinds.get(artifact)
    if kind and not (isinstance(value, tuple) and all(isinstance(item, kind) for item in value)):
        return f"expected a tuple of {kind.__name__}"
    return None


def _wrong_array(value: Any, dtype: type, dimensions: int) -> str | None:
    if not isinstance(value, np.ndarray):
        return f"expected an array, got {type(value).__name__}"
    if value.dtype != dtype or value.ndim != dimensions:
        return f"{value.ndim}-dimensional {value.dtype}, expected {dimensions}-dimensional {np.dtype(dtype)}"
    if value.size == 0:
        return "it is empty"
    return None
