"""A tool gives what its subtasks promise."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    if any(artifact not in catalog.vocabulary.artifacts for artifact in tool.gives):
        return  # A misspelt artifact has its own finding.
    for name in tool.implements:
        subtask = catalog.vocabulary.subtasks.get(name)
        if subtask is not None and not set(subtask.gives) & set(tool.gives):
            yield Diagnostic(
                "COS2011",
                f'"{tool.name}" gives {", ".join(tool.gives)}; {name} must give {" or ".join(subtask.gives)}',
                tool.origin.span("gives"),
            )
