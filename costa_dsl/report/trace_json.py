"""The trace of a search as one JSON document; docs/trace.md tells what stands in it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from costa_dsl.model.objective import Rank
from costa_dsl.report.graph import proof_value
from costa_dsl.search.estimates import Estimate
from costa_dsl.search.trace import End, Pop, Rival, Step, Trace, Way

VERSION = 1
_DEEPEST = 50


def trace_json(trace: Trace, steps: Sequence[Step], torn: bool, seed: int | None) -> str:
    """The document that `costa trace --format json` prints, with some or all of the steps.

    Args:
        torn: whether the journal's last line was not written to its end.
        seed: of a simulation.
    """
    document = {
        "version": VERSION,
        "plan": trace.graph.plan.name,
        "digest": trace.graph.digest,
        "objective": {"name": trace.objective.spec, "title": trace.objective.title},
        "alpha": trace.graph.plan.policy.alpha,
        "strategy": trace.strategy.name,
        "seed": seed,
        "torn": torn,
        "count": len(trace.steps),
        "steps": [_step(step) for step in steps],
        "end": _end(trace.end),
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _step(step: Step) -> dict[str, Any]:
    outcome, learnt, completed = step.outcome, step.learnt, step.completed
    return {
        **_pop(step.pop),
        "observed": {"seconds": outcome.seconds, "quality": outcome.quality, "usd": outcome.usd},
        "accepted": outcome.accepted,
        "reached": _way(step.after) if step.after else None,
        "learnt": {
            "tool": learnt.pair.tool,
            "subtask": learnt.pair.subtask,
            "before": _estimate(learnt.before),
            "after": _estimate(learnt.after),
            "slowness": {"before": step.slowness, "after": learnt.slowness},
        }
        if learnt
        else None,
        "completed": {"rank": list(completed.rank), "best": completed.best} if completed else None,
        "told": [_plain(line.value) for line in step.told],
    }


def _plain(value: Any, depth: int = 0) -> Any:
    """What a journal says, as far as JSON can: numbers that are none and what is nested without end become null."""
    if depth > _DEEPEST or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, Mapping):
        return {key: _plain(part, depth + 1) for key, part in value.items()}
    return [_plain(part, depth + 1) for part in value] if isinstance(value, list) else value


def _pop(pop: Pop) -> dict[str, Any]:
    return {
        "number": pop.number,
        "label": _way(pop.way),
        "before": dict(zip(("seconds", "quality", "usd"), pop.before, strict=True)),
        "open_labels": pop.open_labels,
        "rivals": [_rival(rival) for rival in pop.rivals],
        "place": pop.place,
        "reason": pop.reason,
        "failed": pop.failed.id if pop.failed else None,
        "best_so_far": _rank(pop.complete),
        "surprise": pop.surprise,
        "expected": _estimate(pop.expected),
    }


def _end(end: End) -> dict[str, Any]:
    return {
        "kind": end.kind,
        "path": _way(end.path) if end.path else None,
        "met": end.met,
        "proof": {**proof_value(end.certificate), "rank": _rank(end.certificate.rank)},
        "open_labels": end.open_labels,
        "still_open": [_rival(rival, end.path is not None) for rival in end.still_open],
        "surprise": end.surprise,
        "next": _pop(end.pending) if end.pending else None,
    }


def _rival(rival: Rival, compared: bool = True) -> dict[str, Any]:
    return {"label": _way(rival.way), "excess": rival.excess if compared else None}


def _way(way: Way) -> dict[str, Any]:
    return {
        "number": way.number,
        "seconds": way.seconds,
        "quality": way.quality,
        "usd": way.usd,
        "bound": _rank(way.bound),
        "promise": _rank(way.promise),
        "path": [
            {"label": number, "invocation": call.id, "step": call.step, "role": call.role, "subtask": call.subtask,
             "tool": call.tool}
            for number, call in zip(way.labels, way.path, strict=True)
        ],
    }  # fmt: skip


def _estimate(estimate: Estimate) -> dict[str, float]:
    return estimate._asdict()


def _rank(rank: Rank) -> list[float] | None:
    return list(rank) or None
