"""In what two stored runs differ: what they began with, the paths they took, their totals, their pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.report.table import table
from costa_dsl.store.stored_runs import StoredRun

VERSION = 1
_POLICY = ("objective", "alpha", "strategy")


@dataclass(frozen=True)
class Difference:
    """Attributes:
    began: name → what each began with, for all that may differ; equal pairs are kept.
    rows: one for each place of the paths: what the one did there and what the other did, None where a path has none.
    totals: name → both numbers.
    output: in words how far the finished pictures are apart; None when they are equal.
    """

    began: Mapping[str, tuple[Any, Any]]
    rows: tuple[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None], ...]
    totals: Mapping[str, tuple[float, float]]
    output: str | None

    @property
    def same_path(self) -> bool:
        """Whether both did the same with the same tools and parameters; seconds may differ."""
        return all(_did(one) == _did(other) for one, other in self.rows)

    @property
    def is_same(self) -> bool:
        return self.same_path and self.output is None


def difference_of(one: StoredRun, other: StoredRun, output: str | None) -> Difference:
    """Compare two runs; `output` is what their pictures differ in."""
    runs = (one, other)
    plans = [_plan(run) for run in runs]
    searches = [_search(run) for run in runs]
    policies = [plan.get("policy", {}) for plan in plans]
    names = sorted({name for policy in policies for name in policy if name not in _POLICY})
    images = [run.lines[0]["image"]["digest"] for run in runs]
    began: dict[str, tuple[Any, Any]] = {
        "status": (one.state, other.state),
        "picture": (_picture(one, images), _picture(other, images)),
        "plan": (one.plan, other.plan) if _bare(plans[0]) != _bare(plans[1]) else ("the same", "the same"),
        "graph": (_digest(searches[0]), _digest(searches[1])),
        "catalog": (one.lines[0]["catalog"], other.lines[0]["catalog"]),
        **{name: (searches[0].get(name), searches[1].get(name)) for name in _POLICY},
        **{name: (policies[0].get(name), policies[1].get(name)) for name in names},
    }
    totals = {
        "tools, s": (one.seconds, other.seconds),
        "executions": (float(_executions(one)), float(_executions(other))),
        "path, s": (_sum(one), _sum(other)),
        "path quality": (_product(one), _product(other)),
    }
    return Difference(began, _aligned(_path(one), _path(other)), totals, output)


def describe_difference(found: Difference, one: Path, other: Path) -> str:
    """A: and B: stand for the two; what is equal is left out but for the steps."""
    lines = [f"A: {one}\nB: {other}\n"]
    for name, (first, second) in found.began.items():
        if first != second:
            lines.append(f"{name}: {_shown(first)} in A, {_shown(second)} in B\n")
    rows = [_row(first, second) for first, second in found.rows]
    if rows:
        header = ["", "step", "did", "tool in A", "tool in B", "seconds A", "B", "quality A", "B"]
        lines.append(table(header, rows, right=(5, 6, 7, 8)))
    for name, (first, second) in found.totals.items():
        shown = (f"{value:.0f}" if name == "executions" else f"{value:.3f}" for value in (first, second))
        lines.append(f"{name}: {' in A, '.join(shown)} in B\n")
    lines.append(f"path: {'the same' if found.same_path else 'another'}\n")
    lines.append(f"output: {found.output or 'equal in every pixel'}\n")
    return "".join(lines)


def difference_value(found: Difference, one: Path, other: Path) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "version": VERSION,
        "first": str(one),
        "second": str(other),
        "same": found.is_same,
        "same_path": found.same_path,
        "same_output": found.output is None,
        "output": found.output,
        "differs": {name: list(pair) for name, pair in found.began.items() if pair[0] != pair[1]},
        "steps": [{"first": first, "second": second} for first, second in found.rows],
        "totals": {name: list(pair) for name, pair in found.totals.items()},
    }


def _row(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> list[str]:
    either = one or other or {}
    sign = " " if _did(one) == _did(other) else "≠"
    tools, seconds, quality = (
        [None if side is None else side[name] for side in (one, other)] for name in ("tool", "seconds", "quality")
    )
    return [
        sign, either["id"], either["subtask"], *("-" if tool is None else tool for tool in tools),
        *("-" if value is None else f"{value:.2f}" for value in (*seconds, *quality)),
    ]  # fmt: skip


def _did(step: Mapping[str, Any] | None) -> object:
    return None if step is None else (step["id"], step["subtask"], step["tool"], step["parameters"])


def _path(run: StoredRun) -> list[Mapping[str, Any]]:
    """What a run did: its path, or all that was good enough when it has no record."""
    if run.record is not None:
        wanted = ("id", "subtask", "role", "tool", "seconds", "quality", "parameters")
        return [{name: step[name] for name in wanted} for step in run.record["steps"]]
    return [
        {
            "id": call.step,
            "subtask": call.subtask,
            "role": call.invocation.get("role"),
            "tool": call.tool,
            "seconds": call.seconds,
            "quality": call.best["quality"] if call.best else 0.0,
            "parameters": call.best["parameters"] if call.best else {},
        }
        for call in run.calls
        if call.accepted
    ]


def _aligned(
    one: list[Mapping[str, Any]], other: list[Mapping[str, Any]]
) -> tuple[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None], ...]:
    """Both paths side by side: what serves the same step with the same subtask stands in one row."""
    from difflib import SequenceMatcher

    keys, other_keys = ([(step["id"], step["subtask"]) for step in path] for path in (one, other))
    rows: list[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]] = []
    for tag, start, end, other_start, other_end in SequenceMatcher(
        None, keys, other_keys, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            rows.extend(zip(one[start:end], other[other_start:other_end], strict=True))
        else:
            rows.extend((step, None) for step in one[start:end])
            rows.extend((None, step) for step in other[other_start:other_end])
    return tuple(rows)


def _plan(run: StoredRun) -> Mapping[str, Any]:
    plan = run.graph.get("plan")
    return plan if isinstance(plan, dict) and isinstance(plan.get("policy", {}), dict) else {}


def _bare(plan: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plan.items() if name != "policy"}


def _search(run: StoredRun) -> Mapping[str, Any]:
    return next((line for line in run.lines if line["event"] == "search"), {})


def _digest(search: Mapping[str, Any]) -> str:
    return str(search.get("graph", "-"))[:19]


def _picture(run: StoredRun, images: list[str]) -> str:
    """The picture's name; with its digest when the two runs had different ones."""
    digest = str(run.lines[0]["image"]["digest"])
    return "the same" if images[0] == images[1] else f"{run.picture} ({digest[:12]})"


def _executions(run: StoredRun) -> int:
    return sum(line["event"] == "attempt" for line in run.lines)


def _sum(run: StoredRun) -> float:
    return float(sum(step["seconds"] for step in _path(run)))


def _product(run: StoredRun) -> float:
    result = 1.0
    for step in _path(run):
        result *= step["quality"]
    return result


def _shown(value: Any) -> str:
    return "-" if value is None else str(value)[:120]
