"""The value of each word has the type and the bounds of its word, and those that the subtask sets."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.words import has_placeholder, plain_steps, problems_with, words_of
from costa_dsl.syntax import respell, rewritten


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask in plain_steps(plan, catalog):
        for word, value in words_of(step).items():
            told = catalog.vocabulary.words.get(word, {}).get("description", "")
            for problem in problems_with(word, value, subtask, catalog):
                span = step.origin.span(word, *problem.route)
                message = f'wrong value for "{word}": {problem.sentence}'
                comment = "a `#` behind a blank begins a comment: put quotes around the value" if value is None else ""
                help = "\n".join(part for part in (problem.help or comment, told) if part)
                fix = None
                if problem.rewrite is not None and not has_placeholder(span.text):
                    fix = rewritten(span, problem.rewrite)
                elif problem.meant:
                    fix = respell(span, str(value), problem.meant)
                yield Diagnostic("COS3107", message, span, help=help, fix=fix)
