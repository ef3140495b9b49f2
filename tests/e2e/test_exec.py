"""`costa exec` as a user calls it: the installed command, real models, real photographs."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.conftest import assert_fits

HEAD = "apiVersion: costa/v1\nkind: Plan\ntask: a test\n"


def costa(*arguments: str, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the installed `costa` in a folder; `path` goes in front of the module search path."""
    environment = {**os.environ, "CI": "1"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        [sys.executable, "-m", "costa_dsl", *arguments], cwd=cwd, capture_output=True, text=True, env=environment
    )


def write_plan(folder: Path, tree: str, head: str = "") -> str:
    (folder / "plan.yaml").write_text(HEAD + head + "tree:\n" + tree, encoding="utf-8")
    return "plan.yaml"


def open_rgb(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


# ---- a whole job --------------------------------------------------------------------------------------------


def test_a_plan_with_detection_text_and_canvas_runs_and_leaves_the_rest_alone(tmp_path: Path) -> None:
    plan = write_plan(
        tmp_path,
        "  - {do: outpainting, left: 10%, right: 10%}\n"
        "  - any_order:\n"
        "      - {do: object-detection, object: cup, id: found}\n"
        "      - {do: object-segmentation, object: cup, id: the-cup}\n"
        "  - {do: object-recoloration, object: cup, at: {of: the-cup}, to: teal, id: paint}\n",
    )
    done = costa("exec", plan, "--image", "sample:coffee", "-o", "out.png", "--run-dir", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert_fits(record, "run-record")
    source = open_rgb(Path(next(p for p in sys.path if "site-packages" in p)) / "skimage" / "data" / "coffee.png")
    result = open_rgb(tmp_path / "out.png")
    assert result.shape == (400, 720, 3)
    paint = next(step for step in record["steps"] if step["id"] == "paint" and step["role"] == "step")
    segment = next(step for step in record["steps"] if step["id"] == "the-cup" and step["role"] == "step")
    mask = np.asarray(Image.open(tmp_path / "run" / segment["artifacts"]["mask"])) > 0
    far = np.ones_like(mask)
    for row, column in np.argwhere(mask)[::50]:
        far[max(0, row - 24) : row + 25, max(0, column - 24) : column + 25] = False
    inner = far[:, 60:660]
    assert inner.mean() > 0.2
    assert np.array_equal(result[:, 60:660][inner], source[inner])
    assert paint["quality"] >= 0.8
    boxes = next(step for step in record["steps"] if step["id"] == "found")["artifacts"]["boxes"]
    assert json.loads((tmp_path / "run" / boxes).read_text())
    overlay = open_rgb(tmp_path / "run" / record["overlay"])
    assert (np.abs(overlay - result).max(axis=2) > 20).mean() > 0.02


def test_alpha_chooses_the_tool(tmp_path: Path) -> None:
    plan = write_plan(
        tmp_path,
        "  - do: object-recoloration\n    object: suit\n    to: royalblue\n"
        "    at: {color: orange, within: [0, 40%, 75%, 100%]}\n",
    )
    tools = {}
    for alpha in ("0", "2"):
        done = costa(
            "exec", plan, "--image", "sample:astronaut", "--alpha", alpha, "--run-dir", f"run{alpha}",
            "--format", "json", cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        last = json.loads(done.stdout)["steps"][-1]
        tools[alpha] = last["tool"]
        assert f"α {alpha}" in last["why"]
    assert tools["0"] != tools["2"]


# ---- failures -----------------------------------------------------------------------------------------------

STUB = """
def fail(call):
    raise RuntimeError("this stub always fails")
"""
MANIFEST = """apiVersion: costa/v1
kind: Tool
name: {name}
title: A stub
implementation: failing-stub
implements: [outpainting]
needs: [image]
gives: [image]
determinism: pure
license: MIT
"""


def plug_in(folder: Path) -> Path:
    """An installed package that brings a failing implementation: what pip would leave behind."""
    site = folder / "site"
    info = site / "failing_stub-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "failing_stub.py").write_text(STUB)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: failing-stub\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[costa.tools]\nfailing-stub = failing_stub:fail\n")
    return site


def stub_catalog(folder: Path, with_other: bool) -> Path:
    """A catalog whose best-looking outpainting tool always fails."""
    from costa_dsl.resources import data_folder

    catalog = folder / "catalog"
    catalog.mkdir()
    (catalog / "stub.yaml").write_text(MANIFEST.format(name="stub"))
    rows = "  - {tool: stub, subtask: outpainting, seconds: 0.01, quality: 1.0, n: 1}\n"
    if with_other:
        (catalog / "other.yaml").write_text((data_folder("tools") / "outpaint-mirror.yaml").read_text())
        rows += "  - {tool: outpaint-mirror, subtask: outpainting, seconds: 1, quality: 0.8, n: 1}\n"
    (catalog / "benchmark.yaml").write_text(
        "apiVersion: costa/v1\nkind: BenchmarkTable\ntitle: t\nsource: t\nrows:\n" + rows
    )
    return catalog


def test_a_failing_tool_makes_the_run_take_the_other(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "  - {do: outpainting, left: 40}\n", "policy: {threshold: 0.3}\n")
    catalog = stub_catalog(tmp_path, with_other=True)
    done = costa(
        "exec", plan, "--image", "sample:chelsea", "-o", "out.png", "--catalog", str(catalog), "--run-dir", "run",
        cwd=tmp_path, path=plug_in(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "outpaint-mirror" in done.stdout
    assert "this stub always fails" in done.stdout
    assert Image.open(tmp_path / "out.png").size == (491, 300)


def test_when_all_tools_fail_the_exit_code_is_4_and_the_message_names_the_line(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "  - {do: outpainting, left: 40}\n")
    catalog = stub_catalog(tmp_path, with_other=False)
    done = costa(
        "exec", plan, "--image", "sample:chelsea", "-o", "out.png", "--catalog", str(catalog), "--run-dir", "run",
        cwd=tmp_path, path=plug_in(tmp_path),
    )  # fmt: skip
    assert done.returncode == 4
    assert "plan.yaml:5:10: error[COS6101]" in done.stderr
    assert "this stub always fails" in done.stderr
    assert not (tmp_path / "out.png").exists()
    assert (tmp_path / "run" / "output.png").is_file()
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "failed"


def test_an_object_that_is_not_there_is_a_failed_step_with_what_was_found(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "  - {do: object-detection, object: elephant}\n")
    done = costa("exec", plan, "--image", "sample:chelsea", "--run-dir", "run", cwd=tmp_path)
    assert done.returncode == 4
    assert "error[COS6101]" in done.stderr
    assert "cat" in done.stderr


def test_an_object_that_no_detector_knows_is_an_error_before_anything_runs(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "  - {do: object-removal, object: flux capacitor}\n")
    done = costa("exec", plan, "--image", "sample:chelsea", "--run-dir", "run", cwd=tmp_path)
    assert done.returncode == 1
    assert "error[COS4103]" in done.stderr
    assert "at: {box" in done.stderr
    assert 'boxes from ssd-mobilenet: it does not know "flux capacitor"' in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_plan_names_its_own_picture_below_its_folder_only(tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "grey").save(tmp_path / "secret.png")
    folder = tmp_path / "plans"
    folder.mkdir()
    Image.new("RGB", (40, 30), "grey").save(folder / "mine.png")
    tree = "  - {do: outpainting, left: 10}\n"
    for name, code in (("mine.png", 0), ("../secret.png", 1), ("gone.png", 1)):
        write_plan(folder, tree, f"inputs: {{image: {name}}}\npolicy: {{threshold: 0.3, alpha: 2}}\n")
        done = costa("exec", "plans/plan.yaml", "--run-dir", f"run{code}{len(name)}", cwd=tmp_path)
        assert done.returncode == code, done.stderr
        if code:
            assert "error[COS630" in done.stderr
            assert "plan.yaml:4:17" in done.stderr


# ---- pictures of every kind ---------------------------------------------------------------------------------


def huge_png(path: Path) -> None:
    """A valid PNG header that promises 30,000 × 30,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)))


def bad_pictures(folder: Path) -> dict[str, Path]:
    truncated = folder / "truncated.jpg"
    Image.new("RGB", (300, 200), "red").save(truncated)
    truncated.write_bytes(truncated.read_bytes()[:-600])
    text = folder / "text.png"
    text.write_text("this is no picture\n")
    empty = folder / "empty.png"
    empty.touch()
    huge = folder / "huge.png"
    huge_png(huge)
    return {
        "missing": folder / "missing.png",
        "folder": folder,
        "truncated": truncated,
        "text": text,
        "empty": empty,
        "huge": huge,
    }


@pytest.mark.parametrize("kind", ["missing", "folder", "truncated", "text", "empty", "huge"])
def test_a_bad_picture_is_one_clear_message(tmp_path: Path, kind: str) -> None:
    plan = write_plan(tmp_path, "  - {do: outpainting, left: 10}\n")
    name = str(bad_pictures(tmp_path)[kind])
    done = costa("exec", plan, "--image", name, "--run-dir", "run", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("error[COS81") == 1
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def odd_picture(folder: Path, kind: str) -> tuple[Path, tuple[int, int]]:
    """A picture of an unusual kind, and the size that it should be seen at (width, height)."""
    ramp = np.linspace(0, 255, 96).astype(np.uint8)
    rgb = Image.fromarray(
        np.dstack([np.tile(ramp, (64, 1)), np.tile(ramp[::-1], (64, 1)), np.full((64, 96), 90, np.uint8)])
    )
    path = folder / f"{kind}.png"
    if kind == "exif-rotated":
        path = folder / "rotated.jpg"
        exif = Image.Exif()
        exif[0x0112] = 6
        rgb.save(path, exif=exif)
        return path, (64, 96)
    if kind == "cmyk":
        path = folder / "cmyk.jpg"
        rgb.convert("CMYK").save(path)
    elif kind == "palette":
        rgb.quantize(16).save(path)
    elif kind == "16-bit":
        Image.fromarray(np.tile(np.linspace(0, 65535, 96).astype(np.uint16), (64, 1))).save(path)
    elif kind == "grey":
        rgb.convert("L").save(path)
    elif kind == "rgba":
        alpha = Image.new("L", rgb.size, 255)
        alpha.paste(0, (0, 0, 20, 20))
        rgb.putalpha(alpha)
        rgb.save(path)
    elif kind == "one-pixel":
        Image.new("RGB", (1, 1), (10, 20, 30)).save(path)
        return path, (1, 1)
    return path, (96, 64)


@pytest.mark.parametrize("kind", ["exif-rotated", "cmyk", "palette", "16-bit", "grey", "rgba", "one-pixel"])
def test_an_odd_picture_works_rightly(tmp_path: Path, kind: str) -> None:
    path, (width, height) = odd_picture(tmp_path, kind)
    plan = write_plan(tmp_path, "  - {do: image-upscaling, scale: 2}\n", "policy: {threshold: 0.3, alpha: 2}\n")
    done = costa("exec", plan, "--image", str(path), "-o", "out.png", "--run-dir", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = Image.open(tmp_path / "out.png")
    assert result.size == (2 * width, 2 * height)
    if kind == "rgba":
        assert result.mode == "RGBA"
        alpha = np.asarray(result)[..., 3]
        assert alpha[4, 4] == 0
        assert alpha[100, 100] == 255
