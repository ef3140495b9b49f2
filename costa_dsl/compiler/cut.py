"""cut: the part of a plan's tree from one step to another, for compiling and running only that."""

from __future__ import annotations

from dataclasses import dataclass, replace

from costa_dsl.diagnostics import CostaError, Diagnostic, closest
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Plan, Sequence, Step, steps_of


@dataclass(frozen=True, slots=True)
class Scope:
    """Which steps: those that are not certainly before `first`, and not after `last` (ids; empty is no limit).

    Steps of other branches of a `one_of` around `first` or `last` are left out: the one branch is meant. Of an
    `any_order` around `last` only the item with it is kept: the others need not come before it.
    """

    first: str = ""
    last: str = ""


ALL = Scope()


def cut(plan: Plan, scope: Scope) -> Node:
    """The tree of a plan within a scope.

    Raises:
        CostaError: the plan has no such step, or the last step comes before the first.
    """
    for name in (scope.first, scope.last):
        if name and name not in {step.id for step in plan.steps}:
            raise CostaError(_unknown(plan, name))
    tree = plan.tree
    if scope.first:
        tree = _after(tree, scope.first) or tree
    if scope.last:
        rest = _until(tree, scope.last)
        if rest is None:
            raise CostaError(
                Diagnostic(
                    "COS4201",
                    f'nothing is left to compile: the step "{scope.last}" is done before "{scope.first}"',
                    next(step for step in plan.steps if step.id == scope.last).origin.span("do"),
                    help="swap the two ids",
                )
            )
        tree = rest
    return tree


def _after(node: Node, name: str) -> Node | None:
    """What is left of a node when all that is certainly before the step is done; None when the step is not in it."""
    if isinstance(node, Step):
        return node if node.id == name else None
    for index, item in enumerate(node.items):
        rest = _after(item, name)
        if rest is None:
            continue
        if isinstance(node, OneOf):
            return rest
        if isinstance(node, AnyOrder):
            return replace(node, items=(*node.items[:index], rest, *node.items[index + 1 :]))
        return replace(node, items=(rest, *node.items[index + 1 :]))
    return None


def _until(node: Node, name: str) -> Node | None:
    """What of a node has to be done to have done the step; None when the step is not in it."""
    if isinstance(node, Step):
        return node if node.id == name else None
    for index, item in enumerate(node.items):
        rest = _until(item, name)
        if rest is not None:
            return replace(node, items=(*node.items[:index], rest)) if isinstance(node, Sequence) else rest
    return None


def steps_in(tree: Node) -> frozenset[str]:
    """The ids of the steps of a tree."""
    return frozenset(step.id for step in steps_of(tree))


def _unknown(plan: Plan, name: str) -> Diagnostic:
    near = closest(name, (step.id for step in plan.steps))
    return Diagnostic(
        "COS4202",
        f'the plan has no step "{name}"',
        plan.origin.span("tree", key=True),
        label=f'did you mean "{near}"?' if near else "",
        help="the ids are: " + ", ".join(step.id for step in plan.steps[:12]) + (", …" if len(plan.steps) > 12 else ""),
    )
