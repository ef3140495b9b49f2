"""What can still be understood of a document with schema errors, so that the rules find the rest of its slips."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.schema.check import kind_meant, problems_in
from costa_dsl.schema.problems import Problem
from costa_dsl.syntax import Document, Route, read_documents
from costa_dsl.syntax.document import Node


def salvage(document: Document) -> tuple[str, Document] | None:
    """The kind and a changed copy of a document that does not fit its schema; None when too little is left.

    Where a finding says what was meant, that is taken; what fits nothing is left out. The copy keeps the places of
    the original: a route that is in both leads to the same text.
    """
    kind = kind_meant(document)
    if kind is None or not document.finite:
        return None
    value: Any = deepcopy(document.value)
    root = deepcopy(document.root)
    value |= {"apiVersion": "costa/v1", "kind": kind}
    for problem in problems_in(kind, document.value):
        if problem.missing or not _mend(value, problem, document):
            return None
        _rename(root, problem)
    if problems_in(kind, value):
        return None
    return kind, Document(document.source, value, document.index, root)


def _mend(value: Any, problem: Problem, document: Document) -> bool:
    """Change the value in place so that one problem is gone; False when it cannot be done."""
    *above, last = problem.route or ("",)
    owner: Any = _at(value, tuple(above))
    if problem.on_key and isinstance(owner, dict) and last in owner:
        entry = owner.pop(last)
        if problem.meant:
            owner.setdefault(problem.meant, entry)
        return True
    if problem.meant or problem.rewrite is not None:
        wanted = problem.meant or _rewritten(problem, document)
        if owner is not None and wanted is not None:
            owner[last] = wanted
            return True
    # Leave out the nearest entry of a mapping: routes through lists stay what they were.
    route = problem.route
    while route:
        owner = _at(value, route[:-1])
        if isinstance(owner, dict):
            return owner.pop(route[-1], None) is not None
        route = route[:-1]
    return False


def _rename(root: Node | None, problem: Problem) -> None:
    """Let the place of a misspelt key be found under the key that was meant."""
    if root is None or not problem.on_key or not problem.meant:
        return
    node = root
    for step in problem.route[:-1]:
        child = node.child(step)
        if child is None:
            return
        node = child
    name = problem.route[-1]
    if isinstance(name, str) and name in node.entries and problem.meant not in node.entries:
        node.entries[problem.meant] = node.entries[name]
        node.keys[problem.meant] = node.keys[name]


def _rewritten(problem: Problem, document: Document) -> Any:
    assert problem.rewrite is not None
    text = problem.rewrite(document.span(problem.route).text)
    parts = read_documents(SourceText("", text), Sink())
    return parts[0].value if parts else None


def _at(value: Any, route: Route) -> Any:
    for step in route:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
