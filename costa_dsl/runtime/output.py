"""What a tool gave, checked against what it promised, and brought into the one form that all executors give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from costa_dsl.model.artifact import Box, Placement, TextLine, TextStyle
from costa_dsl.runtime.call import ToolCall, ToolFailure
from costa_dsl.store.artifacts import decode, encode

_RECORDS: dict[str, type] = {
    "boxes": Box, "text-regions": TextLine, "text": TextLine, "erased-text": TextLine, "text-style": TextStyle,
}  # fmt: skip
_ARRAYS = ("image", "mask", "depth-map")
_NUMBERS = ("float", "int")


def checked_output(
    tool: str, call: ToolCall, returned: object, gives: tuple[str, ...]
) -> tuple[dict[str, Any], Placement | None]:
    """The values named in `gives`, and the placement.

    Arrays come back contiguous, everything else as the store would give it back: tuples for lists, plain numbers for
    numbers of NumPy. So a result is the same whether it came from this process or from another one.

    Args:
        tool: its name, for the sentences.
        call: what it was given; a mask must have the size of its picture.

    Raises:
        ToolFailure: `invalid-output`, with what is wrong.
    """
    if not isinstance(returned, Mapping):
        raise ToolFailure("invalid-output", f"{tool} gave {_named(returned)}, expected a mapping of artifacts")
    values: dict[str, Any] = {}
    for artifact in gives:
        if artifact not in returned:
            raise ToolFailure("invalid-output", f'{tool} did not give "{artifact}", which its manifest promises')
        value = returned[artifact]
        if problem := _wrong_value(artifact, value, call):
            raise ToolFailure("invalid-output", f'{tool} gave a wrong "{artifact}": {problem}')
        try:
            values[artifact] = _plain(artifact, value)
        except (TypeError, ValueError, RecursionError) as error:
            message = f'{tool} gave a wrong "{artifact}": {_reason(error)}'
            raise ToolFailure("invalid-output", message) from None
    placement = returned.get("placement")
    if placement is not None and (problem := _wrong_placement(placement)):
        raise ToolFailure("invalid-output", f"{tool} gave a wrong placement: {problem}")
    return values, _plain("placement", placement)


def _plain(artifact: str, value: Any) -> Any:
    if artifact in _ARRAYS:
        return np.ascontiguousarray(value).view(np.ndarray)
    return decode(artifact, encode(artifact, value)[0])


def _reason(error: Exception) -> str:
    if isinstance(error, ValueError):
        return "it holds a number that is not finite"  # the only values that canonical JSON refuses
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


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
        return _wrong_array(value, np.float32, 2) or (
            None if np.isfinite(value).all() else "it holds numbers that are not finite"
        )
    kind = _RECORDS.get(artifact)
    if kind is None:
        return None
    if not (isinstance(value, tuple) and all(isinstance(item, kind) for item in value)):
        return f"{_named(value)}, expected a tuple of {kind.__name__}"
    return next((problem for item in value if (problem := _wrong_record(item))), None)


def _wrong_array(value: Any, dtype: type, dimensions: int) -> str | None:
    if not isinstance(value, np.ndarray):
        return f"expected an array, got {type(value).__name__}"
    if value.dtype != dtype or value.ndim != dimensions:
        return f"{value.ndim}-dimensional {value.dtype}, expected {dimensions}-dimensional {np.dtype(dtype)}"
    if value.size == 0:
        return "it is empty"
    return None


def _wrong_record(record: Any) -> str | None:
    """What is wrong with the simple fields of a box or a line; the nested ones only have to hold finite numbers."""
    for part in fields(record):
        value = getattr(record, part.name)
        if part.type in _NUMBERS and not _is_finite(value):
            return f"{type(record).__name__}.{part.name} is {value!r:.60}, expected a finite number"
        if part.type == "str" and not isinstance(value, str):
            return f"{type(record).__name__}.{part.name} is {_named(value)}, expected a string"
        if part.type == "TextLine":
            if not isinstance(value, TextLine):
                return f"{type(record).__name__}.{part.name} is {_named(value)}, expected a TextLine"
            if problem := _wrong_record(value):
                return problem
        if part.name == "corners" and not _are_corners(value):
            return f"{type(record).__name__}.corners is {value!r:.60}, expected four pairs of finite numbers"
    return None


def _are_corners(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 4
        and all(isinstance(point, tuple) and len(point) == 2 and all(map(_is_finite, point)) for point in value)
    )


def _wrong_placement(placement: Any) -> str | None:
    if not isinstance(placement, Placement):
        return f"{_named(placement)}, expected a Placement"
    if problem := _wrong_record(placement):
        return problem
    if placement.scale_x <= 0 or placement.scale_y <= 0:
        return f"its scale is {placement.scale_x:g} × {placement.scale_y:g}, expected more than 0"
    return None


def _is_finite(value: Any) -> bool:
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return number and math.isfinite(value)


def _named(value: object) -> str:
    return f"a value of type {type(value).__name__}"
