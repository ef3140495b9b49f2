"""A step works on a thing that no earlier step took away."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.plan import Plan
from costa_dsl.rules.history import history, made_anew
from costa_dsl.rules.things import named_by


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    moments = history(plan, catalog)
    for moment in moments:
        step, thing, earlier = moment.step, moment.used, moment.taken
        named = named_by(step, moment.subtask)
        if thing is None or named is None or earlier is None or thing.is_relative:
            continue
        if made_anew(thing, moments, earlier, step):
            continue
        route, name = named
        yield Diagnostic(
            "COS3201",
            f'"{name}" is no longer there at this step',
            step.origin.span(*route),
            label="used here",
            related=(Related("taken away here", earlier.origin.span("do")),),
            help="move this step before that one, or name something else",
        )
