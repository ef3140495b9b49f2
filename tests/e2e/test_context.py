"""Real tools, one plan, two pictures: what is good before a sky is left out on a wall."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pictures

from costa_dsl.store.pictures import load_picture
from costa_dsl.store.values import Image, Mask
from tests.e2e.test_exec import costa, write_plan

TREE = "  - {do: object-removal, object: ball, at: {mask: ball.png}, id: away}\n"
SIZE = (200, 320)


def ground(name: str) -> Image:
    """A sky that grows lighter to the horizon, or bricks."""
    if name == "bricks":
        bricks = Pictures.fromarray(load_picture("sample:brick").pixels)
        return np.asarray(bricks.resize((SIZE[1], SIZE[1])).crop((0, 0, SIZE[1], SIZE[0])))
    slope = np.linspace(0, 60, SIZE[0])[:, None, None] + np.array([60, 110, 170])
    grain = np.random.default_rng(5).normal(0, 1.5, (*SIZE, 1))
    return np.clip(slope + grain + np.zeros((*SIZE, 3)), 0, 255).astype(np.uint8)


def ball() -> Mask:
    y, x = np.mgrid[: SIZE[0], : SIZE[1]]
    return np.asarray((x - 170) ** 2 + (y - 100) ** 2 <= 28**2)


@pytest.mark.parametrize(("name", "tool"), [("sky", "telea"), ("bricks", "patchmatch")])
def test_the_ground_decides_which_tool_removes_a_thing(tmp_path: Path, name: str, tool: str) -> None:
    clean, mask = ground(name), ball()
    pixels = clean.copy()
    pixels[mask] = (200, 60, 40)
    Pictures.fromarray(pixels).save(tmp_path / "picture.png")
    Pictures.fromarray(np.where(mask, 255, 0).astype(np.uint8)).save(tmp_path / "ball.png")
    plan = write_plan(tmp_path, TREE)
    done = costa("exec", plan, "--image", "picture.png", "--run-dir", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    (step,) = [step for step in record["steps"] if step["role"] == "step"]
    assert step["tool"] == tool
    assert ("telea is left out" in done.stderr) == (name == "bricks")
    assert "background" in step["why"]
    # And it is the better one to look at: near the ground as it was before the ball.
    result = np.asarray(Pictures.open(tmp_path / "run" / "output.png")).astype(float)
    assert np.abs(result - clean)[mask].mean() < (6 if name == "sky" else 40)
    told = costa("trace", "run", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert f"{tool}" in told.stdout
    assert "measured" in told.stdout
