"""An expectation can hold: it does not contradict the step that it judges, nor another expectation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related
from costa_dsl.model.plan import Expectation, Plan, Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.model.text_match import normalized
from costa_dsl.rules.history import Thing, made_by, object_name, used_by, walk

_OPPOSITE = {
    "text-present": "text-absent",
    "text-absent": "text-present",
    "object-present": "object-absent",
    "object-absent": "object-present",
}


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    last: Step | None = None
    edits: list[Step] = []
    there: dict[Thing, Step] = {}
    gone: dict[Thing, Step] = {}
    for step, subtask, _ in walk(plan, catalog):
        last = step
        made = made_by(step, subtask)
        lost = used_by(step, subtask) if _takes_away(subtask) else None
        for expectation in step.expect:
            yield from _against_effect(expectation, step, subtask, made, lost)
        yield from _against_each_other(step.expect)
        if subtask.is_edit:
            edits.append(step)
        if lost is not None and not lost.place:
            gone[lost] = step
            there.pop(lost, None)
        if made is not None:
            there[made] = step
            gone.pop(made, None)
    yield from _against_each_other(plan.expect)
    for expectation in plan.expect if last is not None else ():
        if expectation.check == "image-unchanged" and edits:
            yield _never(expectation, "the plan edits the picture", edits[0])
        thing = _thing(expectation)
        present = expectation.check in ("text-present", "object-present")
        against = gone.get(thing) if present else there.get(thing)
        if thing.name and expectation.check in _OPPOSITE and against is not None:
            yield _never(expectation, "a step takes it away" if present else "a step puts it there", against)


def _takes_away(subtask: Subtask) -> bool:
    return subtask.forgets_target or "text-absent" in subtask.checks


def _against_effect(
    expectation: Expectation, step: Step, subtask: Subtask, made: Thing | None, lost: Thing | None
) -> Iterator[Diagnostic]:
    check, thing = expectation.check, _thing(expectation)
    if check == "image-unchanged" and subtask.is_edit:
        yield _never(expectation, f"{subtask.name} edits the picture", step)
    elif check == "inside-changed" and not subtask.is_edit:
        yield _never(expectation, f"{subtask.name} only looks at the picture", step)
    elif check in ("outside-unchanged", "inside-changed") and subtask.moves_canvas:
        yield _never(expectation, f"{subtask.name} gives every pixel a new place", step)
    elif check.endswith("-present") and lost is not None and lost != made and _same(thing, lost):
        yield _never(expectation, f"{subtask.name} takes it away", step)
    elif check.endswith("-absent") and made is not None and _same(thing, made):
        yield _never(expectation, f"{subtask.name} puts it there", step)


def _against_each_other(expectations: Sequence[Expectation]) -> Iterator[Diagnostic]:
    seen: dict[tuple[str, str], Expectation] = {}
    for expectation in expectations:
        thing = _thing(expectation)
        if not thing.name:
            continue
        other = seen.get((_OPPOSITE.get(expectation.check, ""), thing.name))
        if other is not None:
            yield Diagnostic(
                "COS3207",
                f"`{expectation.check}` and `{other.check}` cannot both hold for the same thing",
                expectation.origin.span(),
                related=(Related("the opposite is expected here", other.origin.span()),),
                help="keep one of the two",
            )
        seen.setdefault((expectation.check, thing.name), expectation)


def _thing(expectation: Expectation) -> Thing:
    """What an expectation is about; nameless when it names nothing."""
    kind = expectation.check.partition("-")[0]
    if not isinstance(expectation.wanted, str):
        return Thing(kind, "")
    name = normalized(expectation.wanted) if kind == "text" else object_name(expectation.wanted)
    return Thing(kind, name)


def _same(expected: Thing, thing: Thing) -> bool:
    """Whether an expectation is about a thing; one that names nothing is about what the step works on."""
    if expected.kind != thing.kind:
        return False
    return not expected.name or (expected.name == thing.name and not thing.place)


def _never(expectation: Expectation, reason: str, step: Step) -> Diagnostic:
    return Diagnostic(
        "COS3207",
        f"`{expectation.check}` can never hold here: {reason}",
        expectation.origin.span(),
        related=(Related("by this step", step.origin.span("do")),),
        help="take it out, or expect the opposite",
    )
