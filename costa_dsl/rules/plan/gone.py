"""A step works on a thing that no earlier step took away."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.plan import Plan
from costa_dsl.rules.history import history, made_anew


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    moments = history(plan, catalog)
    for moment in moments:
        step, thing, earlier = moment.step, moment.used, moment.taken
        if thing is None or earlier is None or thing.is_relative or made_anew(thing, moments, earlier, step):
            continue
        key = thing.kind if step.origin.has(thing.kind) else "at"
        shown = step.target.object or step.arguments.get("text") or step.target.place("text")
        yield Diagnostic(
            "COS3201",
            f'"{shown}" is no longer there at this step',
            step.origin.span(key),
            label="used here",
            related=(Related("taken away here", earlier.origin.span("do")),),
            help="move this step before that one, or name something else",
        )
