"""`retries:` and `remedies:` change parameters that the tool has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool
from costa_dsl.rules.names import unknown_name
from costa_dsl.syntax import Route


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for route, settings in settings_of(tool):
        for name in settings:
            if name not in tool.parameters:
                span = tool.origin.span(*route, name, key=True)
                yield unknown_name("COS2004", "parameter", name, tool.parameters, span)


def settings_of(tool: Tool) -> Iterator[tuple[Route, Mapping[str, Any]]]:
    """Every set of changed parameters, with its route in the manifest."""
    for index, settings in enumerate(tool.retries):
        yield ("retries", index), settings
    for name, settings in tool.remedies.items():
        yield ("remedies", name), settings
