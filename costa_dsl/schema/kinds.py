"""The kinds of files, and the schema of each."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from costa_dsl.resources import data_folder

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

API_VERSION = "costa/v1"
KINDS = ("Plan", "Tool", "SubtaskCatalog", "BenchmarkTable")


def schema_file(kind: str) -> str:
    """`SubtaskCatalog` → `subtask-catalog.schema.json`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind).lower() + ".schema.json"


@cache
def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind, as plain data that nobody may change."""
    path = data_folder("schemas") / schema_file(kind)
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


@cache
def validator_of(kind: str) -> Draft202012Validator:
    """The validator of a kind."""
    # Imported here: it takes a quarter of a second, and `costa --help` needs none of it.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema_of(kind))


def shared_definitions() -> dict[str, Any]:
    """The `$defs` that schemas of words may refer to; `length` is whole pixels or a percentage."""
    definitions: dict[str, Any] = schema_of("Plan")["$defs"]
    return definitions
