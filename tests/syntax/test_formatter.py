"""The form of YAML files: golden pairs, and what holds for every text."""

# ruff: noqa: E501, W291  (tables of cases)
from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.resources import data_folder
from costa_dsl.schema.kinds import KINDS, schema_of
from costa_dsl.syntax import read_documents, read_text_file
from costa_dsl.syntax.formatter import format_text
from costa_dsl.syntax.formatter.guarantee import says_the_same
from costa_dsl.syntax.formatter.lexemes import comments, lexemes

GOLDEN = Path(__file__).parent / "formatted"
PAIRS = sorted(path.name.removesuffix(".in.yaml") for path in GOLDEN.glob("*.in.yaml"))
QUIET = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def schemas(kind: str) -> dict[str, Any] | None:
    return schema_of(kind) if kind in KINDS else None


def formatted(text: str) -> str | None:
    """The text in its form; None when it has errors. A broken guarantee fails the test."""
    sink = Sink()
    result = format_text(SourceText("a.yaml", text), schemas, sink)
    assert [found for found in sink if found.code == "COS6900"] == []
    assert (result is None) == sink.has_errors
    return result


# ---- golden pairs --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PAIRS)
def test_golden(name: str) -> None:
    text = (GOLDEN / f"{name}.in.yaml").read_bytes().decode("utf-8")
    expected = (GOLDEN / f"{name}.out.yaml").read_bytes().decode("utf-8")
    assert formatted(text) == expected
    assert formatted(expected) == expected


def test_there_are_golden_pairs() -> None:
    assert len(PAIRS) >= 15


# ---- what holds for every text -------------------------------------------------------------------------
def assert_formed(text: str) -> None:
    """The guarantees, told apart from the formatter's own check of them."""
    once = formatted(text)
    if once is None:
        return
    assert formatted(once) == once
    before, after = (read_documents(SourceText("a.yaml", one), Sink()) for one in (text, once))
    assert [repr(plain(document.value)) for document in before] == [repr(plain(document.value)) for document in after]
    unified = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    assert Counter(comments(lexemes(unified))) == Counter(comments(lexemes(once)))
    assert once.endswith("\n")
    assert "\r" not in once
    assert once.count("#") == unified.count("#")


def plain(value: Any) -> Any:
    """A value with its keys sorted."""
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    return [plain(item) for item in value] if isinstance(value, list) else value


