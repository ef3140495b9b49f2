"""A step works on a thing that no earlier step took away."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.plan import Plan, Step
from costa_dsl.rules.history import Before, Thing, made_by, used_by, walk


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask, before in walk(plan, catalog):
        thing = used_by(step, subtask)
        if thing is None or thing == made_by(step, subtask):
            continue
        earlier = _taken_away(thing, before)
        if earlier is not None:
            key = "object" if step.target.object is not None else "text" if "text" in step.arguments else "at"
            shown = step.target.object or step.arguments.get("text") or step.target.place("text") or "this place"
            yield Diagnostic(
                "COS3201",
                f'"{shown}" is no longer there at this step',
                step.origin.span(key),
                label="used here",
                related=(Related("taken away here", earlier.origin.span("do")),),
                help="move this step before that one, or name something else",
            )


def _taken_away(thing: Thing, before: Before) -> Step | None:
    """The step that took the thing away; one without a place took all things of that name."""
    return before.gone.get(thing) or before.gone.get(Thing(thing.kind, thing.name))
