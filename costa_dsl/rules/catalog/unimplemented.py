"""Each subtask that a plan may name has a tool."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    vocabulary = catalog.vocabulary
    for name, subtask in vocabulary.subtasks.items():
        if not subtask.internal and not catalog.tools_for(name):
            yield Diagnostic(
                "COS2017",
                f'no tool of the catalog implements "{name}"',
                vocabulary.origin.span("subtasks", name, key=True),
                severity=Severity.HINT,
                help="plans that name it do not compile until a manifest lists it under `implements:`",
            )
