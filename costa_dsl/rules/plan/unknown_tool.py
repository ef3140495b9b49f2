"""`tools: {only: …, avoid: …}` names tools of the catalog."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.origin import Origin
from costa_dsl.model.plan import Plan, ToolChoice
from costa_dsl.rules.names import unknown_name


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for choice, origin in choices_of(plan):
        for key, names in (("only", choice.only), ("avoid", choice.avoid)):
            for index, name in enumerate(names):
                if name not in catalog.tools:
                    span = origin.span("tools", key, index)
                    yield unknown_name("COS3110", "tool", name, catalog.tools, span, "`costa tools list` shows them")


def choices_of(plan: Plan) -> Iterator[tuple[ToolChoice, Origin]]:
    """Every choice of tools, with the mapping that holds its `tools:`: of the policy, then of each step."""
    yield plan.policy.tools, plan.origin.at("policy")
    for step in plan.steps:
        yield step.tools, step.origin
