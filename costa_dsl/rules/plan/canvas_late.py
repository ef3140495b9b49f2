"""The canvas is widened before pixels on it are worked on, not after."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity
from costa_dsl.model.plan import Plan
from costa_dsl.rules.history import history
from costa_dsl.rules.plan.does_nothing import MARGINS


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for moment in history(plan, catalog):
        step, placed = moment.step, moment.placed
        # Other changes of the canvas (a crop, a turn, an enlargement) are as well put last.
        widens = moment.subtask.moves_canvas and any(word in moment.subtask.parameters for word in MARGINS)
        if widens and placed is not None:
            yield Diagnostic(
                "COS3202",
                f"{step.subtask} changes the canvas after other steps have worked on it",
                step.origin.span("do"),
                severity=Severity.WARNING,
                label="masks and boxes found before are no longer valid after this",
                related=(Related("worked on the old canvas", placed.origin.span("do")),),
                help="put it first, unless the order is meant",
            )
