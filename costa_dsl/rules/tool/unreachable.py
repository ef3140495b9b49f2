"""A chain of tools leads from the picture to all that a tool needs."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    for index, name in enumerate(tool.needs):
        if name in catalog.vocabulary.artifacts and name not in catalog.reachable:
            providers = [provider.name for provider, _ in catalog.providers(name) if provider is not tool]
            if providers:
                reason, help = (
                    f"{', '.join(providers)} would, and cannot be reached either",
                    "break the circle of needs",
                )
            else:
                reason, help = (
                    "no tool of the catalog gives it",
                    "add a tool that gives it, or name its catalog with --catalog",
                )
            yield Diagnostic(
                "COS2016",
                f'"{tool.name}" can never run: nothing leads from the picture to "{name}"',
                tool.origin.span("needs", index),
                label=reason,
                help=help,
            )
