"""Strategies of the search side by side on simulated tasks: what they run, and what they end with.

    python benchmarks/strategies.py [--tasks 1000] [--check] [--vary] [--first SEED] [--free 0]

A *task* is a sequence of 2 to 8 subtasks of ten kinds; a kind has the same tools wherever it comes back in a task.
What is assumed, and why:

- A kind has 2 to 4 editing tools. Their seconds are those of editing rows of CoSTA*'s table (FACTS §2), drawn at random
  and varied by 20 %: two thirds take 12 to 15 s, the rest less than 2. As there, the best tool of a subtask has
  quality 1.00 and the others 0.82 to 0.98, and a faster tool is a worse one: a tool that another one beats in both has
  no place in a table.
- Half of the tools work on a mask, as in the table: a fast or a good detector, then a segmentation. The others need the
  picture alone.
- A subtask may come before or after the one before it in half of all cases (`any_order`): "replace the dog and recolor
  the car" says no order. At most three are free to change places.
- α is 0, 0.5, 1, 1.5 or 2.
- An estimate is a mean of 4 measurements (`n`).

Two *worlds* (see costa_dsl/search/world.py); the numbers are standard deviations:

- usual: quality 0.03 from input to input and 0.03 for a tool on this task, 0.042 together; seconds 15 % and 15 %, 21 %
  together; 5 % of the inputs fail at first. Scores of one tool differ by a few hundredths between pictures, and
  seconds with the size of what is edited.
- rough: twice of each, and 15 % failures.

A retry repairs 43 % of the failures, from EditAgent's 73.3 % at the first and 91.4 % within three attempts (FACTS §5).
The threshold is 0.8, attempts are 3: the defaults of a plan.

All strategies meet the same worlds, in one process. Their objectives are compared in three ways: by the mean over the
tasks of the ratio to what `paper` ends with ("J / paper", the one that promises are about), by the same as a geometric
mean, and by the ratio of the means, in which long tasks at α = 2 outweigh all others. Regret is the share by which a
result exceeds the best in hindsight, over the tasks for which that is known; its median stands beside the mean, for at
α = 2 a single task whose only fast tool failed counts a hundredfold.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from costa_dsl.compiler.graph import ArtifactKey, Invocation, Role, State, ToolpathGraph
from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.model.objective import CostaObjective
from costa_dsl.model.plan import Plan
from costa_dsl.search.simulate import compare
from costa_dsl.search.strategies import STRATEGIES, BestFirst, Strategy
from costa_dsl.search.world import Noise, World
from costa_dsl.syntax import read_documents

WORLDS = {
    "usual": Noise(quality=0.03, quality_bias=0.03, seconds=0.15, seconds_bias=0.15, failures=0.05),
    "rough": Noise(quality=0.06, quality_bias=0.06, seconds=0.3, seconds_bias=0.3, failures=0.15),
}
ALPHAS = (0.0, 0.5, 1.0, 1.5, 2.0)
ANALYSES = frozenset({"detect", "segment"})
# Seconds of the editing rows of FACTS §2.
SECONDS = (13.8, 14.1, 12.1, 12.1, 12.1, 14.7, 12.7, 12.5, 12.9, 0.7, 1.7, 0.85, 0.038, 0.041, 12.8, 0.045, 14.2, 13.8)
DETECTORS = (("fast-detector", 0.0062, 0.82), ("good-detector", 0.119, 1.0))
SEGMENTER = ("segmenter", 0.046, 1.0)
MEASUREMENTS = 4
# A subtask may change places with the one before it with this probability, in groups of at most so many.
FREE, MOST_FREE = 0.5, 3
PLAN = "apiVersion: costa/v1\nkind: Plan\ntask: simulated\ntree: {do: depth-estimation}\n"
# The best in hindsight is looked for with at most so many invocations.
MOST_HINDSIGHT = 4_000


@dataclass(frozen=True, slots=True)
class Task:
    """A graph and how it is weighed."""

    graph: ToolpathGraph
    objective: CostaObjective
    seed: int


@dataclass(frozen=True, slots=True)
class Editor:
    """A tool that edits; `masked`: it needs a mask."""

    name: str
    seconds: float
    quality: float
    masked: bool


@dataclass(frozen=True, eq=False)
class Step:
    """One subtask of a task."""

    name: str
    kind: str
    editors: list[Editor]


@dataclass(frozen=True, slots=True)
class Row:
    """What one strategy did at one task; `value` is None when it found no path."""

    alpha: float
    calls: int
    seconds: float
    path: float | None
    value: float | None
    regret: float | None


def tasks(count: int, first: int = 0, free: float = FREE) -> Iterator[Task]:
    """Tasks by their seeds; a subtask may change places with the one before it with the probability `free`."""
    document = read_documents(SourceText("simulated.yaml", PLAN), Sink())[0]
    plan = Plan.from_document(document, Sink())
    for seed in range(first, first + count):
        draw = random.Random(seed)
        kinds: dict[int, list[Editor]] = {}
        groups: list[list[Step]] = []
        for number in range(draw.randint(2, 8)):
            kind = draw.randrange(10)
            step = Step(f"step{number}", f"edit{kind}", kinds.setdefault(kind, _editors(draw, kind)))
            if groups and len(groups[-1]) < MOST_FREE and draw.random() < free:
                groups[-1].append(step)
            else:
                groups.append([step])
        yield Task(_Builder().graph(plan, groups), CostaObjective(draw.choice(ALPHAS)), seed)


def _editors(draw: random.Random, kind: int) -> list[Editor]:
    count = draw.randint(2, 4)
    seconds = sorted(draw.choice(SECONDS) * draw.lognormvariate(0, 0.2) for _ in range(count))
    qualities = [*sorted(round(draw.uniform(0.82, 0.98), 3) for _ in range(count - 1)), 1.0]
    return [
        Editor(f"tool{kind}-{place}", cost, quality, draw.random() < 0.5)
        for place, (cost, quality) in enumerate(zip(seconds, qualities, strict=True))
    ]


class _Builder:
    """Makes a graph: a state for each set of steps done, and between them those with boxes and with a mask."""

    def __init__(self) -> None:
        self._states = [State("start", ())]
        self._calls: list[Invocation] = []

    def graph(self, plan: Plan, groups: Sequence[Sequence[Step]]) -> ToolpathGraph:
        """Groups one after the other, the steps of a group in any order."""
        place = "start"
        for group in groups:
            names = {frozenset[Step](): place}
            for size in range(1, len(group) + 1):
                names |= {frozenset(done): "+".join(step.name for step in done) for done in combinations(group, size)}
            for size in range(len(group)):
                for done in (done for done in names if len(done) == size):
                    for step in group:
                        if step not in done:
                            self._add(step, names[done], names[done | {step}])
                self._states += [State(name, ()) for done, name in names.items() if len(done) == size + 1]
            place = names[frozenset(group)]
        return ToolpathGraph(plan, {}, tuple(self._states), tuple(self._calls), "start", place)

    def _add(self, step: Step, source: str, target: str) -> None:
        masked = f"{source}, mask of {step.name}"
        if any(editor.masked for editor in step.editors):
            boxes = f"{source}, boxes of {step.name}"
            self._states += [State(boxes, ()), State(masked, ())]
            for detector in DETECTORS:
                self._call(source, boxes, step.name, "detect", detector, gives="boxes")
            self._call(boxes, masked, step.name, "segment", SEGMENTER, "boxes", "mask")
        for editor in step.editors:
            tool = (editor.name, editor.seconds, editor.quality)
            self._call(masked if editor.masked else source, target, step.name, step.kind, tool, "mask" * editor.masked)

    def _call(
        self, source: str, target: str, step: str, subtask: str, tool: tuple[str, float, float],
        needs: str = "", gives: str = "",
    ) -> None:  # fmt: skip
        name, seconds, quality = tool
        role: Role = "supply" if gives else "step"
        needed, given = ((ArtifactKey(artifact, step),) if artifact else () for artifact in (needs, gives))
        ends = (f"i{len(self._calls)}", source, target)
        self._calls.append(Invocation(*ends, step, role, name, subtask, needed, given, seconds, quality, MEASUREMENTS))


def compared(
    found_tasks: Iterable[Task], noise: Noise, strategies: Mapping[str, Strategy], hindsight: int
) -> dict[str, list[Row]]:
    """What each strategy did at each task."""
    rows: dict[str, list[Row]] = {name: [] for name in strategies}
    for task in found_tasks:
        world = World(task.seed, noise, analyses=ANALYSES)
        for name, found in compare(task.graph, task.objective, strategies, world, hindsight).items():
            label = found.result.label
            path, value = (label.seconds, label.rank(task.objective)[0]) if label else (None, None)
            calls, seconds, loss = found.result.calls, found.result.seconds, found.regret if found.exact else None
            rows[name].append(Row(task.objective.alpha, calls, seconds, path, value, loss))
    return rows


def summary(rows: Sequence[Row], paper: Sequence[Row]) -> dict[str, float]:
    """The numbers of one strategy."""
    both = _both(rows, paper)
    regrets = [row.regret for row in rows if row.regret is not None]
    return {
        "executions": statistics.mean(row.calls for row in rows),
        "tool seconds": statistics.mean(row.seconds for row in rows),
        "path seconds": statistics.mean(row.path for row in rows if row.path is not None),
        "sec / paper": sum(row.seconds for row in rows) / sum(row.seconds for row in paper),
        "J / paper": statistics.mean(mine / other for mine, other in both),
        "geometric": statistics.geometric_mean(mine / other for mine, other in both),
        "mean J / mean": sum(mine for mine, _ in both) / sum(other for _, other in both),
        "regret": statistics.mean(regrets),
        "median": statistics.median(regrets),
        "known": len(regrets) / len(rows),
        "finished": sum(row.value is not None for row in rows) / len(rows),
    }


def _both(rows: Sequence[Row], paper: Sequence[Row]) -> list[tuple[float, float]]:
    """What both ended with, where both found a path."""
    return [
        (row.value, other.value)
        for row, other in zip(rows, paper, strict=True)
        if row.value is not None and other.value is not None
    ]


def by_alpha(rows: Sequence[Row], paper: Sequence[Row]) -> str:
    """J as a share of paper's, and tool seconds as a share of paper's, for each α."""
    cells = []
    for alpha in ALPHAS:
        mine, other = ([row for row in found if row.alpha == alpha] for found in (rows, paper))
        ratio = statistics.mean(value / reference for value, reference in _both(mine, other))
        cells.append(f"{ratio:.3f} ({sum(row.seconds for row in mine) / sum(row.seconds for row in other):.2f})")
    return "".join(f"{cell:>15}" for cell in cells)


# Values of patience and curiosity.
VARIED = (
    *((share, 0.0) for share in (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)),
    *((0.0, more) for more in (0.5, 1.0, 1.5, 2.0, 3.0)),
)
PROMISES = (("lazy", 0.5, 0.01), ("commit", 0.2, 0.06))


def kept(table: Mapping[str, Mapping[str, float]]) -> bool:
    """Print what was promised and what came; whether it was kept."""
    every = True
    for name, most, worse in PROMISES:
        row = table[name]
        good = row["sec / paper"] <= most and row["J / paper"] <= 1 + worse
        every = every and good
        print(
            f"{name}: at most {most:g} × the tool seconds of paper at a mean objective within {worse:.0%}: "
            f"{row['sec / paper']:.3f}, {row['J / paper'] - 1:+.1%}: {'kept' if good else 'NOT KEPT'}"
        )
    return every


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--check", action="store_true", help="exit with 1 when a promise is not kept")
    parser.add_argument("--vary", action="store_true", help="compare values of patience and curiosity too")
    parser.add_argument("--first", type=int, default=0, help="the first task's seed")
    parser.add_argument("--free", type=float, default=FREE, help="how often a subtask may change places; 0: never")
    parser.add_argument("--world", choices=list(WORLDS), action="append", help="only this world")
    parser.add_argument("--hindsight", type=int, default=MOST_HINDSIGHT, help="invocations to try for the best path")
    chosen = parser.parse_args()
    strategies: dict[str, Strategy] = {name: STRATEGIES[name] for name in ("paper", "lazy", "commit")}
    if chosen.vary:
        strategies |= {f"p {share:g}, c {more:g}": BestFirst("lazy", share, more) for share, more in VARIED}
    every = True
    for name in chosen.world or WORLDS:
        noise = WORLDS[name]
        started = time.perf_counter()
        found_tasks = tasks(chosen.tasks, chosen.first, chosen.free)
        rows = compared(found_tasks, noise, strategies, chosen.hindsight)
        table = {strategy: summary(found, rows["paper"]) for strategy, found in rows.items()}
        print(f"\n{name}: {chosen.tasks} tasks, {noise} ({time.perf_counter() - started:.0f} s)")
        print(f"{'':12}" + "".join(f"{column:>15}" for column in table["paper"]))
        for strategy, row in table.items():
            print(f"{strategy:12}" + "".join(f"{number:15.3f}" for number in row.values()))
        print("J / paper (tool seconds / paper) by α")
        print(f"{'':12}" + "".join(f"{alpha:>15g}" for alpha in ALPHAS))
        for strategy, found in rows.items():
            print(f"{strategy:12}{by_alpha(found, rows['paper'])}")
        if name == "usual":
            every = kept(table)
    return 0 if every or not chosen.check else 1


if __name__ == "__main__":
    sys.exit(main())
