"""The benchmark table has a row for each subtask of a tool."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    for index, name in enumerate(tool.implements):
        if name in catalog.vocabulary.subtasks and catalog.row(tool.name, name) is None:
            yield Diagnostic(
                "COS2008",
                f"no benchmark row for {tool.name} · {name}",
                tool.origin.span("implements", index),
                label="seconds and quality unknown",
                help=f"add to a benchmark table: {{tool: {tool.name}, subtask: {name}, seconds: …, quality: …, n: …}}",
            )
