"""`costa import` and `costa export` as a user calls them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import click
import pytest

from costa_dsl.cli.export import export_command
from costa_dsl.cli.import_ import import_command
from costa_dsl.cli.validate import validate_files
from costa_dsl.diagnostics import CostaError
from costa_dsl.resources import data_folder
from tests.exchange.comfyui_facts import assert_sound
from tests.exchange.test_import_orders import MARKET
from tests.exchange.trees import plan_of, tree_text

PLAN = """apiVersion: costa/v1
kind: Plan
task: Make it larger.
policy: {threshold: 0.5, tools: {only: [lanczos]}}
tree:
  - {do: image-upscaling, scale: 2}
"""


def call(command: click.Command, *arguments: str) -> list[str]:
    """Run a command; the codes of the errors that ended it."""
    try:
        command.main(list(arguments), standalone_mode=False)
    except CostaError as error:
        return [found.code for found in error.diagnostics]
    return []


@pytest.fixture
def tree(tmp_path: Path) -> str:
    path = tmp_path / "Tree.json"
    path.write_text(tree_text(MARKET), encoding="utf-8")
    return str(path)


def test_import_to_stdout(tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(import_command, tree) == []
    out, err = capsys.readouterr()
    assert out.startswith("# yaml-language-server: $schema=")
    assert "# Imported from Tree.json.\n" in out
    assert len(plan_of(out).steps) == 4
    assert "warning[COS3315]" in err
    assert "1 warning" in err


def test_validate_finds_what_the_import_could_not_know(tree: str, tmp_path: Path) -> None:
    output = tmp_path / "plan.yaml"
    assert call(import_command, tree, "-o", str(output)) == []
    found = validate_files([str(output)], "default")
    assert [(one.code, one.span and one.span.text) for one in found if one.severity == "error"] == [
        ("COS3106", "outpainting")
    ]
    output.write_text(output.read_text().replace("{do: outpainting}", "{do: outpainting, left: 10%}"))
    found = validate_files([str(output)], "default")
    # Whether the packaged detectors know the thing is no business of the import.
    assert [one.code for one in found if one.severity == "error" and one.code != "COS4103"] == []


def test_import_as_json(tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(import_command, tree, "--format", "json") == []
    document = json.loads(capsys.readouterr().out)
    assert {key: document[key] for key in ("version", "steps", "ways")} == {"version": 1, "steps": 4, "ways": 2}
    assert len(plan_of(document["plan"]).steps) == 4


def test_import_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Tree.json"
    path.write_text('{"task": "t", "subtask_tree": [{"subtask": "A (1)", "parent": ["B (2)"]}, {}]}')
    assert call(import_command, str(path)) == ["COS3305", "COS3306", "COS3302", "COS3302"]
    assert call(import_command, str(tmp_path / "nothing.json")) == ["COS0001"]
    assert call(import_command, str(tmp_path)) == ["COS0002"]
    path.write_bytes(b"\x00\xff")
    assert call(import_command, str(path)) == ["COS0006"]
    assert capsys.readouterr().out == ""


def test_a_plan_that_cannot_be_written(tree: str, tmp_path: Path) -> None:
    assert call(import_command, tree, "-o", str(tmp_path / "no" / "plan.yaml")) == ["COS8203"]
    assert call(import_command, tree, "-o", str(tmp_path)) == ["COS8203"]


@pytest.fixture
def plan(tmp_path: Path) -> str:
    path = tmp_path / "larger.yaml"
    path.write_text(PLAN)
    return str(path)


def workflow_of(text: str) -> dict[str, Any]:
    workflow: dict[str, Any] = json.loads(text)
    assert_sound(workflow)
    return workflow


def test_export_with_the_packaged_catalog(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(export_command, plan, "--to", "comfyui") == []
    out, err = capsys.readouterr()
    assert [node["class_type"] for node in workflow_of(out).values()] == ["LoadImage", "ImageScaleBy", "SaveImage"]
    assert "warning[COS5104]" in err


def test_export_to_a_file(plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "workflow.json"
    assert call(export_command, plan, "--to", "comfyui", "-o", str(output)) == []
    assert capsys.readouterr().out == ""
    assert workflow_of(output.read_text())["2"]["inputs"]["scale_by"] == 2
    assert call(export_command, plan, "--to", "comfyui", "-o", str(tmp_path / "no" / "w.json")) == ["COS8203"]


def test_alpha_and_catalog_decide_the_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A good slow tool and a poor quick one, in a catalog of the user's own."""
    folder = tmp_path / "tools"
    folder.mkdir()
    shutil.copy(data_folder("tools") / "subtasks.yaml", folder)
    manifest = (data_folder("tools") / "lanczos.yaml").read_text(encoding="utf-8")
    for name, method in (("slow", "lanczos"), ("quick", "area")):
        text = manifest.replace("name: lanczos\n", f"name: {name}\n").replace(
            "upscale_method: lanczos", f"upscale_method: {method}"
        )
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / "benchmark.yaml").write_text(
        "apiVersion: costa/v1\nkind: BenchmarkTable\ntitle: t\nsource: test\nrows:\n"
        "  - {tool: slow, subtask: image-upscaling, seconds: 9, quality: 0.99, n: 1}\n"
        "  - {tool: quick, subtask: image-upscaling, seconds: 1, quality: 0.85, n: 1}\n"
    )
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("policy: {threshold: 0.5, tools: {only: [lanczos]}}\n", ""))
    for alpha, method in (("0", "lanczos"), ("2", "area")):
        assert call(export_command, str(path), "--to", "comfyui", "--alpha", alpha, "--catalog", str(folder)) == []
        assert workflow_of(capsys.readouterr().out)["2"]["inputs"]["upscale_method"] == method


def test_export_that_fails(tmp_path: Path, plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("image-upscaling, scale: 2", "sharpen").replace(", tools: {only: [lanczos]}", ""))
    assert "COS5101" in call(export_command, str(path), "--to", "comfyui", "--assume-available")
    assert call(export_command, str(tmp_path / "none.yaml"), "--to", "comfyui") == ["COS0001"]
    with pytest.raises(click.UsageError):
        call(export_command, plan, "--to", "blender")
    assert capsys.readouterr().out == ""
