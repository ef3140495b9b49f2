"""The parent side of one worker process: start it, give it a call, watch it, end it."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from costa_dsl.model.tool import Tool
from costa_dsl.runtime.call import ToolCall, ToolFailure
from costa_dsl.runtime.executor import Execution, Failure, cancelled
from costa_dsl.runtime.inline import FindFunction
from costa_dsl.runtime.limits import shown_memory
from costa_dsl.runtime.output import checked_output
from costa_dsl.runtime.printed import Printed
from costa_dsl.runtime.transport import Exchange, packed_call, unpacked_execution
from costa_dsl.runtime.watched import (
    CHILDREN_INTERVAL,
    MEMORY_INTERVAL,
    Ended,
    Watched,
    descendants,
    exit_of,
    no_room,
    signal_name,
    worded,
)

# A worker that has said goodbye to its pipe ends soon, or is ended.
_GRACE_SECONDS = 1.0
# One message; a million lines of text fit.
_LONGEST_MESSAGE = 2**28
# A worker that holds more than this share of its limit after a call is replaced: leaks do not add up.
_FULL = 0.6

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[4]); from costa_dsl.runtime.worker import main; "
    "main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
)


class WorkerProcess:
    """One worker. Only one thread at a time may use it.

    Args:
        interpreter: the Python that runs it.
        folders: where arrays pass, and `temporary` where the tools' temporary files go.
        label: tells its files from those of others.
        memory: bytes that it and what it starts may use.
        wake: a file descriptor that is readable once everything is to be cancelled.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(
        self,
        interpreter: str,
        folders: Sequence[Path],
        temporary: Path,
        label: int,
        memory: int,
        find: FindFunction,
        exchange: Exchange,
        wake: int,
    ) -> None:
        self.interpreter = interpreter
        self.warm: set[str] = set()  # implementations that have run here
        self.is_alive = True
        self.died_idle = False  # between two calls
        self._memory = memory
        self._exchange = exchange
        self._folder = folders[-1]
        self._label = label
        self._wake = wake
        self._calls_made = 0
        self._received = bytearray()
        self._setup = folders[-1] / f"setup-{label}"
        self._setup.write_bytes(pickle.dumps({"folders": folders, "label": label, "memory": memory, "find": find}))
        opened: list[int] = []
        try:
            call_end, self._calls = _pipe(opened)
            self._messages, message_end = _pipe(opened)
            self._prints, print_end = _pipe(opened)
            arguments = (str(call_end), str(message_end), str(self._setup), json.dumps(sys.path))
            self._process = subprocess.Popen(
                [interpreter, "-P", "-c", _PROGRAM, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=print_end,
                stderr=print_end,
                pass_fds=(call_end, message_end),
                # Ctrl-C in a terminal goes to costa alone; and what a tool starts can be ended together with it.
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"},
            )
        except BaseException:
            for handle in opened:
                os.close(handle)
            raise
        for handle in (call_end, message_end, print_end):
            os.close(handle)
        self._measured = psutil.Process(self.pid)
        for handle in (self._messages, self._prints):
            os.set_blocking(handle, False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def run(self, tool: Tool, call: ToolCall, gives: tuple[str, ...]) -> Execution:
        """One attempt. Afterwards the worker is alive and idle, or dead.

        Raises:
            KeyboardInterrupt, or what else a signal handler raises in this thread: the worker is dead then.
        """
        attempt = Watched(tool)
        names: list[str] = []
        try:
            try:
                data, names = packed_call(call, self._exchange)
            except OSError as error:
                return Execution(0.0, 0.0, failure=no_room(tool.name, error))
            request = {"tool": tool.name, "implementation": tool.implementation, "gives": gives, "call": data}
            self._send(request)
            execution = self._watched(attempt)
            self.warm.add(tool.implementation)
            execution = self._checked(tool, call, gives, execution)
        except Ended as ended:
            self.end()
            execution = Execution(attempt.worked(), attempt.loaded(), failure=ended.failure)
        except BaseException as error:
            self.end()
            if not isinstance(error, Exception):
                raise
            failure = Failure("crash", f"{tool.name} cannot be run in a process of its own: {worded(error)}")
            execution = Execution(0.0, 0.0, failure=failure)
        finally:
            if not self.is_alive:
                self._exchange.forget(names)
        execution = replace(execution, printed=attempt.printed.text())
        if attempt.is_spoiled or (self.is_alive and self._rss(children=False) > self._memory * _FULL):
            self.end()
        return execution

    def end(self) -> None:
        """Kill the process and everything that it started. Doing so again does nothing."""
        if not self.is_alive:
            return
        self.is_alive = False
        # Some may have left the process group; found while their parent is there.
        others = descendants(self.pid)
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        for other in others:
            with contextlib.suppress(psutil.Error):
                other.kill()
        self._process.wait()
        for handle in (self._calls, self._messages, self._prints):
            os.close(handle)
        self._exchange.forget_all_of(self._label)
        self._setup.unlink(missing_ok=True)

    def _send(self, request: dict[str, Any]) -> None:
        self._calls_made += 1
        place = self._folder / f"call-{self._label}-{self._calls_made}"
        place.write_bytes(pickle.dumps(request))
        with contextlib.suppress(BrokenPipeError):  # how it ended is found out below
            os.write(self._calls, place.name.encode() + b"\n")

    def _watched(self, attempt: Watched) -> Execution:
        """Wait for the end of an attempt.

        Raises:
            Ended: it will not end in a result; the worker is to be ended.
        """
        with self._selector() as selector:
            while True:
                ready = {key.fd for key, _ in selector.select(min(attempt.remaining(), MEMORY_INTERVAL))}
                if self._wake in ready:
                    raise Ended(cancelled(attempt.tool.name))
                if self._prints in ready and not self._take_prints(attempt.printed):
                    selector.unregister(self._prints)
                if self._messages in ready:
                    for message in self._take_messages(attempt):
                        if message["at"] == "end":
                            self._take_prints(attempt.printed)
                            attempt.is_spoiled = message["spoiled"]
                            return unpacked_execution(message["execution"], self._exchange)
                        attempt.begin(message["at"])
                if attempt.remaining() <= 0:
                    raise Ended(attempt.too_long())
                self._look_after(attempt)

    @contextmanager
    def _selector(self) -> Iterator[selectors.BaseSelector]:
        with selectors.DefaultSelector() as selector:
            for handle in (self._messages, self._prints, self._wake):
                selector.register(handle, selectors.EVENT_READ)
            yield selector

    def _take_prints(self, printed: Printed) -> bool:
        """Keep what was printed up to now; False when nothing will come any more."""
        for _ in range(64):  # a tool that prints for ever must not keep us from looking at the time
            try:
                data = os.read(self._prints, 2**16)
            except BlockingIOError:
                return True
            if not data:
                return False
            printed.add(data)
        return True

    def _take_messages(self, attempt: Watched) -> list[dict[str, Any]]:
        try:
            data = os.read(self._messages, 2**20)
        except BlockingIOError:
            return []
        if not data:
            raise Ended(self._how_it_ended(attempt))
        self._received += data
        if len(self._received) > _LONGEST_MESSAGE:
            raise Ended(Failure("invalid-output", f"{attempt.tool.name} gave more text than costa takes"))
        *lines, rest = self._received.split(b"\n")
        self._received = bytearray(rest)
        return [json.loads(line) for line in lines]

    def _has_message(self) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self._messages, selectors.EVENT_READ)
            return bool(selector.select(0))

    def _how_it_ended(self, attempt: Watched) -> Failure:
        """What became of a process that has closed its pipe."""
        name = attempt.tool.name
        until = time.monotonic() + _GRACE_SECONDS
        while (found := exit_of(self.pid)) is None:
            if time.monotonic() > until:
                self._take_prints(attempt.printed)
                return Failure("crash", f"{name} closed the connection of its process to costa")
            time.sleep(0.005)
        self._take_prints(attempt.printed)
        self.died_idle = bool(self.warm) and attempt.phase == "start"
        if found.si_code == os.CLD_EXITED:
            if attempt.phase == "start":
                message = f"the process for {name} could not start (exit code {found.si_status})"
                return Failure("crash", message, "`costa tools doctor`")
            return Failure("crash", f"{name} ended its process (exit code {found.si_status})")
        what, help = signal_name(found.si_status), ""
        if found.si_status == signal.SIGKILL:
            help = "somebody else killed it, perhaps the system for want of memory: allow less with --memory or --jobs"
        return Failure("crash", f"{name} crashed: its process was ended by {what}", help)

    def _look_after(self, attempt: Watched) -> None:
        now = time.monotonic()
        if now < attempt.look_at_memory:
            return
        attempt.look_at_memory = now + MEMORY_INTERVAL
        if exit_of(self.pid) is not None and not self._has_message():
            # Its pipe is still open: a copy of it holds the other end.
            raise Ended(self._how_it_ended(attempt))
        children = now >= attempt.look_at_children
        if children:
            attempt.look_at_children = now + CHILDREN_INTERVAL
        used = self._rss(children)
        if used > self._memory:
            message = f"{attempt.tool.name} used {shown_memory(used)} of memory, {shown_memory(self._memory)} allowed"
            raise Ended(Failure("out-of-memory", message, "use a smaller picture, or allow more with --memory"))

    def _rss(self, children: bool) -> int:
        total = 0
        with contextlib.suppress(psutil.Error):
            total = self._measured.memory_info().rss
        for child in descendants(self.pid) if children else ():
            with contextlib.suppress(psutil.Error):
                total += child.memory_info().rss
        return total

    def _checked(self, tool: Tool, call: ToolCall, gives: tuple[str, ...], execution: Execution) -> Execution:
        """The worker has checked what the tool gave; a worker whose memory a tool has damaged may be wrong in that."""
        if execution.failure is not None:
            return execution
        try:
            returned = {**execution.values, "placement": execution.placement}
            values, placement = checked_output(tool.name, call, returned, gives)
        except ToolFailure as wrong:
            return replace(execution, values={}, failure=Failure(wrong.kind, wrong.message, wrong.help))
        return replace(execution, values=values, placement=placement)


def _pipe(opened: list[int]) -> tuple[int, int]:
    ends = os.pipe()
    opened.extend(ends)
    return ends
