"""Signals that ask a command to stop: each ends a run like Ctrl-C, with its record written."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

# People press Ctrl-C twice, and a terminal that closes sends several signals: what comes so soon after the first one
# is the same wish, and must not end the writing of the record.
_SAME_WISH_SECONDS = 2.0
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Stop:
    """Which signal came first."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._last = 0.0

    def arrived(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """The handler.

        Raises:
            KeyboardInterrupt: unless one was raised just now.
        """
        now = time.monotonic()
        if self.number is not None and now - self._last < _SAME_WISH_SECONDS:
            return
        self.number, self._last = self.number or number, now
        raise KeyboardInterrupt

    def exit_code(self, code: int) -> int:
        """What a command ends with: 128 and the signal's number by convention, if it was stopped, else `code`."""
        return code if self.number is None or code != 128 + signal.SIGINT else 128 + self.number


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Within it, SIGTERM and SIGHUP raise KeyboardInterrupt too, unless the caller has them ignored (nohup)."""
    stop = Stop()
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    taken = [number for number in numbers if before[number] not in (signal.SIG_IGN, None)]
    for number in taken:
        signal.signal(number, stop.arrived)
    try:
        yield stop
    except KeyboardInterrupt:
        click.echo("\ninterrupted", err=True)
        raise click.exceptions.Exit(stop.exit_code(128 + signal.SIGINT)) from None
    finally:
        for number in taken:
            signal.signal(number, before[number])
