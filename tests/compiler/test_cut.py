"""Parts of plans: what `--from`, `--until` and `--only` leave."""

from __future__ import annotations

import pytest

from costa_dsl.compiler.cut import Scope, cut
from costa_dsl.diagnostics import CostaError
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Step
from tests.compiler.scenes import CATALOG, paths
from tests.conftest import checked_compile, make_plan

TREE = """\
- {do: text-detection, id: a}
- any_order:
    - [{do: outpainting, left: 1, id: b}, {do: outpainting, left: 2, id: c}]
    - {do: outpainting, left: 3, id: d}
- one_of:
    - [{do: outpainting, left: 4, id: e}, {do: outpainting, left: 5, id: f}]
    - {do: outpainting, left: 6, id: g}
- {do: outpainting, left: 7, id: h}
"""


def written(node: Node) -> str:
    """`(a b)` is a sequence, `{a b}` any order, `[a b]` one of."""
    if isinstance(node, Step):
        return node.id
    marks = "{}" if isinstance(node, AnyOrder) else "[]" if isinstance(node, OneOf) else "()"
    return f"{marks[0]}{' '.join(written(item) for item in node.items)}{marks[1]}"


@pytest.mark.parametrize(
    ("first", "last", "left"),
    [
        ("", "", "(a {(b c) d} [(e f) g] h)"),
        ("a", "", "(a {(b c) d} [(e f) g] h)"),
        ("c", "", "({(c) d} [(e f) g] h)"),
        ("d", "", "({(b c) d} [(e f) g] h)"),
        ("f", "", "((f) h)"),
        ("g", "", "(g h)"),
        ("", "a", "(a)"),
        ("", "b", "(a (b))"),
        ("", "d", "(a d)"),
        ("", "f", "(a {(b c) d} (e f))"),
        ("", "g", "(a {(b c) d} g)"),
        ("c", "f", "({(c) d} (e f))"),
        ("h", "h", "(h)"),
        ("c", "c", "((c))"),
    ],
)
def test_what_is_left(first: str, last: str, left: str) -> None:
    assert written(cut(make_plan(TREE), Scope(first, last))) == left


@pytest.mark.parametrize(
    ("scope", "code"), [(Scope("x", ""), "COS4202"), (Scope("", "hh"), "COS4202"), (Scope("h", "a"), "COS4201")]
)
def test_what_cannot_be_cut(scope: Scope, code: str) -> None:
    with pytest.raises(CostaError) as error:
        cut(make_plan(TREE), scope)
    assert [found.code for found in error.value.diagnostics] == [code]


def test_a_part_compiles_with_the_references_of_the_whole() -> None:
    tree = (
        "- {do: object-segmentation, object: dog, id: the-dog}\n- {do: object-recoloration, object: it, to: red, "
        "at: {of: the-dog}, id: paint}\n"
    )
    graph = checked_compile(make_plan(tree), CATALOG, scope=Scope("paint", "")).graph
    assert set(graph.steps) == {"paint"}
    assert graph.steps["paint"].owner == "dog"
    assert {path[0] for path in paths(graph)} == {"paint:finder", "paint:slow-finder"}
