"""A thing is not done twice in a way that makes the first time pointless."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity
from costa_dsl.model.plan import Plan, Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.rules.history import made_by, used_by, walk


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask, before in walk(plan, catalog):
        earlier = before.done.get((step.subtask, used_by(step, subtask)))
        if earlier is None or not _pointless(step, subtask):
            continue
        same = dict(earlier.arguments) == dict(step.arguments)
        what = "does what an earlier step did already" if same else "undoes what an earlier step did"
        yield Diagnostic(
            "COS3204",
            f"this {step.subtask} {what}",
            step.origin.span("do"),
            severity=Severity.WARNING,
            related=(Related("done here", earlier.origin.span("do")),),
            help="keep one of the two; `one_of` tries alternatives",
        )


def _pointless(later: Step, subtask: Subtask) -> bool:
    """Whether the second leaves nothing of the first: the same analysis again, or another wanted state (`to`)."""
    if subtask.moves_canvas or made_by(later, subtask) is not None:
        return False
    return not subtask.is_edit or "to" in subtask.parameters or not subtask.parameters
