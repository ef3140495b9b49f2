"""`costa tools`: what is installed, what is missing, and the command that brings it."""

from __future__ import annotations

import json
from typing import Any

import click

from costa_dsl.cli.common import load
from costa_dsl.cli.options import catalog_option, format_option


@click.group("tools")
def tools_group() -> None:
    """List tools, show one, or see what is missing on this machine."""


@tools_group.command("list")
@catalog_option
@format_option()
@click.option("--offline", is_flag=True, help="Only the tools that can run on this machine now.")
def list_command(catalog: str | None, output_format: str, offline: bool) -> None:
    """Every subtask and the tools that can do it."""
    from costa_dsl.catalog.availability import missing
    from costa_dsl.diagnostics import Sink
    from costa_dsl.report.table import table

    known = load(catalog, Sink())
    entries: list[dict[str, Any]] = []
    for name, subtask in known.vocabulary.subtasks.items():
        tools = [tool for tool in known.tools_for(name) if not (offline and missing(tool))]
        for tool in tools:
            row = known.row(tool.name, name)
            entries.append(
                {
                    "subtask": name,
                    "source": subtask.source,
                    "tool": tool.name,
                    "seconds": row.seconds if row else None,
                    "quality": row.quality if row else None,
                    "available": not missing(tool),
                }
            )
        if not tools:
            entries.append({"subtask": name, "source": subtask.source, "tool": None, "available": False})
    if output_format == "json":
        click.echo(json.dumps({"version": 1, "tools": entries}, indent=2))
        return
    rows = []
    for entry in entries:
        if entry["tool"] is None:
            rows.append([entry["subtask"], "-", "", "", "no tool yet" if not offline else "no tool here"])
            continue
        seconds = "?" if entry["seconds"] is None else f"{entry['seconds']:.3g}"
        quality = "?" if entry["quality"] is None else f"{entry['quality']:.2f}"
        state = "ready" if entry["available"] else "missing (costa tools doctor)"
        rows.append([entry["subtask"], entry["tool"], seconds, quality, state])
    click.echo(table(["subtask", "tool", "seconds", "quality", "here"], rows, right=(2, 3)), nl=False)


@tools_group.command("show")
@click.argument("name")
@catalog_option
@format_option()
def show_command(name: str, catalog: str | None, output_format: str) -> None:
    """One tool: what it does, needs and gives, its parameters and benchmark."""
    from costa_dsl.catalog.availability import missing
    from costa_dsl.catalog.catalog import dependency_edges
    from costa_dsl.diagnostics import CostaError, Diagnostic, Sink, closest

    known = load(catalog, Sink())
    tool = known.tools.get(name)
    if tool is None:
        near = closest(name, known.tools)
        hint = f'did you mean "{near}"?' if near else "`costa tools list` shows them"
        raise CostaError(Diagnostic("COS2103", f'no tool is named "{name}"', help=hint), exit_code=3)
    edges = dependency_edges(known.tools.values())
    value: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "implements": list(tool.implements),
        "needs": list(tool.needs),
        "gives": list(tool.gives),
        "finds its target by": sorted(tool.grounds),
        "fed by": sorted(left for left, right in edges if right == name),
        "feeds": sorted(right for left, right in edges if left == name),
        "parameters": {key: schema.get("default") for key, schema in tool.parameters.items()},
        "retries": [dict(rung) for rung in tool.retries],
        "guarantees": list(tool.guarantees),
        "benchmark": {
            subtask: {"seconds": row.seconds, "quality": row.quality, "n": row.n}
            for subtask in tool.implements
            if (row := known.row(name, subtask))
        },
        "license": tool.license,
        "missing here": [f"{lack.what}: {lack.command}" for lack in missing(tool)],
        "manifest": tool.origin.document.source.name,
    }
    if output_format == "json":
        click.echo(json.dumps({"version": 1, **value}, indent=2, ensure_ascii=False))
        return
    width = max(len(key) for key in value)
    for key, entry in value.items():
        click.echo(f"{key.ljust(width)}  {_shown(entry)}")


