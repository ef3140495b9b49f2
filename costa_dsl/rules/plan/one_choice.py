"""A choice has something to choose from."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Plan, Step


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    stack: list[Node] = [plan.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Step):
            continue
        stack.extend(node.items)
        if isinstance(node, OneOf | AnyOrder) and len(node.items) == 1:
            key = "one_of" if isinstance(node, OneOf) else "any_order"
            yield Diagnostic(
                "COS3206",
                f"{key} with a single entry leaves nothing to choose",
                node.origin.span(key, key=True),
                severity=Severity.HINT,
                help="write the entry by itself, or add another one",
            )
