"""Every packaged tool gives the same values, bit for bit, in costa's own process and in a worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Picture

from costa_dsl.catalog.load import load_catalog
from costa_dsl.diagnostics import Sink
from costa_dsl.model.artifact import Box, Target
from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.executor import Execution, Executor
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.runtime.process import ProcessExecutor
from costa_dsl.store.artifacts import digest
from costa_dsl.store.pictures import load_picture
from costa_dsl.store.values import Image
from tests.toolkit.text_scenes import draw_sign

TOOLS = load_catalog("default", Sink()).tools
TEXT = ("text", "text-regions", "text-style", "erased-text")
INLINE = InlineExecutor()

# What a step says, by subtask; by tool where its tools need different words.
WORDS: dict[str, tuple[dict[str, Any], Target]] = {
    "object-detection": ({}, Target("cup")),
    "object-segmentation": ({}, Target("cup")),
    "object-removal": ({}, Target("spoon")),
    "object-recoloration": ({"to": "royalblue"}, Target("cup")),
    "outpainting": ({"left": "12%", "right": "12%"}, Target()),
    "image-upscaling": ({"scale": 2}, Target()),
    "style-transfer": ({"to": "pale-watercolor"}, Target()),
    "text-removal": ({"text": "CLOSED"}, Target()),
    "text-replacement": ({"text": "CLOSED", "with": "OPENED"}, Target()),
    "text-addition": ({"text": "Espresso"}, Target()),
    "text-redaction": ({"text": "CLOSED"}, Target()),
    "keyword-highlighting": ({"text": "CLOSED"}, Target()),
    "locate-box": ({}, Target("it", (("box", ["10%", "10%", "60%", "70%"]),))),
    "locate-color": ({}, Target("it", (("color", "white"),))),
    "locate-point": ({}, Target("it", (("point", [60, 60]),))),
    "locate-text": ({}, Target("it", (("text", "CLOSED"),))),
}


@cache
def photograph() -> Image:
    whole = Picture.fromarray(load_picture("sample:coffee").pixels)
    return np.asarray(whole.resize((150, 100), Picture.Resampling.BICUBIC))


@cache
def sign() -> Image:
    return draw_sign("WE ARE CLOSED", size=(560, 140), em=54).image


def artifacts(tool: Tool) -> Mapping[str, Any]:
    """What it needs beside the picture."""
    height, width = photograph().shape[:2]
    mask = np.zeros((height, width), np.bool_)
    mask[30:60, 50:100] = True
    simple = {"mask": mask, "boxes": (Box(20.0, 10.0, 120.0, 90.0, "cup", 0.9),)}
    return {name: given_text(name) if name in TEXT else simple[name] for name in tool.needs if name != "image"}


@cache
def given_text(artifact: str) -> Any:
    makers = {
        "text-regions": ("rapidocr-detect", "text-detection"),
        "text": ("rapidocr-read", "text-extraction"),
        "text-style": ("text-style", "text-style-detection"),
        "erased-text": ("text-fill", "text-removal"),
    }
    return run(INLINE, *makers[artifact], Path()).values[artifact]


def run(executor: Executor, name: str, subtask: str, folder: Path) -> Execution:
    tool = TOOLS[name]
    words, target = WORDS.get(name) or WORDS.get(subtask) or ({}, Target())
    if name == "locate-mask":
        target = Target("it", (("mask", str(folder / "mask.png")),))
    image = sign() if {*TEXT} & {*tool.needs, *tool.gives} else photograph()
    if name == "realesrgan-x4plus":
        image = image[:10, :10]
    call = ToolCall(
        subtask, image, artifacts(tool), target, words, parameters=tool.defaults(), objects=tool.objects, seed=11
    )
    return executor.run(tool, call, tool.gives)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessExecutor]:
    with ProcessExecutor(jobs=1) as executor:
        yield executor


CASES = [(name, subtask) for name, tool in sorted(TOOLS.items()) for subtask in tool.implements]


@pytest.mark.parametrize(("name", "subtask"), CASES, ids=["-as-".join(case) for case in CASES])
def test_a_worker_gives_the_same_bits(pool: ProcessExecutor, name: str, subtask: str, tmp_path: Path) -> None:
    Picture.fromarray(np.arange(15000).reshape(100, 150) % 150 > 70).save(tmp_path / "mask.png")
    here, there = (run(executor, name, subtask, tmp_path) for executor in (INLINE, pool))
    assert here.failure is None, here.failure
    assert there.failure is None, there.failure
    assert list(here.values) == list(there.values) == list(TOOLS[name].gives)
    for artifact, value in here.values.items():
        assert digest(artifact, value) == digest(artifact, there.values[artifact])
    assert here.placement == there.placement
