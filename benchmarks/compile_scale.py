"""How compiling grows with the plan and with the catalog, stage by stage, and beside a construction with networkx.

    python benchmarks/compile_scale.py            # 10, 100, 1,000 steps
    python benchmarks/compile_scale.py --large    # and 10,000: some minutes

Everything is made here: a catalog of N tools around one chain of needs, and plans of N steps. Times are the best of
three; peak memory is of one more run under tracemalloc. The networkx construction is what the paper describes:
for each step the tools of its subtask with all their ancestors in the tool dependency graph, relabeled, united
with what there is.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import networkx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from costa_dsl.catalog.catalog import IMAGE, Catalog, dependency_edges
from costa_dsl.compiler.passes import PASSES, Unit
from costa_dsl.compiler.verify import verify
from costa_dsl.diagnostics import Sink
from costa_dsl.model.plan import Plan
from costa_dsl.report.table import table
from costa_dsl.rules.run import check_plan
from tests.conftest import make_catalog, make_plan, make_tool

ROUNDS = 3
SHAPES = ("sequence", "mixed", "any_order of 8")
MOST_EXPONENT, MOST_RATIO = 1.15, 0.5


def catalog_of(size: int) -> Catalog:
    """`size` tools: two detectors, one masker and one grounder, and editors of five subtasks."""
    kinds = [
        ("object-recoloration", "image, mask", "image"),
        ("object-removal", "image, mask", "image"),
        ("outpainting", "image", "image"),
        ("image-upscaling", "image", "image"),
        ("sharpen", "image", "image"),
    ]
    first = [
        ("finder", "object-detection", "image", "boxes", "grounds: [object]"),
        ("other-finder", "object-detection", "image", "boxes", "grounds: [object]"),
        ("masker", "object-segmentation", "image, boxes", "mask", ""),
        ("grounder", "grounding", "image", "mask", "grounds: [color]"),
    ]
    text = "".join(make_tool(name, subtask, needs, gives, more) for name, subtask, needs, gives, more in first)
    rows = {(name, subtask): (0.1, 0.9) for name, subtask, *_ in first}
    for number in range(size - len(first)):
        subtask, needs, gives = kinds[number % len(kinds)]
        name = f"tool-{number}"
        text += make_tool(name, subtask, needs, gives)
        rows[name, subtask] = (0.1 + number / 100, 0.9)
    return make_catalog(text, rows)


def plan_of(shape: str, steps: int) -> Plan:
    """A plan of about `steps` steps; every eighth of a mixed one is a choice, every third an analysis."""

    def step(number: int) -> str:
        kinds = (
            f"{{do: object-recoloration, object: thing {number}, to: red}}",
            f"{{do: object-removal, object: item {number}, at: {{color: green}}}}",
            f"{{do: object-segmentation, object: part {number}}}",
            "{do: sharpen}",
        )
        if shape == "mixed" and number % 8 == 0:
            return f"{{one_of: [{kinds[0]}, {kinds[1]}]}}"
        return kinds[number % 4]

    if shape == "any_order of 8":
        # Blocks of eight free edits, each block a lattice of 256 points.
        blocks = [
            ", ".join(f"{{do: sharpen, id: s{block}-{index}}}" for index in range(8)) for block in range(steps // 8)
        ]
        return make_plan("\n".join(f"- {{any_order: [{block}]}}" for block in blocks))
    return make_plan("\n".join(f"- {step(number)}" for number in range(steps)))


def stages(plan: Plan, catalog: Catalog) -> dict[str, float]:
    """Seconds of each stage, and what came of it."""
    found: dict[str, float] = {}

    def timed(name: str, work: Callable[[], object]) -> object:
        start = time.perf_counter()
        result = work()
        found[name] = time.perf_counter() - start
        return result

    timed("rules", lambda: check_plan(plan, catalog, Sink()))
    unit = Unit(plan, catalog, assume_available=True)
    for one in PASSES:
        made = timed(one.name, lambda one=one, unit=unit: one.run(unit))  # type: ignore[misc]
        assert isinstance(made, Unit)
        unit = made
    graph = unit.graph
    assert graph is not None
    assert timed("verify", lambda: verify(graph, catalog)) == []
    return found


def by_networkx(plan: Plan, catalog: Catalog, *, at_once: bool) -> float:
    """Seconds of the construction with networkx; `at_once` unites all parts in one call instead of one by one."""
    dependencies = networkx.DiGraph(dependency_edges(catalog.tools.values()))
    start = time.perf_counter()
    parts = []
    whole = networkx.DiGraph()
    for index, step in enumerate(plan.steps):
        nodes = set()
        for tool in catalog.tools_for(step.subtask):
            nodes |= {tool.name} | networkx.ancestors(dependencies, tool.name)
        part = dependencies.subgraph(nodes - {IMAGE})
        part = networkx.relabel_nodes(part, {name: f"{name} ({index})" for name in part})
        if at_once:
            parts.append(part)
        else:
            whole = networkx.union(whole, part)
    if at_once:
        whole = networkx.union_all(parts)
    assert whole.number_of_nodes()
    return time.perf_counter() - start


def peak(plan: Plan, catalog: Catalog) -> float:
    """MiB at the highest."""
    tracemalloc.start()
    stages(plan, catalog)
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return highest / 2**20


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of a line through (log size, log seconds), by least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True))
    return over / sum((x - middle_x) ** 2 for x in xs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also 10,000 steps")
    sizes = [10, 100, 1000] + ([10_000] if parser.parse_args().large else [])
    names = ["rules", *(one.name for one in PASSES), "verify"]
    rows = []
    for tools in (30, 300):
        catalog = catalog_of(tools)
        for shape in SHAPES:
            totals, fitted = [], []
            for steps in sizes:
                if shape == "any_order of 8" and steps > 100:
                    continue  # 125 blocks of 1,024 step edges are beyond the limit of the lattice
                plan = plan_of(shape, max(steps, 8))
                rounds = [stages(plan, catalog) for _ in range(1 if steps > 1000 else ROUNDS)]
                best = {name: min(found[name] for found in rounds) for name in names}
                totals.append(sum(best.values()))
                fitted.append(len(plan.steps))
                memory = peak(plan, catalog) if steps <= 1000 else math.nan
                cells = [f"{1000 * best[name]:.1f}" for name in names]
                rows.append(
                    [shape, str(tools), str(len(plan.steps)), *cells, f"{1000 * totals[-1]:.0f}", f"{memory:.1f}"]
                )
            if len(totals) > 2:
                # From 100 steps on: below, the fixed cost hides the growth.
                slope = exponent(fitted[1:], totals[1:])
                kept = "kept" if slope <= MOST_EXPONENT else "NOT KEPT"
                rows.append(
                    [
                        shape,
                        str(tools),
                        f"grows as n^{slope:.2f}: at most {MOST_EXPONENT} {kept}",
                        *[""] * (len(names) + 2),
                    ]
                )
    header = ["plan", "tools", "steps", *names, "all (ms)", "MiB"]
    sys.stdout.write(table(header, rows, right=tuple(range(1, len(header)))) + "\n")

    catalog, rows = catalog_of(30), []
    for steps in sizes:
        plan = plan_of("sequence", steps)
        ours = min(sum(stages(plan, catalog).values()) for _ in range(1 if steps > 1000 else ROUNDS))
        once = min(by_networkx(plan, catalog, at_once=True) for _ in range(ROUNDS))
        each = by_networkx(plan, catalog, at_once=False) if steps <= 1000 else math.nan
        rows.append(
            [str(steps), f"{1000 * ours:.0f}", f"{1000 * each:.0f}", f"{ours / each:.2f}", f"{1000 * once:.0f}"]
        )
        if steps == 1000:
            kept = "kept" if ours / each <= MOST_RATIO else "NOT KEPT"
            rows[-1].append(f"at most {MOST_RATIO}: {kept}")
        else:
            rows[-1].append("")
    header = ["steps", "costa (ms)", "networkx, step by step (ms)", "ratio", "networkx, all at once (ms)", ""]
    sys.stdout.write(table(header, rows, right=(0, 1, 2, 3, 4)))
    sys.stdout.write("networkx makes a graph of names; costa's part also checks, supplies, names, orders and proves.\n")


if __name__ == "__main__":
    main()
