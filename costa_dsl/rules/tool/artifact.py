"""What a tool needs and gives are artifact types of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool
from costa_dsl.rules.names import unknown_name


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    known = catalog.vocabulary.artifacts
    for key, names in (("needs", tool.needs), ("gives", tool.gives)):
        for index, name in enumerate(names):
            if name not in known:
                yield unknown_name("COS2002", "artifact", name, known, tool.origin.span(key, index))
