"""`costa exec --executor … --jobs … --memory …`: what is accepted, and what comes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLAN = (
    "apiVersion: costa/v1\nkind: Plan\ntask: Widen.\npolicy: {threshold: 0.1, alpha: 2}\n"
    "tree: {do: outpainting, left: 10%}\n"
)


def costa(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "plan.yaml").write_text(PLAN)
    path = [entry for entry in sys.path if entry]
    program = f"import sys; sys.path[:0] = {path!r}; from costa_dsl.cli.main import main; main()"
    command = [sys.executable, "-c", program, "exec", "plan.yaml", "--image", "sample:chelsea", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--memory", "some"], '"some" is not a size; write it like 4GB or 512MiB'),
        (["--memory", "1MB"], "1MB is too little for any tool; at least 268 MB are needed"),
        (["--jobs", "0"], "0 is not in the range 1<=x<=64"),
        (["--executor", "cloud"], "'cloud' is not one of 'process', 'inline'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_slip_is_told(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = costa(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_both_executors_end_in_the_same_picture(tmp_path: Path) -> None:
    pictures = []
    for number, arguments in enumerate((["--executor", "inline"], ["--jobs", "1", "--memory", "2GB"], [])):
        done = costa(tmp_path, *arguments, "--run-dir", f"run{number}", "--format", "json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["status"] == "completed"
        pictures.append((tmp_path / f"run{number}" / "output.png").read_bytes())
    assert pictures[0] == pictures[1] == pictures[2]


def test_no_room_for_temporary_files_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # tempfile falls back to this folder of the system when TMPDIR is of no use; both are taken away.
    program = (
        "import sys, tempfile; sys.path[:0] = {path!r}; tempfile.tempdir = {gone!r}; "
        "from costa_dsl.cli.main import main; main()"
    ).format(path=[entry for entry in sys.path if entry], gone=str(tmp_path / "gone"))
    (tmp_path / "plan.yaml").write_text(PLAN)
    command = [sys.executable, "-c", program, "exec", "plan.yaml", "--image", "sample:chelsea"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "error[COS8206]" in done.stderr
    assert "--executor inline" in done.stderr
    assert not (tmp_path / "runs").exists()
