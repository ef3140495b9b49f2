"""`guarantees:` and `remedies:` name checks of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool
from costa_dsl.rules.names import unknown_name


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    checks = catalog.vocabulary.checks
    promises = [name for name, kind in checks.items() if kind.guarantee]
    for index, name in enumerate(tool.guarantees):
        if name not in promises:
            yield unknown_name("COS2003", "guarantee", name, promises, tool.origin.span("guarantees", index))
    for name in tool.remedies:
        if name not in checks:
            yield unknown_name("COS2003", "check", name, checks, tool.origin.span("remedies", name, key=True))
