"""A variable is written `${name}`; the ways of other languages stand in the text as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.origin import Origin
from costa_dsl.model.plan import Plan

_FOREIGN = re.compile(r"\$\{\{.*?\}\}|\{\{.*?\}\}|\$\{[^}]*\}|^\$[A-Za-z_]\w*$|^%[A-Za-z_]\w*%$")
_OURS = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_-]*\}")


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for step in plan.steps:
        written: Any = step.origin.document.value_at(step.origin.route)
        for key, value in written.items():
            yield from _check(value, step.origin.at(key))


def _check(value: Any, origin: Origin) -> Iterator[Diagnostic]:
    if isinstance(value, list | dict):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _check(entry, origin.at(key))
    elif isinstance(value, str) and (match := _FOREIGN.search(value)) and not _OURS.fullmatch(match[0]):
        yield Diagnostic(
            "COS3123",
            f"{match[0]} is no variable: it stands in the text as it is",
            origin.span(),
            Severity.WARNING,
            help="`${name}` is the value of `name` under `vars:`; there are no expressions",
        )
