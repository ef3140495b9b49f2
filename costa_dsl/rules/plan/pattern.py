"""Where a regular expression is meant, it is one."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.formats import words_of_format


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, word, value in words_of_format(plan, catalog, "regex"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(value)
        except (re.error, RecursionError, OverflowError) as error:
            yield Diagnostic(
                "COS3116",
                f"this is no regular expression: {str(error) or type(error).__name__}",
                step.origin.span(word),
                help=r"a backslash takes away a character's meaning: `\(`, `\.`, `\$`; single quotes keep backslashes",
            )
