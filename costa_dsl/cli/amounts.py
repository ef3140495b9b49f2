"""Amounts with a unit on the command line: sizes and spans of time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import click

# In bytes.
UNITS: dict[str, float] = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "tb": 1000**4}
UNITS |= {"kib": 1024, "mib": 1024**2, "gib": 1024**3, "tib": 1024**4}
# In days.
SPANS: dict[str, float] = {"": 1.0, "d": 1.0, "h": 1 / 24, "m": 1 / 1440, "min": 1 / 1440, "s": 1 / 86400, "w": 7.0}
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def amount(
    units: Mapping[str, float], example: str
) -> Callable[[click.Context, click.Parameter, str | None], float | None]:
    """The callback of an option that takes a number with a unit, or nothing; gives it in the base unit."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
        if value is None:
            return None
        match = _AMOUNT.fullmatch(value)
        unit = match[2].lower() if match else ""
        if match is None or unit not in units or math.isinf(float(match[1])):
            names = ", ".join(name for name in units if name)
            raise click.BadParameter(f'"{value}" is not a number with a unit of {names}, as in {example}.', ctx, param)
        return float(match[1]) * float(units[unit])

    return read
