"""Rules about single steps and the plan around them: names, words, values, variables, places, files, tools, choices."""

from __future__ import annotations

from pathlib import Path

import pytest

from costa_dsl.cli.validate import validate_files
from costa_dsl.diagnostics import Severity, SourceText
from costa_dsl.rules.validate import Request, validate_texts
from tests.rules import findings, in_plan, marked, others, plan, told

SEVERITIES = {"COS3208": Severity.WARNING, "COS3209": Severity.WARNING, "COS3210": Severity.WARNING}

# A step; the code, the marked text, and a part of the message, label or help of its only finding.
ONE_SLIP = [
    ("{do: erase, object: dog}", "COS3104", "erase", 'did you mean "object-removal"?'),
    ("{do: object-removing, object: dog}", "COS3104", "object-removing", 'did you mean "object-removal"?'),
    ("{do: grounding, object: dog}", "COS3111", "grounding", "the compiler puts it in"),
    ("{do: object-removal, objct: dog}", "COS3105", "objct", 'did you mean "object"?'),
    ("{do: object-removal, target: dog}", "COS3105", "target", 'did you mean "object"?'),
    ("{do: object-recoloration, object: dog, colour: red}", "COS3105", "colour", 'did you mean "to"?'),
    ("{do: image-deblurring, object: dog}", "COS3105", "object", "takes: no words"),
    ("{do: object-removal}", "COS3106", "object-removal", 'add "object: …"'),
    ("{do: object-recoloration}", "COS3106", "object-recoloration", 'needs the words "object" and "to"'),
    ("{do: outpainting}", "COS3106", "outpainting", "nothing says how much or which"),
    ("{do: outpainting, left: -5}", "COS3107", "-5", "of at least 0, found -5"),
    ("{do: outpainting, left: 10 percent}", "COS3107", "10 percent", "whole pixels, or a percentage"),
    ("{do: object-removal, object: 5}", "COS3107", "5", "expected a text, found 5"),
    ("{do: object-removal, object: [dog]}", "COS3107", "[dog]", "expected a text, found a list"),
    ("{do: object-removal, object: null}", "COS3107", "null", "expected a text, found nothing"),
    ("{do: object-removal, object: ''}", "COS3107", "''", "found an empty text"),
    ("{do: image-upscaling, scale: 9}", "COS3107", "9", "at most 8, found 9"),
    ("{do: image-upscaling, scale: 0.5}", "COS3107", "0.5", "from 1 to 8"),
    ("{do: image-upscaling, scale: '2'}", "COS3107", "'2'", "remove the quotes"),
    ("{do: image-upscaling, scale: true}", "COS3107", "true", "found true"),
    ("{do: move, object: dog, by: [1]}", "COS3107", "[1]", "with 2 entries"),
    ("{do: move, object: dog, by: []}", "COS3107", "[]", "found an empty list"),
    ("{do: brightness, amount: 2}", "COS3107", "2", "-1 … 1, or a percentage"),
    ("{do: text-redaction, kind: emial}", "COS3107", "emial", 'did you mean "email"?'),
    ("{do: outpainting, aspect: 16x9}", "COS3107", "16x9", "such as `16:9`"),
    ("{do: object-recoloration, object: dog, to: reed}", "COS3115", "reed", 'did you mean "red"?'),
    ("{do: object-removal, object: dog, at: {color: reed}}", "COS3115", "reed", 'did you mean "red"?'),
    ("{do: text-redaction, pattern: '('}", "COS3116", "'('", "this is no regular expression"),
    ("{do: object-removal, object: the}", "COS3117", "the", "names no object"),
    ("{do: object-removal, object: '?!'}", "COS3117", "'?!'", "names no object"),
    ("{do: object-removal, object: dog, expect: [{text-presnt: A}]}", "COS3109", "text-presnt", '"text-present"?'),
    ("{do: object-removal, object: dog, expect: [seem]}", "COS3109", "seem", 'did you mean "seam"?'),
    ("{do: text-removal, text: A, expect: [{text-absent: [1]}]}", "COS3114", "[1]", "says nothing"),
    ("{do: object-removal, object: dog, expect: [{seam: 0.5}]}", "COS3114", "0.5", "takes nothing behind it"),
    ("{do: object-removal, object: dog, tools: {only: [patchmach]}}", "COS3110", "patchmach", '"patchmatch"?'),
    ("{do: object-removal, object: dog, tools: {avoid: [patchmach]}}", "COS3110", "patchmach", '"patchmatch"?'),
    ("{do: object-removal, object: dog, tools: {only: [telea], avoid: [telea]}}", "COS3120", "telea", "`only` names"),
    ("{do: object-removal, object: dog, tools: {only: [lanczos]}}", "COS3121", "object-removal", "patchmatch, telea"),
    ("{do: object-removal, object: dog, tools: {avoid: [patchmatch, telea]}}", "COS3121", "object-removal", "leaves"),
    ("{do: object-removal, object: dog, at: {of: nobody}}", "COS3108", "nobody", "there are none"),
    ("{do: object-removal, object: dog, id: a, at: {of: a}}", "COS3113", "a", "this very step"),
    ("{do: object-removal, object: dog, at: {color: red, box: [1, 2, 3, 4]}}", "COS3112",
     "{color: red, box: [1, 2, 3, 4]}", "box and color"),
    ("{do: object-removal, object: dog, at: {within: [0, 0, 1, 1]}}", "COS3112", "{within: [0, 0, 1, 1]}", "keep one"),
    ("{do: object-removal, object: dog, at: {box: [20, 0, 10, 20]}}", "COS3118", "10", "turned around"),
    ("{do: object-removal, object: dog, at: {box: [10, 0, 10, 20]}}", "COS3118", "10", "empty"),
    ("{do: object-removal, object: dog, at: {box: [0, 50%, 10, 20%]}}", "COS3118", "20%", "its top 50%"),
    ("{do: object-removal, object: dog, at: {point: [120%, 0]}}", "COS3119", "120%", "outside the picture"),
    ("{do: image-upscaling, scale: 5}", "COS3208", "5", "25 times the pixels"),
    ("{do: outpainting, left: 60%}", "COS3208", "60%", "mostly invented"),
    ("{do: image-upscaling, scale: 1}", "COS3209", "1", "changes nothing"),
    ("{do: outpainting, left: 0, right: 0%}", "COS3209", "0", "changes nothing"),
    ("{do: rotate, angle: -360}", "COS3209", "-360", "changes nothing"),
    ("{do: brightness, amount: 0%}", "COS3209", "0%", "changes nothing"),
    ("{do: move, object: dog, by: [0, 0%]}", "COS3209", "[0, 0%]", "changes nothing"),
    ("{do: text-replacement, text: OPEN, with: OPEN}", "COS3209", "OPEN", "changes nothing"),
    ("{do: object-replacement, object: dog, with: the Dog}", "COS3209", "the Dog", "changes nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "code", "text", "part"), ONE_SLIP)
def test_one_slip_gives_one_finding_at_its_place(step: str, code: str, text: str, part: str) -> None:
    (found,) = in_plan(step)
    assert (found.code, marked(found)) == (code, text)
    assert found.severity is SEVERITIES.get(code, Severity.ERROR)
    assert part in f"{found.message} | {found.label} | {found.help}"


@pytest.mark.parametrize(
    "step",
    [
        "{do: object-removal, object: left dog}",
        "{do: object-removal, object: 犬}",
        "{do: outpainting, left: 0, right: 10}",
        "{do: outpainting, left: 50%}",
        "{do: outpainting, left: 0, aspect: '16:9'}",
        "{do: image-upscaling, scale: 4}",
        "{do: image-upscaling, scale: 2.0}",
        "{do: rotate, angle: 180}",
        "{do: brightness, amount: -20%}",
        "{do: text-replacement, text: OPEN, with: Open}",
        "{do: text-replacement, text: old.jpg, with: new.jpg}",
        "{do: text-redaction, pattern: '[0-9]{4}'}",
        "{do: object-recoloration, object: dog, to: '#cc0000'}",
        "{do: object-recoloration, object: dog, to: Dark Olive Green}",
        "{do: changing-scenery, to: reed}",
        "{do: object-removal, object: dog, at: {box: [50%, 0, 10, 20]}}",
        "{do: object-removal, object: dog, at: {box: [0%, 0%, 100%, 100%]}}",
        "{do: object-removal, object: dog, at: {color: red, within: [0, 0, 9, 9]}}",
        "{do: object-removal, object: dog, tools: {only: []}}",
        "{do: object-removal, object: dog, tools: {only: [telea, lanczos]}}",
        "{do: object-removal, object: dog, tools: {avoid: [telea]}}",
        "{do: object-removal, object: dog, expect: []}",
        "{do: crop}",
    ],
)
def test_what_is_right_is_left_alone(step: str) -> None:
    assert told(in_plan(step)) == []


def test_a_color_that_is_risky_to_guess_has_no_fix() -> None:
    (found,) = in_plan("{do: object-recoloration, object: dog, to: '#ff'}")
    assert (found.code, found.label, found.fix) == ("COS3115", "", None)


def test_a_turned_box_can_be_turned_back() -> None:
    (found,) = in_plan("{do: object-removal, object: dog, at: {box: [20, 0, 10, 20]}}")
    assert found.fix is not None
    assert found.fix.title == "swap 20 and 10"


def test_a_plan_without_steps() -> None:
    (found,) = findings("apiVersion: costa/v1\nkind: Plan\ntask: a test\ntree: []\n")
    assert (found.code, marked(found)) in {("COS3103", "[]"), ("COS1016", "[]")}


def test_all_findings_come_at_once_in_the_order_of_the_text() -> None:
    found = in_plan("{do: erase, object: dog}", "{do: outpainting}", "{do: object-removal, at: {of: nobody}}")
    assert told(found) == [
        ("COS3104", "erase"), ("COS3106", "outpainting"), ("COS3106", "object-removal"), ("COS3108", "nobody"),
    ]  # fmt: skip


# ---- variables ---------------------------------------------------------------------------------------------


def test_variables_keep_their_type() -> None:
    head = "vars: {what: dog, factor: 2, margin: 10%, left: 5%}\n"
    steps = (
        "{do: image-upscaling, scale: '${factor}'}",
        "{do: outpainting, left: '${margin}'}",
        "{do: object-removal, object: 'the ${what}', at: {box: ['${left}', 0%, 50%, 50%]}}",
    )
    assert told(in_plan(*steps, head=head)) == []


@pytest.mark.parametrize(
    "step",
    [
        "{do: image-upscaling, scale: '${x}'}",
        "{do: outpainting, left: '${x}'}",
        "{do: move, object: dog, by: ['${x}', 10]}",
        "{do: object-recoloration, object: dog, to: '${x}'}",
        "{do: object-recoloration, object: dog, to: 'dark ${x}'}",
        "{do: text-redaction, pattern: '(${x}'}",
        "{do: text-redaction, kind: '${x}'}",
        "{do: object-removal, object: '${x}'}",
        "{do: object-removal, object: dog, at: {box: ['${x}', 0, 5, 5]}}",
        "{do: object-removal, object: dog, at: {color: '${x}'}}",
        "{do: object-removal, object: dog, at: {mask: '${x}.png'}}",
        "{do: object-replacement, object: dog, with: '${x}.png'}",
        "{do: text-removal, text: A, expect: [{text-absent: '${x}'}]}",
    ],
)
def test_an_undefined_variable_is_told_once_and_its_place_is_not_judged(step: str) -> None:
    assert [one.code for one in in_plan(step)] == ["COS3101"]


@pytest.mark.parametrize(
    ("value", "step", "part"),
    [
        ("'2'", "{do: image-upscaling, scale: '${x}'}", 'found "2"'),
        ("5", "{do: object-removal, object: '${x}'}", "expected a text, found 5"),
        ("5", "{do: text-removal, text: '${x}'}", "expected a text, found 5"),
        ("banana", "{do: object-removal, object: dog, at: {box: ['${x}', 0, 9, 9]}}", 'wrong value for "box"'),
        ("-5", "{do: object-removal, object: dog, at: {point: [0, '${x}']}}", 'wrong value for "point"'),
        ("true", "{do: object-removal, object: dog, at: {mask: '${x}'}}", 'wrong value for "mask"'),
        ("5", "{do: object-removal, object: dog, at: {color: '${x}'}}", 'wrong value for "color"'),
    ],
)
def test_what_a_variable_puts_in_is_checked_where_it_stands(value: str, step: str, part: str) -> None:
    (found,) = in_plan(step, head=f"vars: {{x: {value}}}\n")
    assert (found.code, marked(found)) == ("COS3107", "'${x}'")
    assert part in found.message
    # Quotes around the variable would change nothing.
    assert found.fix is None


def test_a_picture_that_a_variable_names_must_be_a_text() -> None:
    (found,) = in_plan("{do: sharpen}", head="inputs: {image: '${x}'}\nvars: {x: 5}\n")
    assert (found.code, marked(found)) == ("COS3107", "'${x}'")


def test_a_variable_that_nobody_uses() -> None:
    (found,) = in_plan("{do: sharpen}", head="vars: {x: 5}\n")
    assert (found.code, found.severity, marked(found)) == ("COS3210", Severity.WARNING, "x")


# ---- places and files --------------------------------------------------------------------------------------


def test_a_step_refers_to_an_earlier_one() -> None:
    first, second = "{do: object-removal, object: cat, id: b}", "{do: object-removal, object: dog, at: {of: b}}"
    assert told(in_plan(first, second)) == []
    (found,) = in_plan(second, first)
    assert (found.code, marked(found)) == ("COS3113", "b")
    assert others(found) == [("the step that it means", "object-removal", 6)]
    (found,) = in_plan(first, second.replace("of: b", "of: bb"))
    assert (found.code, found.label) == ("COS3108", 'did you mean "b"?')


def test_ids_that_stand_twice() -> None:
    (found,) = in_plan("{do: sharpen, id: a}", "{do: blur, id: a}")
    assert (found.code, marked(found)) == ("COS3102", "a")
    assert others(found) == [("first defined here", "a", 5)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "plans"
    (inner / "masks").mkdir(parents=True)
    (inner / "masks" / "cup.png").touch()
    (tmp_path / "secret.png").touch()
    (inner / "out.png").symlink_to(tmp_path / "secret.png")
    (inner / "in.png").symlink_to(inner / "masks" / "cup.png")
    (inner / "loop.png").symlink_to("loop.png")
    return inner


def with_mask(folder: Path, name: str) -> list[tuple[str, str]]:
    path = folder / "plan.yaml"
    path.write_text(plan(f"{{do: object-removal, object: cup, at: {{mask: {name}}}}}"), encoding="utf-8")
    return [(one.code, f"{one.message} | {one.label}") for one in validate_files([str(path)], "default")]


@pytest.mark.parametrize("name", ["masks/cup.png", "./masks/../masks/cup.png", "in.png"])
def test_a_file_below_the_plan_may_be_read(folder: Path, name: str) -> None:
    assert with_mask(folder, name) == []
    assert with_mask(folder, str(folder / "masks" / "cup.png")) == []


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "out.png", "masks/../../secret.png"])
def test_a_file_elsewhere_may_not(folder: Path, name: str) -> None:
    ((code, said),) = with_mask(folder, name)
    assert code == "COS6301"
    assert f'"{name}" lies outside the plan\'s folder' in said


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("cup.png", 'there is no file "cup.png"'),
        ("masks/cop.png", 'did you mean "masks/cup.png"?'),
        ("nowhere/cup.png", "looked in"),
        ("masks", '"masks" is a folder, not a file'),
        ("masks/", "is a folder, not a file"),
        ("loop.png", "is no name of a file"),
        (r'"a\0b.png"', "is no name of a file"),
        ("x" * 300 + ".png", "is no name of a file"),
    ],
)
def test_a_file_that_is_not_there(folder: Path, name: str, part: str) -> None:
    ((code, said),) = with_mask(folder, name)
    assert code == "COS6302"
    assert part in said


