"""A benchmark row is about a known tool and a subtask that this tool implements."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.rules.names import unknown_name


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    for row in (*catalog.rows.values(), *(row for rows in catalog.cases.values() for row in rows)):
        tool = catalog.tools.get(row.tool)
        if tool is None:
            yield unknown_name("COS2009", "tool", row.tool, catalog.tools, row.origin.span("tool"))
        elif row.subtask not in tool.implements:
            yield Diagnostic(
                "COS2009",
                f'"{row.tool}" does not implement "{row.subtask}"',
                row.origin.span("subtask"),
                label="implements: " + ", ".join(tool.implements),
            )
