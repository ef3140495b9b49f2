"""Simulated runs of several strategies side by side, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any

from costa_dsl.compiler.drawing.words import clean, count
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import Objective, Rank, shown
from costa_dsl.report.table import table
from costa_dsl.search.simulate import Judged
from costa_dsl.search.world import World

VERSION = 1
Runs = Mapping[str, Sequence[Judged]]  # by strategy: one for each world, in the order of the worlds


def describe_simulation(
    graph: ToolpathGraph, objective: Objective, worlds: Sequence[World], runs: Runs, left_out: Mapping[str, str]
) -> str:
    """The text that `costa simulate` prints."""
    header = ["strategy", "calls", "tool seconds", "path seconds", "quality", objective.title, "regret", "finished"]
    # Paths are compared where all strategies have one: a hard world that only some finish would count against these.
    common = [all(one.result.label is not None for one in together) for together in zip(*runs.values(), strict=True)]
    rows = [[name, *_cells(objective, found, common)] for name, found in runs.items()]
    first, noise = worlds[0], worlds[0].noise
    numbers = f"seed {first.seed}" if len(worlds) == 1 else f"seeds {first.seed} to {worlds[-1].seed}"
    quality, seconds = noise.spread
    lines = [
        f"{clean(graph.plan.name)}: {count(len(worlds), 'simulated run')} of each strategy, {numbers}; no tool ran",
        f"estimates are off by ±{quality:.3g} in quality and ±{seconds:.0%} in seconds (standard deviations), "
        f"tools fail at {noise.failures:.0%} of their inputs",
        "",
        table(header, rows, right=range(1, 8)),
    ]
    lines[-1] = lines[-1].rstrip("\n")
    lines.extend(_legend(runs, common))
    lines.extend(f"  not {name}: {reason}" for name, reason in left_out.items())
    return "\n".join(lines) + "\n"


def _cells(objective: Objective, found: Sequence[Judged], common: Sequence[bool]) -> list[str]:
    compared = [one for one, counts in zip(found, common, strict=True) if counts]
    paths = [one.result.label for one in compared if one.result.label is not None]
    regrets = [one.regret for one in compared if one.regret is not None]
    sure = "" if all(one.exact for one in compared) else "≤ "
    return [
        f"{mean(one.result.calls for one in found):.1f}",
        f"{mean(one.result.seconds for one in found):.4g}",
        f"{mean(path.seconds for path in paths):.4g}" if paths else "-",
        f"{mean(path.quality for path in paths):.3f}" if paths else "-",
        shown(mean_rank([path.rank(objective) for path in paths])) if paths else "-",
        f"{sure}{mean(regrets):.1%}" if regrets else "-",
        f"{sum(one.result.label is not None for one in found)} of {len(found)}",
    ]


def mean_rank(ranks: Sequence[Rank]) -> Rank:
    """The mean of each number of some ranks."""
    return tuple(mean(numbers) for numbers in zip(*ranks, strict=True))


def _legend(runs: Runs, common: Sequence[bool]) -> list[str]:
    worlds, compared = len(common), sum(common)
    lines = [
        "calls: attempts, failed ones included; tool seconds: of all that ran; path seconds: of the path that won",
        "regret: by how much the path is worse than the best in hindsight",
    ]
    if worlds > 1:
        lines.append(
            "all are means"
            if compared == worlds
            else f"all are means, those of paths over the {count(compared, 'run')} in which every strategy found one"
        )
    unsure = sum(not one.exact for one in next(iter(runs.values())))
    if unsure:
        lines.append(f"in {count(unsure, 'run')} not all paths could be tried: regret is at most what it says")
    return lines


def simulation_json(
    graph: ToolpathGraph, objective: Objective, worlds: Sequence[World], runs: Runs, left_out: Mapping[str, str]
) -> str:
    """One document with everything that was measured, each run by itself."""
    first = worlds[0]
    document = {
        "version": VERSION,
        "plan": graph.plan.name,
        "digest": graph.digest,
        "objective": objective.spec,
        "alpha": graph.plan.policy.alpha,
        "threshold": first.threshold,
        "attempts": first.attempts,
        "noise": asdict(first.noise),
        "strategies": {
            name: [_run(objective, world, one) for world, one in zip(worlds, found, strict=True)]
            for name, found in runs.items()
        },
        "left_out": dict(left_out),
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _run(objective: Objective, world: World, one: Judged) -> dict[str, Any]:
    result, path = one.result, one.result.label
    value: dict[str, Any] = {
        "seed": world.seed,
        "calls": result.calls,
        "seconds": result.seconds,
        "usd": result.usd,
        "status": result.certificate.status,
        "regret": one.regret,
        "regret_is_exact": one.exact,
        "path": None,
    }
    if path is not None:
        tools = [part.invocation for part in path.path() if part.invocation]
        value["path"] = {
            "seconds": path.seconds,
            "quality": path.quality,
            "usd": path.usd,
            "rank": list(path.rank(objective)),
            "met": objective.is_met(path.seconds, path.quality, path.usd),
            "tools": [{"step": found.step, "subtask": found.subtask, "tool": found.tool} for found in tools],
        }
    return value
