"""No text makes the front end stumble, and every span says what it names."""

# ruff: noqa: E501  (tables of cases)
from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from costa_dsl.diagnostics import Sink, SourceSpan, SourceText
from costa_dsl.report.diagnostics import render, to_json
from costa_dsl.resources import data_folder
from costa_dsl.schema import KINDS, check_document
from costa_dsl.syntax import Document, Route, read_documents
from costa_dsl.syntax.scalars import resolve

PLAN = """\
# yaml-language-server: $schema=../schemas/plan.schema.json
apiVersion: costa/v1
kind: Plan
task: "Segment the dog 🐕, find the people"
vars: {who: &who person, n: 3}
policy: {alpha: 1.0, threshold: 0.8, budget: {seconds: 60}}
expect: [outside-unchanged, {text-present: OPEN}]
tree:
  - {do: outpainting, left: 10%, right: 10%}
  - any_order:
      - {do: object-segmentation, object: dog, id: the-dog}
      - {do: object-detection, object: *who}
  - one_of:
      - do: object-recoloration
        at: {color: green}
        note: |
          the leaves
          of the plant
      - [{do: object-removal, object: plant}, {do: object-addition, object: 'red plant', at: {of: the-dog, side: right}}]
"""
SMALL = [PLAN, *(path.read_text("utf-8") for path in sorted(Path(data_folder("tools")).glob("*.yaml"))
                 if path.stat().st_size < 2000)]  # fmt: skip
TRAPS = st.sampled_from(
    ["\t", "\n", " ", ": ", "- ", "? ", "{", "}", "[", "]", ",", '"', "'", "&a ", "*a", "*who", "!x ", "!!int ", "<<: ",
     "|", ">", "#", "%", "@", "`", "---\n", "...\n", "\ufeff", "\r\n", "\r", "\0", "\x85", "\u2028", "\ud800", "日本", "👩‍👩‍👧",
     "e\u0301", "\u202e", "\\", ".nan", "1e999", "0x", "true", "null", "\n<<<<<<< HEAD\n", "9" * 120, "[" * 101, "do", "tree: 3\n"]
) | st.text(max_size=3)  # fmt: skip
QUIET = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid file with one to four pieces cut out or put in."""
    text = draw(st.sampled_from(SMALL))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.sampled_from([0, 0, 1, 2, 5, 40]))
        text = text[:start] + draw(TRAPS) + text[end:]
    return text


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


def read_alone(text: str) -> Any:
    """What a slice of a text means by itself."""
    if not text.startswith(('"', "'", "&", "!")):
        return resolve(text)
    (document,) = read_documents(SourceText("slice", f"k: {text}"), Sink())
    value: Any = document.value
    return value["k"]


def assert_inside(span: SourceSpan | None) -> None:
    if span is not None:
        assert 0 <= span.start <= span.end <= len(span.source.text)
        assert span.line >= 1
        assert span.column >= 1


@QUIET
@given(mutated())
@example(PLAN)
@example(PLAN.replace("\n", "\r\n"))
@example("\ufeff" + PLAN)
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
@given(mutated())
@example(PLAN)
@example(PLAN.replace("\n", "\r\n"))
@example("\ufeff" + PLAN)
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


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["10%", "${x}", "a-b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@QUIET
@given(st.sampled_from(SMALL), st.data())
def test_any_value_anywhere_gives_a_finding_or_a_valid_file(text: str, data: st.DataObject) -> None:
    value = yaml.safe_load(text)
    holder: Any = value
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
            holder = holder[key]
            continue
        holder[key] = data.draw(json_values)
        break
    sink = Sink()
    document = Document(SourceText("made.yaml", ""), value, 0)
    assert (check_document(document, sink) is None) == sink.has_errors
