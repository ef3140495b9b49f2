"""The child side of a worker process: takes calls one after the other, keeps models loaded, dies with its parent.

It is started by `runtime/worker_process.py`, never by hand. Calls come as names of files on one pipe; what happens
goes back on another as lines of JSON: `{"at": "ready" | "work" | "load"}` when a phase begins, and in the end
`{"at": "end", "execution": …}`. Standard output and error belong to the tools; the parent keeps what they print.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

from costa_dsl.runtime.call import ModelCache, ToolFunction
from costa_dsl.runtime.executor import Execution, Failure
from costa_dsl.runtime.inline import FindFunction, run_here
from costa_dsl.runtime.limits import shown_memory
from costa_dsl.runtime.transport import Exchange, packed_execution, unpacked_call

T = TypeVar("T")

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_FORKED = 71
_OOM_SCORE = "500"
# Libraries reserve memory that they never use: up to twice what they do, and pools for their threads.
_RESERVED = 2**30


class WatchedModels(ModelCache):
    """Tells the parent when loading begins and ends: a tool's time limit is one of its work."""

    def __init__(self, phase: Callable[[str], None]) -> None:
        super().__init__()
        self._phase = phase

    def get(self, key: Hashable, load: Callable[[], T]) -> T:
        if key in self._models:
            return super().get(key, load)
        self._phase("load")
        try:
            return super().get(key, load)
        finally:
            self._phase("work")


class Worker:
    """Runs the calls that come in.

    Args:
        calls: gives the name of the next call's file in `folder`.
        send: takes one message for the parent.
        find: gives the function behind an implementation name.
        memory: bytes that an array may have at most.
    """

    def __init__(
        self,
        calls: Callable[[], str],
        folder: Path,
        send: Callable[[dict[str, Any]], None],
        exchange: Exchange,
        find: FindFunction,
        memory: int,
    ) -> None:
        self._calls = calls
        self._folder = folder
        self._streams = _streams()
        self._send = send
        self._exchange = exchange
        self._find = find
        self._memory = memory
        self._models = WatchedModels(self._phase)
        self._process = os.getpid()
        self._forks = 0
        os.register_at_fork(after_in_parent=self._note_fork)

    def work(self) -> None:
        """For ever: the parent ends this process."""
        self._phase("ready")
        while True:
            place = self._folder / self._calls()
            request = pickle.loads(place.read_bytes())  # written by the parent
            place.unlink()
            execution = self._one(request)
            failure = execution.failure
            # A copy of this process may still run, or native code may have been left half done for want of memory.
            # Or the next file that is opened would stand in for a stream that was closed.
            spoiled = (
                self._forks > 0
                or (failure is not None and failure.kind == "out-of-memory")
                or _streams() != self._streams
            )
            self._send({"at": "end", "execution": self._packed(request["tool"], execution), "spoiled": spoiled})

    def _one(self, request: dict[str, Any]) -> Execution:
        call = unpacked_call(request["call"], self._exchange, self._models)
        tool: str = request["tool"]
        self._forks = 0
        self._phase("load")
        try:
            execution = run_here(
                tool, lambda: self._found(request["implementation"]), call, request["gives"], time.perf_counter
            )
        except BaseException as error:  # KeyboardInterrupt, raised by the tool: nobody interrupts a worker
            execution = Execution(0.0, 0.0, failure=Failure("crash", f"{tool} crashed: {type(error).__name__}"))
        if os.getpid() != self._process:
            # A copy of this process, which the tool made, has come back from the tool. It has no business here.
            os._exit(_FORKED)
        _flush()
        if self._forks and execution.failure is None:
            message = f"{tool} forked its process, which neither threads nor loaded models survive"
            execution = _failed(execution, Failure("crash", message, "start programs with subprocess"))
        size = sum(getattr(value, "nbytes", 0) for value in execution.values.values())
        if size > self._memory:
            message = f"{tool} gave {shown_memory(size)} of arrays, more than the {shown_memory(self._memory)} allowed"
            execution = _failed(execution, Failure("out-of-memory", message, "allow more with --memory"))
        return execution

    def _packed(self, tool: str, execution: Execution) -> dict[str, Any]:
        try:
            return packed_execution(execution, self._exchange)
        except OSError as error:
            message = f"there is no room for what {tool} gave: {error.strerror or error}"
            failure = Failure("out-of-memory", message, "make room in the temporary folder (TMPDIR)")
            return packed_execution(_failed(execution, failure), self._exchange)

    def _found(self, implementation: str) -> ToolFunction:
        function = self._find(implementation)
        self._phase("work")
        return function

    def _phase(self, name: str) -> None:
        if os.getpid() == self._process:
            self._send({"at": name})

    def _note_fork(self) -> None:
        self._forks += 1


def _failed(execution: Execution, failure: Failure) -> Execution:
    return Execution(execution.seconds, execution.load_seconds, failure=failure)


def _streams() -> list[tuple[int, int]] | None:
    """What the descriptors of the three standard streams lead to; None when one of them is closed."""
    try:
        return [(about.st_dev, about.st_ino) for about in map(os.fstat, range(3))]
    except OSError:
        return None


def _flush() -> None:
    """What the tool printed goes out before its result, also from C code."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the tool may have closed it, or put anything in its place
            stream.flush()
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).fflush(None)


def _lines_of(handle: int) -> Callable[[], str]:
    """Reads the parent's pipe in a thread, which ends this process and all that it started when the parent is gone."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()

    def watch() -> None:
        try:
            with os.fdopen(handle, "rb") as pipe:
                for line in pipe:
                    waiting.put(line.decode("ascii").strip())
        finally:
            os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, name="costa-parent", daemon=True).start()
    return waiting.get


def _sender(handle: int) -> Callable[[dict[str, Any]], None]:
    turn = threading.Lock()

    def send(message: dict[str, Any]) -> None:
        data = json.dumps(message).encode("ascii") + b"\n"
        with turn:
            while data:
                data = data[os.write(handle, data) :]

    return send


def _limit(memory: int) -> None:
    """Let allocations beyond the limit fail, before the parent has to kill; and let the system kill us, not costa."""
    import resource

    if sys.platform == "linux":
        # Only against what is far too much at once: near what is allowed it makes native code crash, or hang, where the
        # parent would end it cleanly (docs/adr/0009). RLIMIT_AS would count mapped files and reserved addresses.
        limit = 2 * memory + _RESERVED
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)
        with contextlib.suppress(Exception):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(calls: int, messages: int, setup: str) -> None:
    """Begin to work. `setup` names a file with what the parent wants: folders, label, find, memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for handle in (calls, messages):  # no business of programs that tools start
        os.set_inheritable(handle, False)
    next_call = _lines_of(calls)
    faulthandler.enable()
    place = Path(setup)
    wanted = pickle.loads(place.read_bytes())  # written by the parent
    place.unlink()
    _limit(wanted["memory"])
    exchange = Exchange(wanted["folders"], wanted["label"])
    folder = wanted["folders"][-1]
    Worker(next_call, folder, _sender(messages), exchange, wanted["find"], wanted["memory"]).work()
