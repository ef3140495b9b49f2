"""No tool needs what it gives."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import IMAGE, Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for index, name in enumerate(tool.gives):
        if name != IMAGE and name in tool.needs:
            yield Diagnostic(
                "COS2014",
                f'"{tool.name}" gives "{name}" and needs it too',
                tool.origin.span("gives", index),
                related=(Related("needed here", tool.origin.span("needs", tool.needs.index(name))),),
                help="leave it out on one side",
            )
