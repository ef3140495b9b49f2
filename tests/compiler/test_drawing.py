"""Drawings of graphs: what they show, that nothing overlaps, and that no name can break one.

Golden drawings are in `drawings/`. After a wanted change: `COSTA_REGENERATE=1 pytest tests/compiler/test_drawing.py`,
then look at the drawings.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from html import unescape
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import ImageFont

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.load import load_catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.compiler.drawing import to_ascii, to_dot, to_mermaid, to_svg
from costa_dsl.compiler.drawing.ascii import COLUMNS
from costa_dsl.compiler.drawing.measure import cut_to, text_width, wrap
from costa_dsl.compiler.drawing.mermaid import MOST_CHARACTERS, MOST_LINES
from costa_dsl.compiler.drawing.words import cells, clean, cut, seconds_words
from costa_dsl.compiler.graph import ArtifactKey, State, ToolpathGraph
from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.model.plan import Plan
from costa_dsl.syntax import read_documents
from tests.compiler.drawings.sound import SVG, assert_sound, assert_svg_is_sound, best_of
from tests.compiler.scenes import graph_of
from tests.conftest import calls_of, make_plan, said_under_hash_seeds

GOLDEN = Path(__file__).parent / "drawings"
ROOT = Path(__file__).parent.parent.parent
FORMS = {"svg": to_svg, "mmd": to_mermaid, "txt": to_ascii, "dot": to_dot}

TREES = {
    "chain": "- {do: text-replacement, text: CLOSED, with: OPEN, id: sign}\n- {do: outpainting, left: 10%, id: widen}",
    "choice": (
        "- one_of:\n"
        "    - {do: outpainting, left: 10, id: a}\n"
        "    - [{do: object-removal, object: x, at: {color: red}, id: b}, {do: outpainting, right: 5, id: c}]\n"
        "- {do: object-detection, object: hat, id: d}"
    ),
    "free-order": (
        "- any_order:\n"
        "    - {do: outpainting, left: 10, id: a}\n"
        "    - {do: object-recoloration, object: hat, to: red, at: {color: blue}, id: b}\n"
        "    - {do: object-removal, object: cup, id: c}"
    ),
}


def repository_graphs(paper: Catalog) -> dict[str, ToolpathGraph]:
    """The graphs of the repository's plans and examples, and of the paper's text branch."""
    default = load_catalog("default", Sink())
    found = {}
    for file in sorted([*ROOT.glob("plans/*.yaml"), *ROOT.glob("examples/*.yaml")]):
        sink = Sink()
        document = read_documents(SourceText(file.name, file.read_text(encoding="utf-8")), sink)[0]
        plan = Plan.from_document(document, sink)
        found[file.stem] = compile_plan(plan, default, sink, assume_available=True).graph
    text = make_plan("- {do: text-replacement, text: A, with: B}")
    found["paper"] = compile_plan(text, paper, Sink(), assume_available=True).graph
    return found


def chain_of(length: int, wide: int = 1) -> ToolpathGraph:
    """A long graph made by hand: `length` states in a row, `wide` ways between neighbors, some ways longer."""
    graph = graph_of("- {do: outpainting, left: 10, id: a}")
    call = graph.invocations[0]
    names = [graph.start, *(f"s-{number}" for number in range(length - 2)), graph.goal]
    calls = []
    for place in range(length - 1):
        for way in range(wide):
            target = names[min(place + 1 + 3 * way, length - 1)]
            calls.append(replace(call, id=f"i-{place}-{way}", source=names[place], target=target))
    return replace(graph, states=tuple(State(name, ()) for name in names), invocations=tuple(calls))


# ---- what every drawing must keep -----------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("form", FORMS)
def test_golden(name: str, form: str) -> None:
    graph = graph_of(TREES[name])
    text = FORMS[form](replace(graph, digest="sha256:00000000"), best_of(graph))
    expected = GOLDEN / f"{name}.{form}"
    if os.environ.get("COSTA_REGENERATE"):
        expected.write_text(text, encoding="utf-8", newline="\n")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TREES)
def test_drawings_are_sound(name: str) -> None:
    assert_sound(graph_of(TREES[name]))


def test_drawings_of_the_repositorys_plans_are_sound(paper: Catalog) -> None:
    graphs = repository_graphs(paper)
    assert len(graphs) >= 5
    for graph in graphs.values():
        assert_sound(graph)


# NUMBER makes each of them a thing of its own, so that no step is forbidden after another.
LEAVES = (
    "{do: outpainting, left: NUMBER}",
    "{do: object-recoloration, object: hat NUMBER, to: red, at: {color: blue}}",
    "{do: object-removal, object: cup NUMBER}",
    "{do: object-detection, object: cat NUMBER}",
    "{do: text-removal, text: SALE NUMBER}",
)


@st.composite
def trees(draw_from: st.DrawFn, depth: int = 2) -> str:
    """The flow YAML of a small tree."""
    if depth == 0 or draw_from(st.integers(0, 3)) == 0:
        return draw_from(st.sampled_from(LEAVES))
    items = ", ".join(draw_from(st.lists(trees(depth - 1), min_size=1, max_size=depth + 1)))
    return draw_from(st.sampled_from(["[{}]", "{{any_order: [{}]}}", "{{one_of: [{}]}}"])).format(items)


@given(trees())
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_drawings_of_random_plans_are_sound(tree: str) -> None:
    numbers = count(1)
    assert_sound(graph_of("- " + re.sub("NUMBER", lambda _: str(next(numbers)), tree)))


def test_the_same_graph_gives_the_same_bytes_under_every_hash_seed() -> None:
    program = (
        "import hashlib\n"
        "from tests.compiler.test_drawing import FORMS, TREES, best_of, graph_of\n"
        "graph = graph_of(TREES['free-order'])\n"
        "text = ''.join(form(graph, best_of(graph)) for form in FORMS.values())\n"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    assert said_under_hash_seeds("-c", program)


# ---- names that would break a drawing -------------------------------------------------------------------

ATTACKS = (
    "<script>alert(1)</script>",
    "a & \"b\" 'c' ]]> -->",
    "</text></svg>",
    "&lt;b&gt; &#x41; &unknown;",
    "\u202eright to left",
    "שלום עולם",
    "漢字漢字漢字の帽子漢字漢字漢字の帽子漢字漢字漢字の帽子",
    "🧑‍🚀 in a 🚀 with a name longer than any box could be, really",
    "\x1b[31mred\x07",
    "\ud800 alone",
    'a|b] --> n0\n  n0 --> n1["',
    "#quot; `md` %%{init: {}}%% fa:fa-car",
    '\\" \\n \\',
    "lines\nand\ttabs",
)


def named(name: str) -> ToolpathGraph:
    """A graph in which everything that has a name has this one."""
    graph = graph_of("- {do: object-recoloration, object: hat, to: red, at: {color: blue}, id: b}")
    return replace(
        graph,
        plan=replace(graph.plan, name=name, task=name),
        states=tuple(
            replace(state, artifacts=tuple(replace(key, owner=name) for key in state.artifacts))
            for state in graph.states
        ),
        invocations=tuple(
            replace(call, tool=name, needs=(ArtifactKey("mask", name),), gives=(ArtifactKey("mask", name),))
            for call in graph.invocations
        ),
    )


@pytest.mark.parametrize("name", ATTACKS)
def test_no_name_breaks_a_drawing(name: str) -> None:
    graph = named(name)
    path = {call.id for call in graph.invocations}
    assert_svg_is_sound(graph, path)
    svg = to_svg(graph, path)
    root = ElementTree.fromstring(svg)
    allowed = {"svg", "title", "desc", "style", "defs", "marker", "rect", "g", "path", "text"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == allowed
    tooltips = [element.text or "" for element in root.iter(f"{SVG}title")]
    assert sum(clean(name) in tooltip for tooltip in tooltips) >= 3, "what is cut stands in the tooltip"

    mermaid = to_mermaid(graph, path)
    body = mermaid.split("flowchart LR\n")[1].splitlines()
    for line in body:
        bare = re.sub(r"</?[bi]>|<br/>", "", line)
        assert "<" not in bare
        assert bare.count('"') in (0, 2)
        label = bare.split('"')[1] if '"' in bare else ""
        assert not re.search(r"[&`\\{}|*_~$%@]|#(?!\d+;)|(?<!\d);", label)
    assert len(body) == len(graph.states) + len(graph.invocations) + 3 + 1
    (shown,) = {unescape(re.sub(r"#(\d+);", r"&#\1;", text)) for text in re.findall(r"<b>(.*?)</b>", mermaid)}
    assert shown == cut(clean(name), 40)

    dot = to_dot(graph, path).splitlines()
    assert len(dot) == 4 + len(graph.states) + len(graph.invocations) + 1
    bare = [re.sub(r'"(\\.|[^"\\])*"', "TEXT", line) for line in dot[4:-1]]
    assert all('"' not in line for line in bare)
    assert sum(line.startswith("  TEXT -> TEXT [label=TEXT, ") for line in bare) == len(graph.invocations)
    for text in (svg, mermaid, to_ascii(graph, path)):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", text)
    assert all(cells(row) <= COLUMNS for row in to_ascii(graph, path).splitlines())


def test_an_svg_needs_nothing_else_and_says_what_it_is() -> None:
    graph = graph_of(TREES["choice"])
    svg = to_svg(graph, best_of(graph))
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == root.findtext(f"{SVG}title")
    assert "best path 1.1 s" in (root.get("aria-label") or "")
    assert "prefers-color-scheme:dark" in svg
    assert not re.search(r"<script|href|@import|@font-face|src=|(?<!url\()#\w+\)", svg.replace("http://www.w3.org", ""))
    tooltips = [element.text or "" for element in root.iter(f"{SVG}title")]
    eraser = next(text for text in tooltips if text.startswith("eraser"))
    assert eraser.splitlines()[:4] == [
        "eraser does step b (object-removal)",
        "2 s, quality 0.9",
        'needs: mask(x @{"color": "red"})',
        "gives: the picture alone",
    ]
    assert re.fullmatch(r"plan: test\.yaml:\d+:\d+", eraser.splitlines()[4])


# ---- sizes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_work_grows_with_the_states_not_with_their_pairs(form: str) -> None:
    def work(states: int) -> int:
        graph = chain_of(states, wide=2)
        path = {call.id for call in graph.invocations if call.id.endswith("-0")}
        return calls_of(lambda: FORMS[form](graph, path))

    # Four times the states: linear work is 4 times as much, work on pairs 16 times.
    assert work(2_000) < 5 * work(500)


def test_a_graph_that_is_too_large_is_reduced_and_says_so() -> None:
    graph = chain_of(5_000, wide=3)
    path = {call.id for call in graph.invocations if call.id.endswith("-0")}
    svg = to_svg(graph, path)
    words = " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    assert "The graph is too large for a picture: only the best path is drawn; 9,99" in words
    assert svg.count('<g class="call best">') == len(path)
    without = to_svg(graph)
    assert "only its" in without
    assert 500 < without.count('<g class="call">') < 5_000


def test_mermaid_keeps_within_what_github_draws() -> None:
    graph = chain_of(400, wide=2)
    text = to_mermaid(graph, {call.id for call in graph.invocations if call.id.endswith("-0")})
    assert len(text) <= MOST_CHARACTERS
    assert 2 * text.count("-->") == MOST_LINES
    assert re.search(r"^%% \d+ invocations and 148 states left out: GitHub draws at most 500 lines", text, re.M)
    assert "left out)" in text.splitlines()[1]
    wordy = named("🚀" * 60)
    call = wordy.invocations[0]
    calls = tuple(replace(call, id=f"i-{number}", tool="🚀" * 40 + str(number)) for number in range(2_000))
    many = to_mermaid(replace(wordy, invocations=calls))
    assert len(many.encode("utf-16-le")) // 2 <= MOST_CHARACTERS
    assert "2,000 invocations" in many


def test_a_terminal_gets_numbers_where_lanes_do_not_fit() -> None:
    steps = "".join(f"    - {{do: outpainting, left: {number}, id: w{number}}}\n" for number in range(7))
    graph = graph_of(f"- any_order:\n{steps}")
    text = to_ascii(graph, best_of(graph))
    assert "More than 16 branches are open at once" in text
    assert "* o  #1 start\n" in text
    assert text.count("-> #") == len(graph.invocations)
    assert all(cells(row) <= COLUMNS for row in text.splitlines())
    assert text.isascii()


def test_without_a_best_path_nothing_is_marked() -> None:
    graph = graph_of(TREES["choice"])
    assert "best" not in re.sub(r"(?s)<style>.*</style>|<defs>.*</defs>", "", to_svg(graph))
    assert "*" not in to_ascii(graph)
    assert "linkStyle" not in to_mermaid(graph)
    assert "penwidth" not in to_dot(graph)


# ---- words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["outpaint-patchmatch", "ssd-mobilenet-tiled", "MWQ@%", "iIl.,;", "1.95 s  q 0.85", "éÀß"]
)
def test_the_estimated_width_is_no_less_than_a_fonts(words: str) -> None:
    assert text_width(words, 12) >= ImageFont.load_default(12).getlength(words)
    assert text_width(words, 12, bold=True) > text_width(words, 12)


def test_texts_are_cut_and_wrapped() -> None:
    assert cut("short", 5) == "short"
    assert cut("longer", 5) == "long…"
    assert cut("漢字漢字", 5) == "漢字…"
    assert cells("漢字e\u0301🚀") == 7
    assert text_width(cut_to("m" * 100, 12, 100), 12) <= 100
    assert wrap("one two three", 10, 50, 2) == ["one two", "three"]
    assert wrap("one two three four five", 10, 50, 2)[1].endswith("…")
    assert [seconds_words(value) for value in (0, 0.0004, 0.0123, 1.953, 12345)] == [
        "0 s",
        "<0.001 s",
        "0.0123 s",
        "1.95 s",
        "12,345 s",
    ]
