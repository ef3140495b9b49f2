"""The vocabulary is consistent in itself: words, artifacts and checks that subtasks use are defined."""

from __future__ import annotations

from costa_dsl.catalog.rules.names import unknown_name
from costa_dsl.diagnostics import Sink
from costa_dsl.model.subtask import Vocabulary


def check_vocabulary(vocabulary: Vocabulary, sink: Sink) -> None:
    for subtask in vocabulary.subtasks.values():
        for word in subtask.parameters:
            if word not in vocabulary.words:
                span = subtask.origin.span("parameters", word, key=True)
                sink.add(unknown_name("COS2013", "word", word, vocabulary.words, span))
        for index, artifact in enumerate(subtask.gives):
            if artifact not in vocabulary.artifacts:
                span = subtask.origin.span("gives", index)
                sink.add(unknown_name("COS2002", "artifact", artifact, vocabulary.artifacts, span))
        for artifact in sorted(subtask.preserves - set(vocabulary.artifacts)):
            span = subtask.origin.span("preserves")
            sink.add(unknown_name("COS2002", "artifact", artifact, vocabulary.artifacts, span))
        for index, check in enumerate(subtask.checks):
            if check not in vocabulary.checks:
                span = subtask.origin.span("checks", index)
                sink.add(unknown_name("COS2003", "check", check, vocabulary.checks, span))
