"""Defaults, retries and remedies keep the rules that a parameter sets for itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool
from costa_dsl.rules.tool.parameter import settings_of
from costa_dsl.schema import value_problems


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    contradictory = set()
    for name, schema in tool.parameters.items():
        for found in _contradictions(tool, name, schema):
            contradictory.add(name)
            yield found
        for problem in value_problems(schema, schema["default"]) if name not in contradictory else ():
            span = tool.origin.span("parameters", name, "default")
            yield Diagnostic("COS2005", f'the default of "{name}" breaks its own rules: {problem.sentence}', span)
    for route, settings in settings_of(tool):
        for name, value in settings.items():
            sound = name in tool.parameters and name not in contradictory
            for problem in value_problems(tool.parameters[name], value) if sound else ():
                span = tool.origin.span(*route, name)
                yield Diagnostic("COS2005", f'wrong value for "{name}": {problem.sentence}', span)


def _contradictions(tool: Tool, name: str, schema: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Rules of a parameter that cannot be kept together."""
    at = tool.origin.at("parameters", name).span
    if "minimum" in schema and "maximum" in schema and schema["minimum"] > schema["maximum"]:
        message = f'no value of "{name}" is both at least its minimum and at most its maximum'
        yield Diagnostic("COS2005", message, at("minimum"))
        return
    others = {key: value for key, value in schema.items() if key != "enum"}
    for index, value in enumerate(schema.get("enum", ())):
        for problem in value_problems(others, value):
            message = f'this value of "{name}" breaks its other rules: {problem.sentence}'
            yield Diagnostic("COS2005", message, at("enum", index))
