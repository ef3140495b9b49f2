"""A thing is not done twice in a way that makes the first time pointless."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity
from costa_dsl.model.plan import Plan, Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.rules.history import Moment, history


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    moments = history(plan, catalog)
    places = {moment.step.id: index for index, moment in enumerate(moments)}
    for index, moment in enumerate(moments):
        earlier = moment.done or moment.beside
        what = _pointless(earlier, moment) if earlier is not None else ""
        if earlier is None or not what or _meaningful(moment, moments[places[earlier.id] : index]):
            continue
        which = "an earlier step" if earlier is moment.done else "another step of any_order"
        yield Diagnostic(
            "COS3204",
            f"this {moment.step.subtask} {what.format(which)}",
            moment.step.origin.span("do"),
            severity=Severity.WARNING,
            related=(Related("done here", earlier.origin.span("do")),),
            help="keep one of the two; `one_of` tries alternatives",
        )


def _pointless(earlier: Step, later: Moment) -> str:
    """How the second leaves nothing of the first; empty when it does not."""
    step, subtask = later.step, later.subtask
    if subtask.moves_canvas or later.made is not None:
        return ""
    if dict(earlier.arguments) == dict(step.arguments):
        # With other tools it is a comparison.
        again = not subtask.is_edit or "to" in subtask.parameters or not subtask.parameters
        return "does what {} did already" if again and earlier.tools == step.tools else ""
    return "undoes what {} did" if _has_one_state(subtask) else ""


def _has_one_state(subtask: Subtask) -> bool:
    """Whether what stands under `to:` can only be true alone: one color, one scenery; but many small edits."""
    return "to" in subtask.parameters and (
        subtask.limits.get("to", {}).get("format") == "color" or subtask.group == "scene"
    )


def _meaningful(moment: Moment, between: tuple[Moment, ...]) -> bool:
    """Whether something was done in between that makes it worth while to do the same once more."""
    subtask = moment.subtask
    for other in between[1:]:
        if not other.subtask.is_edit:
            continue
        same_thing = moment.used is not None and moment.used in (other.lost, other.made)
        outdated = not subtask.is_edit and not other.subtask.preserves.issuperset(subtask.gives)
        if same_thing or outdated or (subtask.is_edit and not subtask.parameters):
            return True
    return False
