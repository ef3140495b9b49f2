"""A benchmark row is about a known tool and a subtask that this tool implements."""

from __future__ import annotations

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.rules.names import unknown_name
from costa_dsl.diagnostics import Diagnostic, Sink


def check_benchmark(catalog: Catalog, sink: Sink) -> None:
    for row in catalog.rows.values():
        tool = catalog.tools.get(row.tool)
        if tool is None:
            sink.add(unknown_name("COS2009", "tool", row.tool, catalog.tools, row.origin.span("tool")))
        elif row.subtask not in tool.implements:
            sink.add(
                Diagnostic(
                    "COS2009",
                    f'"{row.tool}" does not implement "{row.subtask}"',
                    row.origin.span("subtask"),
                    label="implements: " + ", ".join(tool.implements),
                )
            )
