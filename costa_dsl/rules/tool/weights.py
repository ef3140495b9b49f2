"""Weights are pinned: the same bytes tomorrow as today."""

from __future__ import annotations

import re
from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.model.tool import Tool

_COMMIT = re.compile(r"[0-9a-fA-F]{40}")


def check(tool: Tool, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    weights = tool.requires.weights
    if not weights or "sha256" in weights:
        return
    revision = weights.get("revision", "")
    if "hub" in weights and not _COMMIT.fullmatch(revision):
        message = f'"{revision}" may mean other weights tomorrow: a revision is a commit of 40 hexadecimal digits'
        help = "write the commit that this name points to now, or the file's digest under `sha256:`"
        key = "revision"
    elif "package" in weights and "version" not in weights:
        message, key = f"no version of {weights['package']} is named: a later one may bring other weights", "package"
        help = "add `version:`, or the file's digest under `sha256:`"
    elif "hub" not in weights and "package" not in weights:
        message, key = "nothing says which weights these are", "path"
        help = "add the file's digest under `sha256:`"
    else:
        return
    yield Diagnostic("COS2018", message, tool.origin.span("requires", "weights", key), Severity.WARNING, help=help)
