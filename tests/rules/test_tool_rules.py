"""Rules about manifests: names, parameters, their place among the other tools, promises, weights."""

from __future__ import annotations

import pytest

from costa_dsl.diagnostics import Diagnostic, Severity
from tests.conftest import make_tool
from tests.rules import findings, marked, others, told

REMOVAL = "object-removal"


def row(tool: str, subtask: str) -> str:
    return f"  - {{tool: {tool}, subtask: {subtask}, seconds: 1, quality: 0.5, n: 1}}\n"


def table(*rows: str) -> str:
    return "---\napiVersion: costa/v1\nkind: BenchmarkTable\ntitle: t\nsource: test\nrows:\n" + "".join(rows)


def of_tools(*tools: str, rows: tuple[str, ...] = ()) -> list[Diagnostic]:
    """What is found in manifests with their benchmark rows; no package brings their code, which is another matter."""
    return findings("".join(tools) + (table(*rows) if rows else ""), without=("COS2007",))


def of_removal(more: str = "", **parts: str) -> list[Diagnostic]:
    """What is found in one manifest of a tool that removes objects."""
    return of_tools(make_tool("mine", REMOVAL, more=more, **parts), rows=(row("mine", REMOVAL),))


def test_a_sound_manifest() -> None:
    assert told(of_removal()) == []
    assert told(of_removal(needs="image, mask", more="guarantees: [outside-unchanged, canvas-size]")) == []


def test_code_that_no_package_brings() -> None:
    found = findings(make_tool("mine", REMOVAL) + table(row("mine", REMOVAL)))
    assert [(one.code, one.severity, marked(one)) for one in found] == [("COS2007", Severity.WARNING, "mine")]


def test_names_that_do_not_exist() -> None:
    text = make_tool("mine", "outpaintng", needs="image, maks", more="guarantees: [original-kep]")
    found = findings(text, without=("COS2007",))
    assert told(found) == [("COS2001", "outpaintng"), ("COS2002", "maks"), ("COS2003", "original-kep")]
    assert [one.label for one in found] == [
        'did you mean "outpainting"?', 'did you mean "mask"?', 'did you mean "original-kept"?',
    ]  # fmt: skip


def test_a_misspelt_artifact_is_told_once() -> None:
    assert told(of_removal(gives="imge")) == [("COS2002", "imge")]


PARAMETER = "parameters: {x: {type: number, default: 0.5, minimum: 0, maximum: 1}}\n"


@pytest.mark.parametrize(
    ("more", "code", "text", "part"),
    [
        ("retries: [{y: 0.4}]", "COS2004", "y", "known: x"),
        ("remedies: {object-absent: {y: 0.4}}", "COS2004", "y", "known: x"),
        ("retries: [{x: 5}]", "COS2005", "5", "from 0 to 1, found 5"),
        ("retries: [{x: fast}]", "COS2005", "fast", 'found "fast"'),
        ("remedies: {object-absent: {x: 7}}", "COS2005", "7", "found 7"),
        ("remedies: {object-absnt: {x: 0.4}}", "COS2003", "object-absnt", 'did you mean "object-absent"?'),
        ("guarantees: [object-found]", "COS2003", "object-found", 'unknown guarantee "object-found"'),
        ("guarantees: [image-unchanged]", "COS2019", "image-unchanged", "it edits the picture"),
        ("guarantees: [original-kept]", "COS2019", "original-kept", "it does not change the canvas"),
        ("remedies: {text-found: {x: 0.4}}", "COS2020", "text-found", "only serves plans that expect it"),
        ("retries: [{x: 0.5}]", "COS2021", "{x: 0.5}", "repeats the first attempt"),
        ("retries: [{x: 0.4}, {x: 0.4}]", "COS2021", "{x: 0.4}", "repeats retry 1"),
    ],
)
def test_settings_and_promises(more: str, code: str, text: str, part: str) -> None:
    (found,) = of_removal(PARAMETER + more)
    assert (found.code, marked(found)) == (code, text)
    severities = {"COS2020": Severity.HINT, "COS2021": Severity.WARNING}
    assert found.severity is severities.get(code, Severity.ERROR)
    assert part in f"{found.message} | {found.label}"


