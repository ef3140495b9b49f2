"""The run record: how a run went, as plain values with a version and a schema (schemas/run-record.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from costa_dsl import __version__
from costa_dsl.checks.evidence import CheckResult
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import Objective
from costa_dsl.runtime.result import RunResult, Trace

RECORD_VERSION = 2


def run_record(
    graph: ToolpathGraph,
    result: RunResult,
    objective: Objective,
    image: str,
    size: tuple[int, int],
    output: str,
    expectations: Sequence[CheckResult],
) -> dict[str, Any]:
    """The record of a finished run.

    Args:
        image: the name of the picture as the user gave it; `size` is its (width, height) in pixels.
        output: the final (or furthest) picture, as a path below the run directory.
        expectations: what the plan's own `expect:` measured on the final picture.
    """
    policy, proof = graph.plan.policy, result.certificate
    return {
        "apiVersion": "costa/v1",
        "kind": "RunRecord",
        "version": RECORD_VERSION,
        "costa": __version__,
        "status": result.status,
        "plan": graph.plan.name,
        "task": graph.plan.task,
        "graph": graph.digest,
        "policy": {
            "alpha": policy.alpha,
            "threshold": policy.threshold,
            "attempts": policy.attempts,
            "objective": objective.spec,
            "strategy": policy.strategy,
        },
        "image": {"name": image, "width": size[0], "height": size[1]},
        "steps": [_trace_value(graph, trace) for trace in result.path],
        "rejected": [_trace_value(graph, trace) for trace in result.tried if not trace.accepted],
        "expectations": [check.to_value() for check in expectations],
        "totals": {
            "seconds": round(sum(trace.seconds for trace in result.tried), 4),
            "load_seconds": round(sum(trace.load_seconds for trace in result.tried), 4),
            "wall_seconds": round(result.wall_seconds, 4),
            "usd": round(sum(trace.usd_spent for trace in result.tried), 6),
            "executions": result.executions,
            "cached": result.cached,
        },
        "path": {
            "seconds": round(result.label.seconds, 4),
            "quality": round(result.label.quality, 4),
            "usd": round(result.label.usd, 6),
            "objective": [round(number, 4) for number in result.label.rank(objective)],
            "proof": {
                "status": proof.status,
                "bound": [round(number, 4) for number in proof.bound] or None,
                "gap": None if proof.gap is None else round(proof.gap, 6),
            },
        },
        "output": output,
    }


def _trace_value(graph: ToolpathGraph, trace: Trace) -> dict[str, Any]:
    found = trace.invocation
    best = trace.best
    value: dict[str, Any] = {
        "number": trace.number,
        "id": found.step,
        "subtask": found.subtask,
        "role": found.role,
        "tool": found.tool,
        "seconds": round(trace.seconds, 4),
        "load_seconds": round(trace.load_seconds, 4),
        "quality": round(trace.quality, 4),
        "measured": best.measured,
        "estimate": {"seconds": trace.estimate.seconds, "quality": trace.estimate.quality},
        "attempts": len(trace.attempts),
        "cached": all(attempt.cached for attempt in trace.attempts),
        "parameters": dict(best.parameters),
        "checks": [check.to_value() for check in best.checks],
        "artifacts": dict(trace.files),
        "why": trace.why,
        "span": str(graph.steps[found.step].step.origin.span()),
    }
    if not trace.accepted:
        value["problem"] = best.summary
    return value
