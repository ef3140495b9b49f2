"""What `costa validate` can be asked for: forms, fixes, strictness, kinds, standard input, a configuration."""

from __future__ import annotations

import io
import json
import stat
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from costa_dsl.cli.main import run

HEAD = "apiVersion: costa/v1\nkind: Plan\ntask: Remove the cup.\n"
PLAN = HEAD + "tree: {do: object-removal, object: cup}\n"
LATE = HEAD + "tree:\n  - {do: object-removal, object: cup}\n  - {do: outpainting, left: 10%}\n"
BROKEN = "# keep this\n" + HEAD + 'policy: {alpha: "1.0"}   # and this\ntree: {do: object-removel, object: cup}\n'

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COSTA_CONFIG", raising=False)
    return tmp_path


def say(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put a text on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_every_form_tells_the_same_finding(capsys: Capture) -> None:
    Path("plan.yaml").write_text(BROKEN)
    told = {}
    for form in ("text", "json", "sarif", "github", "junit"):
        assert run(["validate", "--format", form, "plan.yaml"]) == 1
        told[form] = capsys.readouterr().out
    assert "plan.yaml:6:12: error[COS3104]" in told["text"]
    assert [found["code"] for found in json.loads(told["json"])["diagnostics"]] == ["COS1010", "COS3104"]
    (sarif,) = json.loads(told["sarif"])["runs"]
    assert [result["ruleId"] for result in sarif["results"]] == ["COS1010", "COS3104"]
    assert told["github"].count("::error file=plan.yaml,") == 2
    assert ElementTree.fromstring(told["junit"]).find(".//failure") is not None


def test_the_report_goes_to_a_file(capsys: Capture) -> None:
    Path("plan.yaml").write_text(BROKEN)
    assert run(["validate", "--format", "sarif", "-o", "out.sarif", "plan.yaml"]) == 1
    assert capsys.readouterr().out == ""
    assert json.loads(Path("out.sarif").read_text())["version"] == "2.1.0"


def test_a_report_that_cannot_be_written_is_one_finding(capsys: Capture) -> None:
    Path("plan.yaml").write_text(PLAN)
    assert run(["validate", "-o", "nowhere/out.txt", "plan.yaml"]) == 2
    err = capsys.readouterr().err
    assert "error[COS0034]" in err
    assert "Traceback" not in err


def test_a_report_never_overwrites_what_it_is_about(capsys: Capture) -> None:
    Path("plan.yaml").write_text(PLAN)
    assert run(["validate", "-o", "./plan.yaml", "plan.yaml"]) == 2
    assert Path("plan.yaml").read_text() == PLAN
    assert run(["validate", "-o", "-", "plan.yaml"]) == 0
    assert capsys.readouterr().out == "1 file, no findings\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "tree:\n  - {do: text-addition, text: &y 2025}\n  - {do: text-addition, text: !!int 3}\n",
        HEAD + "tree:\n  - {do: text-addition, text: &y 2025}\n  - {do: text-addition, text: *y}\n",
    ],
    ids=["anchors and tags", "an alias"],
)
def test_a_fix_leaves_anchors_tags_and_aliases_alone(text: str) -> None:
    Path("plan.yaml").write_text(text)
    assert run(["validate", "--fix=all", "plan.yaml"]) == 1
    assert Path("plan.yaml").read_text() == text


def test_one_fix_that_does_not_fit_blocks_no_other(capsys: Capture) -> None:
    Path("plan.yaml").write_text(
        HEAD + "tree:\n  - {do: text-addition, text: 2024}\n"
        '  - {do: object-removal, object: s, at: {box: "10,20,30,40"}}\n  - do:object-removal\n'
    )
    assert run(["validate", "--fix", "plan.yaml"]) == 1  # the removal names no object
    text = Path("plan.yaml").read_text()
    assert 'text: "2024"' in text
    assert "box: [10,20,30,40]" in text
    assert "  - {do: object-removal}\n" in text


@pytest.mark.parametrize(("strict", "code"), [(False, 0), (True, 1)])
def test_strict_fails_at_warnings(strict: bool, code: int) -> None:
    Path("plan.yaml").write_text(LATE)
    assert run(["validate", *(["--strict"] if strict else []), "plan.yaml"]) == code


