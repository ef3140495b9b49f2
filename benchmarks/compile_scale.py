"""How compiling grows with the plan and with the catalog, stage by stage, and beside a construction with networkx.

    python benchmarks/compile_scale.py            # 10, 100, 1,000 steps
    python benchmarks/compile_scale.py --large    # and 10,000: some minutes

Everything is made here: a catalog of N tools around one chain of needs, and plans of N steps. Times are of the
processor, so that a busy machine changes little, and the best of three; peak memory is of one more run under
tracemalloc. The networkx construction is what the paper describes: for each step the tools of its subtask with all
their ancestors in the tool dependency graph, relabeled, united with what there is.
"""

from __future__ import annotations

import argparse
import gc
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


def stages(plan: Plan, catalog: Catalog) -> dict[str, tuple[float, float]]:
    """Seconds and peak MiB of each stage; the memory is zero unless tracemalloc runs."""
    found: dict[str, tuple[float, float]] = {}

    def measured(name: str, work: Callable[[], object]) -> object:
        if tracemalloc.is_tracing():
            tracemalloc.reset_peak()
        start = time.process_time()
        result = work()
        memory = tracemalloc.get_traced_memory()[1] / 2**20 if tracemalloc.is_tracing() else 0.0
        found[name] = (time.process_time() - start, memory)
        return result

    measured("rules", lambda: check_plan(plan, catalog, Sink()))
    unit = Unit(plan, catalog, assume_available=True)
    for one in PASSES:
        made = measured(one.name, lambda one=one, unit=unit: one.run(unit))  # type: ignore[misc]
        assert isinstance(made, Unit)
        unit = made
    graph = unit.graph
    assert graph is not None
    assert measured("verify", lambda: verify(graph, catalog)) == []
    return found


def total(found: dict[str, tuple[float, float]]) -> float:
    return sum(seconds for seconds, _ in found.values())


def by_networkx(plan: Plan, catalog: Catalog, *, at_once: bool) -> float:
    """Seconds of the construction with networkx; `at_once` unites all parts in one call instead of one by one."""
    dependencies = networkx.DiGraph(dependency_edges(catalog.tools.values()))
    start = time.process_time()
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
    return time.process_time() - start


def memory_of(plan: Plan, catalog: Catalog) -> dict[str, float]:
    """Peak MiB of each stage: what it holds at its highest, with what the stages before have made."""
    tracemalloc.start()
    found = stages(plan, catalog)
    tracemalloc.stop()
    return {name: memory for name, (_, memory) in found.items()}


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
    # As the command does: see costa_dsl/cli/main.py.
    gc.set_threshold(50_000, 20, 100)
    growth(sizes)
    beside_networkx(sizes)


def growth(sizes: list[int]) -> None:
    """The table of stages: milliseconds, and MiB behind the stroke."""
    names = ["rules", *(one.name for one in PASSES), "verify"]
    rows = []
    for tools in (30, 300):
        catalog = catalog_of(tools)
        for shape in SHAPES:
            # Blocks of eight free edits: 1,024 step edges each, so that twenty of them reach the limit of the lattice.
            wanted = [8, 40, 80, 152] if shape == "any_order of 8" else sizes
            done, totals = [], []
            for steps in wanted:
                plan = plan_of(shape, steps)
                rounds = [stages(plan, catalog) for _ in range(1 if steps > 1000 else ROUNDS)]
                best = {name: min(found[name][0] for found in rounds) for name in names}
                memory = memory_of(plan, catalog)
                done.append(len(plan.steps))
                totals.append(sum(best.values()))
                cells = [f"{1000 * best[name]:.0f} | {memory[name]:.0f}" for name in names]
                rows.append(
                    [
                        shape,
                        str(tools),
                        str(len(plan.steps)),
                        *cells,
                        f"{1000 * totals[-1]:.0f} | {max(memory.values()):.0f}",
                    ]
                )
            # Below a hundred steps the fixed cost hides the growth.
            slope = exponent(done[1:], totals[1:])
            kept = "kept" if slope <= MOST_EXPONENT else "NOT KEPT"
            rows.append([f"  grows as n^{slope:.2f}, at most {MOST_EXPONENT}: {kept}", *[""] * (len(names) + 3)])
    header = ["plan", "tools", "steps", *names, "all (ms | MiB)"]
    sys.stdout.write(table(header, rows, right=tuple(range(1, len(header)))) + "\n")


def beside_networkx(sizes: list[int]) -> None:
    """The same trees with networkx, step by step and all at once."""
    catalog, rows = catalog_of(30), []
    for steps in sizes:
        plan = plan_of("sequence", steps)
        ours = min(total(stages(plan, catalog)) for _ in range(1 if steps > 1000 else ROUNDS))
        once = min(by_networkx(plan, catalog, at_once=True) for _ in range(ROUNDS))
        each = by_networkx(plan, catalog, at_once=False) if steps <= 1000 else math.nan
        kept = "kept" if ours / each <= MOST_RATIO else "NOT KEPT"
        promise = f"at most {MOST_RATIO}: {kept}" if steps == 1000 else ""
        rows.append(
            [
                str(steps),
                f"{1000 * ours:.0f}",
                f"{1000 * each:.0f}",
                f"{ours / each:.2f}",
                f"{1000 * once:.0f}",
                promise,
            ]
        )
    header = ["steps", "costa (ms)", "networkx, step by step (ms)", "ratio", "networkx, all at once (ms)", ""]
    sys.stdout.write(table(header, rows, right=(0, 1, 2, 3, 4)))
    sys.stdout.write("networkx makes a graph of names; costa's part also checks, supplies, names, orders and proves.\n")


if __name__ == "__main__":
    main()
