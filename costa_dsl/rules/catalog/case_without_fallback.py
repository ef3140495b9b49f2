"""A pair with conditional rows has a row without conditions too: what counts while nothing is known of the target."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    for (tool, subtask), cases in catalog.cases.items():
        if catalog.row(tool, subtask) is None:
            yield Diagnostic(
                "COS2025",
                f"{tool} · {subtask} has rows with `when:`, but none without",
                cases[0].origin.span("when"),
                label="nothing is said of all other targets",
                help="add a row without `when:`: it counts where no condition holds, and before the target is measured",
            )
