"""No text makes the front end stumble, and every span says what it names."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings

from costa_dsl.diagnostics import Sink, SourceSpan, SourceText
from costa_dsl.report.diagnostics import render, to_json
from costa_dsl.schema import KINDS, check_document
from costa_dsl.syntax import Document, Route, read_documents
from tests.rules import mutations
from tests.rules.mutations import OBJECTS_PLAN, PACKAGED, mutated_texts, mutated_values, read_alone

SMALL = (OBJECTS_PLAN, *PACKAGED)
QUIET = settings(mutations.QUIET, max_examples=150)


def places(document: Document) -> list[tuple[Route, Any]]:
    """Every route of a document, with its value."""
    found: list[tuple[Route, Any]] = []
    stack: list[tuple[Route, Any]] = [((), document.value)]
    while stack:
        route, value = stack.pop()
        found.append((route, value))
        if isinstance(value, dict):
            stack += [((*route, key), child) for key, child in value.items()]
        elif isinstance(value, list):
            stack += [((*route, index), child) for index, child in enumerate(value)]
    return found


def assert_inside(span: SourceSpan | None) -> None:
    if span is not None:
        assert 0 <= span.start <= span.end <= len(span.source.text)
        assert span.line >= 1
        assert span.column >= 1


@QUIET
@given(mutated_texts(SMALL))
@example(OBJECTS_PLAN)
@example(OBJECTS_PLAN.replace("\n", "\r\n"))
@example("\ufeff" + OBJECTS_PLAN)
def test_any_text_gives_findings_or_values(text: str) -> None:
    sink = Sink()
    documents = read_documents(SourceText("a.yaml", text), sink)
    for document in documents:
        kind = check_document(document, sink)
        assert kind in (*KINDS, None)
    if len(documents) == 0:
        assert sink.has_errors
    for found in sink:
        for span in [found.span, *(related.span for related in found.related)]:
            assert_inside(span)
    assert render(sink).count("[COS") >= len(list(sink))
    assert len(to_json(sink)["diagnostics"]) == len(list(sink))


@QUIET
@given(mutated_texts(SMALL))
@example(OBJECTS_PLAN)
@example(OBJECTS_PLAN.replace("\n", "\r\n"))
@example("\ufeff" + OBJECTS_PLAN)
def test_every_span_slices_back_to_what_it_names(text: str) -> None:
    for document in read_documents(SourceText("a.yaml", text), Sink()):
        for route, value in places(document):
            span = document.span(route)
            assert_inside(span)
            if route and isinstance(route[-1], str):
                key = document.span(route, key=True)
                if "\n" not in key.text and not key.text.startswith(("*", "?")):
                    assert read_alone(key.text) == route[-1]
            alone = span.text.strip()
            if isinstance(value, str | int | float | bool) and "\n" not in alone and "\r" not in alone:
                if alone.startswith(("*", "|", ">")) or not alone:
                    continue
                again = read_alone(alone)
                assert again == value or (again != again and value != value)


@QUIET
@given(mutated_values(SMALL))
def test_any_value_anywhere_gives_a_finding_or_a_valid_file(value: Any) -> None:
    sink = Sink()
    document = Document(SourceText("made.yaml", ""), value, 0)
    assert (check_document(document, sink) is None) == sink.has_errors