def _shown(entry: Any) -> str:
    if isinstance(entry, list):
        return ", ".join(_shown(item) for item in entry) or "-"
    if isinstance(entry, dict):
        return ", ".join(f"{key}: {_shown(item)}" for key, item in entry.items()) or "-"
    return "-" if entry is None else str(entry)


@tools_group.command("doctor")
@catalog_option
@format_option()
@click.pass_context
def doctor_command(context: click.Context, catalog: str | None, output_format: str) -> None:
    """What each tool lacks on this machine, and the command that brings it. Exit code 1 when something is missing."""
    from costa_dsl.catalog.availability import missing
    from costa_dsl.diagnostics import Sink

    known = load(catalog, Sink())
    lacking = {name: missing(tool) for name, tool in sorted(known.tools.items())}
    if output_format == "json":
        value = {
            name: [{"what": lack.what, "command": lack.command} for lack in lacks] for name, lacks in lacking.items()
        }
        click.echo(json.dumps({"version": 1, "tools": value}, indent=2, ensure_ascii=False))
    else:
        commands: dict[str, None] = {}
        for name, lacks in lacking.items():
            click.echo(f"{name}: " + ("; ".join(lack.what for lack in lacks) if lacks else "ready"))
            commands.update(dict.fromkeys(lack.command for lack in lacks))
        ready = sum(not lacks for lacks in lacking.values())
        click.echo(f"{ready} of {len(lacking)} tools are ready on this machine")
        for command in commands:
            click.echo(f"  to get more: {command}")
    context.exit(1 if any(lacking.values()) else 0)


@tools_group.command("graph")
@catalog_option
@format_option(("text", "json", "dot"), help="Words for people, one JSON document, or a drawing for Graphviz.")
def graph_command(catalog: str | None, output_format: str) -> None:
    """The tool dependency graph: which tool can feed which, and what leads nowhere.

    An edge leads from a tool to another that needs what it gives (CoSTA*). Several tools that give one artifact are
    alternatives, each told with the place where it says so.
    """
    from costa_dsl.catalog.catalog import IMAGE, dependency_edges
    from costa_dsl.cli.common import tell_all
    from costa_dsl.diagnostics import Sink
    from costa_dsl.rules.tool import unneeded, unreachable

    known = load(catalog, Sink())
    tools = [tool for _, tool in sorted(known.tools.items())]
    edges = sorted(dependency_edges(tools))
    artifacts = [name for name in known.vocabulary.artifacts if name != IMAGE]
    providers = {name: sorted({tool.name for tool, _ in known.providers(name)}) for name in artifacts}
    places = {
        name: [(tool, str(known.tools[tool].origin.span("gives"))) for tool in providers[name]] for name in artifacts
    }
    takers = {name: [tool.name for tool in tools if name in tool.needs] for name in artifacts}
    tell_all(found for tool in tools for rule in (unreachable, unneeded) for found in rule.check(tool, known))
    if output_format == "json":
        value = {
            "version": 1,
            "edges": [list(edge) for edge in edges],
            "artifacts": {name: {"given by": providers[name], "needed by": takers[name]} for name in artifacts},
            "alternatives": {name: dict(places[name]) for name in artifacts if len(places[name]) > 1},
        }
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
    elif output_format == "dot":
        lines = "".join(f"  {json.dumps(left)} -> {json.dumps(right)};\n" for left, right in edges)
        click.echo(f"digraph tools {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n{lines}}}")
    else:
        for name in artifacts:
            if providers[name] or takers[name]:
                click.echo(f"{name}: {' | '.join(providers[name]) or 'nobody'} → {', '.join(takers[name]) or 'nobody'}")
            if len(places[name]) > 1:
                width = max(len(tool) for tool, _ in places[name])
                for tool, place in places[name]:
                    click.echo(f"  {tool.ljust(width)}  {place}")
        click.echo(f"{len(tools)} tools, {len(edges)} edges; `|` parts alternatives")
