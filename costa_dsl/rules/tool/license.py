"""A manifest names a licence."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    if tool.license is None:
        yield Diagnostic(
            "COS2012",
            f'the tool "{tool.name}" names no licence',
            tool.origin.span("name"),
            severity=Severity.WARNING,
            help="add `license:` with the SPDX name of the code's or the weights' licence",
        )
