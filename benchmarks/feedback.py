"""The feedback ablation of CoSTA*, simulated: what is looking at results worth on risky tasks?

    python benchmarks/feedback.py [--sets 100] [--check]

The paper reports, for 35 risky tasks, an accuracy of 0.798 when tools are chosen by the benchmark alone (h) and of
0.923 when results are looked at too (h + g; FACTS §4). Here a set is 35 tasks as in benchmarks/strategies.py, in the
`usual` world. In each task every kind of subtask is *risky* with a probability of one third, one kind at least: the
tool that the benchmark would choose for it is likely to fail there. All others fail at 5 % of their inputs, as usual.

- *Estimates only*: the best path by the benchmark is run once; nothing is checked, retried or changed.
- *Estimates + feedback*: results below the threshold are retried, then another tool is taken: `paper` and `lazy`.

Accuracy is the mean over the subtasks of a task of their quality, brought to the nearest of the paper's partial
scores, then the mean over the tasks. A subtask that was never done scores 0, a failed one a third of what it would have
been worth. The paper does not tell α: both 0 (quality only, which is what accuracy measures) and 1 are shown.

One number is set by the paper: the failure rate of the risky tools is the one at which estimates alone reach 0.798.
What feedback then brings is a prediction. The share of risky subtasks is a guess; how the prediction depends on it is
shown. What makes this world kinder than a real one: every failure is noticed, since a failed result scores below the
threshold, and accuracy is judged by the same score that the search sees, not by people.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from strategies import ANALYSES, WORLDS, Task, tasks

from costa_dsl.model.objective import CostaObjective
from costa_dsl.search.search import Forecast, foresee
from costa_dsl.search.simulate import Result, simulate, without_feedback
from costa_dsl.search.space import Label
from costa_dsl.search.strategies import STRATEGIES
from costa_dsl.search.world import World

PAPER_WITHOUT, PAPER_WITH = 0.798, 0.923
TASKS = 35
SCORES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
SHARE = 1 / 3
STRATEGY_NAMES = ("paper", "lazy")
# The failure rate is set on so many sets of tasks that are not used again.
CALIBRATION, FIRST_CALIBRATION = 40, 10_000_000


@dataclass(frozen=True, slots=True)
class Risky:
    """A task, with the tools (tool, subtask) that are likely to fail at it."""

    task: Task
    objective: CostaObjective
    forecast: Forecast
    pairs: tuple[tuple[str, str], ...]

    def world(self, failures: float) -> World:
        return World(self.task.seed, WORLDS["usual"], analyses=ANALYSES, risky=dict.fromkeys(self.pairs, failures))


def risky_tasks(sets: int, alpha: float, share: float, first: int = 0) -> list[Risky]:
    """Tasks with risky steps, set after set."""
    objective = CostaObjective(alpha)
    found = []
    for task in tasks(sets * TASKS, first):
        forecast = foresee(task.graph, objective)
        path = (part.invocation for part in forecast.label.path())
        pairs = sorted({(call.tool, call.subtask) for call in path if call and call.role == "step"})
        draw = random.Random(f"risky {task.seed}")
        risky = [pair for pair in pairs if draw.random() < share]
        found.append(Risky(task, objective, forecast, tuple(risky or [draw.choice(pairs)])))
    return found


def accuracy(risky: Risky, result: Result) -> float:
    """The mean score of the task's subtasks, on the path that came furthest."""
    labels = [result.label] if result.label else [label for label, outcome in result.outcomes if outcome.accepted]
    steps = {call.step for call in risky.task.graph.invocations}
    return max((sum(_scores(label)) for label in labels), default=0.0) / len(steps)


def _scores(label: Label) -> list[float]:
    """The score of each subtask on a path."""
    found = []
    for part in label.path():
        assert part.parent is not None
        if part.invocation is not None and part.invocation.role == "step":
            quality = part.quality / part.parent.quality if part.parent.quality else 0.0
            found.append(min(SCORES, key=lambda score: abs(score - quality)))
    return found


def blind(found: Sequence[Risky], failures: float) -> list[float]:
    """Accuracies by estimates only."""
    return [
        accuracy(one, without_feedback(one.task.graph, one.objective, one.world(failures), one.forecast))
        for one in found
    ]


def seeing(found: Sequence[Risky], failures: float, name: str) -> list[float]:
    """Accuracies by estimates and feedback."""
    accuracies = []
    for one in found:
        result = simulate(one.task.graph, one.objective, STRATEGIES[name], one.world(failures))
        assert result is not None
        accuracies.append(accuracy(one, result))
    return accuracies


def calibrated(alpha: float, share: float) -> float:
    """The failure rate of risky tools at which estimates only reach the paper's accuracy, by bisection."""
    found = risky_tasks(CALIBRATION, alpha, share, FIRST_CALIBRATION)
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        if statistics.mean(blind(found, middle)) > PAPER_WITHOUT:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def spread(accuracies: Sequence[float]) -> str:
    """The mean over all tasks, and the range in which the means of 95 % of the sets lie."""
    means = sorted(statistics.mean(accuracies[start : start + TASKS]) for start in range(0, len(accuracies), TASKS))
    cut = round(0.025 * (len(means) - 1))
    return f"{statistics.mean(means):.3f} ({means[cut]:.3f} to {means[-1 - cut]:.3f})"


# α, share of risky kinds, and on which part of the sets: two results, and what they depend on.
SETTINGS = ((0.0, SHARE, 1.0), (1.0, SHARE, 0.25), (0.0, 0.25, 0.25), (0.0, 0.5, 0.25))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=100, help="how many sets of 35 tasks")
    parser.add_argument("--check", action="store_true", help="exit with 1 when feedback does not pay")
    chosen = parser.parse_args()
    good = True
    print("accuracy: mean of all tasks (of 95 % of the sets), and the gain of feedback as a multiple of the paper's\n")
    print(f"{'':34}{'estimates only':>24}" + "".join(f"{'with feedback: ' + name:>32}" for name in STRATEGY_NAMES))
    gain = f"{PAPER_WITH:.3f}                  1.00 ×"
    print(f"{'the paper':34}{f'{PAPER_WITHOUT:.3f}                 ':>24}{gain:>32}")
    for alpha, share, part in SETTINGS:
        started = time.perf_counter()
        failures = calibrated(alpha, share)
        found = risky_tasks(max(1, round(chosen.sets * part)), alpha, share)
        without = blind(found, failures)
        cells = ""
        for name in STRATEGY_NAMES:
            having = seeing(found, failures, name)
            gained = statistics.mean(having) - statistics.mean(without)
            good = good and gained > 0
            cells += f"{f'{spread(having)}  {gained / (PAPER_WITH - PAPER_WITHOUT):.2f} ×':>32}"
        title = f"α {alpha:g}, {share:.0%} risky, failing {failures:.0%}"
        print(f"{title:34}{spread(without):>24}{cells}   {time.perf_counter() - started:.0f} s", flush=True)
    return 0 if good or not chosen.check else 1


if __name__ == "__main__":
    sys.exit(main())
