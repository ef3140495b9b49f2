"""Tools in processes: each fault becomes one typed failure, the next tool runs, nothing is left behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from costa_dsl.model.artifact import Box, Target
from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.executor import Execution
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.runtime.process import ProcessExecutor
from tests.conftest import make_catalog, make_tool
from tests.runtime import faults

MEMORY = 600 * 2**20
IMAGE = np.random.default_rng(0).integers(0, 256, (40, 60, 3), np.uint8)
IMAGE.flags.writeable = False


@cache
def any_tool() -> Tool:
    return make_catalog(make_tool("any", "denoising"), {("any", "denoising"): (1, 1)}).tools["any"]


def tool(name: str, timeout: int = 60) -> Tool:
    return replace(any_tool(), name=name, implementation=name, timeout=timeout)


def call(image: np.ndarray = IMAGE, **more: Any) -> ToolCall:
    return ToolCall("denoising", image, **more)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessExecutor]:
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find) as executor:
        yield executor


@pytest.fixture(scope="module")
def inline() -> InlineExecutor:
    return InlineExecutor(find=faults.find)


def run(pool: ProcessExecutor, name: str, *gives: str, timeout: int = 60, **more: Any) -> Execution:
    return pool.run(tool(name, timeout), call(**more), gives or ("image",))


def assert_works(pool: ProcessExecutor) -> None:
    after = run(pool, "invert")
    assert after.failure is None
    assert np.array_equal(after.values["image"], 255 - IMAGE)


FAULTS = [
    ("crash", "crash", "SIGSEGV"),
    ("read_nothing", "crash", "SIGSEGV"),
    ("abort", "crash", "SIGABRT"),
    ("leave", "crash", "exit code 0"),
    ("system_exit", "crash", "SystemExit: 3"),
    ("interrupt_itself", "crash", "KeyboardInterrupt"),
    ("raises", "crash", "ZeroDivisionError: a defect"),
    ("declines", "not-found", "nothing here"),
    ("hog", "out-of-memory", "memory"),
    ("hog_at_once", "out-of-memory", "memory"),
    ("hog_mapped", "out-of-memory", "629 MB allowed"),
    ("hog_in_children", "out-of-memory", "629 MB allowed"),
    ("virtual", "out-of-memory", "memory"),
    ("fork", "crash", "forked its process"),
    ("fork_and_crash", "crash", "SIGKILL"),
    ("close_everything", "crash", "process"),
    ("write_garbage", "crash", "process"),
    ("write_input", "crash", "read-only"),
]


@pytest.mark.parametrize(("name", "kind", "said"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_fault_is_one_typed_failure_and_the_next_tool_runs(
    pool: ProcessExecutor, name: str, kind: str, said: str
) -> None:
    failure = run(pool, name).failure
    assert failure is not None
    assert (failure.kind, said in failure.message) == (kind, True), failure
    assert_works(pool)


@pytest.mark.parametrize("name", ["hang", "hang_in_native_code"])
def test_a_tool_that_hangs_is_ended_at_its_timeout(pool: ProcessExecutor, name: str) -> None:
    execution = run(pool, name, timeout=1)
    assert execution.failure is not None
    assert execution.failure.kind == "timeout"
    assert execution.seconds >= 1
    assert_works(pool)


def test_loading_a_model_is_not_work(pool: ProcessExecutor) -> None:
    execution = run(pool, "slow_to_load", timeout=1)
    assert execution.failure is None
    assert execution.load_seconds >= 1.5
    assert execution.seconds < execution.load_seconds


@pytest.mark.parametrize("name", [*faults.WRONG, *faults.WRONG_OTHERS, "deep"])
def test_a_wrong_result_is_refused_in_the_same_words_by_both(
    pool: ProcessExecutor, inline: InlineExecutor, name: str
) -> None:
    artifact = faults.WRONG_OTHERS[name][0] if name in faults.WRONG_OTHERS else "note" if name == "deep" else "image"
    failures = [executor.run(tool(name), call(), (artifact,)).failure for executor in (pool, inline)]
    assert failures[0] is not None
    assert failures[0].kind == "invalid-output"
    assert failures[0] == failures[1]


def test_values_of_all_kinds_are_the_same_in_both(pool: ProcessExecutor, inline: InlineExecutor) -> None:
    gives = ("image", "mask", "depth-map", "boxes", "text", "note")
    one, two = (executor.run(tool("everything"), call(), gives) for executor in (pool, inline))
    assert one.failure is None
    assert list(one.values) == list(two.values) == list(gives)
    for name in gives[:3]:
        assert one.values[name].tobytes() == two.values[name].tobytes()
        assert (one.values[name].dtype, one.values[name].strides) == (two.values[name].dtype, two.values[name].strides)
        assert type(one.values[name]) is type(two.values[name]) is np.ndarray
    for name in gives[3:]:
        assert repr(one.values[name]) == repr(two.values[name])
    assert one.placement == two.placement == faults.everything(call())["placement"]


def test_what_a_call_holds_arrives_as_it_was(pool: ProcessExecutor, inline: InlineExecutor) -> None:
    mask = IMAGE[..., 0] > 9
    boxes = (Box(0.1, 0.2, 1 / 3, 4.0, "Tür", 0.5),)
    given = call(artifacts={"mask": mask.T.copy().T, "boxes": boxes})
    notes = [executor.run(tool("seen_input"), given, ("note",)).values["note"] for executor in (pool, inline)]
    assert notes[0] == notes[1] == {"masks": "dtype('bool')", "boxes": boxes, "writeable": False}
    words: dict[str, Any] = {"to": "Blau ☂", "list": [1, (2, 3.5)], "none": None}
    target = Target("a cup", (("within", ["8%", 3]),))
    given = call(arguments=words, parameters={"deep": {"a": [1]}}, target=target, seed=2**40)
    notes = [executor.run(tool("who"), given, ("note",)).values["note"] for executor in (pool, inline)]
    for name in ("arguments", "parameters", "at", "seed"):
        assert notes[0][name] == notes[1][name]
    assert notes[0]["arguments"] == repr(words)


def test_what_cannot_be_sent_is_a_failure(pool: ProcessExecutor) -> None:
    failure = run(pool, "invert", arguments={"to": lambda: 0}).failure
    assert failure is not None
    assert failure.kind == "crash"
    assert_works(pool)


def test_an_input_that_is_written_to_stays_what_it_was(pool: ProcessExecutor) -> None:
    image = IMAGE.copy()
    execution = pool.run(tool("write_input_natively"), call(image), ("image",))
    assert execution.failure is None
    assert (execution.values["image"] == 7).all()
    assert np.array_equal(image, IMAGE)


def test_the_input_itself_can_be_the_result(pool: ProcessExecutor) -> None:
    image = np.ascontiguousarray(np.broadcast_to(IMAGE, (2, *IMAGE.shape)))[1]
    assert np.array_equal(pool.run(tool("echo"), call(image[::2, ::-1]), ("image",)).values["image"], image[::2, ::-1])


def test_what_is_printed_is_kept_with_its_beginning_and_its_end(
    pool: ProcessExecutor, capfd: pytest.CaptureFixture[str]
) -> None:
    execution = run(pool, "print_megabytes")
    assert execution.failure is None
    assert execution.log.startswith("first line\n")
    for line in ("straight to the descriptor", "from C", "last line", "bytes left out"):
        assert line in execution.log
    assert len(execution.log) < 2**18
    assert capfd.readouterr() == ("", "")
    assert run(pool, "invert").log == ""


def test_a_crash_leaves_its_last_words_in_the_log(pool: ProcessExecutor) -> None:
    assert "last words" in run(pool, "abort").log
    assert "string_at" in run(pool, "read_nothing").log
    assert "ZeroDivisionError" in run(pool, "raises").log


@pytest.mark.parametrize("name", ["threads", "close_stdout", "invert"])
def test_what_harms_nobody_is_no_failure(pool: ProcessExecutor, name: str) -> None:
    assert run(pool, name).failure is None
    assert_works(pool)


def test_standard_input_is_empty(pool: ProcessExecutor) -> None:
    assert run(pool, "read_stdin", "note").values["note"] == {"said": ""}


def test_a_process_left_behind_ends_with_the_executor() -> None:
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find) as own:
        process = run(own, "leave_a_process", "note").values["note"]["process"]
        assert psutil.pid_exists(process)
    assert wait_for(lambda: not runs(process))


def test_a_worker_keeps_its_models_and_is_replaced_when_it_dies(pool: ProcessExecutor) -> None:
    first = run(pool, "who", "note").values["note"]
    second = run(pool, "who", "note").values["note"]
    assert (first["process"], first["calls"] + 1) == (second["process"], second["calls"])
    assert first["process"] != os.getpid()
    run(pool, "crash")
    third = run(pool, "who", "note").values["note"]
    assert third["process"] != first["process"]
    assert third["calls"] == 1


def test_an_idle_worker_that_was_killed_costs_no_attempt(pool: ProcessExecutor) -> None:
    process = run(pool, "who", "note").values["note"]["process"]
    os.kill(process, 9)
    assert wait_for(lambda: not runs(process))
    assert run(pool, "who", "note").failure is None


def test_a_worker_that_is_killed_from_outside_is_a_failure(tmp_path: Path) -> None:
    says = tmp_path / "says"
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find) as own:
        found: list[Execution] = []
        thread = threading.Thread(
            target=lambda: found.append(run(own, "start_sleepers", arguments={"to": str(says)}, timeout=30))
        )
        thread.start()
        assert wait_for(lambda: says.exists() and len(says.read_text().split()) == 2)
        process, child = map(int, says.read_text().split())
        os.kill(process, 9)
        thread.join()
        assert wait_for(lambda: not runs(child))
        assert found[0].failure is not None
        assert "SIGKILL" in found[0].failure.message
        assert_works(own)


def test_calls_of_several_threads_run_side_by_side_in_as_many_workers_as_allowed() -> None:
    with ProcessExecutor(jobs=2, memory=MEMORY, find=faults.find) as own:
        found: list[int] = []
        threads = [
            threading.Thread(
                target=lambda: found.extend(run(own, "who", "note").values["note"]["process"] for _ in range(5))
            )
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 20
        assert len(set(found)) == 2


def test_cancelling_ends_what_runs_and_what_waits() -> None:
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find) as own:
        found: list[Execution] = []
        threads = [
            threading.Thread(target=lambda: found.append(run(own, "hang_in_native_code", timeout=30))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        assert wait_for(lambda: own._busy)
        own.cancel()
        for thread in threads:
            thread.join()
        kinds = [execution.failure and execution.failure.kind for execution in found]
        assert kinds == ["cancelled"] * 3
        with pytest.raises(KeyboardInterrupt):
            run(own, "invert").or_stop()


def test_closing_leaves_no_process_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    shared = tmp_path / "shared"
    shared.mkdir()
    own = ProcessExecutor(jobs=2, memory=MEMORY, find=faults.find, shared=shared)
    file = Path(run(own, "temporary", "note").values["note"]["file"])
    assert file.is_file()
    assert file.is_relative_to(tmp_path)
    kept = run(own, "invert")
    assert len(list(shared.iterdir())) == 1
    own.close()
    own.close()
    assert [path for path in tmp_path.rglob("*") if path != shared] == []
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    assert np.array_equal(kept.values["image"], 255 - IMAGE)
    assert run(own, "invert").failure is not None


def test_arrays_leave_no_file_behind_while_work_goes_on(pool: ProcessExecutor) -> None:
    for name in ("invert", "crash", "raises", "everything", "hog_at_once", "invert"):
        run(pool, name)
    left = [path.name for folder in pool._folders.paths for path in folder.rglob("*.npy")]
    assert left == []


def fill(folder: Path) -> None:
    """Let nothing be made in it any more, for whoever tries: its name leads elsewhere."""
    folder.rename(folder.with_name("away"))


def test_a_full_memory_folder_is_no_failure(tmp_path: Path) -> None:
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find, shared=tmp_path) as own:
        fill(own._folders.paths[0])
        assert_works(own)


def test_no_room_at_all_is_a_failure_that_leaves_the_worker_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find, shared=tmp_path) as own:
        assert_works(own)
        (worker,) = own._idle
        fill(own._folders.paths[0])
        failure = run(own, "invert").failure
        assert failure is not None
        assert failure.kind == "out-of-memory"
        assert "no room" in failure.message
        tmp_path.joinpath("away").rename(own._folders.paths[0])
        assert_works(own)
        assert own._idle == [worker]


def test_a_folder_with_blanks_and_umlauts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "Ä b\nc"
    odd.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find, shared=odd) as own:
        assert_works(own)


def test_a_tool_that_cannot_be_found_is_unavailable() -> None:
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find_nothing) as own:
        failure = run(own, "invert").failure
        assert failure is not None
        assert failure.kind == "unavailable"


def test_a_worker_that_cannot_start_is_a_failure_with_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [])
    with ProcessExecutor(jobs=1, memory=MEMORY, find=faults.find) as own:
        execution = run(own, "invert")
    assert execution.failure is not None
    assert "could not start" in execution.failure.message
    assert "ModuleNotFoundError" in execution.log


def runs(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(condition: Any) -> bool:
    """Whether something comes true; twenty seconds are for machines that have much else to do."""
    until = time.monotonic() + 20
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
