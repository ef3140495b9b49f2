"""`object:` names something."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.things import object_name
from costa_dsl.rules.words import has_placeholder


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for step in plan.steps:
        name = step.target.object
        if name and not has_placeholder(name) and not any(char.isalnum() for char in object_name(name)):
            yield Diagnostic(
                "COS3117",
                f'"{name}" names no object',
                step.origin.span("object"),
                help="say what it is: `dog`, `the left person`, `all cars`; where it is stands under `at:`",
            )
