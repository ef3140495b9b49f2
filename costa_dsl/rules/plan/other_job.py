"""The branches of a `one_of` do the same job in different ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity, SourceSpan
from costa_dsl.model.plan import Node, OneOf, Plan, Step, steps_of


@dataclass(frozen=True)
class _Job:
    """What a branch does, as far as its subtasks tell.

    Attributes:
        steps: each step as a text of its own.
        edits: it changes the picture.
        moves_canvas: it changes the size or the place of pixels.
        gives: what its analyses find out.
    """

    steps: frozenset[str]
    edits: bool
    moves_canvas: bool
    gives: frozenset[str]


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for node in choices_of(plan):
        jobs = [_job(item, catalog) for item in node.items]
        for index, job in enumerate(jobs[1:], start=1):
            told = next(((other, reason) for other in range(index) if (reason := _difference(jobs[other], job))), None)
            if told is not None:
                other, reason = told
                yield Diagnostic(
                    "COS3205",
                    f"this branch of one_of does not do the same job as another: {reason}",
                    first_line(node.items[index]),
                    severity=Severity.WARNING,
                    related=(Related("the other branch", first_line(node.items[other])),),
                    help="costa takes whichever is cheaper or better: each branch should do all that is wanted",
                )


def choices_of(plan: Plan) -> Iterator[OneOf]:
    """Every `one_of` of a plan, in the order of the text."""
    stack: list[Node] = [plan.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, OneOf):
            yield node
        if not isinstance(node, Step):
            stack.extend(reversed(node.items))


def first_line(node: Node) -> SourceSpan:
    """Where a branch is shown: at its first step."""
    return next(steps_of(node)).origin.span("do")


def _job(node: Node, catalog: Catalog) -> _Job:
    steps = list(steps_of(node))
    known = [found for step in steps if (found := catalog.vocabulary.subtasks.get(step.subtask))]
    return _Job(
        steps=frozenset(f"{step.subtask} {step.target} {sorted(map(str, step.arguments.items()))}" for step in steps),
        edits=any(subtask.is_edit for subtask in known) or len(known) < len(steps),
        moves_canvas=any(subtask.moves_canvas for subtask in known),
        gives=frozenset(artifact for subtask in known if not subtask.is_edit for artifact in subtask.gives),
    )


def _difference(one: _Job, other: _Job) -> str:
    """Why two branches cannot do the same job; empty when they may."""
    if one.steps == other.steps:
        return "it is the same once more"
    if one.steps < other.steps or other.steps < one.steps:
        return "all that one of them does, the other does too, and more"
    if one.edits != other.edits:
        return "one edits the picture, the other only looks at it"
    if one.moves_canvas != other.moves_canvas:
        return "one changes the canvas, the other does not"
    if not one.edits and not one.gives & other.gives:
        return "they find out different things"
    return ""