def test_hints_never_fail() -> None:
    Path("plan.yaml").write_text(HEAD + "tree: {any_order: [{do: object-removal, object: cup}]}\n")
    assert run(["validate", "--strict", "plan.yaml"]) == 0


def test_safe_fixes_keep_comments_and_layout(capsys: Capture) -> None:
    path = Path("plan.yaml")
    path.write_text(BROKEN)
    path.chmod(0o640)
    assert run(["validate", "--fix", "plan.yaml"]) == 1  # the unknown subtask is left
    assert path.read_text() == BROKEN.replace('"1.0"', "1.0")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert capsys.readouterr().err == "1 fix applied\n"
    assert run(["validate", "--fix=all", "plan.yaml"]) == 0
    assert path.read_text() == BROKEN.replace('"1.0"', "1.0").replace("removel", "removal")


def test_diff_shows_and_writes_nothing(capsys: Capture) -> None:
    Path("plan.yaml").write_text(BROKEN)
    assert run(["validate", "--fix=all", "--diff", "plan.yaml"]) == 0
    out = capsys.readouterr().out
    assert '-policy: {alpha: "1.0"}   # and this\n-tree' in out
    assert "+policy: {alpha: 1.0}   # and this\n+tree: {do: object-removal, object: cup}\n" in out
    assert Path("plan.yaml").read_text() == BROKEN


def test_a_fix_goes_through_a_link_and_keeps_the_encoding() -> None:
    real = Path("real.yaml")
    real.write_bytes(BROKEN.replace("\n", "\r\n").encode("utf-16"))
    Path("plan.yaml").symlink_to(real)
    assert run(["validate", "--fix=all", "plan.yaml"]) == 0
    assert Path("plan.yaml").is_symlink()
    text = real.read_bytes().decode("utf-16")
    assert "alpha: 1.0}   # and this\r\n" in text
    assert real.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff")


