"""`at: {of: id}` names a step that is done before this one."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.plan import Plan
from costa_dsl.rules.plan.reference import references_of


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    steps = {step.id: step for step in plan.steps}
    places = {name: index for index, name in enumerate(steps)}
    for step, key, name in references_of(plan):
        if name in places and places[name] >= places[step.id]:
            itself = name == step.id
            yield Diagnostic(
                "COS3113",
                f"`at: {{{key}: {name}}}` refers to {'this very step' if itself else 'a step that comes later'}",
                step.origin.span("at", key),
                label="not done yet at this point",
                related=() if itself else (Related("the step that it means", steps[name].origin.span("do")),),
                help="name an earlier step" if itself else "move that step before this one",
            )
