"""Which words of a plan hold a color, or a regular expression."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.model.plan import Plan, Step
from costa_dsl.rules.words import has_placeholder, plain_steps


def words_of_format(plan: Plan, catalog: Catalog, wanted: str) -> Iterator[tuple[Step, str, str]]:
    """Step, word and text of every word whose schema, or whose limit for the subtask, asks for a format."""
    for step, subtask in plain_steps(plan, catalog):
        for word, value in step.arguments.items():
            if word not in subtask.parameters or not isinstance(value, str) or has_placeholder(value):
                continue
            schemas = (catalog.vocabulary.words.get(word, {}), subtask.limits.get(word, {}))
            if any(schema.get("format") == wanted for schema in schemas):
                yield step, word, value