def test_a_file_that_cannot_be_written_is_as_it_was(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    Path("plan.yaml").write_text(BROKEN)

    def refuse(self: Path, target: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    assert run(["validate", "--fix", "plan.yaml"]) == 1
    assert "plan.yaml" in (out := capsys.readouterr().out)
    assert 'error[COS0034]: "plan.yaml" cannot be written: No space left on device' in out
    assert Path("plan.yaml").read_text() == BROKEN
    assert [path.name for path in Path().iterdir()] == ["plan.yaml"]


def test_standard_input_has_the_name_that_it_is_given(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    say(monkeypatch, BROKEN)
    assert run(["validate", "--stdin-filename", "plans/cup.yaml", "-"]) == 1
    assert capsys.readouterr().out.startswith("plans/cup.yaml:5:17: error[COS1010]")


def test_mended_standard_input_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    say(monkeypatch, BROKEN)
    assert run(["validate", "--fix=all", "-"]) == 0
    out, err = capsys.readouterr()
    assert out == BROKEN.replace('"1.0"', "1.0").replace("removel", "removal")
    assert "no findings" in err


def test_a_pattern_that_the_shell_left_alone(capsys: Capture) -> None:
    Path("a/b").mkdir(parents=True)
    Path("a/b/one.yaml").write_text(PLAN)
    Path("a/two.yaml").write_text(PLAN)
    assert run(["validate", "a/**/*.yaml"]) == 0
    assert capsys.readouterr().out == "2 files, no findings\n"
    assert run(["validate", "a/*.yml"]) == 3


def test_kind(capsys: Capture) -> None:
    Path("plan.yaml").write_text(PLAN)
    assert run(["validate", "--kind", "plan", "plan.yaml"]) == 0
    capsys.readouterr()
    assert run(["validate", "--kind", "Tool", "plan.yaml"]) == 1
    assert "expected a Tool, found a Plan" in capsys.readouterr().out


def test_many_findings_are_counted(capsys: Capture) -> None:
    Path("plan.yaml").write_text(HEAD + "tree:\n" + "  - {do: nothing-like-it}\n" * 12)
    assert run(["validate", "--max-findings", "5", "plan.yaml"]) == 1
    out = capsys.readouterr().out
    assert out.count("error[COS3104]") == 5
    assert "and 7 more" in out
    assert "1 file, 12 errors" in out
    assert run(["validate", "--max-findings", "0", "plan.yaml"]) == 1
    assert capsys.readouterr().out.count("error[COS3104]") == 12


def test_usage_errors_are_json_when_json_is_asked_for(capsys: Capture) -> None:
    assert run(["validate", "--frob", "--format", "json", "x"]) == 2
    out, err = capsys.readouterr()
    assert (json.loads(out)["diagnostics"][0]["code"], err) == ("COS8401", "")


def test_a_secret_is_found_and_never_shown(capsys: Capture) -> None:
    secret = "sk-proj-AbCdEfGhIjKlMnOpQrSt0123"
    Path("plan.yaml").write_text(PLAN + f"policy: {{seed: {secret}}}\nnam: {secret}\n")
    for form in ("text", "json", "sarif", "github", "junit"):
        assert run(["validate", "--format", form, "plan.yaml"]) == 1
        out, err = capsys.readouterr()
        assert "COS0029" in out
        assert secret not in out + err
    assert run(["validate", "--fix=all", "plan.yaml"]) == 1
    assert secret in Path("plan.yaml").read_text()  # nothing was written over it
    assert run(["validate", "--fix=all", "--diff", "plan.yaml"]) == 1
    assert secret not in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [["fmt"], ["fmt", "--diff"], ["fmt", "--format", "json"], ["compile"], ["diff", "-"]]
)
def test_no_command_shows_a_secret(command: list[str], capsys: Capture) -> None:
    secret = "ghp_abcdefghijklmnopqrstuvwxyZ0123456789"
    for rest in (f"tree: [{{do: text-addition, text: {secret}}}\n", f"tree:   {{do: text-addition, text: {secret}}}\n"):
        Path("plan.yaml").write_text(HEAD + rest)
        code = run([*command, "plan.yaml"]) if command[0] != "diff" else run(["diff", "plan.yaml", "plan.yaml"])
        out, err = capsys.readouterr()
        assert code == 1
        assert secret not in out + err
        assert "COS0029" in out + err
        assert secret in Path("plan.yaml").read_text()


def test_a_name_is_no_secret() -> None:
    Path("plan.yaml").write_text(PLAN.replace("kind: Plan", "kind: Plan\nname: sk-learn-based-object-removal-pipeline"))
    assert run(["validate", "plan.yaml"]) == 0


# ---- the project's configuration -------------------------------------------------------------------------
def test_levels_of_rules(capsys: Capture) -> None:
    Path("plan.yaml").write_text(LATE)
    for level, code, word in (("off", 0, "no findings"), ("hint", 0, "1 hint"), ("error", 1, "1 error")):
        Path("costa.toml").write_text(f'[rules]\nCOS3202 = "{level}"\n')
        assert run(["validate", "plan.yaml"]) == code
        assert f"1 file, {word}" in capsys.readouterr().out


def test_pyproject_and_folders_above(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    Path("pyproject.toml").write_text("[tool.costa]\nstrict = true\n")
    Path("deep/er").mkdir(parents=True)
    monkeypatch.chdir("deep/er")
    Path("plan.yaml").write_text(LATE)
    assert run(["validate", "plan.yaml"]) == 1
    Path("costa.toml").write_text("strict = false\n")  # nearer
    assert run(["validate", "plan.yaml"]) == 0
    monkeypatch.setenv("COSTA_CONFIG", "../../pyproject.toml")
    assert run(["validate", "plan.yaml"]) == 1


def test_somebody_elses_pyproject_is_left_alone(capsys: Capture) -> None:
    Path("pyproject.toml").write_text("[tool.other]\nstrict = 3\n")
    Path("plan.yaml").write_text(LATE)
    assert run(["validate", "plan.yaml"]) == 0


def test_the_catalog_of_the_configuration_is_relative_to_it(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    Path("deep").mkdir()
    Path("costa.toml").write_text('catalog = "mine"\n')
    Path("mine").mkdir()
    monkeypatch.chdir("deep")
    Path("plan.yaml").write_text(PLAN)
    assert run(["validate", "plan.yaml"]) == 1
    assert 'the catalog "../mine" has no manifests' in capsys.readouterr().out


def test_a_packaged_catalog_is_no_folder() -> None:
    Path("plan.yaml").write_text(PLAN)
    for name in ("default", "paper"):
        Path("costa.toml").write_text(f'catalog = "{name}"\n')
        assert run(["validate", "plan.yaml"]) == 0


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        ("strict = \n", "COS8301", "1:10"),
        ("strct = true\n", "COS8302", "1:1"),
        ('strict = "yes"\n', "COS8303", "1:10"),
        ('[rules]\nCOS3202 = "loud"\n', "COS8303", "2:11"),
        ('[rules]\nCOS3999 = "off"\n', "COS8302", "2:1"),
        ('[rules]\nCOS3104 = "off"\n', "COS8304", "2:1"),
    ],
)
def test_what_is_wrong_in_a_configuration(text: str, code: str, marked: str, capsys: Capture) -> None:
    Path("plan.yaml").write_text(PLAN)
    Path("costa.toml").write_text(text)
    assert run(["validate", "plan.yaml"]) == 1
    assert f"costa.toml:{marked}: error[{code}]" in capsys.readouterr().out
    assert run(["compile", "plan.yaml"]) == 1
    assert f"error[{code}]" in capsys.readouterr().err


# ---- comments that live with a finding -----------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        LATE.replace("10%}", "10%}  # costa: ignore[COS3202] the cup is far from the border"),
        LATE.replace("  - {do: out", "  # costa: ignore[COS3202]: far away\n  # really\n\n  - {do: out"),
        LATE.replace("{do: outpainting, left", "{\n      do: outpainting,\n      left").replace(
            "10%}", "10%\n    }  # costa: ignore[COS3202, COS3208] broken over lines"
        ),
    ],
    ids=["behind", "above", "brackets"],
)
def test_a_finding_is_ignored_for_a_reason(text: str, capsys: Capture) -> None:
    Path("plan.yaml").write_text(text)
    assert run(["validate", "--format", "json", "plan.yaml"]) == 0
    found = json.loads(capsys.readouterr().out)
    reasons = [one["suppressed"] for one in found["diagnostics"] if one["code"] == "COS3202"]
    assert len(reasons) == 1
    assert reasons[0]
    assert found["summary"]["suppressed"] == 1
    assert run(["validate", "plan.yaml"]) == 0
    assert "1 ignored with a reason" in capsys.readouterr().out


