"""The benchmark table: what each tool costs and how good it is at each subtask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from costa_dsl.model.origin import Origin
from costa_dsl.syntax import Document


@dataclass(frozen=True, eq=False)
class BenchmarkRow:
    """One tool–subtask pair: mean seconds (> 0), mean quality in [0, 1], over `n` measurements."""

    tool: str
    subtask: str
    seconds: float
    quality: float
    n: int
    origin: Origin


def rows_from_document(document: Document) -> Iterable[BenchmarkRow]:
    """The rows of a document that fits the benchmark-table schema."""
    value: Any = document.value
    for index, row in enumerate(value["rows"]):
        yield BenchmarkRow(
            tool=row["tool"],
            subtask=row["subtask"],
            seconds=float(row["seconds"]),
            quality=float(row["quality"]),
            n=int(row.get("n", 1)),
            origin=Origin(document, ("rows", index)),
        )
