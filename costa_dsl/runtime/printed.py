"""What a tool prints: its beginning and its end are kept, however much it is."""

from __future__ import annotations

import io

# Of a tool that prints megabytes, so many bytes at the beginning and so many at the end are kept.
KEPT = 64 * 2**10


class Printed(io.TextIOBase):
    """Takes text or bytes and keeps at most the first and the last `kept` bytes."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.add(text.encode("utf-8", "backslashreplace"))
        return len(text)

    def add(self, data: bytes) -> None:
        """Take some more bytes."""
        room = self._kept - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        # Cut seldom: each cut moves what is kept.
        if len(self._tail) > 2 * self._kept:
            self._cut()

    def text(self) -> str:
        """All that is kept, with a line in place of what is not."""
        if len(self._tail) > self._kept:
            self._cut()
        gap = f"\n… {self._left_out} bytes left out …\n".encode() if self._left_out else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", "replace")

    def _cut(self) -> None:
        surplus = len(self._tail) - self._kept
        self._left_out += surplus
        del self._tail[:surplus]
