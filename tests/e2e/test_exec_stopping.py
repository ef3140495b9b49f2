"""`costa exec` that is stopped in the middle of a tool, in every way: the record is written, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.conftest import assert_fits

PLAN = "apiVersion: costa/v1\nkind: Plan\ntask: a test\npolicy: {threshold: 0.1}\ntree: {do: outpainting, left: 40}\n"
# Holds the interpreter's lock in native code, with a program that it started and a copy of itself beside it.
STUB = """
import ctypes, os, subprocess, sys, time
def stay(call):
    child = subprocess.Popen(["sleep", "3603"])
    copy = os.fork()
    if not copy:
        time.sleep(3604)
    print("about to stay", flush=True)
    whole = os.environ["STUB_SAYS"]
    with open(whole + ".part", "w") as file:
        file.write(f"{os.getpid()} {child.pid} {copy}")
    os.rename(whole + ".part", whole)
    ctypes.PyDLL(None).sleep(3605)
"""
MANIFEST = (
    "apiVersion: costa/v1\nkind: Tool\nname: stub\ntitle: A stub\nimplementation: staying-stub\n"
    "implements: [outpainting]\nneeds: [image]\ngives: [image]\ndeterminism: pure\nlicense: MIT\n"
)
ROWS = (
    "apiVersion: costa/v1\nkind: BenchmarkTable\ntitle: t\nsource: t\nrows:\n"
    "  - {tool: stub, subtask: outpainting, seconds: 0.01, quality: 1.0, n: 1}\n"
)


@dataclass
class Started:
    """A run whose tool is at work."""

    process: subprocess.Popen[str]
    folder: Path
    exchange: list[Path]
    family: list[psutil.Process]

    def left(self) -> list[object]:
        """What should be gone: processes and folders."""
        running = [one for one in self.family if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
        return [*running, *(path for path in self.exchange if path.exists())]

    def record(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.folder / "run" / "run.json").read_text())
        return found


def heed_signals() -> None:
    """In the new process: no signal is ignored, even when the tests run in the background or under nohup."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    info = tmp_path / "site" / "staying_stub-1.0.dist-info"
    info.mkdir(parents=True)
    (tmp_path / "site" / "staying_stub.py").write_text(STUB)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: staying-stub\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[costa.tools]\nstaying-stub = staying_stub:stay\n")
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    (catalog / "stub.yaml").write_text(MANIFEST)
    (catalog / "benchmark.yaml").write_text(ROWS)
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "Ä b").mkdir()
    says = tmp_path / "says"
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])
    environment = {**os.environ, "CI": "1", "PYTHONPATH": path, "TMPDIR": str(tmp_path / "Ä b"), "STUB_SAYS": str(says)}
    command = [sys.executable, "-m", "costa_dsl", "exec", "plan.yaml", "--image", "sample:chelsea"]
    process = subprocess.Popen(
        [*command, "--catalog", "catalog", "--run-dir", "run"],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heed_signals,
    )  # fmt: skip
    try:
        assert wait_for(lambda: says.exists() or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        family = psutil.Process(process.pid).children(recursive=True)
        assert {int(number) for number in says.read_text().split()} < {one.pid for one in family}
        keeper = next(one for one in family if any(word.endswith("keeper.py") for word in one.cmdline()))
        folders = [Path(word) for word in keeper.cmdline() if "costa-exchange-" in word]
        assert len(folders) == 2
        yield Started(process, tmp_path, folders, family)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_run_with_its_record(started: Started, name: str) -> None:
    number = signal.Signals[name]
    started.process.send_signal(number)
    started.process.send_signal(number)  # people press Ctrl-C twice
    _, said = started.process.communicate(timeout=60)
    assert started.process.returncode == 128 + number, said
    assert started.left() == []
    record = started.record()
    assert_fits(record, "run-record")
    assert record["status"] == "interrupted"
    assert "COS6202" in said
    assert "Traceback" not in said


def test_a_killed_costa_leaves_nothing_behind(started: Started) -> None:
    started.process.kill()
    started.process.wait()
    assert wait_for(lambda: not started.left()), started.left()


def test_the_next_start_cleans_up_when_the_keeper_was_killed_too(started: Started) -> None:
    keeper = next(one for one in started.family if any(word.endswith("keeper.py") for word in one.cmdline()))
    others = [one for one in started.family if one != keeper]
    for one in [keeper, psutil.Process(started.process.pid), *others]:
        one.kill()
    started.process.wait()
    assert all(path.exists() for path in started.exchange)
    program = (
        "from costa_dsl.runtime.folders import Folders\n"
        "mine = Folders()\n"
        "import tempfile, pathlib, sys\n"
        "assert all(path.exists() for path in mine.paths)\n"
        "Folders().close()\n"
        "assert all(path.exists() for path in mine.paths), 'of one that is alive'\n"
        "mine.close()\n"
    )
    environment = {**os.environ, "TMPDIR": str(started.folder / "Ä b"), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert not any(path.exists() for path in started.exchange)


def wait_for(condition: object) -> bool:
    """Whether something comes true; a minute is for machines that have much else to do."""
    assert callable(condition)
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
