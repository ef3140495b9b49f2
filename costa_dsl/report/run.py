"""The table at the end of a run, made of its record."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from costa_dsl.compiler.drawing.words import count
from costa_dsl.compiler.select import Selection
from costa_dsl.model.objective import shown
from costa_dsl.report.graph import proof_words
from costa_dsl.report.table import table
from costa_dsl.search.space import Certificate


def describe_run(
    record: Mapping[str, Any],
    directory: Path,
    title: str,
    selections: Mapping[str, Selection] | None = None,
    output: str | None = None,
    checks: bool = False,
) -> str:
    """The text that `costa exec` prints: one line a tool, what was not taken, the totals, and where everything lies.

    Args:
        record: the run record (schemas/run-record.schema.json).
        title: of the objective: what its rank is, for people.
        selections: which tools the compiler left out of each step, and why.
        output: where the finished picture was written, besides the run directory.
        checks: whether to list what every check measured.
    """
    steps = record["steps"]
    header = ["step", "did", "tool", "seconds", "quality", "attempts", "why"]
    lines = [table(header, [_row(step) for step in steps], right=(3, 4, 5))] if steps else []
    lines.extend(
        f"rejected: {step['tool']} for {step['id']} ({count(step['attempts'], 'attempt')}): {step['problem']}\n"
        for step in record["rejected"]
    )
    lines.extend(
        f"left out: {tool} for {step}: {reason}\n"
        for step, selection in (selections or {}).items()
        for tool, reason in selection.excluded.items()
    )
    if checks:
        lines.extend(
            f"{step['id']}: {check['check']} {check['score']:.2f}: {check['sentence']}\n"
            for step in steps
            for check in step["checks"]
        )
    path, totals = record["path"], record["totals"]
    reached = (
        f"path {path['seconds']:.2f} s, quality {path['quality']:.3f}, {title}: "
        f"{shown(tuple(path['objective']))} ({_proven(path)})"
        if steps
        else "no step was done"
    )
    lines.append(
        f"{record['status']}: {reached}; {count(totals['executions'], 'execution')}{_cached(totals)}, "
        f"{totals['seconds']:.2f} s of tools, {totals['wall_seconds']:.1f} s in all\n"
    )
    lines.append(f"run directory: {directory}\n")
    if output is not None:
        lines.append(f"picture: {output}\n")
    elif record["status"] == "completed":
        lines.append(f"picture: {directory / record['output']}\n")
    else:
        lines.append(f"furthest picture: {directory / record['output']}\n")
    return "".join(lines)


def _row(step: Mapping[str, Any]) -> list[str]:
    quality = f"{step['quality']:.2f}" + ("" if step["measured"] else "?")
    seconds, attempts = f"{step['seconds']:.2f}", str(step["attempts"])
    return [step["id"], step["subtask"], step["tool"], seconds, quality, attempts, step["why"]]


def _proven(path: Mapping[str, Any]) -> str:
    proof = path["proof"]
    return proof_words(
        Certificate(proof["status"], tuple(path["objective"]), tuple(proof["bound"] or ()), proof["gap"])
    )


def _cached(totals: Mapping[str, int]) -> str:
    found, all_of_them = totals["cached"], totals["executions"]
    if not found:
        return ""
    return " found in the cache" if found == all_of_them else f" ({found} of them found in the cache)"