def test_a_missing_picture_is_a_warning() -> None:
    (found,) = in_plan("{do: sharpen}", head="inputs: {image: nowhere.jpg}\n")
    assert (found.code, found.severity, marked(found)) == ("COS6302", Severity.WARNING, "nowhere.jpg")
    assert told(in_plan("{do: sharpen}", head="inputs: {image: sample:coffee}\n")) == []


@pytest.mark.parametrize("name", ["<stdin>", "plans/new.yaml"])
def test_a_plan_from_standard_input_looks_beside_its_name(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder if name == "<stdin>" else folder.parent)
    text = plan("{do: object-removal, object: cup, at: {mask: masks/cup.png}}")
    assert validate_texts([SourceText(name, text)], Request()) == []


# ---- tools and choices -------------------------------------------------------------------------------------


def test_a_subtask_without_a_tool_is_an_error_unless_there_is_another_way() -> None:
    (found,) = findings(plan("{do: object-addition, object: dog}"))
    assert (found.code, found.severity, marked(found)) == ("COS4101", Severity.ERROR, "object-addition")
    (found,) = findings(plan("{one_of: [{do: object-addition, object: dog}, {do: object-removal, object: cat}]}"))
    assert (found.code, found.severity) == ("COS4101", Severity.WARNING)


def test_the_policy_s_tools_leave_one() -> None:
    (found,) = in_plan("{do: object-removal, object: dog}", head="policy: {tools: {avoid: [telea, patchmatch]}}\n")
    assert (found.code, marked(found)) == ("COS3121", "object-removal")
    assert told(in_plan("{do: object-removal, object: dog}", head="policy: {tools: {only: [lanczos]}}\n")) == []


