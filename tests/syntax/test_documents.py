"""Values and spans of documents."""

from __future__ import annotations

import pytest

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.syntax import Document, Route, read_documents

TEXT = """\
# the dog
task: "find 🐕 and 日本語"
tree:
- {do: object-removal, object: dog, at: {box: [1, 2,  3, 4]}}
- do: text-addition
  text: |
    OPEN
    today

  # later
  note: &n two words
list: [*n, ~, '', ]
none:
last: x
"""


def read(text: str) -> Document:
    sink = Sink()
    documents = read_documents(SourceText("a.yaml", text), sink)
    assert list(sink) == []
    return documents[0]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_spans_slice_back_to_their_text(line_break: str, mark: str) -> None:
    document = read(mark + TEXT.replace("\n", line_break))
    expected: list[tuple[Route, bool, str]] = [
        (("task",), False, '"find 🐕 and 日本語"'),
        (("task",), True, "task"),
        (("tree", 0), False, "{do: object-removal, object: dog, at: {box: [1, 2,  3, 4]}}"),
        (("tree", 0, "at", "box"), False, "[1, 2,  3, 4]"),
        (("tree", 0, "at", "box"), True, "box"),
        (("tree", 0, "at", "box", 2), False, "3"),
        (("tree", 0, "at", "box", 2), True, "3"),
        (("tree", 1, "text"), False, f"|{line_break}    OPEN{line_break}    today"),
        (("tree", 1, "note"), False, "&n two words"),
        (("list", 0), False, "*n"),
        (("list", 1), False, "~"),
        (("list", 2), False, "''"),
        (("none",), False, ""),
        (("none",), True, "none"),
        (("last",), False, "x"),
    ]
    for route, key, text in expected:
        assert document.span(route, key).text == text
    assert document.value_at(("tree", 1, "text")) == "OPEN\ntoday\n"
    assert document.value_at(("list",)) == ["two words", None, ""]
    assert document.span(("tree", 1)).text.endswith("&n two words")


def test_lines_and_columns_count_code_points() -> None:
    document = read("🐕: [é, 日本, x]\n")
    assert str(document.span(("🐕", 2))) == "a.yaml:1:12"


def test_a_route_to_nothing_gives_the_nearest_parent() -> None:
    document = read("a: {b: [1]}\n")
    assert document.span(("a", "b", 7)).text == "[1]"
    assert document.span(("a", "x", "y"), key=True).text == "{b: [1]}"
    assert document.span(("x",)).text == "a: {b: [1]}"
    for route in [("a", "b", 7), ("a", "x"), ("a", "b", "c"), (0,), ("a", "b", -1)]:
        with pytest.raises(KeyError):
            document.value_at(route)


def test_a_value_without_a_text_has_an_empty_span() -> None:
    assert Document(SourceText("made", ""), {"a": 1}, 0).span(("a",)).text == ""


def test_the_children_of_an_alias_stand_at_its_anchor() -> None:
    document = read("a: &x {b: 1}\nc: *x\n")
    assert document.span(("c",)).text == "*x"
    assert str(document.span(("c", "b"))) == "a.yaml:1:11"


def test_several_documents() -> None:
    sink = Sink()
    first, second, third = read_documents(SourceText("a.yaml", "a: 1\n---\n---\nb: 2\n...\n"), sink)
    assert (first.value, second.value, third.value) == ({"a": 1}, None, {"b": 2})
    assert [first.index, second.index, third.index] == [0, 1, 2]
    assert third.span(("b",)).line == 4
    assert list(sink) == []


def test_an_anchor_ends_with_its_document() -> None:
    sink = Sink()
    read_documents(SourceText("a.yaml", "a: &x 1\n---\nb: *x\n"), sink)
    assert [found.code for found in sink] == ["COS0024"]


def test_what_is_sound_before_a_fault_is_kept() -> None:
    sink = Sink()
    documents = read_documents(SourceText("a.yaml", "a: 1\n---\nb: [\n"), sink)
    assert [document.value for document in documents] == [{"a": 1}]
    assert sink.has_errors


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{a: " * 50_000, "- " * 50_000, "a: &a [*a]", "".join(f"? {'[' * 50}" for _ in range(100))],
    ids=["lists", "mappings", "block-lists", "recursion", "keys"],
)
def test_deep_texts_end_in_a_finding(text: str) -> None:
    sink = Sink()
    assert read_documents(SourceText("a.yaml", text), sink) == []
    assert len(list(sink)) == 1


def test_a_hundred_levels_are_read() -> None:
    assert read("[" * 100 + "]" * 100).value_at((0,) * 99) == []


def test_aliases_count_toward_depth() -> None:
    sink = Sink()
    text = "a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 60 + "*a" + "]" * 60
    assert read_documents(SourceText("a.yaml", text), sink) == []
    assert [found.code for found in sink] == ["COS0027"]


def test_a_huge_flat_document_is_refused() -> None:
    sink = Sink()
    assert read_documents(SourceText("a.yaml", "- 1\n" * 200_001), sink) == []
    assert [found.code for found in sink] == ["COS0026"]
