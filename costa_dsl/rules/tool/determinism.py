"""A manifest says whether its tool gives the same result twice."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    if not tool.origin.has("determinism"):
        yield Diagnostic(
            "COS2024",
            f'"{tool.name}" does not say whether it gives the same result twice',
            tool.origin.span("name"),
            severity=Severity.HINT,
            help="add `determinism:` with `pure`, `seeded` or `none` (which is assumed)",
        )
