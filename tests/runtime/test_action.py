"""What results depend on is in their pre-image, and nothing else is."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import costa_dsl
from costa_dsl.catalog.load import load_catalog
from costa_dsl.checks.evidence import CheckResult
from costa_dsl.diagnostics import Sink
from costa_dsl.model.artifact import Placement, Target
from costa_dsl.model.tool import Requirements
from costa_dsl.runtime.action import attempt_preimage, instruments_preimage, measurement_preimage, picture_preimage
from costa_dsl.runtime.cached import (
    Made,
    Measured,
    find_attempt,
    find_measurements,
    keep_attempt,
    keep_measurements,
)
from costa_dsl.runtime.code_epoch import CHECK_CODE, PICTURE_CODE, TOOL_CODE, code_epoch
from costa_dsl.runtime.executor import Failure
from costa_dsl.store.preimage import differences
from costa_dsl.store.refs import ArtifactRef
from tests.conftest import said_under_hash_seeds
from tests.store.cache_scenes import cache, picture, store

PACKAGE = Path(costa_dsl.__file__).parent
CATALOG = load_catalog("default", Sink())
TOOL = CATALOG.tools["unsharp"]


def ref(digit: str, type: str = "image") -> ArtifactRef:
    return ArtifactRef(type, digit * 64, f"{digit * 2}/{digit * 64}.png")


ATTEMPT: dict[str, Any] = {
    "tool": TOOL,
    "subtask": "sharpen",
    "inputs": {"image": ref("a"), "mask": ref("b", "mask")},
    "gives": ("image",),
    "parameters": {"gain": 1.2, "radius": 1.5},
    "arguments": {"to": "blue", "box": (1, 2.5)},
    "target": Target("dog", (("color", "green"),)),
    "seed": 7,
}
MEASUREMENT: dict[str, Any] = {
    "checks": [("seam", True), ("color-match", "blue")],
    "guarantees": ["canvas-size"],
    "subtask": "sharpen",
    "inputs": {"image": ref("a")},
    "outputs": {"image": ref("b")},
    "placement": Placement(3.0),
    "parameters": {"gain": 1.2},
    "arguments": {"to": "blue"},
    "target": Target("dog"),
    "instruments": {"text-detection": []},
}


def attempt(**changes: Any) -> dict[str, Any]:
    found = attempt_preimage(**{**ATTEMPT, **changes})
    assert found is not None
    return dict(found)


def measurement(**changes: Any) -> dict[str, Any]:
    found = measurement_preimage(**{**MEASUREMENT, **changes})
    assert found is not None
    return dict(found)


def fields(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [difference.field for difference in differences(one, other)]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"subtask": "blur"}, ["subtask"]),
        ({"parameters": {"gain": 1.3, "radius": 1.5}}, ["parameters.gain"]),
        ({"parameters": {"gain": 1.2}}, ["parameters.radius"]),
        ({"arguments": {"to": "red", "box": (1, 2.5)}}, ["arguments.to"]),
        ({"arguments": {"to": "blue", "box": (1, 3)}}, ["arguments.box"]),
        ({"target": Target("cat", (("color", "green"),))}, ["target.object"]),
        ({"target": Target("dog", (("color", "blue"),))}, ["target.at.color"]),
        ({"inputs": {**ATTEMPT["inputs"], "image": ref("c")}}, ["inputs.image"]),
        ({"inputs": {"image": ref("a")}}, ["inputs.mask"]),
        ({"gives": ("image", "mask")}, ["gives"]),
        ({"tool": replace(TOOL, name="other")}, ["tool.name"]),
        ({"tool": replace(TOOL, objects={"dog": ("hound",)})}, ["tool.objects.dog"]),
        ({"tool": replace(TOOL, requires=Requirements(packages=("click",)))}, ["tool.packages.click"]),
        ({"tool": replace(TOOL, requires=Requirements(weights={"sha256": "0" * 64}))}, ["tool.weights.sha256"]),
        ({"tool": replace(TOOL, implementation="nlmeans")}, ["tool.code", "tool.implementation"]),
        ({"seed": 8}, []),
        ({"tool": replace(TOOL, determinism="seeded")}, ["seed", "tool.determinism"]),
        ({"tool": replace(TOOL, title="x", timeout=3.0, price_usd=1.0, guarantees=("canvas-size",), retries=())}, []),
    ],
)
def test_each_thing_has_its_field(changes: dict[str, Any], named: list[str]) -> None:
    assert fields(attempt(), attempt(**changes)) == named


def test_the_seed_counts_for_seeded_tools() -> None:
    seeded = replace(TOOL, determinism="seeded")
    assert fields(attempt(tool=seeded), attempt(tool=seeded, seed=8)) == ["seed"]


@pytest.mark.parametrize(
    "changes",
    [
        {"tool": replace(TOOL, determinism="none")},
        {"tool": replace(TOOL, implementation="nobody brings this")},
        {"arguments": {"with": "/no/such/picture.png"}},
        {"target": Target(at=(("mask", "/no/such/mask.png"),))},
        {"parameters": {"gain": float("nan")}},
        {"parameters": {"gain": object()}},
    ],
)
def test_what_is_never_kept(changes: dict[str, Any]) -> None:
    assert attempt_preimage(**{**ATTEMPT, **changes}) is None


def test_files_count_by_their_content(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in ("one.png", "same.PNG", "other.png"))
    for path, content in ((one, b"1"), (same, b"1"), (other, b"2")):
        path.write_bytes(content)

    def with_file(path: Path) -> dict[str, Any]:
        return attempt(arguments={"with": str(path)}, target=Target(at=(("mask", str(path)),)))

    assert fields(with_file(one), with_file(same)) == []
    assert fields(with_file(one), with_file(other)) == ["arguments.with.file", "target.at.mask.file"]
    # A text is a text, also when it reads like the path of a file.
    assert fields(attempt(arguments={"text": str(one)}), attempt(arguments={"text": str(same)})) == ["arguments.text"]
    assert attempt(arguments={"with": "a dog"})["arguments"] == {"with": "a dog"}
    assert picture_preimage(one) == picture_preimage(same) != picture_preimage(other)
    assert picture_preimage(tmp_path / "gone.png") is None


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"checks": [("seam", True)]}, ["checks"]),
        ({"checks": [("seam", True), ("color-match", "red")]}, ["checks"]),
        ({"checks": [*reversed(MEASUREMENT["checks"])]}, ["checks"]),
        ({"guarantees": []}, ["guarantees"]),
        ({"subtask": "blur"}, ["subtask"]),
        ({"inputs": {"image": ref("c")}}, ["inputs.image"]),
        ({"outputs": {"image": ref("c")}}, ["outputs.image"]),
        ({"placement": Placement(4.0)}, ["placement.x_offset"]),
        ({"placement": None}, ["placement"]),
        ({"parameters": {"gain": 2}}, ["parameters.gain"]),
        ({"arguments": {"to": "red"}}, ["arguments.to"]),
        ({"target": Target("cat")}, ["target.object"]),
        ({"instruments": {"text-detection": [{"name": "x"}]}}, ["instruments.text-detection"]),
    ],
)
def test_each_thing_of_a_measurement_has_its_field(changes: dict[str, Any], named: list[str]) -> None:
    assert fields(measurement(), measurement(**changes)) == named


def test_instruments_without_determinism_are_never_kept() -> None:
    instruments = instruments_preimage(CATALOG)
    assert instruments is not None
    assert list(instruments) == ["text-detection", "text-extraction", "object-detection"]
    names = [tool["name"] for tool in instruments["object-detection"]]
    assert names == sorted(names, key=lambda name: CATALOG.rows[name, "object-detection"].seconds)
    vague = {name: replace(tool, determinism="none") for name, tool in CATALOG.tools.items()}
    assert instruments_preimage(replace(CATALOG, tools=vague)) is None
    assert measurement_preimage(**{**MEASUREMENT, "instruments": None}) is None


SAY = """
import json, sys
from tests.runtime.test_action import attempt, measurement
print(json.dumps([attempt(), measurement()]))
"""


def test_pre_images_are_the_same_in_every_process() -> None:
    assert json.loads(said_under_hash_seeds("-c", SAY)) == json.loads(json.dumps([attempt(), measurement()]))


def test_making_pre_images_loads_nothing_heavy() -> None:
    code = """
