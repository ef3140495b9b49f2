"""Rules about the catalog as a whole: its vocabulary, its benchmark rows, and how they fit its tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.rules.catalog import (
    case_hidden,
    case_impossible,
    case_twice,
    case_without_fallback,
    row_for_nothing,
    unimplemented,
    vocabulary_names,
    word_schema,
)

Rule: TypeAlias = Callable[[Catalog], Iterable[Diagnostic]]

# For catalogs whose benchmark tables, or whose vocabulary, are being checked.
TABLE_RULES: tuple[Rule, ...] = (
    row_for_nothing.check,
    case_without_fallback.check,
    case_impossible.check,
    case_twice.check,
    case_hidden.check,
)
VOCABULARY_RULES: tuple[Rule, ...] = (
    vocabulary_names.check,
    word_schema.check,
    unimplemented.check,
)