PLAN = """\
# yaml-language-server: $schema=../schemas/plan.schema.json
kind: Plan  # what this is
apiVersion: costa/v1
# above the task
task: "Segment the dog 🐕, find the people"

vars: {n: 3, who: &who person}   # of the pets
policy: {alpha: 1.0, # one
  threshold: 0.8, budget: {seconds: 60}}
expect: [outside-unchanged, {text-present: OPEN}]
tree:
# in the column of its key
- {right: 10%, left: 10%, do: outpainting}
-   any_order:
      # first
      - {id: the-dog, do: object-segmentation, object: dog}

      - {do: object-detection, object: *who}  # second
      # last
- one_of:
  - at: {color: green}
    # what to do
    do: object-recoloration
    note: |2
        the leaves
      of the plant   

    with: >+
      a

    # the end of the step
  - [{do: object-removal, object: plant}, # in a list
     {do: object-addition, 'object': 'red plant', at: {of: the-dog, side: right}}
     # below
    ]
  - note: a text of
      several lines
    do: 'object-detection'
    object: "a \\
      b"
# the end
"""
REAL = [
    PLAN,
    *(
        path.read_text("utf-8")
        for folder in ("tools", "plans")
        for path in sorted(Path(data_folder(folder)).glob("*.yaml"))
        if path.stat().st_size < 2500
    ),
]
TRAPS = st.sampled_from(
    ["\t", "\n", "\n\n\n", " ", "  ", ": ", "- ", "? ", "{", "}", "[", "]", ",", '"', "'", "&a ", "*a", "*who", "!!str ",
     "|\n", ">-\n", "|2+\n", "#", " # c", "\n# c\n", "\n    # d\n", "%", "@", "---\n", "--- # c\n", "...\n", "\ufeff", "\r\n", "\r",
     "日本", "👩‍👩‍👧", "\\", "null", "yes", "12:30", "1e-3", "0x1F", "do", "x" * 130, "{a: b, c}", "[a: b, c]", "\n  ", "# x\n"]
) | st.text(max_size=3)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A real file with up to four pieces cut out or put in."""
    text = draw(st.sampled_from(REAL))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.sampled_from([0, 0, 1, 2, 5, 40]))
        text = text[:start] + draw(TRAPS) + text[end:]
    return text


@QUIET
@given(mutated())
@example(PLAN)
@example(PLAN.replace("\n", "\r\n"))
@example("\ufeff" + PLAN)
@example(PLAN.rstrip("\n"))
def test_mutated_files(text: str) -> None:
    assert_formed(text)


# ---- small texts of all that YAML has ------------------------------------------------------------------
PIECES = st.sampled_from(
    ["a: ", "b: ", "- ", "- ", "? ", ": ", "\n", "\n", "\n  ", "\n    ", "\n - ", "\n\n", " ", "\t", "\r\n", " # c", "\n# d\n",
     "\n  # e\n", "{", "}", "[", "]", ", ", "x", "y z", "'q'", '"r"', "~", "no", "1e3", "|\n", "|-\n  t", "|+\n  u\n\n", ">\n  v\n",
     "|2\n    w\n", "&k ", "*k", "!!str ", "!!map ", "---\n", "--- ", "...\n", "'x\n  y'", '"x\\\n  y\\ \n"', "kind: Plan\n", "name: n\n",
     "do: ", "object: ", "c: {a: b, # f\n c: d}\n", "e:\n  f: g # h\n  # i\n", "j:\n- k\n- l: m\n  # n\n"]
)  # fmt: skip


@settings(QUIET, max_examples=1500)
@given(st.lists(PIECES, max_size=14).map("".join))
@example(" ---")
@example(" ---\n-")
@example("--- ...\n-")
@example("z\n...\n\n---")
@example("1\n...\n# c\n...")
@example("1\n...\n# c\n... # d\n# e\n---\n2")
@example("? !!str")
@example("e:\n!!str :")
@example("[&x , *x, &y !!str , !!null ]")
@example("[?e,{}]")
@example('a: "b\\\t\n c"')
@example("{a:|\n b, c: d}")
@example("a: |\n  x\n     ")
@example("a: |+\n  x\n\n  ")
@example("a: # c\n  # d\n  b # e\n  # f")
@example("a: &x # c\n  # d\n  !!map # e\n  # f\n  {b: 1} # g")
@example("a: {b: { # c\n }}")
@example("[a # b\n , # c\n d]")
@example("? " + "x" * 1100 + "\n: 1")
@example("'" + "x" * 1010 + "': 1")
@example("a: " + "[ " * 90 + "]" * 90)
@example("- " * 90 + "a")
@example("a: " + "{b: " * 90 + "c # d\n" + "}" * 90)
def test_small_texts(text: str) -> None:
    assert_formed(text)


# ---- made documents, with comments everywhere ------------------------------------------------------------
WORDS = st.sampled_from(
    ["a", "do", "object", "yes", "no", "12:30", "1e-3", "017", "1.00", "null", "~", "true", "x y", "it's", "a: b", "a #b", "#", "", " a",
     "- a", "? a", "\\d+", 'say "x"', "日本 🐕", "{a}", "a, b", "${x}", "0.1.3", "2001-12-14", "=", "<<", "1_000", "word " * 30, "on", "y", "a:"]
)  # fmt: skip
# Names of keys are given out in turn, so that none stands twice.
KEYS = ["kind", "task", "tree", "apiVersion", "no", "it's", "日本", "object", "at", "note", "do", "long-" * 12]
COMMENT = st.sampled_from(["", "", "", "", "  # c", " #c: {", "\t# 🐕", " # - 'x"])
LINES = st.lists(st.sampled_from(["", "# c", "  # d", "      # e", "   "]), max_size=2) | st.just([])


@st.composite
def scalars(draw: st.DrawFn, in_flow: bool) -> str:
    value = draw(WORDS)
    style = draw(st.sampled_from(["plain", "'", '"']))
    if style == "plain":
        safe = value.strip(" ") and not set(value) & set("#:{},[]?\"'") and value[0] not in "-? =<~"
        return value.strip() if safe else '"x"'
    if style == "'":
        return "'" + value.replace("'", "''") + "'"
    if draw(st.booleans()):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace(" ", "\n          ", 1) + '"'
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@st.composite
def flows(draw: st.DrawFn, depth: int) -> str:
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(scalars(in_flow=True))
    gap = st.sampled_from(
        [" ", "", " ", "\n          ", "  # c\n          ", "\n          # d\n          ", "\n\n          "]
    )
    is_mapping = draw(st.booleans())
    parts = []
    for key in draw(st.permutations(KEYS))[: draw(st.integers(0, 4))]:
        value = draw(flows(depth - 1))
        name = f'"{key}"' if draw(st.booleans()) else key
        part = f"{name}: {value}" if is_mapping or draw(st.integers(0, 5)) == 0 else value
        part = name if is_mapping and draw(st.integers(0, 7)) == 0 else part
        parts.append(draw(gap) + part + draw(gap))
    end = "," if parts and draw(st.booleans()) else ""
    inner = ",".join(parts) + end + draw(gap)
    return "{" + inner + "}" if is_mapping else "[" + inner + "]"


@st.composite
def blocks(draw: st.DrawFn, indent: int, depth: int) -> list[str]:
    """The lines of a block mapping or list."""
    margin = " " * indent
    lines: list[str] = []
    is_mapping = draw(st.booleans())
    for key in draw(st.permutations(KEYS))[: draw(st.integers(1, 4))]:
        lines += draw(LINES)
        sign = f"{key}:" if is_mapping else "-"
        kind = draw(
            st.sampled_from(
                ["flow", "flow", "empty", "literal", "block", "block", "plain"] if depth else ["flow", "empty"]
            )
        )
        if kind == "flow":
            lines += f"{margin}{sign} {draw(flows(2))}{draw(COMMENT)}".split("\n")
        elif kind == "plain":
            lines += [f"{margin}{sign} several", f"{margin}   lines of", "", f"{margin}  text{draw(COMMENT)}"]
        elif kind == "empty":
            lines.append(f"{margin}{sign}{draw(COMMENT)}")
        elif kind == "literal":
            head = draw(st.sampled_from(["|", "|-", "|+", ">", ">+", "|2", "|4-", ">2+"]))
            lines.append(f"{margin}{sign} {head}{draw(COMMENT)}")
            body = draw(st.lists(st.sampled_from(["a", "", "  # no comment", "b  ", "    c"]), max_size=4))
            # Without a digit, the first line sets the indentation.
            lines += [(margin + "    " + line) if line else "" for line in ["first", *body]]
        else:
            lines.append(
                f"{margin}{sign}{draw(st.sampled_from(['', ' &x' + str(len(lines)) + str(indent)]))}{draw(COMMENT)}"
            )
            lines += draw(blocks(indent + draw(st.integers(1, 4)), depth - 1))
    return lines + draw(LINES)


@QUIET
@given(blocks(0, 3), st.booleans(), st.sampled_from(KINDS))
@example(["task: |+", "  x", "tree:", "", "kind:  # c"], True, "Plan")
@example(["task: |+", "  x", "tree:", "", "kind:  # c"], False, "Plan")
@example(["task: |+", "  x", "kind: ", "", "---", "a: 1"], True, "Plan")
@example(["task: |+", "  x", "kind: ", "...", "", "# c", "---", "a: 1"], True, "Plan")
@example(["kind: ", "tree:", "- note: |+", "    a", "  do: x", "", "- do: b"], True, "Plan")
@example(["kind: ", "tree:", "- note: |+", "    a", "  do: x", "", "# c", "- do: b"], True, "Plan")
def test_made_documents(lines: list[str], ends: bool, kind: str) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    assert_formed(text.replace("kind: ", f"kind: {kind} #", 1))
    assert_formed(text)


# ---- the guarantee itself ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", "a: 1.0\n"),
        ("a: 1\n", "a: true\n"),
        ("a: 0.0\n", "a: -0.0\n"),
        ("a: '1'\n", "a: 1\n"),
        ("a: [1, 2]\n", "a: [2, 1]\n"),
        ("a: 1\n", "b: 1\n"),
        ("a: 1\n", "a: 1\nb: 2\n"),
        ("a: &x 1\nb: *x\n", "a: 1\nb: 1\n"),
        ("a: &x 1\nb: *x\n", "a: &y 1\nb: *y\n"),
        ("a: &x 1\nb: 1\nc: *x\n", "a: 1\nb: &x 1\nc: *x\n"),
        ("a: !!str x\n", "a: x\n"),
        ("%YAML 1.2\n---\na: 1\n", "---\na: 1\n"),
        ("a: 1\n---\nb: 1\n", "a: 1\n"),
        ("a: 1  # c\n", "a: 1\n"),
        ("a: 1  # c\n", "a: 1  # d\n"),
        ("a: 1  # c\n", "a: 1  # c\n# c\n"),
        ("a: |  # c\n  x\n", "a: |\n  x\n"),
        ("a: |\n  x\n", "a: |\n  x"),
        ("a: 1\n", "a: {\n"),
    ],
)
def test_a_text_that_says_something_else_is_refused(before: str, after: str) -> None:
    documents = read_documents(SourceText("a.yaml", before), Sink())
    said = Counter(comments(lexemes(before)))
    assert says_the_same(before, documents, said, before)
    assert not says_the_same(before, documents, said, after)


def test_a_fault_of_the_formatter_leaves_the_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("costa_dsl.syntax.formatter.lines_of", lambda tree, previous: ["a: 2"])
    sink = Sink()
    assert format_text(SourceText("a.yaml", "a: 1\n"), schemas, sink) is None
    assert [found.code for found in sink] == ["COS6900"]
    assert "report it" in sink.sorted()[0].help


# ---- the files of the repository ------------------------------------------------------------------------
@pytest.mark.parametrize("folder", ["tools", "plans", "examples", "tests/diagnostics/golden", "tests/fixtures"])
def test_the_files_of_the_repository(folder: str) -> None:
    paths = sorted((Path(__file__).parents[2] / folder).rglob("*.yaml"))
    assert paths
    for path in paths:
        sink = Sink()
        source = read_text_file(str(path), sink)
        if source is not None:
            assert_formed(source.text)


def test_the_documented_example() -> None:
    page = (Path(__file__).parents[2] / "docs" / "fmt.md").read_text("utf-8")
    before, after, broken = (part.split("```")[0] for part in page.split("```yaml\n")[1:])
    assert formatted(before) == after
    assert formatted(broken) == broken
