"""Stored runs in words and as plain values: the list of them, and what one that did not end has come to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from costa_dsl.compiler.drawing.words import count
from costa_dsl.report.cache import size
from costa_dsl.report.table import table
from costa_dsl.store.calls import Call
from costa_dsl.store.run_calls import repro_command
from costa_dsl.store.stored_runs import StoredRun

LIST_VERSION = SHOW_VERSION = 1


def run_table(runs: Iterable[StoredRun]) -> str:
    """One row a run, in the given order; what is no run has a row that says why."""
    rows = []
    for run in runs:
        name = run.path.name or str(run.path)
        if not run.is_run:
            rows.append([name, "-", "-", "-", run.state, "-", "-", size(run.size), run.problem])
            continue
        steps = f"{run.steps_done}/{run.steps}" if run.steps else f"{run.steps_done}/?"
        told = [name, _when(run.begun), run.plan_name, run.picture, run.state, steps]
        rows.append([*told, f"{run.seconds:.2f}", size(run.size), run.problem])
    header = ["run", "begun", "plan", "picture", "status", "steps", "seconds", "size", ""]
    if not any(row[-1] for row in rows):
        header, rows = header[:-1], [row[:-1] for row in rows]
    return table(header, rows, right=(5, 6, 7))


def run_value(run: StoredRun) -> dict[str, Any]:
    """A row of the list as plain values; what is not known is null."""
    known = run.is_run
    return {
        "run": str(run.path),
        "status": run.state,
        "begun": None if run.begun is None else round(run.begun, 3),
        "plan": run.plan if known else None,
        "picture": run.picture if known else None,
        "steps": {"done": run.steps_done, "all": run.steps} if known else None,
        "seconds": round(run.seconds, 4) if known else None,
        "bytes": run.size,
        "problem": run.problem or None,
    }


def describe_unfinished(run: StoredRun) -> str:
    """What a run without a record has done so far, and how it goes on."""
    rows = [call_row(call) for call in run.calls]
    lines = [table(CALL_HEADER, rows, right=(0, 4, 5, 6))] if rows else []
    state = run.state if run.state != "completed" else "completed, its run.json is missing or damaged"
    done = (
        f"{run.steps_done} of {count(run.steps, 'step')} done" if run.steps else f"{count(run.steps_done, 'step')} done"
    )
    attempts = sum(len(call.attempts) for call in run.calls)
    so_far = " so far" if run.state in ("stopped", "running") else ""
    lines.append(f"{state}: {done}{so_far}; {count(attempts, 'execution')}, {run.seconds:.2f} s of tools\n")
    lines.append(f"run directory: {run.path}\n")
    return "".join(lines)


CALL_HEADER = ["no.", "step", "did", "tool", "seconds", "quality", "attempts", "result"]


def call_row(call: Call) -> list[str]:
    """One invocation of a run."""
    best = call.best
    quality = "-" if best is None else f"{best['quality']:.2f}" + ("" if best["measured"] else "?")
    result = {True: "ok", False: "not good enough", None: "did not end"}[call.accepted]
    did = call.subtask or "-"
    return [
        str(call.number), call.step, did, call.tool, f"{call.seconds:.2f}", quality, str(len(call.attempts)), result,
    ]  # fmt: skip


def describe_call(run: StoredRun, call: Call) -> str:
    """Everything that is known of one invocation: what it was given, and each attempt with what came of it."""
    lines = [f"[{call.number}] {call.step}" + (f" · {call.subtask}" if call.is_supply else "") + f": {call.tool}\n"]
    lines.append(f"  why: {call.started['why']}\n")
    lines.extend(f"  given {name}: {path}\n" for name, path in inputs_of(run, call).items())
    for line in call.attempts:
        lines.append(
            f"  attempt {line['attempt']}: {line['seconds']:.2f} s, quality {line['quality']:.2f}"
            + ("" if line["measured"] else " (no check measures how good it is)")
            + (", found in the cache" if line.get("cached") else "")
            + "\n"
        )
        if line["parameters"]:
            shown = ", ".join(f"{name}: {value}" for name, value in line["parameters"].items())
            lines.append(f"    parameters: {shown}\n")
        lines.extend(f"    {check['check']} {check['score']:.2f}: {check['sentence']}\n" for check in line["checks"])
        if line.get("failure"):
            lines.append(f"    failed ({line['failure']['kind']}): {line['failure']['message']}\n")
        lines.extend(f"    gave {name}: {path}\n" for name, path in _paths(run, line["outputs"]).items())
        if (log := log_of(run, call, line)) is not None:
            lines.append(f"    log: {log}\n")
    if not call.attempts:
        lines.append("  no attempt has ended\n")
    lines.append(f"  again: {repro_command(run.path, call.number)}\n")
    return "".join(lines)


def call_value(run: StoredRun, call: Call) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "number": call.number,
        "step": call.step,
        "subtask": call.subtask or None,
        "role": call.invocation.get("role"),
        "tool": call.tool,
        "why": call.started["why"],
        "accepted": call.accepted,
        "inputs": inputs_of(run, call),
        "attempts": [
            {
                "attempt": line["attempt"],
                "parameters": line["parameters"],
                "seconds": line["seconds"],
                "quality": line["quality"],
                "measured": line["measured"],
                "cached": line["cached"],
                "checks": line["checks"],
                "failure": line.get("failure"),
                "outputs": _paths(run, line["outputs"]),
                "log": log_of(run, call, line),
            }
            for line in call.attempts
        ],
    }


def inputs_of(run: StoredRun, call: Call) -> dict[str, str]:
    """The files of what a tool was given, by type; empty when the journal is of a time when it did not say."""
    inputs = call.started.get("inputs")
    known = inputs if isinstance(inputs, dict) else {}
    refs = {name: ref for name, ref in known.items() if isinstance(ref, dict) and isinstance(ref.get("path"), str)}
    return _paths(run, refs)


def log_of(run: StoredRun, call: Call, line: Mapping[str, Any]) -> str | None:
    """The log file of a failed attempt, if it has one."""
    path = run.path / call.folder / f"attempt-{line['attempt']}.log"
    return str(path) if path.is_file() else None


def _paths(run: StoredRun, refs: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(run.path / "artifacts" / ref["path"]) for name, ref in refs.items()}


def _when(at: float | None) -> str:
    try:
        return "-" if at is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    except (OverflowError, ValueError, OSError):  # no time that a calendar has
        return "-"
