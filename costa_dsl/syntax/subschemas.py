"""Finding one's way in a JSON Schema beside a value: which parts of it speak about a key, or about a list's items.

Every branch of an `if` counts, since order and annotations (`deprecated`) do not depend on which one holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]


def alternatives(schemas: Sequence[Schema], root: Schema) -> list[Schema]:
    """The schemas, those that they refer to, and their branches."""
    found: list[Schema] = []
    waiting = list(reversed(schemas))
    seen: set[int] = set()
    while waiting:
        schema = waiting.pop()
        if id(schema) in seen:
            continue
        seen.add(id(schema))
        found.append(schema)
        branches = [schema.get(word) for word in ("then", "else")]
        for word in ("allOf", "anyOf", "oneOf"):
            branches += schema.get(word, [])
        if "$ref" in schema:
            branches.insert(0, _target(root, schema["$ref"]))
        waiting += [branch for branch in reversed(branches) if isinstance(branch, Mapping)]
    return found


def schemas_of_key(known: Sequence[Schema], name: str) -> list[Schema]:
    """The schemas of the value of a key."""
    found = [schema["properties"][name] for schema in known if name in schema.get("properties", {})]
    if not found:
        found = [schema.get("additionalProperties") for schema in known]
    return [schema for schema in found if isinstance(schema, Mapping)]


def schemas_of_items(known: Sequence[Schema]) -> list[Schema]:
    """The schemas of a list's items."""
    return [schema["items"] for schema in known if isinstance(schema.get("items"), Mapping)]


def _target(root: Schema, reference: str) -> Any:
    """What `#/$defs/step` leads to; None outside the schema."""
    target: Any = root if reference.startswith("#/") else None
    for step in reference.removeprefix("#/").split("/"):
        target = target.get(step) if isinstance(target, Mapping) else None
    return target
