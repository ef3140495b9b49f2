"""A document against the schema of its kind: findings at the exact key or value."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from costa_dsl.diagnostics import Diagnostic, Fix, Related, Sink, SourceSpan, closest
from costa_dsl.schema.checker import Checker
from costa_dsl.schema.deprecated import deprecated_keys
from costa_dsl.schema.kinds import API_VERSION, KINDS, schema_of
from costa_dsl.schema.problems import Problem
from costa_dsl.schema.wording import describe
from costa_dsl.syntax import Document, Route, respell, rewritten

_HEADER = ("apiVersion", "kind")


def check_document(document: Document, sink: Sink) -> str | None:
    """The kind of a document that fits its schema; None when it does not, with every finding in the sink."""
    value = document.value
    if not isinstance(value, dict):
        sink.add(
            Diagnostic(
                "COS1001",
                f"expected a mapping that begins with `apiVersion` and `kind`, found {describe(value)}",
                document.span(),
                help=f"begin the file with `apiVersion: {API_VERSION}` and `kind:`",
            )
        )
        return None
    sound = _check_version(document, sink)
    kind, named = _check_kind(document, sink)
    if kind is None:
        return None
    sound = sound and named
    sink.extend(deprecated_keys(document, kind))
    checker = _checker(kind)
    if document.finite and checker.fits(value):
        return kind if sound else None
    endless = list(_endless_numbers(value))
    for route in endless:
        sink.add(Diagnostic("COS1014", "expected a finite number", document.span(route), help="write the number out"))
    found = checker.problems(value, header=_HEADER)
    problems = [problem for problem in found if problem.route not in endless]
    sink.extend(as_diagnostic(document, problem) for problem in problems)
    return kind if sound and not problems and not endless else None


def kind_meant(document: Document) -> str | None:
    """The kind that a document names, or nearly names."""
    value = document.value
    found = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(found, str):
        return None
    return found if found in KINDS else closest(found, KINDS)


def problems_in(kind: str, value: Any) -> list[Problem]:
    """What the schema of a kind finds wrong with a value."""
    return _checker(kind).problems(value)


@cache
def _checker(kind: str) -> Checker:
    return Checker(schema_of(kind))


def as_diagnostic(document: Document, problem: Problem) -> Diagnostic:
    """A problem at its place in the text."""
    related: tuple[Related, ...] = ()
    if problem.first is not None:
        related = (Related("first here", document.span(problem.first)),)
    span = _place(document, problem)
    return Diagnostic(
        problem.code,
        problem.message,
        span,
        label=problem.label,
        help=problem.help or _comment_in_place(span),
        related=related,
        fix=_fix(document, problem, span),
    )


def _comment_in_place(span: SourceSpan) -> str:
    """What to do when a comment stands where the value should be: `to: #ff0000`."""
    rest = span.source.line_text(span.line)[span.column - 1 + (span.end - span.start) :]
    return "a `#` behind a blank begins a comment: put quotes around the value" if rest.startswith(": #") else ""


def _fix(document: Document, problem: Problem, span: SourceSpan) -> Fix | None:
    """The change of the text that ends a problem; none where an alias or an empty value stands."""
    if problem.meant:
        found = problem.route[-1] if problem.on_key else document.value_at(problem.route)
        return respell(span, str(found), problem.meant)
    return rewritten(span, problem.rewrite) if problem.rewrite is not None else None


def _place(document: Document, problem: Problem) -> SourceSpan:
    if problem.missing:
        return _owner(document, problem.route)
    span = document.span(problem.route, key=problem.on_key)
    if span.start == span.end:
        # A value that is not there (`task:`) has no text of its own.
        return document.span(problem.route, key=True)
    return span


def _owner(document: Document, route: Route) -> SourceSpan:
    """Where a missing key is told: at the key that holds the mapping, or at the mapping's first key."""
    if route and isinstance(route[-1], str):
        return document.span(route, key=True)
    value = document.value_at(route)
    if isinstance(value, dict) and value:
        first = "kind" if "kind" in value and not route else next(iter(value))
        return document.span((*route, first), key=True)
    return document.span(route)


def _check_version(document: Document, sink: Sink) -> bool:
    found = _header(document, "apiVersion", API_VERSION, sink)
    if found is None or found == API_VERSION:
        return found is not None
    near = found if isinstance(found, str) else ""
    sink.add(
        Diagnostic(
            "COS1003",
            f"unknown apiVersion {describe(found)}: this costa reads {API_VERSION}",
            document.span(("apiVersion",)),
            label=f'did you mean "{API_VERSION}"?' if closest(near, [API_VERSION]) else "",
            help=f"write `apiVersion: {API_VERSION}`",
            fix=respell(document.span(("apiVersion",)), near, API_VERSION) if near else None,
        )
    )
    return False


def _check_kind(document: Document, sink: Sink) -> tuple[str | None, bool]:
    """The kind that is named or meant, and whether it is named: the rest is checked all the same."""
    found = _header(document, "kind", " | ".join(KINDS), sink)
    if found is None:
        return None, False
    if isinstance(found, str) and found in KINDS:
        return found, True
    guess = kind_meant(document)
    sink.add(
        Diagnostic(
            "COS1004",
            f"unknown kind {describe(found)}: the kinds are {', '.join(KINDS)}",
            document.span(("kind",)),
            label=f'did you mean "{guess}"?' if guess else "",
            fix=respell(document.span(("kind",)), str(found), guess) if guess else None,
        )
    )
    return guess, False


def _header(document: Document, name: str, wanted: str, sink: Sink) -> Any:
    """The value of a header key, or None with a finding."""
    value: Any = document.value
    found = value.get(name)
    if found is not None:
        return found
    others = [key for key in value if key not in _HEADER]
    slip = next((key for key in others if closest(key, [name]) == name), None)
    if name in value:
        span, label = document.span((name,), key=True), "it has no value"
    elif slip is not None:
        span, label = document.span((slip,), key=True), f'did you mean "{name}"?'
    else:
        span, label = _owner(document, ()), ""
    sink.add(
        Diagnostic(
            "COS1002",
            f"the key `{name}` is missing: every file of costa has it",
            span,
            label=label,
            help=f"write `{name}: {wanted}`",
            fix=respell(span, slip, name) if slip is not None and name not in value else None,
        )
    )
    return None


def _endless_numbers(value: Any) -> list[Route]:
    """The routes of `.inf` and `.nan`: no bound of a schema holds against them."""
    found: list[Route] = []
    stack: list[tuple[Route, Any]] = [((), value)]
    while stack:
        route, current = stack.pop()
        if isinstance(current, dict):
            stack.extend(((*route, key), child) for key, child in current.items())
        elif isinstance(current, list):
            stack.extend(((*route, index), child) for index, child in enumerate(current))
        elif isinstance(current, float) and not math.isfinite(current):
            found.append(route)
    return found
