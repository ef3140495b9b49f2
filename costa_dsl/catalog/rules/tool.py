"""A manifest names known subtasks, artifacts, checks and parameters, and has a benchmark row for each subtask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from costa_dsl.catalog.availability import implementation
from costa_dsl.catalog.catalog import IMAGE, Catalog
from costa_dsl.catalog.rules.names import unknown_name
from costa_dsl.diagnostics import Diagnostic, Severity, Sink
from costa_dsl.model.tool import Tool
from costa_dsl.schema import value_problems
from costa_dsl.syntax import Route


def check_tool(tool: Tool, catalog: Catalog, sink: Sink) -> None:
    _check_names(tool, catalog, sink)
    _check_parameters(tool, sink)
    if implementation(tool.implementation) is None:
        sink.add(
            Diagnostic(
                "COS2007",
                f'no installed package brings the implementation "{tool.implementation}"',
                tool.origin.span("implementation"),
                severity=Severity.WARNING,
                help="define it as an entry point in the group costa.tools, and install that package",
            )
        )
    if tool.license is None:
        sink.add(
            Diagnostic(
                "COS2012",
                f'the tool "{tool.name}" names no licence',
                tool.origin.span("name"),
                severity=Severity.WARNING,
                help="add `license:` with the SPDX name of the code's or the weights' licence",
            )
        )


def _check_names(tool: Tool, catalog: Catalog, sink: Sink) -> None:
    vocabulary = catalog.vocabulary
    for index, name in enumerate(tool.implements):
        span = tool.origin.span("implements", index)
        subtask = vocabulary.subtasks.get(name)
        if subtask is None:
            sink.add(unknown_name("COS2001", "subtask", name, vocabulary.subtasks, span))
            continue
        if not set(subtask.gives) & set(tool.gives):
            wanted = " or ".join(subtask.gives)
            sink.add(
                Diagnostic(
                    "COS2011",
                    f'"{tool.name}" gives {", ".join(tool.gives)}; {name} must give {wanted}',
                    tool.origin.span("gives"),
                )
            )
        if catalog.row(tool.name, name) is None:
            sink.add(
                Diagnostic(
                    "COS2008",
                    f"no benchmark row for {tool.name} · {name}",
                    span,
                    label="seconds and quality unknown",
                    help="add to a benchmark table: "
                    f"{{tool: {tool.name}, subtask: {name}, seconds: …, quality: …, n: …}}",
                )
            )
    for key in ("needs", "gives"):
        for index, artifact in enumerate(getattr(tool, key)):
            if artifact not in vocabulary.artifacts:
                span = tool.origin.span(key, index)
                sink.add(unknown_name("COS2002", "artifact", artifact, vocabulary.artifacts, span))
    guarantees = [name for name, kind in vocabulary.checks.items() if kind.guarantee]
    for index, name in enumerate(tool.guarantees):
        if name not in guarantees:
            span = tool.origin.span("guarantees", index)
            sink.add(unknown_name("COS2003", "guarantee", name, guarantees, span))
    for name in tool.remedies:
        if name not in vocabulary.checks:
            span = tool.origin.span("remedies", name, key=True)
            sink.add(unknown_name("COS2003", "check", name, vocabulary.checks, span))
    for artifact in tool.gives:
        if artifact != IMAGE and artifact in tool.needs:
            sink.add(
                Diagnostic("COS2014", f'"{tool.name}" gives "{artifact}" and needs it too', tool.origin.span("gives"))
            )


def _check_parameters(tool: Tool, sink: Sink) -> None:
    for name, schema in tool.parameters.items():
        if "default" in schema:
            for _, message in value_problems(schema, schema["default"]):
                sink.add(
                    Diagnostic(
                        "COS2005",
                        f'the default of "{name}" breaks its own rules: {message}',
                        tool.origin.span("parameters", name, "default"),
                    )
                )
    overrides: list[tuple[Route, Mapping[str, Any]]] = [
        *((("retries", index), values) for index, values in enumerate(tool.retries)),
        *((("remedies", check), values) for check, values in tool.remedies.items()),
    ]
    for route, values in overrides:
        for name, value in values.items():
            known = tool.parameters.get(name)
            if known is None:
                span = tool.origin.span(*route, name, key=True)
                sink.add(unknown_name("COS2004", "parameter", name, tool.parameters, span))
                continue
            for _, message in value_problems(known, value):
                sink.add(Diagnostic("COS2005", f'wrong value for "{name}": {message}', tool.origin.span(*route, name)))
