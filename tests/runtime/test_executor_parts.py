"""The parts of the executors alone: limits of the machine, what is printed, arrays as files, folders."""

from __future__ import annotations

import os
import pickle
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from costa_dsl.runtime.call import ModelCache, ToolCall
from costa_dsl.runtime.executor import Execution, Failure
from costa_dsl.runtime.folders import Folders
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.runtime.limits import default_jobs, default_memory, parse_memory, shown_memory, usable_cores
from costa_dsl.runtime.printed import Printed
from costa_dsl.runtime.process import ProcessExecutor
from costa_dsl.runtime.transport import Exchange, packed_call, packed_execution, unpacked_call, unpacked_execution
from tests.runtime import faults
from tests.runtime.test_process_executor import call, tool


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4 * 10**9), ("512MiB", 2**29), (" 1.5 g ", 1_500_000_000), ("1TiB", 2**40), ("300000000", 300_000_000)],
)
def test_a_size_is_read(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "4 parsecs", "-1GB", "GB", "1,5GB", "nan", "1e9", "4GBB", "0", "100MB"])
def test_what_is_no_size_or_too_small_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"size|too little"):
        parse_memory(text)


@pytest.mark.parametrize(("size", "text"), [(3.25e9, "3.25 GB"), (12e6, "12 MB"), (5000, "5 kB"), (17, "17 bytes")])
def test_a_size_is_shown(size: float, text: str) -> None:
    assert shown_memory(size) == text


def test_a_share_of_the_machine_is_the_default() -> None:
    total = psutil.virtual_memory().total
    assert default_memory(1, Path("/nowhere")) == int(total * 0.8)
    assert default_memory(2, Path("/nowhere")) == int(total * 0.8 / 2)
    assert 1 <= default_jobs() <= min(4, usable_cores())


def test_the_limits_of_containers_are_kept(tmp_path: Path) -> None:
    groups = tmp_path / "proc/self/cgroup"
    groups.parent.mkdir(parents=True)
    new = tmp_path / "sys/fs/cgroup"
    (new / "a/b").mkdir(parents=True)
    groups.write_text("0::/a/b\n")
    (new / "a/b/memory.max").write_text("max\n")
    (new / "a/memory.max").write_text("2000000000\n")
    assert default_memory(2, tmp_path) == 800_000_000
    old = new / "memory/docker"
    old.mkdir(parents=True)
    groups.write_text("5:cpu,memory:/docker\n4:cpuset:/x\n")
    (old / "memory.limit_in_bytes").write_text("1000000000\n")
    (new / "memory/memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert default_memory(2, tmp_path) == 400_000_000


@pytest.mark.parametrize("pieces", [[b"x" * 5000], [b"x"] * 5000, [b"x" * 999, b"x" * 4001]], ids=len)
def test_of_much_that_is_printed_the_beginning_and_the_end_are_kept(pieces: list[bytes]) -> None:
    printed = Printed(kept=100)
    printed.add(b"begin")
    for piece in pieces:
        printed.add(piece)
    printed.write("end ☂")
    text = printed.text()
    assert text.startswith("begin" + "x" * 95 + "\n… ")
    assert text.endswith("x" * 93 + "end ☂")
    assert f"… {5 + 5000 + 7 - 200} bytes left out …" in text
    assert text == printed.text()


def test_of_little_that_is_printed_all_is_kept() -> None:
    printed = Printed(kept=100)
    for number in range(40):
        printed.write(f"{number:05}")
    assert printed.text() == "".join(f"{number:05}" for number in range(40))


ARRAYS = {
    "bytes": np.arange(60, dtype=np.uint8).reshape(4, 5, 3),
    "strided": np.arange(240, dtype=np.uint8).reshape(8, 10, 3)[::-2, ::2],
    "columns first": np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4)),
    "big-endian": np.arange(5, dtype=">f8"),
    "truth": np.array([[True, False]]),
    "empty": np.zeros((0, 3), np.uint8),
    "a number": np.array(7.5),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_and_its_file_is_gone(tmp_path: Path, name: str) -> None:
    array = ARRAYS[name]
    found = Exchange([tmp_path], 1).read(Exchange([tmp_path], 2).write(array))
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="read-only"):
        found[...] = 0


