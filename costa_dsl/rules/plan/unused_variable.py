"""A variable that is defined is used."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.plan import Plan


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for name in plan.variables:
        if name not in plan.used_variables and not _is_anchored(plan, name):
            yield Diagnostic(
                "COS3210",
                f'the variable "{name}" is never used',
                plan.origin.span("vars", name, key=True),
                severity=Severity.WARNING,
                help=f"use it as `${{{name}}}`, or take it out",
            )


def _is_anchored(plan: Plan, name: str) -> bool:
    """Whether an alias (`*name`) can stand for the variable's value."""
    key, value = plan.origin.span("vars", name, key=True), plan.origin.span("vars", name)
    return "&" in key.source.text[key.end : value.end].split(value.text)[0] or value.text.startswith("&")
