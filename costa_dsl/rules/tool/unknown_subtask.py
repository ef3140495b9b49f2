"""A tool implements subtasks of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool
from costa_dsl.rules.names import unknown_name


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    known = catalog.vocabulary.subtasks
    for index, name in enumerate(tool.implements):
        if name not in known:
            yield unknown_name("COS2001", "subtask", name, known, tool.origin.span("implements", index))
