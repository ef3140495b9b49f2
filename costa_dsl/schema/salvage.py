"""What can still be understood of a document with schema errors, so that the rules find the rest of its slips."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.schema.check import as_diagnostic, kind_meant, problems_in
from costa_dsl.schema.kinds import API_VERSION
from costa_dsl.schema.problems import Problem
from costa_dsl.syntax import Document, Route, folded, read_documents
from costa_dsl.syntax.document import Node


class Unknown(str):
    """Stands for a text that nobody wrote: a rule that meets it says nothing."""


# What mending one problem brings to light is mended in the next round.
_ROUNDS = 5


def salvage(document: Document, sink: Sink) -> tuple[str, Document] | None:
    """The kind and a changed copy of a document that does not fit its schema; None when too little is left.

    Where a finding says what was meant, that is taken; what fits nothing is left out. The copy keeps the places of
    the original: a route that is in both leads to the same text. Slips that a misspelt key hid go to the sink.
    """
    kind = kind_meant(document)
    if kind is None or not document.finite:
        return None
    value: Any = deepcopy(document.value)
    value |= {"apiVersion": API_VERSION, "kind": kind}
    copy = Document(document.source, value, document.index, deepcopy(document.root))
    renamed: list[Route] = []
    guessed: list[Route] = []
    for _ in range(_ROUNDS):
        problems = problems_in(kind, value)
        if not problems:
            return kind, copy
        for problem in problems:
            # Below a key that was guessed, what is spoken of as it was meant is told too.
            places = [*renamed, *guessed] if _is_sure(problem) else renamed
            if any(problem.route[: len(route)] == route for route in places):
                sink.add(as_diagnostic(copy, problem))
        for problem in problems:
            if not _mend(value, problem, copy):
                return None
            if problem.on_key and problem.meant:
                _rename(copy.root, problem)
                (renamed if _is_sure(problem) else guessed).append((*problem.route[:-1], problem.meant))
    return None


def _is_sure(problem: Problem) -> bool:
    """Whether what was meant by a key is no guess: `any-order` is any_order."""
    return problem.on_key and bool(problem.meant) and folded(str(problem.route[-1])) == folded(problem.meant)


def _mend(value: Any, problem: Problem, document: Document) -> bool:
    """Change the value in place so that one problem is gone; False when it cannot be done."""
    if problem.missing and problem.route == ():
        # Nothing but people reads the task; any other key at the top is what the document is about.
        return value.setdefault("task", Unknown("?")) is not None
    if problem.missing and isinstance(step := _at(value, problem.route), dict) and "do" not in step:
        step["do"] = Unknown("?")
        return True
    *above, last = problem.route or ("",)
    owner: Any = _at(value, tuple(above))
    if problem.on_key:
        if isinstance(owner, dict) and last in owner:
            entry = owner.pop(last)
            if problem.meant:
                owner.setdefault(problem.meant, entry)
        return True
    if (problem.meant or problem.rewrite is not None) and owner is not None:
        wanted = problem.meant or _rewritten(problem, document)
        if wanted is not None:
            owner[last] = wanted
            return True
    # Leave out the nearest entry of a mapping: routes through lists stay what they were.
    route = problem.route
    while route:
        owner = _at(value, route[:-1])
        if isinstance(owner, dict):
            owner.pop(route[-1], None)
            if route[-1] == "at":  # which one is meant is not known: not all of that name
                owner |= {key: Unknown(owner[key]) for key in ("object",) if isinstance(owner.get(key), str)}
            if route[0] == "parameters":  # whoever changes this parameter is not at fault
                value.pop("retries", None)
                value.pop("remedies", None)
            return True
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
