"""Spoiled plans and manifests through the whole validation: findings or a valid file, never an exception.

Whatever is found has a place that lies in the text and holds what the finding names, in every form of report.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from costa_dsl.diagnostics import Diagnostic, Severity, SourceSpan, SourceText
from costa_dsl.diagnostics.pages import Pages
from costa_dsl.report.diagnostics import render, to_json, unsuppressed
from costa_dsl.report.github import to_github
from costa_dsl.report.junit import to_junit
from costa_dsl.report.sarif import to_sarif
from costa_dsl.rules.mend import mend
from costa_dsl.rules.validate import Request, validate_texts
from costa_dsl.schema import KINDS
from costa_dsl.schema.checker import Checker
from costa_dsl.schema.kinds import schema_of
from tests.rules.mutations import CATALOG, QUIET, VALID, mutated_texts, mutated_values, read_alone, written

REQUEST = Request(str(CATALOG))
PAGES = Pages()
STYLES = st.sampled_from(["block", "flow", "json"])

# Findings whose quoted name is what stands at their place, by the words around it.
NAMED = re.compile(
    r"""^unknown\ [a-z ]+\ "(?P<unknown>.+)"(?:\ in\ .*)?$
    | ,\ found\ "(?P<found>.+)"$
    | ^"(?P<twice>[^"]+)"\ stands\ twice
    | ^"(?P<names>[^"]+)"\ names\ no\ (?:color|object)$
    | \ has\ no\ word\ "(?P<word>[^"]+)"$
    | brings\ the\ implementation\ "(?P<implementation>[^"]+)"$
    | ^the\ variable\ "(?P<variable>[^"]+)"\ is\ never\ used$
    | ^no\ tool\ of\ th(?:e|is)\ catalog\ implements\ "(?P<subtask>[^"]+)"
    | ^there\ is\ no\ file\ "(?P<file>.+)"$
    | ^two\ tools\ are\ named\ "(?P<tool>[^"]+)"$""",
    re.VERBOSE,
)


def validated(text: str) -> list[Diagnostic]:
    """The findings in one text; whatever they are, they are sound."""
    source = SourceText("spoiled.yaml", text)
    found = validate_texts([source], REQUEST)
    assert [one.sort_key for one in found] == sorted({one.sort_key for one in found})
    for one in found:
        assert re.fullmatch(r"COS\d{4}", one.code)
        assert one.message
        edits = one.fix.edits if one.fix else ()
        for span in (one.span, *(related.span for related in one.related), *(edit.span for edit in edits)):
            assert_inside(span, text)
        assert_apart([edit.span for edit in edits])
        assert_named(one, found)
    return found


def assert_inside(span: SourceSpan | None, text: str) -> None:
    """The place lies in its text, and the text is that of the file (a secret may be hidden in it)."""
    if span is None:
        return
    assert 0 <= span.start <= span.end <= len(span.source.text)
    assert span.line >= 1
    assert span.column >= 1
    if span.source.name == "spoiled.yaml":
        assert len(span.source.text) == len(text)


def assert_apart(spans: list[SourceSpan]) -> None:
    ordered = sorted(spans, key=lambda span: span.start)
    assert all(one.end <= other.start for one, other in pairwise(ordered))


def assert_named(one: Diagnostic, found: list[Diagnostic]) -> None:
    """The text at the place of a finding holds the name that the finding quotes."""
    match = NAMED.search(one.message)
    if match is None or one.span is None:
        return
    name = next(value for value in match.groups() if value is not None)
    text = one.span.text
    # Of an alias, of a text over several lines and of a variable, the place shows what the author wrote.
    if name in text or text.startswith(("*", "|", ">")) or len(text.splitlines()) > 1 or "${" in text:
        return
    meaning = str(read_alone(text))
    if name.endswith("…"):
        assert meaning.startswith(name[:-1])
    else:
        # A name whose slip is reported already may be spoken of as it was meant.
        assert meaning == name or (one.span.start, f'did you mean "{name}"?') in {
            (other.span.start, other.label) for other in found if other.span
        }


def assert_told(found: list[Diagnostic]) -> None:
    """Every form of report takes the findings, and leaves none out."""
    shown = unsuppressed(found)
    assert render(found, color=True, links=True).count("[COS") >= len(shown)
    assert len(to_json(found)["diagnostics"]) == len(found)
    log = to_sarif(found, "0", PAGES)
    assert len(log["runs"][0]["results"]) == len(found)
    json.dumps(log)
    assert to_github(found).count("\n") == len(shown)
    cases = ElementTree.fromstring(to_junit(["spoiled.yaml"], found)).iter("testcase")
    assert "spoiled.yaml" in {case.get("name") for case in cases}


