"""The table at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from costa_dsl.compiler.drawing.words import count
from costa_dsl.compiler.select import Selection
from costa_dsl.model.objective import shown
from costa_dsl.model.objective_spec import ObjectiveError, read_objective
from costa_dsl.report.graph import proof_words
from costa_dsl.report.table import table
from costa_dsl.search.space import Certificate

if TYPE_CHECKING:
    from costa_dsl.runtime.execute import Outcome


def describe_run(
    outcome: Outcome, selections: Mapping[str, Selection], output: str | None, checks: bool = False
) -> str:
    """The text that `costa exec` prints: one line a tool, what was not taken, the totals, and where everything lies.

    Args:
        selections: which tools the compiler left out of each step, and why.
        output: where the finished picture was written, besides the run directory.
        checks: whether to list what every check measured.
    """
    left_out = [
        f"left out: {tool} for {step}: {reason}\n"
        for step, selection in selections.items()
        for tool, reason in selection.excluded.items()
    ]
    return describe_record(outcome.record, outcome.directory.path, left_out, output, checks)


def describe_record(
    record: Mapping[str, Any], folder: Path, more: Sequence[str] = (), output: str | None = None, checks: bool = False
) -> str:
    """The same text, made of a run record; `more` are lines that stand before the checks and the totals."""
    steps = record["steps"]
    header = ["step", "did", "tool", "seconds", "quality", "attempts", "why"]
    lines = [table(header, [_row(step) for step in steps], right=(3, 4, 5))] if steps else []
    lines.extend(
        f"rejected: {found['tool']} for {found['id']} ({count(found['attempts'], 'attempt')}): {found['problem']}\n"
        for found in record["rejected"]
    )
    lines.extend(more)
    if checks:
        lines.extend(
            f"{step['id']}: {check['check']} {check['score']:.2f}: {check['sentence']}\n"
            for step in steps
            for check in step["checks"]
        )
    path, totals = record["path"], record["totals"]
    reached = (
        f"path {path['seconds']:.2f} s, quality {path['quality']:.3f}, {_title(record['policy'])}: "
        f"{shown(tuple(path['objective']))} ({proof_words(_certificate(path['proof']))})"
        if steps
        else "no step was done"
    )
    lines.append(
        f"{record['status']}: {reached}; {count(totals['executions'], 'execution')}"
        f"{_cached(totals)}, "
        f"{totals['seconds']:.2f} s of tools, {totals['wall_seconds']:.1f} s in all\n"
    )
    lines.append(f"run directory: {folder}\n")
    if output is not None:
        lines.append(f"picture: {output}\n")
    elif record["status"] == "completed":
        lines.append(f"picture: {folder / record['output']}\n")
    else:
        lines.append(f"furthest picture: {folder / record['output']}\n")
    return "".join(lines)


def _row(step: Mapping[str, Any]) -> list[str]:
    quality = f"{step['quality']:.2f}" + ("" if step["measured"] else "?")
    return [
        step["id"],
        step["subtask"],
        step["tool"],
        f"{step['seconds']:.2f}",
        quality,
        str(step["attempts"]),
        step["why"],
    ]


def _title(policy: Mapping[str, Any]) -> str:
    """What the rank's numbers are; the objective's own words when a plug-in that is gone has brought it."""
    try:
        return read_objective(policy["objective"], policy["alpha"]).title
    except ObjectiveError:
        return str(policy["objective"])


def _certificate(proof: Mapping[str, Any]) -> Certificate:
    return Certificate(proof["status"], bound=tuple(proof["bound"] or ()), gap=proof["gap"])


def _cached(totals: Mapping[str, int]) -> str:
    found, all_of_them = totals["cached"], totals["executions"]
    if not found:
        return ""
    return " found in the cache" if found == all_of_them else f" ({found} of them found in the cache)"
