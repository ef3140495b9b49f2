"""Keys that still work and have a better name: `deprecated: true` in a schema, with the new name in `x-replaced-by`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.schema.kinds import schema_of
from costa_dsl.syntax import Document, Route, respell
from costa_dsl.syntax.subschemas import Schema, alternatives, schemas_of_items, schemas_of_key


def deprecated_keys(document: Document, kind: str) -> Iterator[Diagnostic]:
    """A warning for each deprecated key of a document, with the fix that renames it."""
    root = schema_of(kind)
    # Most files have none: they need not be walked.
    if not any(name in document.source.text for name in _names(kind)):
        return
    stack: list[tuple[Any, Route, list[Schema]]] = [(document.value, (), [root])]
    while stack:
        value, route, schemas = stack.pop()
        known = alternatives(schemas, root)
        if isinstance(value, list):
            stack += [(item, (*route, index), schemas_of_items(known)) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            for key, entry in value.items():
                inner = schemas_of_key(known, key)
                if any(schema.get("deprecated") for schema in inner):
                    yield _finding(document, (*route, key), key, inner, value)
                stack.append((entry, (*route, key), inner))


def _finding(document: Document, route: Route, key: str, schemas: list[Schema], owner: Any) -> Diagnostic:
    span = document.span(route, key=True)
    better = next((str(schema["x-replaced-by"]) for schema in schemas if "x-replaced-by" in schema), "")
    fix = respell(span, key, better) if better and better not in owner else None
    return Diagnostic(
        "COS1020",
        f'the key "{key}" is deprecated',
        span,
        Severity.WARNING,
        label=f'its name is "{better}" now' if better else "",
        help="it still works, and will be refused by the next version of the format",
        fix=replace(fix, safe=True) if fix else None,
    )


@cache
def _names(kind: str) -> frozenset[str]:
    """Every key that the schema marks as deprecated somewhere."""
    found: set[str] = set()
    stack: list[Any] = [schema_of(kind)]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            properties = part.get("properties")
            for name, schema in properties.items() if isinstance(properties, dict) else ():
                if isinstance(schema, dict) and schema.get("deprecated"):
                    found.add(name)
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return frozenset(found)
