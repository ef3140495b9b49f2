"""An expectation can hold: it does not contradict the step that it judges, nor another expectation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.plan import Expectation, Plan, Step
from costa_dsl.model.text_match import normalized
from costa_dsl.rules.history import Moment, certainly_before, history, is_certain
from costa_dsl.rules.things import Thing, covers, object_name
from costa_dsl.rules.words import has_placeholder

_OPPOSITE = {
    "text-present": "text-absent",
    "text-absent": "text-present",
    "object-present": "object-absent",
    "object-absent": "object-present",
}


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    moments = history(plan, catalog)
    for moment in moments:
        yield from _check(moment.step.expect, partial(_against_effect, moment))
    yield from _check(plan.expect, partial(_against_end, moments))


def _check(
    expectations: Sequence[Expectation], against: Callable[[Expectation], Diagnostic | None]
) -> Iterator[Diagnostic]:
    """One slip gives one message: of two that exclude each other, nobody knows which one is meant."""
    excluded: set[int] = set()
    for one, other in _opposites(expectations):
        if id(one) not in excluded:
            yield Diagnostic(
                "COS3207",
                f"`{one.check}` and `{other.check}` cannot both hold for the same thing",
                one.origin.span(),
                related=(Related("the opposite is expected here", other.origin.span()),),
                help="keep one of the two",
            )
        excluded |= {id(one), id(other)}
    for expectation in expectations:
        if id(expectation) not in excluded and (found := against(expectation)):
            yield found


def _opposites(expectations: Sequence[Expectation]) -> Iterator[tuple[Expectation, Expectation]]:
    """Pairs that want a thing to be there and not to be there, the later one first."""
    seen: dict[tuple[str, str], Expectation] = {}
    for expectation in expectations:
        thing = _thing(expectation)
        if thing is not None:
            other = seen.get((_OPPOSITE[expectation.check], thing.name))
            if other is not None:
                yield expectation, other
            seen.setdefault((expectation.check, thing.name), expectation)


def _against_effect(moment: Moment, expectation: Expectation) -> Diagnostic | None:
    """A step that does the opposite of what is expected of it."""
    check, step, subtask = expectation.check, moment.step, moment.subtask
    reason = ""
    if check == "image-unchanged" and subtask.is_edit:
        reason = "edits the picture"
    elif check == "inside-changed" and not subtask.is_edit:
        reason = "only looks at the picture"
    elif check in ("outside-unchanged", "inside-changed") and subtask.moves_canvas:
        reason = "gives every pixel a new place"
    elif check.endswith("-present") and _is_about(expectation, moment.lost, moment.made):
        reason = "takes it away"
    elif check.endswith("-absent") and _is_about(expectation, moment.made, moment.lost):
        reason = "puts it there"
    return _never(expectation, f"{subtask.name} {reason}", step) if reason else None


def _is_about(expectation: Expectation, thing: Thing | None, other: Thing | None) -> bool:
    """Whether an expectation speaks of one thing and not of the other; a nameless one speaks of the only one."""
    if thing is None or thing.place or thing.is_relative or thing.kind != _kind(expectation):
        return False
    wanted = _thing(expectation)
    if wanted is None:
        return expectation.wanted is True and other is None
    return wanted == thing and not (other is not None and covers(other, wanted))


def _against_end(moments: tuple[Moment, ...], expectation: Expectation) -> Diagnostic | None:
    """A plan that certainly ends with the opposite of what is expected of it."""
    certain = [moment for moment in moments if is_certain(moment.step)]
    if expectation.check == "image-unchanged":
        edits = [moment.step for moment in certain if moment.subtask.is_edit]
        return _never(expectation, "the plan edits the picture", edits[0]) if edits else None
    wanted = _thing(expectation)
    if wanted is None or wanted.is_relative:
        return None
    for moment in reversed(certain):
        if expectation.check.endswith("-present") and moment.lost == wanted:
            later = (other for other in moments if other.made is not None and covers(other.made, wanted))
            reason = "a step takes it away"
        elif expectation.check.endswith("-absent") and moment.made == wanted:
            later = (other for other in moments if other.lost is not None and _overlap(other.lost, wanted))
            reason = "a step puts it there"
        else:
            continue
        if all(certainly_before(other.step, moment.step) for other in later):
            return _never(expectation, reason, moment.step)
    return None


def _overlap(lost: Thing, wanted: Thing) -> bool:
    return covers(lost, wanted) or covers(wanted, lost)


def _kind(expectation: Expectation) -> str:
    return expectation.check.partition("-")[0]


def _thing(expectation: Expectation) -> Thing | None:
    """The thing that must be there or not; None when the expectation is about something else, or names nothing."""
    wanted = expectation.wanted
    if expectation.check not in _OPPOSITE or not isinstance(wanted, str) or has_placeholder(wanted):
        return None
    name = normalized(wanted) if _kind(expectation) == "text" else object_name(wanted)
    return Thing(_kind(expectation), name) if name else None


def _never(expectation: Expectation, reason: str, step: Step) -> Diagnostic:
    return Diagnostic(
        "COS3207",
        f"`{expectation.check}` can never hold here: {reason}",
        expectation.origin.span(),
        related=(Related("by this step", step.origin.span("do")),),
        help="take it out, or expect the opposite",
    )
