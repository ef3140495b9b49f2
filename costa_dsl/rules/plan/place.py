"""`at:` finds a place in exactly one way."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan

# How `at:` finds a place; the other keys narrow one of these down.
PLACES = ("box", "mask", "point", "color", "text", "of")


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for step in plan.steps:
        at = dict(step.target.at)
        places = [key for key in at if key in PLACES]
        if at and len(places) != 1:
            found = " and ".join(places) if places else ", ".join(at)
            yield Diagnostic(
                "COS3112",
                f"`at:` finds a place in exactly one way; found: {found}",
                step.origin.span("at"),
                label="keep one of: " + ", ".join(PLACES),
                help="`within: [x0, y0, x1, y1]` narrows another one down; `side:` goes with `of:`",
            )
