"""The shared cache in words: sizes, ages, and the fields in which two results differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from costa_dsl.report.table import table
from costa_dsl.store.cache_entry import Entry
from costa_dsl.store.preimage import ABSENT, Difference, Preimage

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 60

# What a field is, by the names that lead to it; the longest that fits counts.
_WORDS = {
    ("tool", "code"): "where its function is",
    ("tool", "package"): "the package that brings it",
    ("tool", "source"): "the source of the package that brings it",
    ("tool", "packages"): "a package that its manifest requires",
    ("tool", "needs"): "a package that its package needs",
    ("tool", "weights"): "its weights",
    ("tool", "objects"): "the objects in its manifest",
    ("tool",): "the tool",
    ("subtask",): "the subtask",
    ("parameters",): "a parameter of the tool",
    ("arguments",): "a word of the step in the plan",
    ("target",): "the target of the step",
    ("inputs", "image"): "the picture it was given",
    ("inputs",): "what it was given",
    ("outputs",): "what it gave",
    ("gives",): "what was asked for",
    ("seed",): "the seed",
    ("placement",): "where the old picture lies in the new one",
    ("checks",): "the checks and what they want",
    ("guarantees",): "the guarantees of the manifest",
    ("instruments",): "the tools that checks measure with",
    ("plug-ins",): "the packages that bring checks",
    ("file",): "the content of the file",
    ("code",): "the source of costa",
    ("environment", "libraries"): "the version of a library",
    ("environment",): "the machine",
    ("kind",): "the kind of result",
    ("form",): "the form in which results are kept",
}


def title(preimage: Preimage) -> tuple[str, str, str]:
    """The kind of a result, its tool and its subtask; `-` where it has none."""
    tool = preimage.get("tool")
    name = tool.get("name", "-") if isinstance(tool, dict) else "-"
    return str(preimage.get("kind", "-")), str(name), str(preimage.get("subtask", "-"))


def entry_table(entries: Iterable[Entry], now: float) -> str:
    """One row a result, in the given order."""
    rows = [
        [entry.key[:12], *title(entry.preimage), size(entry.total), age(now - entry.made), age(now - entry.used)]
        for entry in entries
    ]
    return table(["key", "kind", "tool", "subtask", "size", "made", "used"], rows, right=(4,))


def entry_value(entry: Entry) -> dict[str, Any]:
    """A result as plain values, for JSON."""
    kind, tool, subtask = title(entry.preimage)
    return {
        "key": entry.key,
        "kind": kind,
        "tool": None if tool == "-" else tool,
        "subtask": None if subtask == "-" else subtask,
        "bytes": entry.total,
        "made": round(entry.made, 3),
        "used": round(entry.used, 3),
        "outputs": {name: output.ref.digest for name, output in entry.outputs.items()},
    }


def difference_lines(differs: Iterable[Difference], here: str, there: str) -> list[str]:
    """One line a field: its name, what it is, and its value on both sides."""
    lines = []
    for difference in differs:
        words = next((_WORDS[head] for end in (2, 1) if (head := difference.path[:end]) in _WORDS), "")
        what = f" ({words})" if words else ""
        lines.append(
            f"  {difference.field}{what}: {_shown(difference.here)} {here}, {_shown(difference.there)} {there}"
        )
    return lines


def difference_value(difference: Difference) -> dict[str, Any]:
    """A field that differs as plain values; a side that lacks it has no member."""
    value: dict[str, Any] = {"field": list(difference.path)}
    if difference.here is not ABSENT:
        value["here"] = difference.here
    if difference.there is not ABSENT:
        value["there"] = difference.there
    return value


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    if isinstance(value, str) and _DIGEST.fullmatch(value):
        return f"{value[:12]}…"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def size(count: float) -> str:
    """Bytes for people: 3.2 MB, in powers of a thousand."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 99.95 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def age(seconds: float) -> str:
    """How long ago something was: `now`, `5 min`, `3 h`, `12 d`."""
    if seconds < 60:
        return "now"
    for unit, length, upto in (("min", 60, 3600), ("h", 3600, 86400), ("d", 86400, float("inf"))):
        if seconds < upto:
            return f"{seconds // length:.0f} {unit}"
    return "now"


def ago(seconds: float) -> str:
    """`made just now`, `made 5 min ago`."""
    return "made just now" if seconds < 60 else f"made {age(seconds)} ago"
