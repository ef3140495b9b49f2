"""Somebody needs what a tool gives: its subtask, or another tool."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import IMAGE, Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    subtasks = [found for name in tool.implements if (found := catalog.vocabulary.subtasks.get(name))]
    wanted = {artifact for subtask in subtasks for artifact in subtask.gives}
    for index, name in enumerate(tool.gives):
        known = name in catalog.vocabulary.artifacts and len(subtasks) == len(tool.implements)
        if known and name != IMAGE and name not in wanted and name not in catalog.needed:
            yield Diagnostic(
                "COS2015",
                f'"{tool.name}" gives "{name}", which no subtask of it asks for and no tool needs',
                tool.origin.span("gives", index),
                severity=Severity.WARNING,
                help="leave it out, or add the tool that needs it",
            )
