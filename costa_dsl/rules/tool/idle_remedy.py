"""A remedy is for a check that somebody makes on the tool's results."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    subtasks = [found for name in tool.implements if (found := catalog.vocabulary.subtasks.get(name))]
    made = {name for subtask in subtasks for name in subtask.checks}
    for name in tool.remedies:
        if len(subtasks) == len(tool.implements) and name in catalog.vocabulary.checks and name not in made:
            yield Diagnostic(
                "COS2020",
                f"`{name}` is no check of {' or '.join(tool.implements)}: this remedy only serves plans that expect it",
                tool.origin.span("remedies", name, key=True),
                severity=Severity.HINT,
                help="the checks are: " + (", ".join(sorted(made)) or "none"),
            )
