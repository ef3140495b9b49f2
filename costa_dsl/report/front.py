"""The front of a graph for people and for programs: which paths are worth having, and what tells them apart."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any

from costa_dsl.compiler.drawing.words import clean, count
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import TOLERANCE, USD, CostaObjective, Objective, shown
from costa_dsl.report.graph import count_paths
from costa_dsl.report.table import table
from costa_dsl.search.pareto import Interval, ParetoFront, ParetoPath

VERSION = 1
MOST_COLUMNS = 100  # of the words that tell a path from the others
MOST_LINE, MOST_LINES = 110, 6
FAR = 10**15  # numbers of paths from here on are told by their size
EXACT_IN_JSON = 2**53  # no larger whole number is read alike everywhere


def chosen_of(front: ParetoFront, objective: Objective) -> int:
    """The place of the path that the objective likes best."""
    ranks = [objective.rank(path.seconds, path.quality, path.usd) for path in front.paths]
    return ranks.index(min(ranks))


def interval_words(wins: Interval | None) -> str:
    """`0.35 to 1.2`, `2`, or `never`; numbers that are too near to be told apart in few digits get more."""
    if wins is None:
        return "never"
    if wins.last - wins.first <= TOLERANCE:
        return f"{wins.first:.3g}"
    digits = 3
    while f"{wins.first:.{digits}g}" == f"{wins.last:.{digits}g}":
        digits += 1
    first = f"above {wins.first:g}" if wins.opens else f"{wins.first:.{digits}g}"
    return f"{first} to {wins.last:.{digits}g}"


def quality_words(front: ParetoFront) -> list[str]:
    """The qualities with as many digits as tell them apart, from 3 to 6."""
    qualities = {path.quality for path in front.paths}
    digits = next((digits for digits in (3, 4, 5) if len({f"{q:.{digits}f}" for q in qualities}) == len(qualities)), 6)
    return [f"{path.quality:.{digits}f}" for path in front.paths]


def describe_front(graph: ToolpathGraph, front: ParetoFront, objective: Objective, most_points: int) -> str:
    """The text that `costa pareto` prints."""
    chosen = chosen_of(front, objective)
    common, differing = told_apart(front)
    money = USD in front.criteria
    ranked = isinstance(objective, CostaObjective)
    header = ["", "#", "seconds", "quality", *(["usd"] if money else []), "best at α"]
    header += [*([objective.title] if ranked else []), *(["tools"] if any(differing) else [])]
    rows = []
    for place, (path, quality) in enumerate(zip(front.paths, quality_words(front), strict=True)):
        row = ["*" if place == chosen else "", str(place + 1), f"{path.seconds:.4g}", quality]
        row += [*([f"{path.usd:.3g}"] if money else []), interval_words(path.wins)]
        if ranked:
            row.append(shown(objective.rank(path.seconds, path.quality, path.usd)))
        if not any(differing):
            rows.append(row)
            continue
        pieces = lines_of(differing[place], MOST_COLUMNS)
        rows.append([*row, pieces[0]])
        rows.extend([*[""] * len(row), f"  {piece}"] for piece in pieces[1:])
    numbers = (1, 2, 3, 4) if money else (1, 2, 3)
    right = (*numbers, *([len(numbers) + 2] if ranked else []))
    lines = [f"{clean(graph.plan.name)}: {sizes(graph, front)}", graph.digest, "", table(header, rows, right=right)]
    lines[-1] += f"* {choice_words(front.paths[chosen], objective)}"
    lines.extend(common)
    lines.extend(notes(front, most_points))
    return "\n".join(lines) + "\n"


def sizes(graph: ToolpathGraph, front: ParetoFront) -> str:
    """`3 of 12 paths are worth having`."""
    total, found = count_paths(graph), len(front.paths)
    if total == 1:
        return "one path, no choice"
    words = f"{total:,}" if total < FAR else f"more than 10^{total.bit_length() * 30103 // 100000 - 1}"
    return f"{found:,} of {words} paths {'is' if found == 1 else 'are'} worth having, by the estimates"


def choice_words(path: ParetoPath, objective: Objective) -> str:
    if not objective.is_met(path.seconds, path.quality, path.usd):
        return f"the nearest to the plan's objective {clean(objective.spec)}, which no path meets"
    if isinstance(objective, CostaObjective):
        return f"the plan's choice, at α {objective.alpha:g}"
    return f"the plan's choice, by {clean(objective.spec)}"


def notes(front: ParetoFront, most_points: int) -> list[str]:
    """What is to be known of a front that was thinned."""
    if front.exact:
        return []
    return [
        f"Not all are shown: {count(most_points, 'way')} at most were kept for each state (--most-points). "
        f"No other path has a J that is more than {front.gap:.2%} less, at any α."
    ]


# ---- what tells paths apart --------------------------------------------------------------------------------
_Tools = dict[str, tuple[str, ...]]  # step → its tools in the order in which they run, those that supply it first


def tools_of(path: ParetoPath) -> dict[str, str]:
    """The tools of each step: `yolov7 → sam → sd-inpaint`."""
    return {step: _chain(tools) for step, tools in _tools(path).items()}


def _tools(path: ParetoPath) -> _Tools:
    found: dict[str, list[str]] = {}
    for call in path.invocations:
        found.setdefault(call.step, []).append(clean(call.tool))
    return {step: tuple(tools) for step, tools in found.items()}


def _chain(tools: Sequence[str]) -> str:
    return " → ".join(tools)


def _words(tools: _Tools) -> str:
    return ", ".join(f"{clean(step)}: {_chain(chain) or 'not done'}" for step, chain in tools.items())


def told_apart(front: ParetoFront) -> tuple[list[str], list[str]]:
    """Lines about what paths share, and for each path what it has that not all of them have.

    When that is too much for a row, a row has only what is unusual, and what is usual is told once.
    """
    every = [_tools(path) for path in front.paths]
    steps = list(dict.fromkeys(step for tools in every for step in tools))
    shared: _Tools = {}
    own: list[_Tools] = [{} for _ in every]
    for step in steps:
        chains = [tools.get(step, ()) for tools in every]
        if len(set(chains)) == 1:
            shared[step] = chains[0]
            continue
        # Tools that every path has at this step tell nothing, as long as something else does.
        always = set.intersection(*(set(chain) for chain in chains))
        short = [tuple(tool for tool in chain if tool not in always) for chain in chains]
        if all(short):
            chains = short
            shared[step] = tuple(tool for tool in every[0][step] if tool in always)
        for mine, chain in zip(own, chains, strict=True):
            mine[step] = chain
    lines = []
    if any(shared.values()):
        every_has = {step: chain for step, chain in shared.items() if chain}
        lines.append(_wrapped("All paths: " if len(every) > 1 else "Its tools: ", _words(every_has)))
    if max(len(_words(mine)) for mine in own) > MOST_COLUMNS:
        usual = {step: Counter(mine[step] for mine in own).most_common(1)[0][0] for step in own[0]}
        own = [{step: chain for step, chain in mine.items() if chain != usual[step]} for mine in own]
        lines.append(_wrapped("Unless a row says otherwise: ", _words(usual)))
    if len({tuple(step for step in tools if all(step in other for other in every)) for tools in every}) > 1:
        lines.append("Not all paths have their steps in the same order; --format json has it.")
    return lines, [_words(mine) for mine in own]


def _wrapped(head: str, words: str) -> str:
    return "\n  ".join(lines_of(head + words, MOST_LINE))


def lines_of(words: str, columns: int) -> list[str]:
    """Words of any length in a few lines for a terminal."""
    lines = textwrap.wrap(words, columns, break_long_words=False, break_on_hyphens=False) or [""]
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], "… and more: --format json has it all"]


# ---- for programs ------------------------------------------------------------------------------------------
def front_value(graph: ToolpathGraph, front: ParetoFront, objective: Objective, most_points: int) -> dict[str, Any]:
    """Everything as plain values; `paths` is null when the graph has more than 2^53, `wins` where a path never does."""
    total = count_paths(graph)
    return {
        "version": VERSION,
        "plan": graph.plan.name,
        "digest": graph.digest,
        "paths": total if total <= EXACT_IN_JSON else None,
        "criteria": sorted(front.criteria),
        "objective": {"name": objective.spec, "alpha": graph.plan.policy.alpha},
        "chosen": chosen_of(front, objective),
        "most_points": most_points,
        "exact": front.exact,
        "gap": front.gap,
        "front": [_path_value(path, objective) for path in front.paths],
    }


def _path_value(path: ParetoPath, objective: Objective) -> dict[str, Any]:
    wins = path.wins
    return {
        "seconds": path.seconds,
        "quality": path.quality,
        "usd": path.usd,
        "wins": wins and {"from": wins.first, "to": wins.last, "from_included": not wins.opens},
        "rank": list(objective.rank(path.seconds, path.quality, path.usd)),
        "meets": objective.is_met(path.seconds, path.quality, path.usd),
        "path": [
            {
                "id": call.id,
                "step": call.step,
                "role": call.role,
                "subtask": call.subtask,
                "tool": call.tool,
                "seconds": call.seconds,
                "quality": call.quality,
                "usd": call.usd,
            }
            for call in path.invocations
        ],
    }


def front_json(graph: ToolpathGraph, front: ParetoFront, objective: Objective, most_points: int) -> str:
    """The same as one JSON document."""
    return json.dumps(front_value(graph, front, objective, most_points), indent=2, ensure_ascii=False) + "\n"
