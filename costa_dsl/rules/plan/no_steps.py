"""A plan does something."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    if not plan.steps:
        yield Diagnostic("COS3103", "the plan has no steps", plan.origin.span("tree"), help="add one: `- {do: …}`")
