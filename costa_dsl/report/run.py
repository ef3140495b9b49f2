"""The table at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping

from costa_dsl.compiler.drawing.words import count
from costa_dsl.compiler.select import Selection
from costa_dsl.model.objective import shown
from costa_dsl.report.graph import proof_words
from costa_dsl.report.table import table
from costa_dsl.runtime.execute import Outcome
from costa_dsl.runtime.result import Trace


def describe_run(
    outcome: Outcome, selections: Mapping[str, Selection], output: str | None, checks: bool = False
) -> str:
    """The text that `costa exec` prints: one line a tool, what was not taken, the totals, and where everything lies.

    Args:
        selections: which tools the compiler left out of each step, and why.
        output: where the finished picture was written, besides the run directory.
        checks: whether to list what every check measured.
    """
    record = outcome.record
    rows = [_row(trace) for trace in outcome.result.path]
    header = ["step", "did", "tool", "seconds", "quality", "attempts", "why"]
    lines = [table(header, rows, right=(3, 4, 5))] if rows else []
    rejected = [trace for trace in outcome.result.tried if not trace.accepted]
    lines.extend(
        f"rejected: {trace.invocation.tool} for {trace.invocation.step} "
        f"({len(trace.attempts)} attempt{'s' if len(trace.attempts) > 1 else ''}): {trace.best.summary}\n"
        for trace in rejected
    )
    lines.extend(
        f"left out: {tool} for {step}: {reason}\n"
        for step, selection in selections.items()
        for tool, reason in selection.excluded.items()
    )
    if checks:
        for trace in outcome.result.path:
            lines.extend(
                f"{trace.invocation.step}: {check.check} {check.score:.2f}: {check.sentence}\n"
                for check in trace.best.checks
            )
    path, totals = record["path"], record["totals"]
    reached = (
        f"path {path['seconds']:.2f} s, quality {path['quality']:.3f}, {outcome.objective.title}: "
        f"{shown(path['objective'])} ({proof_words(outcome.result.certificate)})"
        if rows
        else "no step was done"
    )
    lines.append(
        f"{record['status']}: {reached}; {count(totals['executions'], 'execution')}"
        f"{_cached(totals)}, "
        f"{totals['seconds']:.2f} s of tools, {totals['wall_seconds']:.1f} s in all\n"
    )
    lines.append(f"run directory: {outcome.directory.path}\n")
    if output is not None:
        lines.append(f"picture: {output}\n")
    elif record["status"] == "completed":
        lines.append(f"picture: {outcome.directory.path / record['output']}\n")
    else:
        lines.append(f"furthest picture: {outcome.directory.path / record['output']}\n")
    return "".join(lines)


def _row(trace: Trace) -> list[str]:
    found = trace.invocation
    quality = f"{trace.quality:.2f}" + ("" if trace.best.measured else "?")
    return [
        found.step,
        found.subtask,
        found.tool,
        f"{trace.seconds:.2f}",
        quality,
        str(len(trace.attempts)),
        trace.why,
    ]


def _cached(totals: Mapping[str, int]) -> str:
    found, all_of_them = totals["cached"], totals["executions"]
    if not found:
        return ""
    return " found in the cache" if found == all_of_them else f" ({found} of them found in the cache)"
