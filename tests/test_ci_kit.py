"""The CI kit: hooks, the action, the problem matcher and the snippets of docs/ci.md, run or held against real output."""

# ruff: noqa: E501  (tables of cases)

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from costa_dsl.cli.main import COMMANDS
from costa_dsl.schema.kinds import schema_text

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
MATCHERS = json.loads((ROOT / ".github" / "problem-matcher-costa.json").read_text(encoding="utf-8"))["problemMatcher"]
GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```(\w+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
# By the name of the file that each says it is, in its first line.
YAML_SNIPPETS = {text.splitlines()[0].removeprefix("# "): text for language, text in SNIPPETS if language == "yaml"}

GOOD = "apiVersion: costa/v1\nkind: Plan\ntask: Remove the cup.\ntree: {do: object-removal, object: cup}\n"
BAD = GOOD.replace("object-removal", "object-removel").replace("task:", "tsk:")
OLD = "%YAML 1.1\n---\n" + GOOD


def step(name: str) -> dict[str, Any]:
    (found,) = [step for step in ACTION["runs"]["steps"] if step["name"] == name]
    return dict(found)


def run_step(name: str, folder: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Run a step of the action as GitHub does; its exit code, what it printed, and its outputs."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    costa = programs / "costa"
    costa.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m costa_dsl "$@"\n')
    costa.chmod(0o755)
    outputs = folder / "outputs"
    outputs.write_text("")
    given = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()} | inputs
    environment = {
        variable: given[re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)[1]]  # type: ignore[index]
        for variable, value in step(name).get("env", {}).items()
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]],
        cwd=folder,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            **environment,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_PATH": str(folder / "path"),
            "GITHUB_ACTION_PATH": str(folder / "action"),
            "RUNNER_TEMP": str(folder),
        },
        check=False,
    )
    written = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    return done.returncode, done.stdout + done.stderr, written


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "my plans").mkdir()
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "plan.yaml").write_text(GOOD)
    (tmp_path / "my plans" / "a bad one.yaml").write_text(BAD)
    (tmp_path / "my plans" / "an old one.yaml").write_text(OLD)
    return tmp_path


def validate(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "costa_dsl", "validate", *arguments],
        cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert "internal error" not in done.stdout + done.stderr
    return done.stdout.splitlines()


def matched(line: str) -> dict[str, str]:
    """What GitHub's runner reads from a line: the first matcher that fits gives the fields."""
    for matcher in MATCHERS:
        (pattern,) = matcher["pattern"]
        if found := re.match(pattern["regexp"], line):
            fields = {key: found[group] for key, group in pattern.items() if key != "regexp"}
            return {"severity": matcher.get("severity", ""), **fields}
    return {}


# ---- the problem matcher


def test_the_matcher_reads_the_first_line_of_every_finding(project: Path) -> None:
    text = validate(project, "my plans")
    (document,) = [json.loads("\n".join(validate(project, "--format", "json", "my plans")))]
    wanted = [
        {
            "file": found["span"]["file"],
            "line": str(found["span"]["start"]["line"]),
            "column": str(found["span"]["start"]["column"]),
            "severity": found["severity"],
            "code": found["code"],
            "message": found["message"],
        }
        for found in document["diagnostics"]
    ]
    assert {found["file"] for found in wanted} == {"my plans/a bad one.yaml", "my plans/an old one.yaml"}
    assert {found["severity"] for found in wanted} == {"error", "warning"}
    assert [fields for line in text if (fields := matched(line))] == wanted


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("plans/market.yaml:9:12: error[COS3104]: unknown subtask \"x\"", ("plans/market.yaml", "9", "12", "error", "COS3104")),
        (r"C:\plans\a.yaml:1:2: warning[COS0010]: old", (r"C:\plans\a.yaml", "1", "2", "warning", "COS0010")),
        ("a: b:3:4:5: error[COS1012]: key: 7:8: error[COS1]: x", ("a: b:3", "4", "5", "error", "COS1012")),
        ("p.yaml:1:1: hint[COS3202]: perhaps", ("p.yaml", "1", "1", "notice", "COS3202")),
    ],
)  # fmt: skip
def test_lines_that_match(line: str, fields: tuple[str, ...]) -> None:
    found = matched(line)
    assert tuple(found[key] for key in ("file", "line", "column", "severity", "code")) == fields


@pytest.mark.parametrize(
    "line",
    [
        "  9 |   - {do: object-recolouring, object: leaves, to: red}",
        "  plans/market.yaml:3:1: note: first defined here",
        "  help: add `tree:`",
        "error[COS0008]: there is no YAML file below \"x\"",
        "2 files, 1 error",
        "plans/market.yaml:9: error[COS3104]: no column",
    ],
)  # fmt: skip
def test_lines_that_are_no_finding(line: str) -> None:
    assert matched(line) == {}


def test_the_matchers_have_names_of_their_own() -> None:
    assert len({matcher["owner"] for matcher in MATCHERS}) == len(MATCHERS)


# ---- the action


def test_the_action_fits_the_schema_of_actions() -> None:
    check("vendor.github-actions", ROOT / "action.yml")


def check(schema: str, path: Path) -> None:
    """Hold a file against a schema of SchemaStore, as check-jsonschema carries it."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_inputs_reach_the_scripts_as_variables_only() -> None:
    used = set()
    for entry in ACTION["runs"]["steps"]:
        assert "${{" not in entry["run"]
        used |= set(re.findall(r"inputs\.([a-z-]+)", json.dumps(entry.get("env", {}))))
        assert set(re.findall(r"INPUT_[A-Z]+", entry["run"])) == set(entry.get("env", {}))
    assert used == set(ACTION["inputs"])


def test_a_good_project(project: Path) -> None:
    code, told, outputs = run_step("Validate", project, paths="good")
    assert (code, outputs) == (0, {"exit-code": "0"}), told


def test_findings_become_annotations(project: Path) -> None:
    code, told, outputs = run_step("Validate", project, paths="good\n\nmy plans/a bad one.yaml\n")
    assert (code, outputs) == (1, {"exit-code": "1"}), told
    assert "::error file=my plans/a bad one.yaml,line=3,col=1" in told
    assert "COS1012" in told


def test_warnings_fail_a_strict_step_only(project: Path) -> None:
    assert run_step("Validate", project, paths="my plans/an old one.yaml")[0] == 0
    assert run_step("Validate", project, paths="my plans/an old one.yaml", strict="true")[0] == 1
    code, told, _ = run_step("Validate", project, paths="good", strict="yes")
    assert (code, "'strict' is true or false, not 'yes'" in told) == (2, True)


def test_the_format_is_an_input(project: Path) -> None:
    code, told, _ = run_step("Validate", project, paths="my plans", format="text")
    assert code == 1
    assert [matched(line)["code"] for line in told.splitlines() if matched(line)] != []
    assert "::error" not in told


def test_a_sarif_file_beside_the_log(project: Path) -> None:
    code, told, outputs = run_step("Validate", project, paths="my plans", sarif="costa.sarif")
    assert (code, outputs) == (1, {"sarif": "costa.sarif", "exit-code": "1"})
    assert "::error" in told
    document = json.loads((project / "costa.sarif").read_text(encoding="utf-8"))
    assert document["version"] == "2.1.0"
    assert {result["ruleId"] for result in document["runs"][0]["results"]} >= {"COS1012"}


@pytest.mark.parametrize("paths", ["", "\n  \n"])
def test_no_paths(paths: str, project: Path) -> None:
    code, told, _ = run_step("Validate", project, paths=paths)
    assert (code, "::error::costa: the input 'paths' is empty" in told) == (2, True)


@pytest.mark.parametrize("paths", ["$(touch hacked)", "`touch hacked`", "x; touch hacked", "--catalog"])
def test_a_path_is_never_a_command(paths: str, project: Path) -> None:
    code, told, _ = run_step("Validate", project, paths=paths, format="text")
    assert code == 1
    assert "COS0001" in told
    assert not (project / "hacked").exists()


def test_nothing_matched_has_its_own_exit_code(project: Path) -> None:
    (project / "empty").mkdir()
    assert run_step("Validate", project, paths="empty", sarif="x.sarif")[2] == {"exit-code": "3"}


def test_the_matcher_is_registered(project: Path) -> None:
    shutil.copytree(ROOT / ".github", project / "action" / ".github")
    code, told, _ = run_step("Register the problem matcher", project)
    command, path = told.strip().split("::")[1:]
    assert (code, command) == (0, "add-matcher")
    assert json.loads(Path(path).read_text())["problemMatcher"] == MATCHERS


BACKEND = """
import zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "small-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        wheel.writestr("small.py", "def main():\\n    print('here')\\n")
        wheel.writestr("small-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: small\\nVersion: 1.0\\n")
        wheel.writestr("small-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("small-1.0.dist-info/entry_points.txt", "[console_scripts]\\nsmall = small:main\\n")
        wheel.writestr("small-1.0.dist-info/RECORD", "")
    return name
"""


def test_the_install_step_installs_the_checkout(project: Path) -> None:
    # A package without dependencies stands for costa: this test needs no network.
    (project / "action").mkdir()
    (project / "action" / "backend.py").write_text(BACKEND)
    (project / "action" / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    code, told, _ = run_step("Install costa", project, python=sys.executable)
    assert code == 0, told
    program = Path((project / "path").read_text().strip()) / "small"
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "here\n"


# ---- pre-commit


def test_the_hooks_call_commands_that_exist() -> None:
    assert set(HOOKS) == {"costa-validate", "costa-fmt"}
    for hook in HOOKS.values():
        program, command = hook["entry"].split()
        assert (program, command in COMMANDS, hook["language"]) == ("costa", True, "python")
        assert hook["require_serial"] is True


@pytest.mark.parametrize(
    ("path", "wanted"),
    [("plans/a.yaml", True), ("photos/tools/x.yml", True), ("compose.yaml", False), (".github/workflows/ci.yml", False), ("myplans/a.yaml", False)],
)  # fmt: skip
def test_the_hooks_look_at_costas_folders(path: str, wanted: bool) -> None:
    assert all(bool(re.search(hook["files"], path)) is wanted for hook in HOOKS.values())


# ---- the guide


def test_the_guides_pre_commit_snippets_name_our_hooks() -> None:
    named = set()
    for text in [text for language, text in SNIPPETS if ".pre-commit-config.yaml" in text.splitlines()[0]]:
        for repo in yaml.safe_load(text)["repos"]:
            named |= {hook["id"] for hook in repo["hooks"]}
    assert named == set(HOOKS)


@pytest.mark.parametrize("name", [".github/workflows/costa.yml", ".github/workflows/costa-sarif.yml"])
def test_the_guides_workflows(name: str, tmp_path: Path) -> None:
    workflow = yaml.safe_load(YAML_SNIPPETS[name])
    (tmp_path / "workflow.yml").write_text(YAML_SNIPPETS[name])
    check("vendor.github-workflows", tmp_path / "workflow.yml")
    (ours,) = [step for step in workflow["jobs"]["validate"]["steps"] if step["uses"].startswith("OWNER/costa@")]
    assert set(ours["with"]) <= set(ACTION["inputs"])
    assert "paths" in ours["with"]


def test_the_guides_gitlab_job(tmp_path: Path) -> None:
    (tmp_path / "ci.yml").write_text(YAML_SNIPPETS[".gitlab-ci.yml"])
    check("vendor.gitlab-ci", tmp_path / "ci.yml")


def test_the_guides_gitlab_script_writes_its_report(project: Path) -> None:
    job = yaml.safe_load(YAML_SNIPPETS[".gitlab-ci.yml"])["costa"]
    install, report, decide = job["script"]
    assert install.startswith("pip install")
    folder = project / "repository"
    (folder / "plans").mkdir(parents=True)
    (folder / "tools").mkdir()
    (folder / "plans" / "bad.yaml").write_text(BAD)
    assert run_lines(report, folder, project) == 0
    assert run_lines(decide, folder, project) == 1
    assert "COS1012" in (folder / job["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8")


def run_lines(script: str, folder: Path, project: Path) -> int:
    run_step("Validate", project, paths="good")  # leaves the program `costa` in the folder `programs`
    path = f"{project / 'programs'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=folder, capture_output=True, check=False,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
    ).returncode  # fmt: skip


def test_the_guides_shell_lines(project: Path) -> None:
    (text, editors) = [text for language, text in SNIPPETS if language == "bash"]
    for folder in ("plans", "tools"):
        (project / folder).mkdir()
    (project / "plans" / "new.yaml").write_text(GOOD)
    for line in (text + editors).splitlines():
        assert run_lines(line, project, project) == 0, line
    assert json.loads((project / "findings.json").read_text())["diagnostics"] == []
    assert (project / "schemas" / "plan.schema.json").read_text(encoding="utf-8") == schema_text("Plan")


def test_the_guide_tells_every_input() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (?:`([^`]*)`)? ?\|", GUIDE, re.MULTILINE)
    assert dict(rows) == {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()}


def test_the_guides_settings_for_editors() -> None:
    (text,) = [text for language, text in SNIPPETS if language == "json"]
    for schema, patterns in json.loads(text)["yaml.schemas"].items():
        assert (ROOT / schema).is_file()
        assert any(list(ROOT.glob(pattern)) for pattern in patterns)


def test_the_guides_plan_is_valid(tmp_path: Path) -> None:
    (text,) = [text for language, text in SNIPPETS if language == "yaml" and "kind: Plan" in text]
    (tmp_path / "plan.yaml").write_text(text)
    assert validate(tmp_path, "plan.yaml") == ["1 file, no findings"]
