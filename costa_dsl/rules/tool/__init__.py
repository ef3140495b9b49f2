"""Rules about tool manifests, one a file. Each is a function of a tool and the catalog that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.tool import Tool
from costa_dsl.rules.tool import (
    artifact,
    determinism,
    gives,
    guarantee_never,
    idle_remedy,
    idle_retry,
    implementation,
    license,
    needs_own,
    no_row,
    parameter,
    parameter_value,
    unknown_check,
    unknown_subtask,
    unneeded,
    unreachable,
    weights,
)

Rule: TypeAlias = Callable[[Tool, Catalog], Iterable[Diagnostic]]

RULES: tuple[Rule, ...] = (
    # names
    unknown_subtask.check,
    artifact.check,
    unknown_check.check,
    parameter.check,
    parameter_value.check,
    implementation.check,
    # its place among the others
    gives.check,
    needs_own.check,
    unneeded.check,
    unreachable.check,
    no_row.check,
    # its promises
    guarantee_never.check,
    idle_remedy.check,
    idle_retry.check,
    # where it comes from
    determinism.check,
    license.check,
    weights.check,
)
