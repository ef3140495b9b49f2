"""`costa validate` where files, folders, streams and configurations are not as one expects."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from costa_dsl.cli.main import run
from costa_dsl.cli.paths import distinct, yaml_files
from costa_dsl.diagnostics import Sink
from costa_dsl.rules.configuration import Configuration, read_configuration
from costa_dsl.syntax import read_text_file

PLAN = "apiVersion: costa/v1\nkind: Plan\ntask: Remove the cup.\ntree: {do: object-removal, object: cup}\n"
NOBODY = 65534

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder that everybody may enter; pytest's own may only be entered by who runs the tests."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        monkeypatch.chdir(path)
        monkeypatch.delenv("COSTA_CONFIG", raising=False)
        yield Path(path)
        os.chdir("/")


@contextmanager
def locked(*paths: str) -> Iterator[None]:
    """Take every right to these paths away, from root as well: it becomes somebody else for that time."""
    is_root = os.geteuid() == 0
    for path in paths:
        Path(path).chmod(0)
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path in paths:
            Path(path).chmod(0o755)


@contextmanager
def no_current_folder() -> Iterator[None]:
    home = Path.cwd()
    Path("gone").mkdir()
    os.chdir("gone")
    try:
        Path("../gone").rmdir()
        yield
    finally:
        os.chdir(home)


def reading(path: str) -> str:
    """What reading a path finds, in one line."""
    sink = Sink()
    assert read_text_file(path, sink) is None
    (found,) = sink
    return f"{found.code} {found.message}"


# ---- files and folders ---------------------------------------------------------------------------------------
def test_what_cannot_be_read_is_handed_on_to_be_reported() -> None:
    Path("f/locked/deep").mkdir(parents=True)
    Path("f/locked/deep/a.yaml").write_text(PLAN)
    Path("f/b.yaml").write_text(PLAN)
    with locked("f/locked"):
        assert yaml_files("f/locked/deep/a.yaml") == ["f/locked/deep/a.yaml"]
        assert yaml_files("f/locked/deep/[a].yaml") == []
        assert yaml_files("f") == ["f/b.yaml", "f/locked"]
        assert yaml_files("f/*") == ["f/b.yaml", "f/locked"]
        assert yaml_files("f/locked") == ["f/locked"]
        assert reading("f/locked").startswith('COS0003 "f/locked" cannot be read: Permission denied')
    assert yaml_files("f") == ["f/b.yaml", "f/locked/deep/a.yaml"]


def test_pipes_and_sockets_are_left_out_of_folders(capsys: Capture) -> None:
    Path("f").mkdir()
    Path("f/a.yaml").write_text(PLAN)
    os.mkfifo("f/pipe.yaml")
    Path("f/null.yaml").symlink_to("/dev/null")
    Path("f/dangling.yaml").symlink_to("nothing")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("f/s.yaml")
        assert yaml_files("f") == ["f/a.yaml", "f/dangling.yaml"]
        assert yaml_files("f/*.yaml") == ["f/a.yaml", "f/dangling.yaml"]
    assert yaml_files("f/pipe.yaml") == ["f/pipe.yaml"]
    assert reading("f/dangling.yaml").startswith("COS0001")
    Path("f/dangling.yaml").unlink()
    assert run(["validate", "f"]) == 0
    assert capsys.readouterr().out == "1 file, no findings\n"


def test_a_pipe_that_is_named_is_read() -> None:
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m costa_dsl validate <(cat)'],
        input=PLAN, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1 file, no findings\n")


def test_a_pattern_for_a_missing_folder_matches_nothing(capsys: Capture) -> None:
    assert run(["validate", "nix/**"]) == 3
    assert "COS0008" in capsys.readouterr().err


def test_a_file_under_several_names_is_one_file(folder: Path) -> None:
    Path("t").mkdir()
    Path("t/a.yaml").write_text(PLAN)
    Path("link.yaml").symlink_to("t/a.yaml")
    spelled = ["./t/a.yaml", "t/a.yaml", "-", str(folder / "t/a.yaml"), "link.yaml", "no.yaml", "-", "./no.yaml"]
    assert distinct(spelled) == ["./t/a.yaml", "-", "no.yaml"]
    with no_current_folder():
        assert distinct(["a.yaml", "b.yaml", "a.yaml"]) == ["a.yaml", "b.yaml"]


# ---- the configuration ---------------------------------------------------------------------------------------
def test_no_current_folder_is_no_configuration(capsys: Capture) -> None:
    with no_current_folder():
        sink = Sink()
        assert (read_configuration(sink), list(sink)) == (Configuration(), [])
        assert run(["validate", "x.yaml"]) == 1
        assert run(["validate", "."]) == 3
    assert "COS6900" not in "".join(capsys.readouterr())


def test_a_folder_that_may_not_be_entered_is_no_configuration(folder: Path) -> None:
    Path("f/deep").mkdir(parents=True)
    Path("f/costa.toml").write_text("strict = true\n")
    assert read_configuration(Sink(), folder / "f/deep").strict
    with locked("f"):
        sink = Sink()
        assert (read_configuration(sink, folder / "f/deep"), list(sink)) == (Configuration(), [])


def test_an_unreadable_configuration_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("costa.toml", "pyproject.toml"):
        Path(name).write_text("[tool.costa]\n")
        with locked(name):
            sink = Sink()
            read_configuration(sink, Path.cwd())
            assert [found.code for found in sink] == ["COS0003"]
        Path(name).unlink()
    monkeypatch.setenv("COSTA_CONFIG", "no/pyproject.toml")
    sink = Sink()
    read_configuration(sink)
    assert [found.code for found in sink] == ["COS0001"]


TOML = "costa.toml"
PYPROJECT = "pyproject.toml"
BELOW_RULES = "the levels of codes stand in the table `rules`"
LEAVE_OUT = "in costa.toml leave out `tool.costa`"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (TOML, 'strict = "yes" # no\n', ("COS8303", "1:10", '"yes"', "", "such as `strict = true`")),
        (TOML, "catalog = 3\n", ("COS8303", "1:11", "3", "", 'such as `catalog = "tools"`')),
        (TOML, "rules = [1, 2]  # x\n", ("COS8303", "1:9", "[1, 2]", "", 'such as `rules = {COS3202 = "off"}`')),
        (TOML, '[rules]\nCOS3202 = "x # y"\n', ("COS8303", "2:11", '"x # y"', "", 'such as `COS3202 = "off"`')),
        (TOML, "[rules]\n'COS3202' = 'warn'\n", ("COS8303", "2:13", "'warn'", 'did you mean "warning"?', None)),
        (TOML, 'rules = {COS3208 = "off", COS3202 = 1}\n', ("COS8303", "1:37", "1", "", None)),
        (TOML, 'rules.COS3202 = "loud"\n', ("COS8303", "1:17", '"loud"', "", None)),
        (TOML, "[rules.COS3202]\nx = 1\n", ("COS8303", "1:8", "COS3202", "", None)),
        (TOML, '[rules]\ncos3202 = "off"\n', ("COS8302", "2:1", "cos3202", 'did you mean "COS3202"?', "")),
        (TOML, 'cos3202 = "off"\n', ("COS8302", "1:1", "cos3202", None, BELOW_RULES)),
        (TOML, "strikt = true\n", ("COS8302", "1:1", "strikt", 'did you mean "strict"?', "")),
        (TOML, "# x\n[tool.costa]\nstrict = 3\n", ("COS8302", "2:2", "tool", None, LEAVE_OUT)),
        (TOML, "tool.costa.strict = 3\n", ("COS8302", "1:1", "tool", None, LEAVE_OUT)),
        (TOML, 'strict = true\ncatalog = "nowhere"\n', ("COS8303", "2:11", '"nowhere"', "", None)),
        (TOML, "x = " + "[" * 4000 + "]" * 4000, ("COS8301", "1:1", "", "", "flatten it")),
        (PYPROJECT, "[tool.a]\nstrict = 3\n[tool.costa]\nstrict = 4\n", ("COS8303", "4:10", "4", "", None)),
        (PYPROJECT, '[tool]\ncosta = {strict = "a, b"}\n', ("COS8303", "2:19", '"a, b"', "", None)),
        (PYPROJECT, "[tool]\ncosta = 3\n", ("COS8303", "2:9", "3", "", "begin it with `[tool.costa]`")),
        (PYPROJECT, '[tool.costa.rules]\nCOS3202 = "x"\n', ("COS8303", "2:11", '"x"', "", None)),
    ],
)  # fmt: skip
def test_where_a_configuration_is_wrong(name: str, text: str, expected: tuple[str | None, ...]) -> None:
    Path(name).write_text(text)
    sink = Sink()
    read = read_configuration(sink)
    (found,) = sink
    assert found.span is not None
    place = f"{found.span.line}:{found.span.column}"
    told = (found.code, place, found.span.text, found.label, found.help)
    assert all(wanted is None or wanted == one for one, wanted in zip(told, expected, strict=True)), told
    assert (read.catalog, read.levels.get("COS3202")) == (None, None)


@pytest.mark.parametrize("text", ["tool = 3 # costa\n", "[tool.other]\nstrict = 'costa'\n"])
def test_somebody_elses_pyproject(text: str) -> None:
    Path(PYPROJECT).write_text(text)
    sink = Sink()
    assert (read_configuration(sink), list(sink)) == (Configuration(), [])


def test_a_catalog_that_is_a_folder() -> None:
    Path("tools").mkdir()
    Path("deep").mkdir()
    Path(TOML).write_text('catalog = "tools"\n')
    os.chdir("deep")
    sink = Sink()
    assert (read_configuration(sink).catalog, list(sink)) == ("../tools", [])


# ---- streams -------------------------------------------------------------------------------------------------
def in_shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command.replace("costa", f'"{sys.executable}" -m costa_dsl', 1)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("costa validate plan.yaml >&-", 0),
        ("costa validate no.yaml >&- 2>&-", 1),
        ("costa validate --format json no.yaml >&-", 1),
        ("costa validate 2>&- --frob", 2),
        ("costa --help >&- 2>&- <&-", 0),
        ("costa validate - <&- >&- 2>&-", 1),
    ],
)
def test_closed_streams(command: str, code: int) -> None:
    Path("plan.yaml").write_text(PLAN)
    done = in_shell(command)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
    assert Path("plan.yaml").read_text() == PLAN


def test_nothing_that_is_said_lands_in_a_file_that_was_opened_later() -> None:
    Path("plan.yaml").write_text(PLAN.replace("removal", "removel"))
    done = in_shell("costa validate --fix=all plan.yaml >&- 2>&- <&-")
    assert done.returncode == 0
    assert Path("plan.yaml").read_text() == PLAN


def test_an_output_that_takes_nothing_is_one_finding() -> None:
    Path("plan.yaml").write_text(PLAN)
    done = in_shell("costa validate plan.yaml 1</dev/null")
    assert done.returncode == 1
    assert done.stderr.startswith("error[COS8204]: standard output cannot be written")


def test_a_fault_without_a_place_for_its_traceback(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No usable temporary directory found")

    # A fault of costa itself, on a machine whose disk is full.
    monkeypatch.setattr("costa_dsl.cli.validate.yaml_files", lambda _: 1 / 0)
    monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    assert run(["validate", "plan.yaml"]) == 70
    assert "COSTA_DEBUG=1 shows the traceback" in capsys.readouterr().err
