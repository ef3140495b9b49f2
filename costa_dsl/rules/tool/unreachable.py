"""A chain of tools leads from the picture to all that a tool needs."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool

_MOST_NAMES = 5


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    for index, name in enumerate(tool.needs):
        if name not in catalog.vocabulary.artifacts or name in catalog.reachable or name in tool.gives:
            continue  # Unknown, reached, or the tool's own: the last has a finding of another rule.
        providers = [provider.name for provider, _ in catalog.providers(name)]
        if providers:
            shown = ", ".join(dict.fromkeys(providers[:_MOST_NAMES])) + (" …" if len(providers) > _MOST_NAMES else "")
            reason, help = f"{shown} would, and cannot be reached either", "break the circle of needs"
        else:
            reason = "no tool of the catalog gives it"
            help = "add a tool that gives it, or name its catalog with --catalog"
        yield Diagnostic(
            "COS2016",
            f'"{tool.name}" can never run: nothing leads from the picture to "{name}"',
            tool.origin.span("needs", index),
            label=reason,
            help=help,
        )
