"""The vocabulary is consistent in itself: words, artifacts and checks that subtasks use are defined."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.rules.names import unknown_name


def check(catalog: Catalog) -> Iterator[Diagnostic]:
    vocabulary = catalog.vocabulary
    for subtask in vocabulary.subtasks.values():
        at = subtask.origin.span
        for word in subtask.parameters:
            if word not in vocabulary.words:
                yield unknown_name("COS2013", "word", word, vocabulary.words, at("parameters", word, key=True))
        for word in subtask.limits:
            if word not in subtask.parameters:
                yield unknown_name("COS2013", "word", word, subtask.parameters, at("limits", word, key=True))
        for key, names in (("gives", subtask.gives), ("preserves", sorted(subtask.preserves))):
            written = subtask.origin.document.value_at((*subtask.origin.route, key)) if names else []
            for name in names:
                if name not in vocabulary.artifacts:
                    index = written.index(name) if isinstance(written, list) else 0
                    yield unknown_name("COS2002", "artifact", name, vocabulary.artifacts, at(key, index))
        for index, name in enumerate(subtask.checks):
            if name not in vocabulary.checks:
                yield unknown_name("COS2003", "check", name, vocabulary.checks, at("checks", index))
