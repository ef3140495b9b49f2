"""What does not touch pixels loads nothing that does, and starts fast."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "cv2", "PIL", "torch", "onnxruntime", "ncnn", "skimage", "scipy", "networkx", "rich")
PLAN = "apiVersion: costa/v1\nkind: Plan\ntask: Widen.\ntree: {do: outpainting, left: 10%}\n"
PROGRAM = """
import runpy, sys
sys.argv = ["costa", *sys.argv[1:]]
try:
    runpy.run_module("costa_dsl", run_name="__main__")
except SystemExit as end:
    code = end.code
print("EXIT", code, file=sys.stderr)
print("LOADED", *sorted(sys.modules), file=sys.stderr)
"""


def loaded(arguments: list[str], folder: Path) -> tuple[int, set[str]]:
    """The exit code of a command, and the modules that it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, cwd=folder, check=True
    )
    code, modules = done.stderr.splitlines()[-2:]
    assert code.startswith("EXIT ")
    return int(code.split()[1]), set(modules.split()[1:])


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["explain", "COS1012"], ["validate", "plan.yaml"], ["compile", "plan.yaml"]],
    ids=lambda a: a[0],
)
def test_no_heavy_library_is_loaded(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    code, modules = loaded(arguments, tmp_path)
    assert code == 0
    assert [name for name in HEAVY if name in modules] == []


def test_help_loads_no_command(tmp_path: Path) -> None:
    _, modules = loaded(["--help"], tmp_path)
    assert "click" in modules
    own = {name for name in modules if name.startswith("costa_dsl.")}
    assert own <= {
        "costa_dsl.cli", "costa_dsl.cli.main", "costa_dsl.cli.lazy", "costa_dsl.cli.options",
        "costa_dsl.diagnostics", "costa_dsl.diagnostics.diagnostic", "costa_dsl.diagnostics.fix",
        "costa_dsl.diagnostics.source", "costa_dsl.diagnostics.suggest",
    }  # fmt: skip
    assert not modules & {"yaml", "jsonschema"}