import sys
from costa_dsl.catalog.load import load_catalog
from costa_dsl.diagnostics import Sink
from costa_dsl.model.artifact import Target
from costa_dsl.runtime import action, cached
catalog = load_catalog("default", Sink())
for tool in catalog.tools.values():
    asked = dict(inputs={}, gives=tool.gives, parameters=tool.defaults(), arguments={}, target=Target(), seed=0)
    assert action.attempt_preimage(tool, tool.implements[0], **asked)
assert action.instruments_preimage(catalog)
print(*sorted({"numpy", "cv2", "PIL", "skimage", "onnxruntime", "ncnn", "rapidocr", "scipy"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True)
    assert done.stdout.strip() == ""


# The code epoch


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def below(*parts: str) -> set[str]:
    """The files of parts of costa, relative to the package, and all files of costa that they import."""
    todo = [
        file
        for part in parts
        for file in ([PACKAGE / part] if part.endswith(".py") else (PACKAGE / part).rglob("*.py"))
    ]
    seen: set[Path] = set()
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in imported(file):
            place = PACKAGE.parent / name.replace(".", "/")
            todo += [found for found in (place.with_suffix(".py"), place / "__init__.py") if found.is_file()]
    return {path.relative_to(PACKAGE).as_posix() for path in seen}


def covered(path: str, parts: tuple[str, ...]) -> bool:
    # Findings are words about what went wrong; packages' own files hold nothing or names.
    return path.startswith("diagnostics/") or any(path == part or path.startswith(f"{part}/") for part in parts)


@pytest.mark.parametrize(
    ("starts", "parts"),
    [(("toolkit",), TOOL_CODE), (("checks", "toolkit"), CHECK_CODE), (("store/pictures.py",), PICTURE_CODE)],
    ids=["tools", "checks", "pictures"],
)
def test_all_that_computes_a_result_is_in_the_epoch(starts: tuple[str, ...], parts: tuple[str, ...]) -> None:
    reached = below(*starts)
    assert len(reached) > 3
    harmless = {"__init__.py", "store/atomic.py", "resources.py"}
    assert sorted(path for path in reached - harmless if not covered(path, parts)) == []


@pytest.mark.parametrize(
    "edit",
    [
        lambda root: (root / "toolkit/denoise.py").write_text("x = 1\n"),
        lambda root: (root / "toolkit/new.py").write_text(""),
        lambda root: (root / "toolkit/denoise.py").rename(root / "toolkit/noise.py"),
        lambda root: (root / "toolkit/denoise.py").unlink(),
    ],
    ids=["changed", "added", "renamed", "removed"],
)
def test_an_edited_tool_is_another_epoch(tmp_path: Path, edit: Callable[[Path], object]) -> None:
    shutil.copytree(PACKAGE, tmp_path / "one", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    edit(tmp_path / "two")
    before, after = (dict(code_epoch(TOOL_CODE, tmp_path / name)) for name in ("one", "two"))
    assert before == code_epoch(TOOL_CODE)
    assert [name for name in before if before[name] != after[name]] == ["toolkit"]


PLUGIN = """
import json
from importlib.metadata import entry_points
from costa_dsl.runtime.code_epoch import data_digest, origin
(entry,) = entry_points(group="costa.test-tools")
print(json.dumps([dict(origin(entry)), data_digest("plug-in")]))
import sys
assert "plug" not in sys.modules
"""


class Plugin:
    """An installed package with a tool in a sub-module, and with weights."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("plug/__init__.py", "raise SystemExit('imported')\n")
        self.write("plug/deep/tool.py", "def run(call): ...\n")
        self.write("plug/net.bin", "weights")
        self.metadata("1.0")
        self.write("plug_in-1.0.dist-info/entry_points.txt", "[costa.test-tools]\nmine = plug.deep.tool:run\n")
        rows = ["plug/__init__.py,sha256=a,1", "plug/net.bin,sha256=b,7", "plug_in-1.0.dist-info/RECORD,,"]
        self.write("plug_in-1.0.dist-info/RECORD", "\n".join(rows) + "\n")

    def metadata(self, version: str) -> None:
        head = f"Metadata-Version: 2.1\nName: plug-in\nVersion: {version}\nRequires-Dist: click (>=8)\n"
        self.write("plug_in-1.0.dist-info/METADATA", head + 'Requires-Dist: no-such-package; extra == "x"\n')

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def seen(self) -> tuple[dict[str, Any], str]:
        code = f"import sys; sys.path.insert(0, {str(self.folder)!r})\n{PLUGIN}"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True
        )
        found: tuple[dict[str, Any], str] = tuple(json.loads(done.stdout))
        return found


def test_a_plug_in_counts_by_version_and_source_without_being_imported(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    first, weights = plugin.seen()
    assert (first["package"], first["code"], list(first["needs"])) == ("plug-in 1.0", "plug.deep.tool:run", ["click"])
    plugin.write("plug/deep/helper.py", "x = 1\n")
    second, same = plugin.seen()
    assert fields(first, second) == ["source"]
    plugin.metadata("1.1")
    assert fields(second, plugin.seen()[0]) == ["package"]
    assert same == weights


def test_weights_that_were_swapped_by_hand_are_others(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    record, net = tmp_path / "plug_in-1.0.dist-info/RECORD", tmp_path / "plug/net.bin"
    os.utime(record, (2000, 2000))
    os.utime(net, (1000, 1000))
    installed = plugin.seen()[1]
    plugin.write("plug/net.bin", "weighty")
    os.utime(net, (3000, 3000))
    swapped = plugin.seen()[1]
    os.utime(net, (4000, 4000))
    assert installed != swapped == plugin.seen()[1]


# Finding and keeping


def test_an_attempt_comes_back_as_it_was(tmp_path: Path) -> None:
    where = store(tmp_path)
    made = Made(0.1 + 0.2, 0.5, {"image": where.put("image", picture(1))}, Placement(0.1, 2.0, 0.3, 1.0))
    keep_attempt(cache(tmp_path), attempt(), made, where)
    there = store(tmp_path, "other")
    assert find_attempt(cache(tmp_path), attempt(), there) == made
    assert (there.get(made.outputs["image"]) == picture(1)).all()
    assert find_attempt(cache(tmp_path), attempt(subtask="blur"), there) is None


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("not-found", True), ("invalid-input", True), ("unsupported", True)]
    + [(kind, False) for kind in ("crash", "timeout", "out-of-memory", "unavailable", "invalid-output", "guarantee")],
)
def test_only_failures_that_last_are_kept(tmp_path: Path, kind: str, kept: bool) -> None:
    made = Made(0.25, 0.0, failure=Failure(kind, "there is no dog", "name another"))
    keep_attempt(cache(tmp_path), attempt(), made, store(tmp_path))
    assert find_attempt(cache(tmp_path), attempt(), store(tmp_path)) == (made if kept else None)


def test_measurements_come_back_as_they_were(tmp_path: Path) -> None:
    results = (CheckResult("seam", 0.1 + 0.2, "the seam is visible", {"step": 1 / 3}), CheckResult("sharper", 1.0, "ß"))
    measured = Measured(("canvas-size: it grew",), results)
    keep_measurements(cache(tmp_path), measurement(), measured, store(tmp_path))
    assert find_measurements(cache(tmp_path), measurement()) == measured
    assert find_measurements(cache(tmp_path), measurement(guarantees=[])) is None


@pytest.mark.parametrize("measured", [{"check_failed": 1.0}, {"step": float("nan")}])
def test_measurements_that_were_not_made_are_not_kept(tmp_path: Path, measured: dict[str, float]) -> None:
    seen = Measured((), (CheckResult("seam", 0.0, "it failed", measured),))
    keep_measurements(cache(tmp_path), measurement(), seen, store(tmp_path))
    assert find_measurements(cache(tmp_path), measurement()) is None


def test_a_result_of_another_form_is_made_anew(tmp_path: Path) -> None:
    for preimage in (attempt(), measurement()):
        cache(tmp_path).keep(preimage, {"seconds": "many"}, {}, store(tmp_path))
    assert find_attempt(cache(tmp_path), attempt(), store(tmp_path)) is None
    assert find_measurements(cache(tmp_path), measurement()) is None
