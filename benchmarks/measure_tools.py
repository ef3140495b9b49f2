"""Measures seconds and quality of every tool at every subtask, and prints the rows of tools/benchmark.yaml.

    python benchmarks/measure_tools.py > tools/benchmark.yaml     # all tools
    python benchmarks/measure_tools.py telea patchmatch           # only the rows of these
    python benchmarks/measure_tools.py --cases telea text-fill    # and learn conditional rows from many more scenes

Each case of measured_cases.py is a step on a photograph that a dependency ships, or on a picture drawn there. Every
tool that can do the step does it alone (`tools: only`), once to load its models and then once for the clock; its
quality is the least score of the step's checks, as in a run. A row is the mean over the cases, with their number and
spread; the machine's speed cancels out in a run, which learns how much slower or faster its own machine is.

With `--cases`, tools that take things or words away also work on scenes of which the truth is known (clean_plates.py),
and recoloring on many colors; where one measured feature of the target parts good results from bad ones
(costa_dsl/catalog/learn.py), a row is printed for either side. The rows without `when:` stay what they are without it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from clean_plates import likeness, plates
from measured_cases import CASES, COLORS, JUDGED, UNMEASURED, picture

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.learn import Sample, learn_cases
from costa_dsl.catalog.load import load_catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.graph import ArtifactKey, ToolpathGraph
from costa_dsl.diagnostics import CostaError, Sink, SourceText
from costa_dsl.model.benchmark import BenchmarkRow
from costa_dsl.model.context import Conditions, Features, conditions_value
from costa_dsl.model.plan import Plan
from costa_dsl.runtime.context import Context
from costa_dsl.runtime.execute import Outcome, execute
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.runtime.result import Trace
from costa_dsl.schema import check_document
from costa_dsl.store.artifacts import ArtifactRef
from costa_dsl.store.pictures import LoadedPicture
from costa_dsl.store.values import Mask
from costa_dsl.syntax import read_documents


def with_placeholders(catalog: Catalog) -> Catalog:
    """The catalog with a row for every pair, so that tools that were never measured can be compiled too."""
    rows = dict(catalog.rows)
    for tool in catalog.tools.values():
        for subtask in tool.implements:
            rows.setdefault((tool.name, subtask), BenchmarkRow(tool.name, subtask, 1.0, 0.5, 1, tool.origin))
    return Catalog(catalog.vocabulary, catalog.tools, rows)


def plan_for(step: str, tool: str, folder: Path) -> Plan:
    text = (
        "apiVersion: costa/v1\nkind: Plan\ntask: measure\npolicy: {threshold: 0, attempts: 1}\n"
        f"tree:\n  - {step[:-1]}, tools: {{only: [{tool}]}}}}\n"
    )
    path = folder / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    sink = Sink()
    (document,) = read_documents(SourceText(str(path), text), sink)
    check_document(document, sink)
    sink.raise_if_errors()
    return Plan.from_document(document, sink)


@dataclass(frozen=True)
class Measurement:
    """One run of one tool: `measured` is false when nothing but a person's word tells its quality."""

    tool: str
    subtask: str
    seconds: float
    quality: float
    measured: bool
    features: Features


@dataclass(frozen=True)
class Ran:
    """A finished run of one step by one tool."""

    graph: ToolpathGraph
    scene: LoadedPicture
    outcome: Outcome


def measure(catalog: Catalog, wanted: set[str]) -> Iterator[Measurement]:
    """Everything that ran, case by case."""
    executor = InlineExecutor()
    for name, step in CASES:
        for ran in run_each(catalog, wanted, name, step, picture(name), _square(), executor):
            for trace, features in traces_of(ran):
                # A tool that was given the wrong thing by its supplier is not to blame: only its own results count.
                if not trace.accepted and not trace.best.checks:
                    continue
                pair = (trace.invocation.tool, trace.invocation.subtask)
                quality = trace.quality if trace.best.measured else JUDGED.get(pair, UNMEASURED)
                yield _measurement(name, trace, quality, trace.best.measured, features)


def measure_scenes(catalog: Catalog, wanted: set[str]) -> Iterator[Measurement]:
    """What conditional rows are learnt from: the tools that do the step, by the scene's truth or the checks."""
    executor = InlineExecutor()
    for plate in plates():
        scene = LoadedPicture(plate.picture, f"drawn:{plate.name}")
        for ran in run_each(catalog, wanted, plate.name, plate.step, scene, plate.where, executor, ("timed",)):
            for trace, features in traces_of(ran):
                if trace.invocation.role == "step" and features:
                    result = ran.outcome.directory.store.get(trace.outputs["image"])
                    yield _measurement(plate.name, trace, likeness(result, plate), True, features)
    for name, step in COLORS:
        for ran in run_each(catalog, wanted, name, step, picture(name), _square(), executor, ("timed",)):
            for trace, features in traces_of(ran):
                if trace.invocation.role == "step" and features and trace.best.measured:
                    yield _measurement(name, trace, trace.quality, True, features)


