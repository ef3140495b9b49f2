"""Rules about catalogs as a whole: benchmark rows, the vocabulary, and how both fit the tools."""

from __future__ import annotations

import pytest

from costa_dsl.cli.validate import validate_files
from costa_dsl.diagnostics import Severity
from costa_dsl.resources import data_folder
from tests.conftest import calls_of, make_tool
from tests.rules import findings, marked, plan, told
from tests.rules.test_tool_rules import REMOVAL, row, table

VOCABULARY = (data_folder("tools") / "subtasks.yaml").read_text(encoding="utf-8")
SCALE = "scale: {type: number, exclusiveMinimum: 0, maximum: 8,"


def of_vocabulary(old: str, new: str, *more: str) -> list[tuple[str, str]]:
    """What is found when a part of the packaged vocabulary is changed, apart from subtasks without a tool."""
    assert VOCABULARY.count(old) == 1
    return told(findings(VOCABULARY.replace(old, new), *more, without=("COS2017",)))


def test_the_packaged_files_are_clean() -> None:
    files = [str(path) for folder in ("tools", "plans") for path in sorted(data_folder(folder).rglob("*.yaml"))]
    assert len(files) > 30
    found = validate_files(files, "default")
    # Not every subtask of the vocabulary has a packaged tool.
    assert {(one.code, one.severity) for one in found} == {("COS2017", Severity.HINT)}


# ---- benchmark rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "subtask", "text", "message"),
    [
        ("telae", REMOVAL, "telae", 'unknown tool "telae"'),
        ("telea", "object-detection", "object-detection", '"telea" does not implement "object-detection"'),
        ("telea", "inpainting", "inpainting", '"telea" does not implement "inpainting"'),
    ],
)
def test_a_row_for_nothing(tool: str, subtask: str, text: str, message: str) -> None:
    (found,) = findings(table(row(tool, subtask)))
    assert (found.code, found.severity, marked(found)) == ("COS2009", Severity.ERROR, text)
    assert found.message == message


def test_a_row_for_a_tool_that_stands_beside_it() -> None:
    assert told(findings(make_tool("mine", REMOVAL), table(row("mine", REMOVAL)), without=("COS2007",))) == []


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [("quality: 0.5", "quality: 1.5", "1.5"), ("seconds: 1", "seconds: 0", "0"), ("seconds: 1", "seconds: -1", "-1")],
)
def test_numbers_that_cannot_be_measured(old: str, new: str, text: str) -> None:
    assert told(findings(table(row("telea", REMOVAL)).replace(old, new))) == [("COS1014", text)]


# ---- the vocabulary ----------------------------------------------------------------------------------------


def test_a_subtask_that_no_tool_implements() -> None:
    found = {marked(one): one for one in findings(VOCABULARY)}
    assert found["move"].code == "COS2017"
    assert found["move"].severity is Severity.HINT
    assert not found.keys() & {REMOVAL, "grounding"}


@pytest.mark.parametrize(
    ("old", "new", "code", "text"),
    [
        ("flip: {title: Flip, group: geometry, effect: edit, source: editagent, parameters: {axis: required}",
         "flip: {title: Flip, group: geometry, effect: edit, source: editagent, parameters: {axes: required}",
         "COS2013", "axes"),
        ("limits: {to: {format: color}}", "limits: {too: {format: color}}", "COS2013", "too"),
        ("gives: [sentiment]", "gives: [sentimnt]", "COS2002", "sentimnt"),
        ("gives: [image], preserves: [boxes, mask], forgets: target",
         "gives: [image], preserves: [boxs, mask], forgets: target", "COS2002", "boxs"),
        ("checks: [mask-plausible]", "checks: [mask-plausble]", "COS2003", "mask-plausble"),
    ],
)  # fmt: skip
def test_names_in_the_vocabulary(old: str, new: str, code: str, text: str) -> None:
    assert of_vocabulary(old, new) == [(code, text)]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("type: numbr,", "numbr"),
        ("type: 5,", "5"),
        ("minimum: much,", "much"),
        ("multipleOf: 0,", "0"),
        ('pattern: "(",', '"("'),
        # Regular expressions of JavaScript that Python does not have.
        ('pattern: "(?<=a+)b",', '"(?<=a+)b"'),
        (r'pattern: "\\p{L}+",', r'"\\p{L}+"'),
        ('patternProperties: {"(": {}},', "{}"),
        ("allOf: [],", "[]"),
        ("items: 3,", "3"),
        ("$ref: 7,", "7"),
    ],
)
@pytest.mark.parametrize("value", ["2", "abc", "[]", "{}", "null"])
def test_a_word_that_is_no_schema_is_told_and_breaks_no_plan(schema: str, text: str, value: str) -> None:
    step = plan(f"{{do: image-upscaling, scale: {value}}}")
    assert of_vocabulary(SCALE, f"scale: {{{schema}", step) == [("COS2022", text)]


@pytest.mark.parametrize(
    "schema",
    [
        '$ref: "#/nowhere",', '$ref: "#/$defs/nope",', '$ref: "https://x.example/y",', '$dynamicRef: "#foo",',
        '$id: "::::",', 'not: {$ref: "#"},',
    ],
)  # fmt: skip
def test_a_word_whose_schema_leads_nowhere(schema: str) -> None:
    for value in ("2", "abc"):
        step = plan(f"{{do: image-upscaling, scale: {value}}}")
        ((code, text),) = of_vocabulary(SCALE, f"scale: {{{schema}", step)
        assert code == "COS2022"
        assert text.startswith("{" + schema[:6])


def test_a_limit_that_is_no_schema() -> None:
    step = plan("{do: image-upscaling, scale: 0.5}")
    assert of_vocabulary("limits: {scale: {minimum: 1}}", "limits: {scale: {minimum: one}}", step) == [
        ("COS2022", "one")
    ]


def test_two_vocabularies() -> None:
    (found,) = findings(VOCABULARY, VOCABULARY, without=("COS2017",))
    assert (found.code, marked(found)) == ("COS2023", "SubtaskCatalog")


# ---- scale -------------------------------------------------------------------------------------------------


def many_tools(count: int, needs: str) -> tuple[str, str]:
    names = [f"tool-{number}" for number in range(count)]
    tools = "".join(make_tool(name, REMOVAL, needs=needs) for name in names)
    return tools, table(*(row(name, REMOVAL) for name in names))


@pytest.mark.parametrize("needs", ["image, mask", "image, depth-map"])
def test_work_grows_with_the_tools_not_with_their_pairs(needs: str) -> None:
    findings(*many_tools(5, needs))
    few, many = (calls_of(lambda: findings(*many_tools(count, needs))) for count in (75, 300))  # noqa: B023
    # Four times the tools: linear work is 4 times as much, work on pairs 16 times.
    assert many < 5 * few
