"""An installed package brings the tool's code."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.availability import implementation
from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    if implementation(tool.implementation) is None:
        yield Diagnostic(
            "COS2007",
            f'no installed package brings the implementation "{tool.implementation}"',
            tool.origin.span("implementation"),
            severity=Severity.WARNING,
            help="define it as an entry point in the group costa.tools, and install that package",
        )
