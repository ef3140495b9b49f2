"""Each attempt differs from those before it."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    if tool.determinism != "pure":
        return
    first = tool.defaults()
    attempts = [first]
    for index, settings in enumerate(tool.retries):
        attempt = {**first, **settings}
        if attempt in attempts:
            before = attempts.index(attempt)
            other = "the first attempt" if before == 0 else f"retry {before}"
            yield Diagnostic(
                "COS2021",
                f"this retry repeats {other}: the result is the same",
                tool.origin.span("retries", index),
                severity=Severity.WARNING,
                help="change a parameter to another value, or take it out",
            )
        attempts.append(attempt)
