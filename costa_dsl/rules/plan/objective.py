"""`policy: {objective: …}` names an objective that exists, with an argument that fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.model.plan import Plan

if TYPE_CHECKING:
    from costa_dsl.model.objective import Objective


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    # Most plans do not name one: then nothing needs to be imported.
    if plan.policy.objective != "costa":
        try:
            objective_of(plan)
        except CostaError as error:
            yield from error.diagnostics


def objective_of(plan: Plan, option: str = "") -> Objective:
    """The objective of a plan's policy; `option` is the option of the command line that it comes from, if any.

    Raises:
        CostaError: there is none of that name, or its argument does not fit.
    """
    from costa_dsl.model.objective_spec import ObjectiveError, read_objective

    policy = plan.policy
    try:
        return read_objective(policy.objective, policy.alpha)
    except ObjectiveError as fault:
        span = None if option else plan.origin.span("policy", "objective")
        message = f"{option}: {fault.message}" if option else fault.message
        raise CostaError(Diagnostic("COS3124", message, span, help=fault.help), exit_code=3) from fault
