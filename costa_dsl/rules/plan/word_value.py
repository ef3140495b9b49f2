"""The value of each word has the type and the bounds of its word, and those that the subtask sets."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, replace_with
from costa_dsl.model.plan import Plan
from costa_dsl.rules.words import has_placeholder, plain_steps, problems_with, words_of
from costa_dsl.syntax import respell


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask in plain_steps(plan, catalog):
        for word, value in words_of(step).items():
            told = catalog.vocabulary.words.get(word, {}).get("description", "")
            for problem in problems_with(word, value, subtask, catalog):
                span = step.origin.span(word, *problem.route)
                message = f'wrong value for "{word}": {problem.sentence}'
                help = "\n".join(part for part in (problem.help, told) if part)
                fix = None
                if problem.rewrite is not None and span.text[:1] != "*" and not has_placeholder(span.text):
                    fix = replace_with(span, problem.rewrite(span.text), safe=True)
                elif problem.meant:
                    fix = respell(span, str(value), problem.meant)
                yield Diagnostic("COS3107", message, span, help=help, fix=fix)