@pytest.mark.parametrize("name", ["/etc/passwd", "../0-1-1.npy", "0-1-1.npy\n", "0-1-1.txt", "", "7-1-1.npy"])
def test_a_name_that_is_none_of_ours_is_not_read(tmp_path: Path, name: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        Exchange([tmp_path], 1).read(name)


def test_a_file_that_is_not_whole_or_holds_objects_is_refused(tmp_path: Path) -> None:
    exchange = Exchange([tmp_path], 1)
    whole = tmp_path / exchange.write(np.zeros((100, 100)))
    whole.write_bytes(whole.read_bytes()[:-1])
    with pytest.raises(ValueError, match="not whole"):
        exchange.read(whole.name)
    with (tmp_path / "0-1-9.npy").open("wb") as file:
        np.lib.format.write_array(file, np.array([{}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="objects"):
        exchange.read("0-1-9.npy")
    with pytest.raises(ValueError, match=r"[Oo]bject"):
        exchange.write(np.array([{}], object))
    assert list(tmp_path.iterdir()) == []


def test_no_room_anywhere_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        Exchange([tmp_path / "a", tmp_path / "b"], 1).write(np.zeros(3))
    big = ToolCall("denoising", np.zeros((4, 4, 3), np.uint8), {"mask": np.zeros((4, 4), np.bool_), "bad": lambda: 0})
    with pytest.raises((pickle.PicklingError, AttributeError)):
        packed_call(big, Exchange([tmp_path], 1))
    assert list(tmp_path.iterdir()) == []


def test_a_call_and_an_execution_come_back(tmp_path: Path) -> None:
    image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    given = ToolCall("denoising", image, {"mask": image[..., 0] > 3}, arguments={"a": [1, (2,)]}, seed=3)
    data, names = packed_call(given, Exchange([tmp_path], 1))
    assert len(names) == 2
    models = ModelCache()
    found = unpacked_call(data, Exchange([tmp_path], 2), models)
    assert np.array_equal(found.image, image)
    assert np.array_equal(found.mask, given.mask)
    assert (found.arguments, found.seed, found.models) == (given.arguments, 3, models)
    failed = Execution(0.1, 1 / 3, failure=Failure("crash", "m", "h", "l"))
    assert unpacked_execution(packed_execution(failed, Exchange([tmp_path], 1)), Exchange([tmp_path], 2)) == failed


def test_folders_of_others_and_new_ones_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    being_made = tmp_path / "costa-exchange-new"
    forgotten = tmp_path / "costa-exchange-old"
    theirs = tmp_path / "something-else"
    link = tmp_path / "costa-exchange-link"
    for folder in (being_made, forgotten, theirs):
        folder.mkdir()
        (folder / "file").write_text("")
    link.symlink_to(theirs)
    long_ago = time.time() - 10_000
    os.utime(forgotten, (long_ago, long_ago))
    Folders(tmp_path / "no such folder").close()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([being_made.name, theirs.name, link.name])
    assert (theirs / "file").exists()


def test_only_this_user_can_look_into_the_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folders = Folders()
    assert [path.stat().st_mode & 0o777 for path in folders.paths] == [0o700] * len(folders.paths)
    folders.close()


def test_a_function_of_the_program_itself_is_refused() -> None:
    def mine(name: str) -> Any: ...

    mine.__module__ = "__main__"
    with pytest.raises(ValueError, match="module"):
        ProcessExecutor(find=mine)


def test_a_temporary_folder_that_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(OSError, match="No such file"):
        ProcessExecutor(find=faults.find)


# ---- in this process ----------------------------------------------------------------------------------------


def test_in_this_process_nothing_printed_reaches_our_output(capsys: pytest.CaptureFixture[str]) -> None:
    with InlineExecutor(find=lambda name: lambda call: print("loud") or {"image": call.image}) as inline:  # noqa: T201
        execution = inline.run(tool("loud"), call(), ("image",))
    assert execution.failure is None
    assert execution.log == "loud\n"
    assert capsys.readouterr().out == ""


def test_in_this_process_a_tool_that_leaves_python_is_a_failure() -> None:
    failure = InlineExecutor(find=faults.find).run(tool("system_exit"), call(), ("image",)).failure
    assert failure is not None
    assert (failure.kind, failure.message) == ("crash", "system_exit crashed: SystemExit: 3")


def test_in_this_process_the_input_is_protected_too() -> None:
    image = np.zeros((4, 4, 3), np.uint8) + 9
    failure = InlineExecutor(find=faults.find).run(tool("write_input"), call(image), ("image",)).failure
    assert failure is not None
    assert "read-only" in failure.message
    assert (image == 9).all()
    assert image.flags.writeable


def test_in_this_process_threads_wait_for_each_other_and_cancelling_ends_what_waits() -> None:
    inside, most = 0, 0

    def busy(given: ToolCall) -> Any:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        inside -= 1
        return {"image": given.image}

    inline = InlineExecutor(find=lambda name: busy)
    found: list[Execution] = []
    threads = [
        threading.Thread(target=lambda: found.append(inline.run(tool("busy"), call(), ("image",)))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert all(execution.failure is None for execution in found)
    inline.cancel()
    with pytest.raises(KeyboardInterrupt):
        inline.run(tool("busy"), call(), ("image",)).or_stop()


def test_a_folder_that_is_being_made_is_nobodys_left_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two costas start at the same time: whatever one sees of the other's folder, it is locked or not yet named."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: list[list[str]] = []
    rename = Path.rename

    def watched(self: Path, target: Path) -> Path:
        # At the last moment before the name: another costa cleans up.
        child = os.fork()
        if child == 0:
            Path.rename = rename  # type: ignore[method-assign]
            Folders(tmp_path / "none").close()
            os._exit(0)
        os.waitpid(child, 0)
        seen.append(sorted(found.name for found in self.iterdir()))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", watched)
    folders = Folders(tmp_path / "none")
    assert [".lock" in names for names in seen] == [True]
    assert all(path.is_dir() for path in folders.paths)
    folders.close()
    assert not list(tmp_path.glob("costa-*"))
