"""`expect:` names checks of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Expectation, Plan
from costa_dsl.rules.names import unknown_name


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    known = catalog.vocabulary.checks
    for expectation in expectations_of(plan):
        name = expectation.check
        if name not in known:
            origin = expectation.origin
            span = origin.span() if expectation.alone else origin.span(name, key=True)
            yield unknown_name("COS3109", "check", name, known, span)


def expectations_of(plan: Plan) -> Iterator[Expectation]:
    """Every expectation, of the plan and of its steps."""
    yield from plan.expect
    for step in plan.steps:
        yield from step.expect
