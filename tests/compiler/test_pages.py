"""Each pass on a page: pages/NAME.txt holds a plan's tree, a pass, and what must be printed after it.

`// CHECK:` is found below the check before it, `// NEXT:` in the very next line, `// NOT:` nowhere. Blanks at both
ends of a line do not count.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from costa_dsl.compiler.passes import PASSES, Pass, Unit
from costa_dsl.compiler.show import show
from costa_dsl.compiler.verify_stages import verify_after
from tests.compiler.scenes import CATALOG
from tests.conftest import make_plan

PAGES = sorted((Path(__file__).parent / "pages").glob("*.txt"))
_MARK = re.compile(r"// (CHECK|NEXT|NOT|AFTER):?\s+(.*)")


def printed(tree: str, wanted: str) -> list[str]:
    """What the compiler prints after a pass, with the verifier between all passes up to it."""
    unit = Unit(make_plan(tree), CATALOG, assume_available=True)
    for one in PASSES:
        unit = one.run(unit)
        assert verify_after(one, unit) == []
        if one.name == wanted:
            return [line.strip() for line in show(one, unit).splitlines()[1:]]
    raise AssertionError(f"there is no pass {wanted}")


def mismatch(lines: list[str], marks: list[tuple[str, str]]) -> str:
    """The first mark that does not hold; empty when all do."""
    at = -1
    for mark, text in marks:
        if mark == "NOT" and any(text in line for line in lines):
            return f"NOT: {text}"
        if mark == "NEXT":
            at += 1
            if at >= len(lines) or text not in lines[at]:
                return f"NEXT: {text}"
        if mark == "CHECK":
            found = [index for index in range(at + 1, len(lines)) if text in lines[index]]
            if not found:
                return f"CHECK: {text}"
            at = found[0]
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    marks = [(match[1], match[2].strip()) for match in map(_MARK.match, text.splitlines()) if match]
    (wanted,) = [entry for mark, entry in marks if mark == "AFTER"]
    tree = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    lines = printed(tree, wanted)
    assert len(marks) >= 2
    assert mismatch(lines, marks[1:]) == "", "\n".join(lines)


def test_every_pass_has_a_page() -> None:
    assert {re.search(r"// AFTER (\w+)", page.read_text("utf-8"))[1] for page in PAGES} == {  # type: ignore[index]
        one.name for one in PASSES
    }


def test_a_mark_that_does_not_hold_is_seen() -> None:
    lines = ["a", "b", "c"]
    assert mismatch(lines, [("CHECK", "a"), ("NEXT", "b"), ("NOT", "d")]) == ""
    assert mismatch(lines, [("CHECK", "b"), ("CHECK", "a")]) == "CHECK: a"
    assert mismatch(lines, [("CHECK", "a"), ("NEXT", "c")]) == "NEXT: c"
    assert mismatch(lines, [("NOT", "b")]) == "NOT: b"


def test_the_verifier_between_passes_sees_what_is_broken() -> None:
    plan = make_plan("- {do: object-removal, object: dog}\n- {do: outpainting, left: 1}")
    unit = Unit(plan, CATALOG, assume_available=True)
    broken: dict[str, set[str]] = {}
    for one in PASSES:
        unit = one.run(unit)
        broken[one.name] = {found.invariant for found in verify_after(one, spoiled(one, unit))}
    assert broken == {
        "resolve": {"steps-resolved"},
        "expand": {"lattice-acyclic", "lattice-no-dead-end", "lattice-covers-steps"},
        "select": {"every-tool-judged"},
        "backtrack": set(),
        "lower": {"ports-satisfied"},
        "canonicalize": {"no-dead-state"},
    }


def spoiled(one: Pass, unit: Unit) -> Unit:
    """The unit with a part of what a pass made taken away."""
    if one.name == "resolve":
        return replace(unit, steps=dict(list(unit.steps.items())[1:]))
    if one.name == "expand" and unit.lattice is not None:
        return replace(unit, lattice=replace(unit.lattice, edges=unit.lattice.edges[:-1]))
    if one.name == "select":
        first = next(iter(unit.selections))
        return replace(unit, selections={**unit.selections, first: replace(unit.selections[first], tools=())})
    if one.name == "lower" and unit.raw is not None:
        edges = tuple(replace(edge, source=(edge.source[0], edge.source[1], frozenset())) for edge in unit.raw.edges)
        return replace(unit, raw=replace(unit.raw, edges=edges))
    if one.name == "canonicalize" and unit.graph is not None:
        return replace(unit, graph=replace(unit.graph, invocations=unit.graph.invocations[:-1]))
    return unit
