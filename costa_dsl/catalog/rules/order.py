"""The compiler knows more about order than the author wrote: things that are gone, canvases that move."""

from __future__ import annotations

from dataclasses import dataclass, field

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Related, Severity, Sink
from costa_dsl.model.artifact import Target
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Plan, Step


@dataclass
class _Before:
    """What has certainly happened before a step."""

    removed: dict[Target, Step] = field(default_factory=dict)
    placed: list[Step] = field(default_factory=list)

    def copy(self) -> _Before:
        return _Before(dict(self.removed), list(self.placed))


def check_order(plan: Plan, catalog: Catalog, sink: Sink) -> None:
    """Report steps that use what an earlier step removed, and canvas changes after pixel coordinates."""
    _walk(plan.tree, _Before(), catalog, sink)


def _walk(node: Node, before: _Before, catalog: Catalog, sink: Sink) -> None:
    if isinstance(node, Step):
        _check(node, before, catalog, sink)
    elif isinstance(node, OneOf | AnyOrder):
        # Branches do not see each other: of one_of only one is done, and any_order may put any first.
        branches = []
        for item in node.items:
            branch = before.copy()
            _walk(item, branch, catalog, sink)
            branches.append(branch)
        if isinstance(node, AnyOrder):
            for branch in branches:
                before.removed.update(branch.removed)
                before.placed.extend(step for step in branch.placed if step not in before.placed)
    else:
        for item in node.items:
            _walk(item, before, catalog, sink)


def _check(step: Step, before: _Before, catalog: Catalog, sink: Sink) -> None:
    subtask = catalog.vocabulary.subtasks.get(step.subtask)
    if subtask is None:
        return
    if (gone := before.removed.get(step.target)) and step.target != Target():
        sink.add(
            Diagnostic(
                "COS3201",
                f'"{step.target.object or "this place"}" is no longer there at this step',
                step.origin.span("object" if step.target.object else "at"),
                label="used here",
                related=(Related("removed here", gone.origin.span("do")),),
                help="move this step before the removal, or name something else",
            )
        )
    if subtask.moves_canvas and before.placed:
        first = before.placed[0]
        sink.add(
            Diagnostic(
                "COS3202",
                f"{step.subtask} changes the canvas after other steps have worked on it",
                step.origin.span("do"),
                severity=Severity.WARNING,
                label="masks and boxes found before are no longer valid after this",
                related=(Related("worked on the old canvas", first.origin.span("do")),),
                help="put it first, unless the order is meant",
            )
        )
    if step.target != Target():
        before.placed.append(step)
    if subtask.forgets_target:
        before.removed[step.target] = step
    elif subtask.name == "object-addition":
        before.removed.pop(step.target, None)
