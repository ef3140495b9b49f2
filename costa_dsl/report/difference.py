"""What a command would change in a text, as a unified diff."""

from __future__ import annotations

from difflib import unified_diff


def difference(name: str, before: str, after: str) -> str:
    """A unified diff, as `patch -p0` takes it; empty when nothing changes."""
    lines = unified_diff(_lines(before), _lines(after), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines with their line breaks; only line feeds part them, as in files."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
