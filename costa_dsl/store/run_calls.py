"""Finds an invocation of a stored run by what people call it: a step, a subtask, a tool, or its number."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic, closest
from costa_dsl.store.calls import Call
from costa_dsl.store.stored_runs import StoredRun


def calls_of(run: StoredRun, name: str) -> tuple[Call, ...]:
    """All invocations that a name may mean, in the order in which they ran.

    Args:
        name: a number as in `3` or `[3]`, the id of a step, else a subtask, else a tool.

    Raises:
        CostaError: COS6606 there is none.
    """
    number = re.fullmatch(r"\[?([0-9]{1,9})\]?", name)
    if number:
        found = tuple(call for call in run.calls if call.number == int(number[1]))
        if found:
            return found
    for kind in ("step", "subtask", "tool"):
        found = tuple(call for call in run.calls if getattr(call, kind) == name)
        if found:
            return found
    raise CostaError(_unknown(run, name), exit_code=3)


def one_call(run: StoredRun, name: str) -> Call:
    """The one invocation that a name means. The step's own one comes before those that supplied it.

    Raises:
        CostaError: COS6606 there is none, COS6607 there are several.
    """
    found = calls_of(run, name)
    own = tuple(call for call in found if not call.is_supply)
    if len(own) == 1:
        return own[0]
    if len(found) == 1:
        return found[0]
    shown = "\n".join(f"{told(call)}: {repro_command(run.path, call.number)}" for call in found[:8])
    raise CostaError(
        Diagnostic("COS6607", f'"{name}" may mean {len(found)} invocations of the run "{run.path}"', help=shown),
        exit_code=2,
    )


def repro_command(run: Path, number: int) -> str:
    """What runs an attempt of an invocation again."""
    return f"costa repro {shlex.quote(str(run))} {number}"


def told(call: Call) -> str:
    """An invocation as progress lines name it."""
    return f"[{call.number}] {call.step}" + (f" · {call.subtask}" if call.is_supply else "") + f": {call.tool}"


def _unknown(run: StoredRun, name: str) -> Diagnostic:
    message = f'no tool was started for "{name}" in the run "{run.path}"'
    names = list(dict.fromkeys(text for call in run.calls for text in (call.step, call.subtask, call.tool) if text))
    near = closest(name, names)
    if near:
        return Diagnostic("COS6606", message, help=f'did you mean "{near}"?')
    shown = "; ".join(told(call) for call in run.calls[:12])
    return Diagnostic("COS6606", message, help=f"it has: {shown}" if shown else "no tool was started in it")
