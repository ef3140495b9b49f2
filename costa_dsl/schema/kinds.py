"""The kinds of files, and the schema of each."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from costa_dsl.resources import data_folder

API_VERSION = "costa/v1"
# What people write …
WRITTEN = ("Plan", "Tool", "SubtaskCatalog", "BenchmarkTable")
# … what commands read: the graphs that `costa compile` prints, too …
KINDS = (*WRITTEN, "ToolpathGraph")
# … and what costa only writes: records of runs, and its own findings.
PUBLISHED = (*KINDS, "RunRecord", "Diagnostics")


def schema_file(kind: str) -> str:
    """`SubtaskCatalog` → `subtask-catalog.schema.json`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind).lower() + ".schema.json"


def schema_text(kind: str) -> str:
    """The JSON Schema of a published kind, letter by letter as it is packaged."""
    return (data_folder("schemas") / schema_file(kind)).read_text(encoding="utf-8")


@cache
def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind, as plain data that nobody may change."""
    schema: dict[str, Any] = json.loads(schema_text(kind))
    return schema


def shared_definitions() -> dict[str, Any]:
    """The `$defs` that schemas of words may refer to; `length` is whole pixels or a percentage."""
    definitions: dict[str, Any] = schema_of("Plan")["$defs"]
    return definitions
