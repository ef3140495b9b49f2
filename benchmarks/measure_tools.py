"""Measures seconds and quality of every tool at every subtask, and prints the rows of tools/benchmark.yaml.

    python benchmarks/measure_tools.py > tools/benchmark.yaml     # all tools
    python benchmarks/measure_tools.py telea patchmatch           # only the rows of these

Each case below is a step on a photograph that a dependency ships, or on a picture drawn here. Every tool that can do
the step does it alone (`tools: only`), once to load its models and then once for the clock; its quality is the least
score of the step's checks, as in a run. A row is the mean over the cases, with their number and spread; the machine's
speed cancels out in a run, which learns how much slower or faster its own machine is.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.load import load_catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.diagnostics import CostaError, Sink, SourceText
from costa_dsl.model.benchmark import BenchmarkRow
from costa_dsl.model.plan import Plan
from costa_dsl.runtime.execute import execute
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.schema import check_document
from costa_dsl.store.pictures import LoadedPicture, load_picture
from costa_dsl.store.values import Image
from costa_dsl.syntax import read_documents

SPOON = "at: {box: [53%, 15%, 71%, 83%]}"
CASES = [
    ("sample:coffee", "{do: object-detection, object: cup}"),
    ("sample:chelsea", "{do: object-detection, object: cat}"),
    ("sample:astronaut", "{do: object-detection, object: person}"),
    ("sample:coffee", "{do: object-segmentation, object: cup}"),
    ("sample:chelsea", "{do: object-segmentation, object: cat}"),
    ("sample:astronaut", "{do: object-segmentation, object: person}"),
    ("sample:astronaut", "{do: object-segmentation, object: rocket, at: {box: [69%, 0%, 91%, 56%]}}"),
    ("sample:coffee", f"{{do: object-removal, object: spoon, {SPOON}}}"),
    ("sample:astronaut", "{do: object-removal, object: rocket, at: {box: [69%, 0%, 91%, 56%]}}"),
    ("sample:astronaut", "{do: object-removal, object: badge, at: {point: [302, 358]}}"),
    ("sample:astronaut", "{do: object-recoloration, object: suit, at: {color: '#d8492c'}, to: royalblue}"),
    ("sample:astronaut", "{do: object-recoloration, object: suit, at: {color: orange}, to: white}"),
    ("sample:coffee", "{do: object-recoloration, object: cup, to: teal}"),
    ("sample:chelsea", "{do: object-recoloration, object: cat, to: grey}"),
    ("sample:coffee", "{do: outpainting, left: 12%, right: 12%}"),
    ("sample:rocket", "{do: outpainting, left: 15%, right: 15%}"),
    ("sample:chelsea", "{do: outpainting, aspect: '16:9'}"),
    ("sample:chelsea", "{do: background-removal}"),
    ("sample:astronaut", "{do: background-removal}"),
    ("sample:coffee", "{do: background-removal}"),
    ("drawn:face", "{do: image-upscaling, scale: 2}"),
    ("drawn:spoon", "{do: image-upscaling, scale: 4}"),
    ("drawn:noisy", "{do: denoising}"),
    ("drawn:noisy-dark", "{do: denoising}"),
    ("sample:chelsea", "{do: sharpen}"),
    ("sample:rocket", "{do: image-deblurring}"),
    ("sample:coffee", "{do: style-transfer, to: pale-watercolor}"),
    ("drawn:sign", "{do: text-detection}"),
    ("sample:page", "{do: text-detection}"),
    ("drawn:sign", "{do: text-extraction}"),
    ("sample:page", "{do: text-extraction}"),
    ("drawn:sign", "{do: text-removal, text: CLOSED}"),
    ("drawn:wall", "{do: text-removal, text: CLOSED}"),
    ("drawn:sign", "{do: text-replacement, text: CLOSED, with: OPENED}"),
    ("drawn:wall", "{do: text-replacement, text: CLOSED, with: OPENED}"),
    ("sample:rocket", "{do: text-addition, text: LIFT OFF}"),
    ("sample:coffee", "{do: text-addition, text: Espresso}"),
    ("drawn:sign", "{do: text-redaction, text: CLOSED}"),
    ("drawn:sign", "{do: keyword-highlighting, text: CLOSED}"),
    # What the compiler puts in itself is measured where it supplies a step.
    ("sample:coffee", "{do: object-recoloration, object: saucer, at: {color: '#7d2413'}, to: teal}"),
    ("sample:rocket", "{do: object-recoloration, object: sky, at: {point: [320, 40]}, to: purple}"),
    ("drawn:sign", "{do: object-recoloration, object: word, at: {text: CLOSED}, to: green}"),
    ("drawn:masked", "{do: object-recoloration, object: square, at: {mask: mask.png}, to: green}"),
]


def picture(name: str) -> LoadedPicture:
    """A packaged photograph, or one of the drawn pictures: uint8 H×W×3, sRGB."""
    if not name.startswith("drawn:"):
        return load_picture(name)
    return LoadedPicture(_drawn(name.removeprefix("drawn:")), name)


def _drawn(name: str) -> Image:
    if name.startswith("noisy"):
        clean = load_picture("sample:coffee").pixels.astype(np.float64)
        clean *= 0.45 if name == "noisy-dark" else 1.0
        noise = np.random.default_rng(7).normal(0, 18, clean.shape)
        return np.clip(clean + noise, 0, 255).astype(np.uint8)
    if name == "face":
        return load_picture("sample:astronaut").pixels[60:220, 130:330]
    if name == "spoon":
        return load_picture("sample:coffee").pixels[200:340, 260:430]
    if name == "masked":
        return load_picture("sample:chelsea").pixels
    from PIL import Image as Pictures
    from PIL import ImageDraw, ImageFont

    ground = (238, 232, 213) if name == "sign" else None
    if ground is None:
        brick = Pictures.fromarray(load_picture("sample:brick").pixels).resize((640, 360))
        canvas = Pictures.blend(brick, Pictures.new("RGB", brick.size, "white"), 0.55)
    else:
        canvas = Pictures.new("RGB", (640, 360), ground)
    pen = ImageDraw.Draw(canvas)
    pen.text((320, 130), "WE ARE CLOSED", font=ImageFont.load_default(64), fill=(140, 20, 25), anchor="mm")
    pen.text((320, 240), "Come back tomorrow", font=ImageFont.load_default(40), fill=(20, 40, 70), anchor="mm")
    return np.asarray(canvas)


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


def measure(catalog: Catalog, wanted: set[str]) -> Iterator[tuple[str, str, float, float]]:
    """(tool, subtask, seconds, quality) of everything that ran, case by case."""
    executor = InlineExecutor()
    for name, step in CASES:
        subtask = step.split("do: ")[1].split(",")[0].rstrip("}")
        for tool in catalog.tools_for(subtask):
            if wanted and tool.name not in wanted and not _supplies(wanted, catalog):
                continue
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch)
                _write_mask(folder)
                try:
                    graph = compile_plan(plan_for(step, tool.name, folder), catalog, Sink()).graph
                except CostaError as error:
                    print(f"{name} {step}: {tool.name}: {error}", file=sys.stderr)
                    continue
                for turn in ("warm", "timed"):
                    outcome = execute(graph, catalog, picture(name), folder / turn, executor=executor)
                # A tool that was given the wrong thing by its supplier is not to blame: only its own results count.
                rejected = [entry for entry in outcome.record["rejected"] if entry["checks"]]
                entries = [*outcome.record["steps"], *rejected]
                for entry in entries:
                    problem = entry.get("problem", "")
                    worst = min(entry["checks"], key=lambda check: check["score"], default={"check": "-"})
                    print(
                        f"{name:18} {entry['subtask']:22} {entry['tool']:24} {entry['seconds']:7.3f} s"
                        f"  q {entry['quality']:.3f}  {worst['check']} {problem}",
                        file=sys.stderr,
                    )
                    judged = JUDGED.get((entry["tool"], entry["subtask"]), UNMEASURED)
                    quality = entry["quality"] if entry["measured"] else judged
                    yield entry["tool"], entry["subtask"], entry["seconds"], quality


# Where no check tells how good a result is, somebody looked at the results of the cases above, and judged them: 1 for
# nothing wrong to see, 0.8 for acceptable, below for what a demanding person would send back.
JUDGED = {
    ("telea", "object-removal"): 0.5,
    ("patchmatch", "object-removal"): 0.82,
    ("outpaint-mirror", "outpainting"): 0.5,
    ("outpaint-patchmatch", "outpainting"): 0.85,
    ("ssd-mobilenet", "object-detection"): 0.85,
    ("ssd-mobilenet-tiled", "object-detection"): 0.9,
    ("grabcut", "object-segmentation"): 0.88,
    ("grabcut-plain", "object-segmentation"): 0.6,
    ("u2netp-cutout", "background-removal"): 0.9,
    ("grabcut-cutout", "background-removal"): 0.45,
    ("locate-box", "grounding"): 0.98,
    ("locate-mask", "grounding"): 1.0,
    ("locate-color", "grounding"): 0.9,
    ("locate-point", "grounding"): 0.82,
    ("locate-text", "grounding"): 0.95,
    ("styletransfer", "style-transfer"): 0.85,
    ("lanczos", "image-upscaling"): 0.7,
    ("realesr-fast", "image-upscaling"): 0.85,
    ("realesrgan-x4plus", "image-upscaling"): 0.92,
    ("oidn", "denoising"): 0.95,
    ("nlmeans", "denoising"): 0.75,
    ("unsharp", "sharpen"): 0.85,
    ("unsharp", "image-deblurring"): 0.5,
    ("rapidocr-detect", "text-detection"): 0.95,
    ("rapidocr-detect-large", "text-detection"): 0.97,
    ("rapidocr-read", "text-extraction"): 0.96,
    ("text-style", "text-style-detection"): 0.88,
    ("text-fill", "text-removal"): 0.75,
    ("text-inpaint", "text-removal"): 0.82,
    ("text-patchmatch", "text-removal"): 0.9,
    ("redact-solid", "text-redaction"): 1.0,
}

# What neither a check nor a person has judged.
UNMEASURED = 0.8


def _supplies(wanted: set[str], catalog: Catalog) -> bool:
    return any("grounding" in catalog.tools[name].implements for name in wanted if name in catalog.tools)


def _write_mask(folder: Path) -> None:
    from PIL import Image as Pictures

    mask = np.zeros((300, 451), np.uint8)
    mask[100:200, 150:300] = 255
    Pictures.fromarray(mask).save(folder / "mask.png")


def main() -> None:
    wanted = set(sys.argv[1:])
    catalog = with_placeholders(load_catalog("default", Sink()))
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for tool, subtask, seconds, quality in measure(catalog, wanted):
        if not wanted or tool in wanted:
            found[subtask, tool].append((seconds, quality))
    print(
        "# yaml-language-server: $schema=../schemas/benchmark-table.schema.json\n"
        "apiVersion: costa/v1\nkind: BenchmarkTable\n"
        "title: The packaged tools, measured on this project's own suite\n"
        "source: benchmarks/measure_tools.py\nmachine: 2 cores of a server, no accelerator\nrows:"
    )
    for (subtask, tool), values in sorted(found.items()):
        seconds = [max(value, 0.001) for value, _ in values]
        quality = [value for _, value in values]
        print(
            f"  - {{tool: {tool}, subtask: {subtask}, seconds: {statistics.mean(seconds):.3f}, "
            f"quality: {statistics.mean(quality):.2f}, n: {len(values)}, "
            f"spread_seconds: {statistics.pstdev(seconds):.3f}, spread_quality: {statistics.pstdev(quality):.2f}}}"
        )


if __name__ == "__main__":
    main()
