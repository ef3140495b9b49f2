"""Each word of the vocabulary, and each limit of a subtask, is a valid JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.origin import Origin
from costa_dsl.rules.words import word_fault


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    vocabulary = catalog.vocabulary
    for word, schema in vocabulary.words.items():
        yield from _check(schema, vocabulary.origin.at("words", word))
    for subtask in vocabulary.subtasks.values():
        for word, schema in subtask.limits.items():
            yield from _check(schema, subtask.origin.at("limits", word))


def _check(schema: Mapping[str, Any], origin: Origin) -> Iterator[Diagnostic]:
    fault = word_fault(schema)
    if fault is not None:
        route, reason = fault
        yield Diagnostic(
            "COS2022",
            f"this is no JSON Schema: {reason}",
            origin.span(*route),
            help="JSON Schema 2020-12 says which keywords there are",
        )
