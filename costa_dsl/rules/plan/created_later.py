"""A step works on a thing that is in the picture already, not on one that a later step makes."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.plan import Plan
from costa_dsl.rules.history import made_by, walk


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask, before in walk(plan, catalog):
        made = made_by(step, subtask)
        if made is None or made in before.made:
            continue
        user = before.used.get(made)
        # Taken away and put back anew is no contradiction.
        if user is None or made in before.gone:
            continue
        key = made.kind if user.origin.has(made.kind) else "at"
        yield Diagnostic(
            "COS3203",
            f'"{made.name}" is used before it is made',
            user.origin.span(key),
            label="used here",
            related=(Related("made only here", step.origin.span("do")),),
            help="swap the two steps; when the picture holds one already, say which is meant with `at:`",
        )