def test_a_threshold_that_no_tool_reaches() -> None:
    (found,) = in_plan("{do: image-deblurring}", head="policy: {threshold: 0.99}\n")
    assert (found.code, marked(found)) == ("COS3208", "0.99")


@pytest.mark.parametrize("key", ["one_of", "any_order"])
def test_a_choice_of_one(key: str) -> None:
    (found,) = in_plan(f"{{{key}: [{{do: sharpen}}]}}")
    assert (found.code, found.severity, marked(found)) == ("COS3206", Severity.HINT, key)


@pytest.mark.parametrize(
    ("branches", "text", "reason"),
    [
        ("{do: object-removal, object: dog}, {do: object-detection, object: dog}", "object-detection", "only looks"),
        ("{do: sharpen}, {do: sharpen}", "sharpen", "it is the same once more"),
        ("{do: sharpen}, [{do: sharpen}, {do: object-removal, object: dog}]", "sharpen", "and more"),
        ("{do: sharpen}, {do: image-upscaling, scale: 2}", "image-upscaling", "changes the canvas"),
        ("{do: object-detection, object: dog}, {do: text-extraction}", "text-extraction", "different things"),
    ],
)
def test_branches_that_do_another_job(branches: str, text: str, reason: str) -> None:
    (found,) = in_plan(f"{{one_of: [{branches}]}}")
    assert (found.code, found.severity, marked(found)) == ("COS3205", Severity.WARNING, text)
    assert reason in found.message
    assert [what for what, _, _ in others(found)] == ["the other branch"]


@pytest.mark.parametrize(
    "branches",
    [
        # The paper's own example.
        "{do: object-recoloration, object: leaves, to: red},"
        " [{do: object-removal, object: plant}, {do: object-addition, object: red plant}]",
        "{do: object-removal, object: dog}, {do: object-recoloration, object: dog, to: green}",
        "{do: sharpen}, {do: image-deblurring}",
        "{do: object-detection, object: dog}, {do: object-detection, object: puppy}",
        "{do: foo}, {do: object-removal, object: dog}",
    ],
)
def test_branches_that_do_the_same_job(branches: str) -> None:
    assert [one.code for one in in_plan(f"{{one_of: [{branches}]}}") if one.code != "COS3104"] == []