@pytest.mark.parametrize("name", VALID)
def test_the_files_are_valid_before_they_are_spoiled(name: str) -> None:
    found = validated(VALID[name])
    assert [one.code for one in found if one.severity is not Severity.HINT and not one.suppressed] == []


@settings(QUIET, max_examples=1200)
@given(mutated_texts())
def test_any_text_gives_findings_at_their_places_or_is_valid(text: str) -> None:
    assert_told(validated(text))


@settings(QUIET, max_examples=500)
@given(mutated_values(), STYLES)
def test_any_value_anywhere_gives_findings_or_a_valid_file(value: Any, style: str) -> None:
    text = written(value, style)
    found = validated(text)
    assert not [one for one in found if one.code[3] == "0" and one.severity is Severity.ERROR and not _trap(one)]
    assert_told(found)


def _trap(one: Diagnostic) -> bool:
    """What a dumper of YAML writes and costa refuses: invisible characters, keys that are no texts, and secrets."""
    return one.code in ("COS0014", "COS0021", "COS0022", "COS0025", "COS0029")


@settings(QUIET, max_examples=150)
@given(mutated_texts() | mutated_texts(most=1))
def test_the_same_text_gives_the_same_findings(text: str) -> None:
    first, second = (json.dumps(to_json(validated(text))) for _ in range(2))
    assert first == second


@settings(QUIET, max_examples=250)
@given(mutated_texts() | mutated_texts(most=1))
def test_mending_never_makes_a_file_worse(text: str) -> None:
    source = SourceText("spoiled.yaml", text)
    mended = mend([source], REQUEST, unsafe=False)
    (after,) = mended.sources
    assert (mended.applied == 0) == (after.text == text)
    if mended.applied:
        before, left = validated(text), validated(after.text)
        assert to_json(left) == to_json(mended.found)
        assert blunders(left) <= blunders(before)
        assert comments(after.text) == comments(text)
        again = mend([after], REQUEST, unsafe=False)
        assert (again.applied, again.sources[0].text) == (0, after.text)
    assert not [one for one in mended.found if one.fix and one.fix.safe and not one.suppressed and not hidden(one)]


def blunders(found: list[Diagnostic]) -> int:
    """How many findings are about syntax and schema."""
    return sum(one.code[3] in "01" for one in found)


def comments(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines() if line.lstrip().startswith("#"))


def hidden(one: Diagnostic) -> bool:
    """Whether the finding is about a text in which a secret was hidden; such a text is left as it is."""
    return one.span is not None and "•" in one.span.source.text


# What the two libraries of JSON Schema are known, or feared, to see differently.
DOUBTFUL: tuple[Any, ...] = (
    *(10**30, -(10**30), 10**400, 2**63, 2**64, 1.0, -0.0, 1e308, 5e-324, 0.1 + 0.2, True, False, None),
    *("", "a\n", "10%\n", "a-b\n", "\n", "\u0663", "10\u066a", "\u0967%", "a-\u00e9", "\u0130", "\ud800", "a\0b"),
    *("x" * 300, "a" * 40 + "\n", float("nan"), float("inf"), ["a", "a"], [], {}, {"a\n": 1}, {"": 1}, {"\u00e9": "x"}),
    *([1, True], [1, 1.0], [0, False], [[1], [True]], [{"a": 1}, {"a": 1.0}]),
)
FAST = {kind: Checker(schema_of(kind)) for kind in KINDS}
EXACT = {kind: Draft202012Validator(schema_of(kind)) for kind in KINDS}


def assert_agreed(value: Any, kind: str) -> None:
    """The fast library says yes only where the exact one does, and no without a reason only to what is no JSON."""
    fits = FAST[kind].fits(value)
    assert EXACT[kind].is_valid(value) or not fits
    assert fits == (not FAST[kind].problems(value)) or not is_json(value)


def is_json(value: Any) -> bool:
    """Whether every number is finite and every text is one that can be written."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except ValueError:
        return False
    return True


@settings(QUIET, max_examples=250)
@given(mutated_values())
def test_the_fast_library_agrees_with_the_exact_one(value: Any) -> None:
    kind = value.get("kind")
    assert_agreed(value, kind if kind in KINDS else "Plan")


@pytest.mark.parametrize("name", ["texts", "tool", "table"])
def test_the_libraries_agree_about_doubtful_values(name: str) -> None:
    """Each of them at each place of a file."""
    document = yaml.safe_load(VALID[name])
    kind = document["kind"]
    for holder, key in list(holders(document)):
        before = holder[key]
        for value in DOUBTFUL:
            holder[key] = value
            assert_agreed(document, kind)
        holder[key] = before


def holders(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value: a mapping or list, and a key in it; of a long list the first entries."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(min(len(value), 2)):
            yield value, key
            yield from holders(value[key])