@pytest.mark.parametrize("more", ["retries: [{x: 0.4}, {x: 0.3}]", "remedies: {object-absent: {x: 0.4}}"])
def test_settings_that_change_something(more: str) -> None:
    assert told(of_removal(PARAMETER + more)) == []


def test_a_seeded_tool_may_try_the_same_again() -> None:
    text = make_tool("mine", REMOVAL, more=PARAMETER + "retries: [{x: 0.5}]").replace("pure", "seeded")
    assert told(of_tools(text, rows=(row("mine", REMOVAL),))) == []


@pytest.mark.parametrize(
    ("parameter", "text", "part"),
    [
        ("{type: number, default: 5, minimum: 0, maximum: 1}", "5", "the default"),
        ("{type: integer, default: 1.5}", "1.5", "a whole number"),
        ("{type: boolean, default: 1}", "1", "true or false"),
        ("{type: number, default: '1'}", "'1'", "a number"),
        ("{type: string, default: a, enum: [b, c]}", "a", "one of b, c"),
        ("{type: number, default: 0.5, minimum: 1, maximum: 0}", "1", "both at least its minimum and at most"),
        ("{type: number, default: 1, enum: [1, 3], maximum: 2}", "3", "breaks its other rules"),
        ("{type: string, default: a, enum: [a, 5]}", "5", "breaks its other rules"),
    ],
)
def test_parameters_that_contradict_themselves(parameter: str, text: str, part: str) -> None:
    (found,) = of_removal(f"parameters: {{x: {parameter}}}")
    assert (found.code, marked(found)) == ("COS2005", text)
    assert part in found.message


def test_bounds_that_contradict_each_other_are_told_once() -> None:
    bounds = "parameters: {x: {type: number, default: 0.5, minimum: 1, maximum: 0}}\nretries: [{x: 0.4}]"
    assert [one.code for one in of_removal(bounds)] == ["COS2005"]


@pytest.mark.parametrize(
    "parameter",
    [
        "{type: integer, default: 1.0}",
        "{type: number, default: 0.5, minimum: 0.5, maximum: 0.5}",
        "{type: number, default: 1, enum: [1, 2], maximum: 2}",
    ],
)
def test_parameters_that_agree_with_themselves(parameter: str) -> None:
    assert told(of_removal(f"parameters: {{x: {parameter}}}")) == []


# ---- among the other tools ---------------------------------------------------------------------------------


def test_a_subtask_without_a_benchmark_row() -> None:
    (found,) = of_tools(make_tool("mine", REMOVAL))
    assert (found.code, found.severity, marked(found)) == ("COS2008", Severity.ERROR, REMOVAL)
    assert found.message == "no benchmark row for mine · object-removal"
    # An unknown subtask has a finding of its own.
    assert told(of_tools(make_tool("mine", "remval"))) == [("COS2001", "remval")]


def test_a_tool_gives_what_its_subtasks_promise() -> None:
    (found,) = of_removal(gives="boxes")
    assert (found.code, marked(found)) == ("COS2011", "[boxes]")
    assert found.message == '"mine" gives boxes; object-removal must give image'
    assert told(of_removal(gives="image, boxes")) == []


def test_what_nobody_needs() -> None:
    (found,) = of_removal(gives="image, sentiment")
    assert (found.code, found.severity, marked(found)) == ("COS2015", Severity.WARNING, "sentiment")


def test_a_tool_that_needs_what_it_gives() -> None:
    text = make_tool("mine", "depth-estimation", needs="image, depth-map", gives="depth-map")
    (found,) = of_tools(text, rows=(row("mine", "depth-estimation"),))
    assert (found.code, marked(found)) == ("COS2014", "depth-map")
    assert [(what, text) for what, text, _ in others(found)] == [("needed here", "depth-map")]


