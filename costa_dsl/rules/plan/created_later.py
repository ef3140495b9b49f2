"""A step works on a thing that is in the picture already, not on one that a later step makes."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity
from costa_dsl.model.plan import Plan
from costa_dsl.rules.history import Moment, certainly_before, history, made_anew
from costa_dsl.rules.things import named_by


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    moments = history(plan, catalog)
    for moment in moments:
        made, user = moment.made, moment.user
        if made is None or user is None or _put_back(moment, moments) or made_anew(made, moments, None, user):
            continue
        subtask = catalog.vocabulary.subtasks[user.subtask]
        named = named_by(user, subtask)
        if named is None:
            continue
        route, name = named
        yield Diagnostic(
            "COS3203",
            f'"{name}" is used before it is made',
            user.origin.span(*route),
            # To look for a thing and then add another one may be meant; to edit what is not there is not.
            severity=Severity.ERROR if subtask.is_edit else Severity.WARNING,
            label="used here",
            related=(Related("made only here", moment.step.origin.span("do")),),
            help="swap the two steps; when the picture holds one already, say which is meant with `at:`",
        )


def _put_back(moment: Moment, moments: tuple[Moment, ...]) -> bool:
    """Whether such a thing may have been taken away before: to put one back is no contradiction."""
    return any(
        other.lost is not None and other.lost.anywhere == moment.made and not certainly_before(moment.step, other.step)
        for other in moments
    )
