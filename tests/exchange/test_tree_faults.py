"""What is wrong with a tree is told with its place, all of it at once; nothing ends in a traceback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costa_dsl.diagnostics import Diagnostic, Sink, SourceText
from costa_dsl.exchange.import_tree import import_tree
from tests.exchange.trees import VOCABULARY, entries_of, plan_of, tree_text

A, B, C = "Image Deblurring (1)", "Object Detection (Dog) (2)", "Depth Estimation (3)"


def found_in(text: str) -> list[Diagnostic]:
    sink = Sink()
    import_tree(SourceText("tree.json", text), VOCABULARY, sink)
    return list(sink)


def told(text: str) -> list[tuple[str, str]]:
    """Each code, with the piece of text that it points at."""
    return [(found.code, found.span.text if found.span else "") for found in found_in(text)]


def node(subtask: Any, *parents: Any) -> dict[str, Any]:
    return {"subtask": subtask, "parent": list(parents)}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("[1]", [("COS3301", "[1]")]),
        ("null", [("COS3301", "null")]),
        ("--- {}\n--- {}\n", [("COS3301", "{}")]),
        ("{}", [("COS3302", "{"), ("COS3302", "{")]),
        ('{"task": "t"}', [("COS3302", "{")]),
        ('{"task": "t", "subtasktree": []}', [("COS3302", '"subtasktree"')]),
        ('{"task": 3, "subtask_tree": {}}', [("COS3303", "3"), ("COS3303", "{}")]),
        ('{"task": " ", "subtask_tree": []}', [("COS3303", '" "'), ("COS3309", "[]")]),
        ('{"task": "t", "subtask_tree": [null, 7]}', [("COS3303", "null"), ("COS3303", "7")]),
        (
            '{"task": "t", "subtask_tree": [{"subtask": true, "parent": "x"}]}',
            [("COS3303", "true"), ("COS3303", '"x"')],
        ),
        ('{"task": "t", "task": "u", "subtask_tree": []}', [("COS0020", '"task"')]),
        ('{"task": "t", "subtask_tree": [', [("COS0013", "[")]),
        ("", [("COS0007", "")]),
    ],
)
def test_the_form(text: str, codes: list[tuple[str, str]]) -> None:
    assert told(text) == codes


@pytest.mark.parametrize(
    ("entries", "codes"),
    [
        ([node(A), node(B, "Image Deblurring (2)")], [("COS3306", '"Image Deblurring (2)"')]),
        ([node(A), node(B, A, 5)], [("COS3303", "5")]),
        ([node(A, A)], [("COS3307", f'"{A}"')]),
        ([node(A), node(B, C), node(C, B)], [("COS3307", f'"{B}"')]),
        ([node(A, C), node(B, A), node(C, B)], [("COS3307", f'"{A}"')]),
        ([node(A), node(B, B), node(C, B)], [("COS3307", f'"{B}"'), ("COS3308", f'"{C}"')]),
        ([node(A), node(B, A, C), node(C, B)], [("COS3308", f'"{A}"'), ("COS3307", f'"{B}"')]),
        ([node(A), node(B, A), node(B)], [("COS3304", f'"{B}"')]),
        ([node("Objet Decoction Thing (1)")], [("COS3305", '"Objet Decoction Thing (1)"')]),
        ([node("Teleportation (1)")], [("COS3305", '"Teleportation (1)"')]),
        ([node("Text Style Detection (1)")], [("COS3305", '"Text Style Detection (1)"')]),
        ([node("(1)")], [("COS3305", '"(1)"')]),
        ([{"subtask": A}], [("COS3302", "{")]),
        ([{"subtask": A, "parents": []}], [("COS3302", '"parents"')]),
        ([{"parent": []}], [("COS3302", "{")]),
    ],
)
def test_errors_of_the_graph(entries: list[Any], codes: list[tuple[str, str]]) -> None:
    assert told(tree_text(entries)) == codes


@pytest.mark.parametrize(
    ("entries", "codes"),
    [
        ([node(A), node(B)], [("COS3311", f'"{B}"')]),
        ([node(A), node(A)], [("COS3312", f'"{A}"')]),
        ([node(A), node(B, A), node(B, A)], [("COS3312", f'"{B}"')]),
        ([{**node(A), "__proto__": {}, "constructor": 1}], [("COS3318", '"__proto__"'), ("COS3318", '"constructor"')]),
        ([node("Outpainting (1)")], [("COS3315", '"Outpainting (1)"')]),
        ([node("Depth Estimation (Dog) (1)")], [("COS3316", '"Depth Estimation (Dog) (1)"')]),
        ([node("Object Recoloration (Cat -> Odd) (1)")], [("COS3317", '"Object Recoloration (Cat -> Odd) (1)"')]),
        ([node("Object Recolouration (Cat -> Red) (1)")], [("COS3314", '"Object Recolouration (Cat -> Red) (1)"')]),
    ],
)
def test_warnings(entries: list[Any], codes: list[tuple[str, str]]) -> None:
    assert told(tree_text(entries)) == codes


def test_all_at_once_in_the_order_of_the_text() -> None:
    entries: list[Any] = [
        node(A),
        node("Nonsense (2)", A),
        node(C, "Image Deblurring"),
        7,
        node("Text Detection (4)", "Text Detection (4)"),
    ]
    codes = [code for code, _ in told(tree_text(entries))]
    assert codes == ["COS3305", "COS3306", "COS3303", "COS3307"]
    assert [code for code, _ in told(tree_text([node("Nonsense (1)"), node("Rubbish (2)", "Nonsense (1)")]))] == [
        "COS3305"
    ] * 2


def test_guesses() -> None:
    (found,) = found_in(tree_text([node(A), node(B, "Image Debluring (1)")]))
    assert found.label == f'did you mean "{A}"?'
    (found,) = found_in(tree_text([node("Object Detektoin Thing (1)")]))
    assert found.label == 'did you mean "Object Detection"?'


def test_a_way_that_lacks_a_step_of_all_others() -> None:
    ways = [
        ["Image Deblurring", "Object Detection (Dog)", "Depth Estimation"],
        ["Image Deblurring", "Depth Estimation", "Object Detection (Dog)"],
        ["Image Deblurring", "Text Detection", "Depth Estimation"],
        ["Depth Estimation", "Image Deblurring"],
    ]
    assert [code for code, _ in told(tree_text(entries_of(ways[:2])))] == []
    found = [one for one in found_in(tree_text(entries_of([*ways[:2], ways[3]]))) if one.code == "COS3313"]
    assert [one.message for one in found] == [
        'the way that ends here has no object-detection "dog"; every other way has'
    ]
    assert found[0].span is not None
    assert found[0].span.text == '"Image Deblurring (7)"'
    # Another step stands in its place: an alternative.
    assert [code for code, _ in told(tree_text(entries_of(ways[:3])))] == []


def test_escapes_of_json_and_their_places() -> None:
    """`\\/` is an escape of YAML, too; a pair of surrogates is respelled, and the places stay where they are."""
    text = (
        '{"task": "caf\\u00e9 \\/ \\ud83d\\udc36 \\\\ud83d\\\\udc36",\n "subtask_tree": [\n'
        '  {"subtask": "Object Detection (\\uD83D\\uDC36 a\\/b) (1)", "parent": []},\n'
        '  {"subtask": "Depth Estimation (2)", "parent": ["Nobody"]}]}'
    )
    (found,) = found_in(text)
    column = text.splitlines()[3].index('"Nobody"') + 1
    assert (found.code, str(found.span), found.span and found.span.text) == (
        "COS3306",
        f"tree.json:4:{column}",
        '"Nobody"',
    )
    sink = Sink()
    imported = import_tree(
        SourceText("tree.json", text.replace("Nobody", "Object Detection (\\ud83d\\udc36 a\\/b) (1)")), VOCABULARY, sink
    )
    assert imported is not None, list(sink)
    plan = plan_of(imported.text)
    assert plan.task == json.loads(text)["task"]
    assert plan.steps[0].target.object == "🐶 a/b"


def test_half_a_pair_is_no_character() -> None:
    assert [code for code, _ in told('{"task": "\\ud83d", "subtask_tree": []}')] == ["COS0010"]


def test_text_that_json_allows_and_yaml_does_not() -> None:
    assert [code for code, _ in told('{"task": "\u2028", "subtask_tree": []}')] == ["COS0014"]
    plan = (
        tree_text([node("Text Removal (a\x00b\u2028\x7f) (1)")]).replace("\u2028", "\\u2028").replace("\x7f", "\\u007f")
    )
    sink = Sink()
    imported = import_tree(SourceText("tree.json", plan), VOCABULARY, sink)
    assert imported is not None
    # White space between words is one blank; what nobody sees comes through as an escape.
    assert plan_of(imported.text).steps[0].arguments["text"] == "a\x00b \x7f"


def test_many_nodes_that_are_all_wrong_are_told_soon() -> None:
    entries = [node(f"Thing number {index} ({index})", f"Parent {index}") for index in range(3_000)]
    assert len(found_in(tree_text(entries))) == 6_000
    entries = [
        node(f"Thing number {index} ({index})", *([f"Thing number {index - 1} ({index - 1})"] * (index > 0)))
        for index in range(3_000)
    ]
    assert len(found_in(tree_text(entries))) == 3_000


def test_a_circle_of_ten_thousand() -> None:
    entries = [
        node(f"Object Detection (thing {index}) (1)", f"Object Detection (thing {(index + 1) % 10_000}) (1)")
        for index in range(10_000)
    ]
    (found,) = found_in(tree_text(entries))
    assert found.code == "COS3307"
    assert "10000 nodes wait for each other" in found.message


def test_a_name_without_end() -> None:
    for name in (
        "x" * 200_000,
        "(" * 50_000,
        ")" * 50_000,
        " (1)" * 20_000,
        "Object Detection (" + "a -> " * 20_000 + ")",
    ):
        found_in(tree_text([node(name + " (1)"), node(B, name[:-1])]))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from([A, B, C, "task"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["task", "subtask_tree", "subtask", "parent", "__proto__", "<<", ""]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
ENTRY = st.fixed_dictionaries({}, optional={"subtask": ANYTHING, "parent": st.lists(ANYTHING, max_size=3) | ANYTHING})
TREE = st.fixed_dictionaries(
    {}, optional={"task": ANYTHING, "subtask_tree": st.lists(ENTRY | ANYTHING, max_size=5) | ANYTHING}
)


@given(TREE | ANYTHING, st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_json_gives_findings_or_a_plan(value: Any, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    sink = Sink()
    imported = import_tree(SourceText("tree.json", text), VOCABULARY, sink)
    assert (imported is None) == sink.has_errors
    if imported is not None:
        plan_of(imported.text)


NODES = st.sampled_from([A, B, C, "Text Detection (4)", "Outpainting (5)", "Object Recoloration (Cat -> Odd) (6)"])


@given(
    st.lists(
        st.builds(lambda text, parents: node(text, *parents), NODES, st.lists(NODES, max_size=3)),
        min_size=1,
        max_size=7,
    )
)
@settings(max_examples=300, deadline=None)
def test_any_graph_gives_findings_or_a_plan(entries: list[dict[str, Any]]) -> None:
    sink = Sink()
    imported = import_tree(SourceText("tree.json", tree_text(entries)), VOCABULARY, sink)
    assert (imported is None) == sink.has_errors
    for found in sink:
        assert found.span is None or found.span.source.text[found.span.start : found.span.end] != ""
    if imported is not None:
        plan_of(imported.text)


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_findings(text: str) -> None:
    assert found_in(text) != []
