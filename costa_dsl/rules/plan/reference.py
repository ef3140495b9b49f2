"""`at: {of: id}` names a step."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan, Step
from costa_dsl.rules.names import unknown_name
from costa_dsl.rules.words import has_placeholder


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    ids = {step.id for step in plan.steps}
    for step, key, name in references_of(plan):
        if name not in ids and not has_placeholder(name):
            yield unknown_name("COS3108", "step id", name, ids - {step.id}, step.origin.span("at", key))


def references_of(plan: Plan) -> Iterator[tuple[Step, str, str]]:
    """Every name of another step under `at:`, with its key there (`of`, or `within` when that is no box)."""
    for step in plan.steps:
        for key in ("of", "within"):
            if isinstance(name := step.target.place(key), str):
                yield step, key, name
