"""A guarantee can hold for the tool's subtasks."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.subtask import Subtask
from costa_dsl.model.tool import Tool


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:
    for index, name in enumerate(tool.guarantees):
        for subtask in (found for task in tool.implements if (found := catalog.vocabulary.subtasks.get(task))):
            if reason := _never(name, subtask):
                yield Diagnostic(
                    "COS2019",
                    f"`{name}` can never hold for {subtask.name}: {reason}",
                    tool.origin.span("guarantees", index),
                    help="take it out, or every result of the tool is dropped",
                )
                break


def _never(guarantee: str, subtask: Subtask) -> str:
    if guarantee == "image-unchanged" and subtask.is_edit:
        return "it edits the picture"
    if guarantee == "outside-unchanged" and subtask.moves_canvas:
        return "it gives every pixel a new place"
    if guarantee == "original-kept" and not subtask.moves_canvas:
        return "it does not change the canvas"
    return ""
