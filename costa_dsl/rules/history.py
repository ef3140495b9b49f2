"""What has certainly happened before each step of a plan, for the rules about order.

Certainly: of a `one_of` only one branch is done, and the branches of an `any_order` may be done in any order, so
branches do not see each other, and nobody after a `one_of` sees what was done in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Plan, Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.rules.things import Thing, covers, made_by, used_by

# A kind of step, on a thing, at a place.
_Deed: TypeAlias = tuple[str, Thing | None, tuple[tuple[str, object], ...]]


@dataclass(frozen=True, slots=True)
class Moment:
    """A step of a known subtask, with what has certainly happened before it.

    Attributes:
        used: the thing that it works on; None when it works on the whole picture.
        made: the thing that is in the picture from here on.
        lost: the thing that is no longer in the picture from here on.
        taken: the last step that took `used` away, or all things of its name.
        user: the first step that works on `made`.
        done: the last step of the same subtask on the same thing at the same place.
        beside: such a step in another branch of an `any_order` around this one.
        placed: the first step that worked at some place, not on the whole picture.
    """

    step: Step
    subtask: Subtask
    used: Thing | None
    made: Thing | None
    lost: Thing | None
    taken: Step | None
    user: Step | None
    done: Step | None
    beside: Step | None
    placed: Step | None


@lru_cache(maxsize=1)
def history(plan: Plan, catalog: Catalog) -> tuple[Moment, ...]:
    """Every step of a known subtask, in the order of the text. The last plan is kept: several rules ask for it."""
    return tuple(_walk(plan.tree, _Before(), catalog))


def made_anew(thing: Thing, moments: tuple[Moment, ...], since: Step | None, until: Step) -> bool:
    """Whether some step may put the thing into the picture after one step (None: the start) and before another.

    Pixels get new coordinates when the canvas changes: what was at a place is then no longer at that place.
    """
    return any(
        (moment.made is not None and covers(moment.made, thing)) or (thing.place and moment.subtask.moves_canvas)
        for moment in moments
        if moment.step is not until
        and not (since is not None and certainly_before(moment.step, since))
        and not certainly_before(until, moment.step)
        and not _exclusive(moment.step, until)
    )


def certainly_before(one: Step, other: Step) -> bool:
    """Whether the first is done before the second in every run that does both."""
    for above, mine, theirs in _fork(one, other):
        return above not in ("any_order", "one_of") and mine < theirs
    return False


def is_certain(step: Step) -> bool:
    """Whether every run of the plan does the step: it stands in no `one_of`."""
    return "one_of" not in step.origin.route


def _exclusive(one: Step, other: Step) -> bool:
    return any(above == "one_of" for above, _, _ in _fork(one, other))


def _fork(one: Step, other: Step) -> Iterator[tuple[str | int, int, int]]:
    """Where the routes of two different steps part: the key above, and the number of each one's entry."""
    above: str | int = ""
    for mine, theirs in zip(one.origin.route, other.origin.route, strict=False):
        if isinstance(mine, int) and isinstance(theirs, int) and mine != theirs:
            yield above, mine, theirs
            return
        above = mine


@dataclass
class _Before:
    """What has certainly happened, on top of what had happened when the branch around began."""

    outer: _Before | None = None
    taken: dict[Thing, Step] = field(default_factory=dict)
    users: dict[Thing, Step] = field(default_factory=dict)
    done: dict[_Deed, Step] = field(default_factory=dict)
    beside: dict[_Deed, Step] = field(default_factory=dict)
    placed: Step | None = None

    def note(self, moment: Moment) -> None:
        """Go past a step."""
        step, used = moment.step, moment.used
        if used is not None:
            self.users.setdefault(used, step)
        if moment.lost is not None:
            self.taken[moment.lost] = step
        if used is not None or moment.made is not None or step.target.at:
            self.placed = self.placed or step
        self.done[_deed(step, used)] = step

    def join(self, branch: _Before) -> None:
        """Take over what a branch has done, all of it certainly."""
        for thing, step in branch.users.items():
            self.users.setdefault(thing, step)
        self.taken.update(branch.taken)
        self.done.update(branch.done)
        self.placed = self.placed or branch.placed

    def around(self) -> Iterator[_Before]:
        """From the innermost branch to the whole plan."""
        layer: _Before | None = self
        while layer is not None:
            yield layer
            layer = layer.outer


def _walk(node: Node, before: _Before, catalog: Catalog) -> Iterator[Moment]:
    if isinstance(node, Step):
        subtask = catalog.vocabulary.subtasks.get(node.subtask)
        if subtask is not None:
            moment = _moment(node, subtask, before)
            yield moment
            before.note(moment)
    elif isinstance(node, OneOf | AnyOrder):
        branches: list[_Before] = []
        beside: dict[_Deed, Step] = {}
        for item in node.items:
            branch = _Before(before, beside=beside)
            yield from _walk(item, branch, catalog)
            branches.append(branch)
            if isinstance(node, AnyOrder):
                beside.update(branch.done)
        for branch in branches if isinstance(node, AnyOrder) else ():
            before.join(branch)
    else:
        for item in node.items:
            yield from _walk(item, before, catalog)


def _moment(step: Step, subtask: Subtask, before: _Before) -> Moment:
    used, made = used_by(step, subtask), made_by(step, subtask)
    takes_away = subtask.forgets_target or "text-absent" in subtask.checks
    deed = _deed(step, used)
    layers = list(before.around())
    return Moment(
        step=step,
        subtask=subtask,
        used=used,
        made=made,
        lost=used if takes_away and used is not None and not (made and covers(made, used)) else None,
        taken=_first(layer.taken.get(used) or layer.taken.get(used.anywhere) for layer in layers) if used else None,
        user=_first(layer.users.get(made) for layer in reversed(layers)) if made else None,
        done=_first(layer.done.get(deed) for layer in layers),
        beside=_first(layer.beside.get(deed) for layer in layers),
        placed=_first(layer.placed for layer in reversed(layers)),
    )


def _deed(step: Step, used: Thing | None) -> _Deed:
    return step.subtask, used, step.target.at


def _first(found: Iterator[Step | None]) -> Step | None:
    return next((step for step in found if step is not None), None)
