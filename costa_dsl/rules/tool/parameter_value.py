"""Defaults, retries and remedies keep the rules that a parameter sets for itself."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool
from costa_dsl.rules.tool.parameter import settings_of
from costa_dsl.schema import value_problems


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    for name, schema in tool.parameters.items():
        if "minimum" in schema and "maximum" in schema and schema["minimum"] > schema["maximum"]:
            span = tool.origin.span("parameters", name, "minimum")
            yield Diagnostic(
                "COS2005", f'no value of "{name}" is both at least its minimum and at most its maximum', span
            )
            continue
        for problem in value_problems(schema, schema["default"]) if "default" in schema else ():
            span = tool.origin.span("parameters", name, "default")
            yield Diagnostic("COS2005", f'the default of "{name}" breaks its own rules: {problem.sentence}', span)
    for route, settings in settings_of(tool):
        for name, value in settings.items():
            for problem in value_problems(tool.parameters[name], value) if name in tool.parameters else ():
                span = tool.origin.span(*route, name)
                yield Diagnostic("COS2005", f'wrong value for "{name}": {problem.sentence}', span)
