"""Past runs for people: the table of `costa runs list`, and what a run that was stopped has come to."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from costa_dsl.compiler.drawing.words import clean
from costa_dsl.report.cache import size
from costa_dsl.report.table import table
from costa_dsl.store.runs import RunSummary


def runs_table(runs: Sequence[RunSummary]) -> str:
    """One line a run."""
    header = ["run", "begun", "plan", "picture", "status", "steps", "tools", "size"]
    rows = [
        [
            clean(run.path.name),
            began(run),
            clean(run.plan) or "-",
            clean(run.picture) or "-",
            run.status,
            f"{run.done}/{run.steps}",
            f"{run.seconds:.1f} s",
            size(run.size),
        ]
        for run in runs
    ]
    return table(header, rows, right=(5, 6, 7))


def began(run: RunSummary) -> str:
    """When a run began, in local time."""
    return "-" if run.began is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(run.began))


def run_value(run: RunSummary) -> dict[str, Any]:
    """A run as plain values."""
    return {
        "path": str(run.path),
        "began": run.began,
        "plan": run.plan,
        "picture": run.picture,
        "status": run.status,
        "steps": {"done": run.done, "all": run.steps},
        "seconds": round(run.seconds, 4),
        "bytes": run.size,
    }


def describe_unfinished(run: RunSummary) -> str:
    """What a run without a record has come to, and what to do."""
    lines = [f"{run.status}: {run.done} of {run.steps} steps done, {run.seconds:.2f} s of tools"]
    lines.append(f"plan: {clean(run.plan) or '-'}, picture: {clean(run.picture) or '-'}, begun: {began(run)}")
    lines.append(f"run directory: {run.path}")
    if run.status == "stopped":
        lines.append(f"go on: costa exec --resume {run.path}")
    return "\n".join(lines) + "\n"
