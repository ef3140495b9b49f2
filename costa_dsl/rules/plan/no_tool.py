"""The catalog has a tool for each step."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.plan import OneOf, Plan, Step, steps_of
from costa_dsl.rules.words import plain_steps


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    optional = optional_steps(plan)
    for step, subtask in plain_steps(plan, catalog):
        if not catalog.tools_for(subtask.name):
            yield no_tool(step, Severity.WARNING if step.id in optional else Severity.ERROR)


def no_tool(step: Step, severity: Severity) -> Diagnostic:
    """Nothing in the catalog implements the step's subtask."""
    message = f'no tool of this catalog implements "{step.subtask}" yet'
    return Diagnostic(
        "COS4101", message, step.origin.span("do"), severity, help="`costa tools list` shows what there is"
    )


def optional_steps(plan: Plan) -> frozenset[str]:
    """The ids of the steps that stand in a choice: another branch may do without them."""
    found: set[str] = set()
    stack = [plan.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, OneOf) and len(node.items) > 1:
            found.update(step.id for step in steps_of(node))
        elif not isinstance(node, Step):
            stack.extend(node.items)
    return frozenset(found)