def test_a_tool_that_can_never_run() -> None:
    (found,) = of_removal(needs="image, depth-map")
    assert (found.code, found.severity, marked(found)) == ("COS2016", Severity.ERROR, "depth-map")
    assert found.label == "no tool of the catalog gives it"


def test_tools_that_need_each_other() -> None:
    found = of_tools(
        make_tool("one", "depth-estimation", needs="image, label", gives="depth-map"),
        make_tool("other", "landmark-detection", needs="image, depth-map", gives="label"),
        rows=(row("one", "depth-estimation"), row("other", "landmark-detection")),
    )
    assert told(found) == [("COS2016", "label"), ("COS2016", "depth-map")]
    assert [one.label for one in found] == [
        "other would, and cannot be reached either", "one would, and cannot be reached either",
    ]  # fmt: skip


def test_a_way_out_of_a_circle_is_enough() -> None:
    found = of_tools(
        make_tool("one", "depth-estimation", needs="image, label", gives="depth-map"),
        make_tool("other", "landmark-detection", needs="image, depth-map", gives="label"),
        make_tool("way-out", "landmark-detection", gives="label"),
        rows=tuple(
            row(tool, subtask)
            for tool, subtask in (
                ("one", "depth-estimation"), ("other", "landmark-detection"), ("way-out", "landmark-detection"),
            )
        ),
    )  # fmt: skip
    assert told(found) == []


def test_tools_and_rows_that_stand_twice() -> None:
    tool = make_tool("mine", REMOVAL)
    found = of_tools(tool, tool, rows=(row("mine", REMOVAL), row("mine", REMOVAL)))
    assert told(found) == [("COS2006", "mine"), ("COS2010", "mine")]
    assert all(what == "first defined here" for one in found for what, _, _ in others(one))


# ---- where it comes from -----------------------------------------------------------------------------------

COMMIT = "a2bb814dd30d776dcf7e30523b00659f4f141c71"
DIGEST = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ("{hub: a/b, revision: main}", "main"),
        ("{hub: a/b, revision: a2bb814}", "a2bb814"),
        ("{package: p}", "p"),
        ("{path: x.onnx}", "x.onnx"),
        ("{version: '1'}", "{version: '1'}"),
    ],
)
def test_weights_that_may_change(weights: str, text: str) -> None:
    (found,) = of_removal(f"requires: {{weights: {weights}}}")
    assert (found.code, found.severity, marked(found)) == ("COS2018", Severity.WARNING, text)


@pytest.mark.parametrize(
    "weights",
    [
        f"{{hub: a/b, revision: {COMMIT}}}",
        f"{{hub: a/b, revision: {COMMIT.upper()}}}",
        f"{{hub: a/b, revision: main, sha256: {DIGEST}}}",
        "{package: p, version: '1'}",
        f"{{path: x.onnx, sha256: {DIGEST}}}",
    ],
)
def test_weights_that_are_pinned(weights: str) -> None:
    assert told(of_removal(f"requires: {{weights: {weights}}}")) == []


@pytest.mark.parametrize(
    ("line", "code", "severity"),
    [("license: MIT\n", "COS2012", Severity.WARNING), ("determinism: pure\n", "COS2024", Severity.HINT)],
)
def test_what_every_manifest_should_say(line: str, code: str, severity: Severity) -> None:
    text = make_tool("mine", REMOVAL).replace(line, "")
    (found,) = of_tools(text, rows=(row("mine", REMOVAL),))
    assert (found.code, found.severity, marked(found)) == (code, severity, "mine")


@pytest.mark.parametrize("name", ["sk-abcdefghijklmnopqrstuvwxyz123456", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"])
def test_the_value_of_a_secret_is_told_and_never_shown(name: str) -> None:
    found = of_removal(f"requires: {{env: [{name}]}}")
    assert "COS0029" in {one.code for one in found}
    assert name not in str(found)
    assert name not in "".join(marked(one) for one in found)
