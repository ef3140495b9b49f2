"""The benchmark table: what each tool costs and how good it is at each subtask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from costa_dsl.model.context import Conditions, read_conditions
from costa_dsl.model.origin import Origin
from costa_dsl.syntax import Document, Route
from costa_dsl.syntax.document import Node


@dataclass(frozen=True, eq=False)
class BenchmarkRow:
    """One tool–subtask pair: mean seconds (> 0), mean quality in [0, 1], over `n` measurements.

    `when`: the row speaks of targets for which all of these hold; empty for the fallback, which speaks of all others.
    """

    tool: str
    subtask: str
    seconds: float
    quality: float
    n: int
    origin: Origin
    when: Conditions = ()


def rows_from_document(document: Document) -> Iterable[BenchmarkRow]:
    """The rows of a document that fits the benchmark-table schema.

    A row whose conditions were mended or left out, because they did not fit, is left out: nobody knows when it counts.
    """
    value: Any = document.value
    for index, row in enumerate(value["rows"]):
        if not _says_all(document, ("rows", index, "when"), row.get("when")):
            continue
        yield BenchmarkRow(
            tool=row["tool"],
            subtask=row["subtask"],
            seconds=float(row["seconds"]),
            quality=float(row["quality"]),
            n=int(row.get("n", 1)),
            origin=Origin(document, ("rows", index)),
            when=read_conditions(row.get("when") or {}),
        )


def _says_all(document: Document, route: Route, value: Any) -> bool:
    """Whether a mapping still has exactly the keys that were written at its place."""
    node = document.root
    for step in route:
        node = node.child(step) if node is not None else None
    return node is None or (value is not None and _same_keys(node, value))


def _same_keys(node: Node, value: Any) -> bool:
    written = value if isinstance(value, dict) else {}  # a bound, `plain`, true: no keys
    return node.entries.keys() == written.keys() and all(
        _same_keys(child, written[key]) for key, child in node.entries.items()
    )