def _measurement(name: str, trace: Trace, quality: float, measured: bool, features: Features) -> Measurement:
    worst = min(trace.best.checks, key=lambda check: check.score, default=None)
    known = " ".join(f"{feature}={value:.3g}" for feature, value in features.items())
    print(
        f"{name:24} {trace.invocation.subtask:22} {trace.invocation.tool:24} {trace.seconds:7.3f} s"
        f"  q {quality:.3f}  {worst.check if worst else '-'} {'' if trace.accepted else trace.best.summary} {known}",
        file=sys.stderr,
    )
    return Measurement(trace.invocation.tool, trace.invocation.subtask, trace.seconds, quality, measured, features)


def run_each(
    catalog: Catalog,
    wanted: set[str],
    name: str,
    step: str,
    scene: LoadedPicture,
    mask: Mask,
    executor: InlineExecutor,
    turns: Sequence[str] = ("warm", "timed"),
) -> Iterator[Ran]:
    """A step done by each of its tools; the last turn counts."""
    subtask = step.split("do: ")[1].split(",")[0].rstrip("}")
    for tool in catalog.tools_for(subtask):
        if wanted and tool.name not in wanted and not _supplies(wanted, catalog):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            _write_mask(mask, folder)
            try:
                graph = compile_plan(plan_for(step, tool.name, folder), catalog, Sink()).graph
            except CostaError as error:
                print(f"{name} {step}: {tool.name}: {error}", file=sys.stderr)
                continue
            for turn in turns:
                outcome = execute(graph, catalog, scene, folder / turn, executor=executor)
            yield Ran(graph, scene, outcome)


def traces_of(ran: Ran) -> Iterator[tuple[Trace, Features]]:
    """Each invocation of a run of one step, and what was known of the step's target before it."""
    store = ran.outcome.directory.store
    context = Context(store.get)
    image = store.put("image", ran.scene.pixels)
    at_hand: dict[ArtifactKey, ArtifactRef] = {}
    known: dict[int, Features] = {}
    for trace in ran.outcome.result.path:
        known[trace.number] = context.features(ran.graph.steps[trace.invocation.step], image, at_hand)
        at_hand |= {key: trace.outputs[key.type] for key in trace.invocation.gives}
        image = trace.outputs.get("image", image)
    for trace in ran.outcome.result.tried:
        yield trace, known.get(trace.number, {})  # what is not on the final path was done to something else


def _supplies(wanted: set[str], catalog: Catalog) -> bool:
    return any("grounding" in catalog.tools[name].implements for name in wanted if name in catalog.tools)


def _square() -> Mask:
    mask = np.zeros((300, 451), bool)
    mask[100:200, 150:300] = True
    return mask


def _write_mask(mask: Mask, folder: Path) -> None:
    from PIL import Image as Pictures

    Pictures.fromarray(np.where(mask, 255, 0).astype(np.uint8)).save(folder / "mask.png")


def main() -> None:
    wanted = {name for name in sys.argv[1:] if name != "--cases"}
    catalog = with_placeholders(load_catalog("default", Sink()))
    found: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    scenes: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for one in measure(catalog, wanted):
        if not wanted or one.tool in wanted:
            sample = Sample(one.seconds, one.quality, one.features)
            found[one.subtask, one.tool].append(sample)
            if one.measured and one.features:
                scenes[one.subtask, one.tool].append(sample)
    if "--cases" in sys.argv[1:]:
        for one in measure_scenes(catalog, wanted):
            if not wanted or one.tool in wanted:
                scenes[one.subtask, one.tool].append(Sample(one.seconds, one.quality, one.features))
    print(
        "# yaml-language-server: $schema=../schemas/benchmark-table.schema.json\n"
        "apiVersion: costa/v1\nkind: BenchmarkTable\n"
        "title: The packaged tools, measured on this project's own suite\n"
        "source: benchmarks/measure_tools.py\nmachine: 2 cores of a server, no accelerator\nrows:"
    )
    for (subtask, tool), samples in sorted(found.items()):
        print(row(tool, subtask, samples))
        if "--cases" in sys.argv[1:]:
            for case in learn_cases(scenes[subtask, tool]):
                print(row(tool, subtask, case.samples, case.when))


def row(tool: str, subtask: str, samples: Sequence[Sample], when: Conditions = ()) -> str:
    """A row of the table, as a line of YAML."""
    seconds = [max(one.seconds, 0.001) for one in samples]
    quality = [one.quality for one in samples]
    conditions = f"when: {_flow(conditions_value(when))}, " if when else ""
    return (
        f"  - {{tool: {tool}, subtask: {subtask}, {conditions}seconds: {statistics.mean(seconds):.3f}, "
        f"quality: {statistics.mean(quality):.2f}, n: {len(samples)}, "
        f"spread_seconds: {statistics.pstdev(seconds):.3f}, spread_quality: {statistics.pstdev(quality):.2f}}}"
    )


def _flow(value: object) -> str:
    """A mapping of words, numbers and mappings, in one line of YAML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(entry)}" for key, entry in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


if __name__ == "__main__":
    main()
