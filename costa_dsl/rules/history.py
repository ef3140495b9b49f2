"""What has certainly happened before each step of a plan, for the rules about order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Plan, Step
from costa_dsl.model.subtask import Subtask
from costa_dsl.model.text_match import normalized

_ARTICLE = re.compile(r"^(?:the|a|an|this|that|these|those|all|every|each)\s+")


@dataclass(frozen=True, slots=True)
class Thing:
    """What a step works on or makes: an object by its name, or a text by its words; `place` is its `at:`."""

    kind: str
    name: str
    place: tuple[tuple[str, object], ...] = ()


@dataclass
class Before:
    """What has certainly happened before a step; for each thing the first or the last step that did it."""

    used: dict[Thing, Step] = field(default_factory=dict)
    gone: dict[Thing, Step] = field(default_factory=dict)
    made: dict[Thing, Step] = field(default_factory=dict)
    done: dict[tuple[str, Thing | None], Step] = field(default_factory=dict)
    placed: Step | None = None

    def copy(self) -> Before:
        return Before(dict(self.used), dict(self.gone), dict(self.made), dict(self.done), self.placed)

    def join(self, other: Before) -> None:
        """Take over what one more branch has done, all of it certainly."""
        for mine, theirs in ((self.used, other.used), (self.made, other.made)):
            for thing, step in theirs.items():
                mine.setdefault(thing, step)
        self.gone.update(other.gone)
        self.done.update(other.done)
        self.placed = self.placed or other.placed

    def note(self, step: Step, subtask: Subtask) -> None:
        """Go past a step."""
        thing = used_by(step, subtask)
        if made := made_by(step, subtask):
            self.made.setdefault(made, step)
            self.gone.pop(made, None)
        if thing is not None and not (subtask.makes == "target" and not thing.place):
            self.used.setdefault(thing, step)
            if (subtask.forgets_target or "text-absent" in subtask.checks) and thing != made:
                self.gone[thing] = step
        if thing is not None or step.target.at:
            self.placed = self.placed or step
        self.done[step.subtask, thing] = step


def walk(plan: Plan, catalog: Catalog) -> Iterator[tuple[Step, Subtask, Before]]:
    """Every step of a known subtask, with what is before it; the last changes as soon as the next step is asked for."""
    yield from _walk(plan.tree, Before(), catalog)


def _walk(node: Node, before: Before, catalog: Catalog) -> Iterator[tuple[Step, Subtask, Before]]:
    if isinstance(node, Step):
        subtask = catalog.vocabulary.subtasks.get(node.subtask)
        if subtask is not None:
            yield node, subtask, before
            before.note(node, subtask)
    elif isinstance(node, OneOf | AnyOrder):
        # Branches do not see each other: of one_of only one is done, and any_order may put any first.
        branches = [before.copy() for _ in node.items]
        for item, branch in zip(node.items, branches, strict=True):
            yield from _walk(item, branch, catalog)
        if isinstance(node, AnyOrder):
            for branch in branches:
                before.join(branch)
    else:
        for item in node.items:
            yield from _walk(item, before, catalog)


def used_by(step: Step, subtask: Subtask) -> Thing | None:
    """The thing in the picture that a step works on; None when it works on all of it."""
    place = step.target.at
    if step.target.object is not None:
        return Thing("object", object_name(step.target.object), place)
    text = step.arguments.get("text")
    if isinstance(text, str) and subtask.makes != "text":
        return Thing("text", normalized(text), place)
    at = dict(place)
    if isinstance(at.get("text"), str) and "within" not in at:
        return Thing("text", normalized(at["text"]))
    return None


def made_by(step: Step, subtask: Subtask) -> Thing | None:
    """The thing that was not in the picture before the step."""
    if subtask.makes == "target" and step.target.object is not None:
        return Thing("object", object_name(step.target.object))
    if subtask.makes == "text" and isinstance(text := step.arguments.get("text"), str):
        return Thing("text", normalized(text))
    if subtask.makes == "with" and isinstance(new := step.arguments.get("with"), str):
        if step.target.object is not None:
            return Thing("object", object_name(new))
        return Thing("text", normalized(new))
    return None


def object_name(expression: str) -> str:
    """A referring expression as it is compared: without case, articles and doubled blanks; it may be empty."""
    words = " ".join(expression.casefold().split())
    while (bare := _ARTICLE.sub("", words + " ", count=1).strip()) != words:
        words = bare
    return words
