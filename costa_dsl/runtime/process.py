"""Tools in processes of their own: whatever happens to one costs that attempt and nothing else."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from costa_dsl.model.tool import Tool
from costa_dsl.runtime import keeper
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.executor import Execution, Failure, cancelled
from costa_dsl.runtime.folders import MEMORY, Folders
from costa_dsl.runtime.inline import FindFunction, installed_function
from costa_dsl.runtime.limits import default_jobs, default_memory
from costa_dsl.runtime.transport import Exchange
from costa_dsl.runtime.worker_process import WorkerProcess

# How long a thread that waits for a worker sleeps before it looks again whether all was cancelled.
_LOOK_AGAIN = 0.1
# Files of workers carry their numbers, from 1 on; those of this process:
_OWN_LABEL = 0


class ProcessExecutor:
    """Runs tools in warm worker processes, side by side when several threads ask.

    A worker keeps the models that its tools have loaded; one that has a tool's is preferred. A worker that crashes,
    takes too long or too much memory is ended with everything that it started, and replaced when needed.

    Args:
        jobs: how many workers there may be at a time.
        memory: bytes that each worker, with what it starts, may use.
        find: gives the function behind an implementation name; a function at the top of a module, since workers have
            to find it too.
        shared: the folder in memory through which arrays pass; where it is missing or full, files on disk serve.

    Raises:
        OSError: no temporary folder can be written, or no process started.
        ValueError: workers cannot import `find`.
    """

    def __init__(
        self,
        jobs: int | None = None,
        memory: int | None = None,
        find: FindFunction = installed_function,
        shared: Path = MEMORY,
    ) -> None:
        if find.__module__ == "__main__":
            raise ValueError("`find` must be a function of a module that workers can import, not of the program itself")
        self._jobs = max(1, default_jobs() if jobs is None else jobs)
        self._memory = default_memory(self._jobs) if memory is None else memory
        self._find = find
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._started = 0
        self._change = threading.Condition()
        self._stopped = self._closed = False
        self._folders = Folders(shared)
        self._wake, self._alarm = os.pipe()
        os.set_blocking(self._alarm, False)
        try:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", keeper.__file__, *map(str, self._folders.paths)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._exchange = Exchange(self._folders.paths, _OWN_LABEL)
            # The first one early: it imports while costa does other things.
            self._idle.append(self._start(sys.executable))
        except BaseException:
            self.close()
            raise

    def run(self, tool: Tool, call: ToolCall, gives: tuple[str, ...]) -> Execution:
        while True:
            try:
                worker = self._take(tool)
            except OSError as error:
                message = f"no process can be started for {tool.name}: {error.strerror or error}"
                return Execution(0.0, 0.0, failure=Failure("crash", message))
            if worker is None:
                return Execution(0.0, 0.0, failure=cancelled(tool.name))
            try:
                execution = worker.run(tool, call, gives)
            finally:
                self._give_back(worker)
            # One that somebody killed while it had nothing to do is no fault of this tool: it goes to another.
            if not worker.died_idle:
                return execution

    def cancel(self) -> None:
        # No lock: a signal handler may have interrupted the thread that holds it.
        self._stopped = True
        with contextlib.suppress(OSError):
            os.write(self._alarm, b"!")

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.cancel()
        with self._change:
            self._change.wait_for(lambda: not self._busy, timeout=2)
            workers = [*self._idle, *self._busy]
            self._idle.clear()
        for worker in workers:
            self._end(worker)
        self._folders.close()
        if keeper := getattr(self, "_keeper", None):
            with contextlib.suppress(OSError):
                keeper.stdin.close()
            keeper.wait()
        os.close(self._wake)
        os.close(self._alarm)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, tool: Tool) -> WorkerProcess | None:
        """A worker for this tool, waiting until there is one; None when all was cancelled meanwhile."""
        interpreter = _interpreter_of(tool)
        with self._change:
            while not self._stopped:
                fitting = [worker for worker in self._idle if worker.interpreter == interpreter]
                if fitting:
                    worker = max(fitting, key=lambda one: (tool.implementation in one.warm, len(one.warm)))
                    self._idle.remove(worker)
                    self._busy.add(worker)
                    return worker
                if len(self._idle) + len(self._busy) < self._jobs:
                    worker = self._start(interpreter)
                    self._busy.add(worker)
                    return worker
                if self._idle:  # all of other environments
                    self._end(self._idle.pop(0))
                    continue
                self._change.wait(_LOOK_AGAIN)
        return None

    def _give_back(self, worker: WorkerProcess) -> None:
        if not worker.is_alive:
            self._tell_keeper("-", worker)
        with self._change:
            self._busy.discard(worker)
            if worker.is_alive:
                self._idle.append(worker)
            self._change.notify_all()

    def _start(self, interpreter: str) -> WorkerProcess:
        self._started += 1
        worker = WorkerProcess(
            interpreter,
            self._folders.paths,
            self._folders.temporary,
            self._started,
            self._memory,
            self._find,
            self._exchange,
            self._wake,
        )
        self._tell_keeper("+", worker)
        return worker

    def _end(self, worker: WorkerProcess) -> None:
        worker.end()
        self._tell_keeper("-", worker)

    def _tell_keeper(self, change: str, worker: WorkerProcess) -> None:
        assert self._keeper.stdin is not None
        with contextlib.suppress(OSError):  # a keeper that somebody killed is missed by nobody but the next accident
            os.write(self._keeper.stdin.fileno(), f"{change}{worker.pid}\n".encode())


def _interpreter_of(tool: Tool) -> str:  # noqa: ARG001  (manifests cannot name an environment yet)
    """The Python whose environment a tool runs in."""
    return sys.executable
