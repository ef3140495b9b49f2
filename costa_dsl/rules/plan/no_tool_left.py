"""The author's own choice of tools leaves one for each step, and does not contradict itself."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity
from costa_dsl.model.plan import Plan, Step, ToolChoice
from costa_dsl.rules.plan.no_tool import optional_steps
from costa_dsl.rules.plan.unknown_tool import choices_of
from costa_dsl.rules.words import plain_steps


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for choice, origin in choices_of(plan):
        for index, name in enumerate(choice.only):
            if name in choice.avoid:
                yield Diagnostic(
                    "COS3120",
                    f'"{name}" is asked for and excluded',
                    origin.span("tools", "only", index),
                    label="`only` names it",
                    related=(Related("`avoid` names it", origin.span("tools", "avoid", choice.avoid.index(name))),),
                    help="take it out of one of the two",
                )
    optional = optional_steps(plan)
    for step, subtask in plain_steps(plan, catalog):
        names = [tool.name for tool in catalog.tools_for(subtask.name)]
        slips = any(
            _is_slip(name, choice, catalog) for choice in (plan.policy.tools, step.tools) for name in choice.only
        )
        if names and not slips and not any(_allowed(name, names, step, plan) for name in names):
            severity = Severity.WARNING if step.id in optional else Severity.ERROR
            yield Diagnostic(
                "COS3121",
                f"`tools:` leaves no tool for {subtask.name}",
                step.origin.span("do"),
                severity,
                label="can be done by: " + ", ".join(names),
                help="name one of them under `only`, or take one out of `avoid`",
            )


def _is_slip(name: str, choice: ToolChoice, catalog: Catalog) -> bool:
    """Whether a name under `only` has a finding of its own, so that nobody knows which tools are left."""
    return name in choice.avoid or name not in catalog.tools


def _allowed(name: str, rivals: list[str], step: Step, plan: Plan) -> bool:
    policy = plan.policy.tools
    # A policy's `only` speaks of the subtasks that its tools can do, and leaves the others alone.
    excluded = bool(policy.only) and name not in policy.only and any(rival in policy.only for rival in rivals)
    return step.tools.allows(name) and name not in policy.avoid and not excluded