def test_compile_lives_with_the_same_findings(capsys: Capture) -> None:
    plan = LATE.replace("object: cup", "object: cup, at: {box: [1, 1, 9, 9]}")
    Path("plan.yaml").write_text(plan)
    assert run(["compile", "plan.yaml"]) == 0
    assert "COS3202" in capsys.readouterr().err
    Path("plan.yaml").write_text(plan.replace("10%}", "10%}  # costa: ignore[COS3202] far away"))
    assert run(["compile", "plan.yaml"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("# costa: ignore[COS3202]", ["COS0031", "COS3202"]),
        ("# costa: ignore the border is plain", ["COS0031", "COS3202"]),
        ("# costa: ignore[COS3208] another", ["COS0032", "COS3202"]),
        ("# costa: ignore[COS9999] none", ["COS0032", "COS3202"]),
    ],
)
def test_comments_that_do_nothing(comment: str, codes: list[str], capsys: Capture) -> None:
    Path("plan.yaml").write_text(LATE.replace("10%}", f"10%}}  {comment}"))
    assert run(["validate", "--format", "json", "plan.yaml"]) == 0
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert sorted(one["code"] for one in found) == codes
    assert [one["suppressed"] for one in found] == ["", ""]


def test_errors_cannot_be_ignored(capsys: Capture) -> None:
    Path("plan.yaml").write_text(PLAN.replace("removal", "removel").replace("cup}", "cup}  # costa: ignore[COS3104] x"))
    assert run(["validate", "plan.yaml"]) == 1
    out = capsys.readouterr().out
    assert "warning[COS0033]: COS3104 is an error here and cannot be ignored" in out


def test_what_only_looks_like_a_comment(capsys: Capture) -> None:
    Path("plan.yaml").write_text(LATE.replace("Remove the cup.", '"a # costa: ignore[COS3202] b"'))
    assert run(["validate", "plan.yaml"]) == 0
    assert "1 file, 1 warning" in capsys.readouterr().out
