"""Rules about meaning, each by the file that breaks it. (The pages of the codes hold an example of each, too.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from costa_dsl.cli.validate import validate_files
from costa_dsl.diagnostics import Diagnostic, Severity
from tests.conftest import make_tool


def findings(tmp_path: Path, text: str, name: str = "plan.yaml") -> list[Diagnostic]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return list(validate_files([str(path)], "default"))


def plan(*steps: str, head: str = "") -> str:
    tree = "".join(f"  - {step}\n" for step in steps)
    return f"apiVersion: costa/v1\nkind: Plan\ntask: a test\n{head}tree:\n{tree}"


@pytest.mark.parametrize(
    ("step", "code", "marked", "label"),
    [
        ("{do: erase, object: dog}", "COS3104", "erase", 'did you mean "object-removal"?'),
        ("{do: object-removing, object: dog}", "COS3104", "object-removing", 'did you mean "object-removal"?'),
        ("{do: object-removal, objct: dog}", "COS3105", "objct", 'did you mean "object"?'),
        ("{do: outpainting}", "COS3106", "outpainting", "nothing says how much or which"),
        ("{do: outpainting, left: -5}", "COS3107", "-5", ""),
        ("{do: outpainting, left: 10 percent}", "COS3107", "10 percent", ""),
        ("{do: object-removal, object: dog, at: {color: red, box: [1, 2, 3, 4]}}", "COS3112", None, "keep one of"),
        (
            "{do: object-removal, object: dog, expect: [{text-presnt: A}]}",
            "COS3109",
            None,
            'did you mean "text-present"?',
        ),
        ("{do: text-removal, text: A, expect: [{text-absent: [1]}]}", "COS3114", "[1]", "says nothing"),
        (
            "{do: object-removal, object: dog, tools: {only: [patchmach]}}",
            "COS3110",
            "patchmach",
            'did you mean "patchmatch"?',
        ),
    ],
)
def test_one_slip_gives_one_finding_at_its_place(
    tmp_path: Path, step: str, code: str, marked: str | None, label: str
) -> None:
    (found,) = findings(tmp_path, plan(step))
    assert found.code == code
    assert label in found.label
    assert found.span is not None
    if marked is not None:
        assert found.span.text == marked


def test_all_findings_come_at_once_in_the_order_of_the_text(tmp_path: Path) -> None:
    found = findings(
        tmp_path, plan("{do: erase, object: dog}", "{do: outpainting}", "{do: object-removal, at: {of: nobody}}")
    )
    assert [diagnostic.code for diagnostic in found] == ["COS3104", "COS3106", "COS3106", "COS3108"]
    lines = [diagnostic.span.line for diagnostic in found if diagnostic.span]
    assert lines == sorted(lines)


def test_what_was_removed_cannot_be_used_and_both_ends_are_shown(tmp_path: Path) -> None:
    steps = ("{do: object-removal, object: dog}", "{do: object-recoloration, object: dog, to: red}")
    (found,) = findings(tmp_path, plan(*steps))
    assert found.code == "COS3201"
    assert found.span is not None
    assert found.span.line == 6
    assert [other.span.line for other in found.related] == [5]


def test_branches_of_one_of_do_not_see_each_other(tmp_path: Path) -> None:
    tree = "{one_of: [{do: object-removal, object: dog}, {do: object-recoloration, object: dog, to: red}]}"
    assert findings(tmp_path, plan(tree)) == []


def test_a_late_change_of_the_canvas_is_a_warning(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, plan("{do: object-removal, object: dog}", "{do: outpainting, left: 10%}"))
    assert found.code == "COS3202"
    assert found.severity is Severity.WARNING


def test_variables_are_put_in_and_keep_their_type(tmp_path: Path) -> None:
    head = "vars: {what: dog, factor: 2}\n"
    steps = ("{do: image-upscaling, scale: '${factor}'}", "{do: object-removal, object: 'the ${what}'}")
    assert findings(tmp_path, plan(*steps, head=head)) == []


def test_a_manifest_is_checked_against_the_vocabulary(tmp_path: Path) -> None:
    text = make_tool("my-tool", "outpaintng", needs="image, maks", more="guarantees: [original-kep]")
    codes = [found.code for found in findings(tmp_path, text, "tool.yaml") if found.severity is Severity.ERROR]
    assert codes == ["COS2001", "COS2002", "COS2003"]


def test_the_packaged_files_are_clean() -> None:
    from costa_dsl.resources import data_folder

    files = [str(path) for folder in ("tools", "plans") for path in sorted(data_folder(folder).rglob("*.yaml"))]
    assert len(files) > 30
    assert list(validate_files(files, "default")) == []
