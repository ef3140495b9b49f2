"""`costa runs`: whatever lies in the folder is listed, and nothing but runs is removed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from costa_dsl.cli.runs import runs_group
from costa_dsl.diagnostics import CostaError
from costa_dsl.report.run import describe_run
from costa_dsl.runtime.execute import Outcome
from costa_dsl.store.journal import FILE_NAME, read_journal
from costa_dsl.store.run_folder import let_go, only_one
from costa_dsl.store.runs import runs_in, summary
from tests.runtime.small import PAINT, catalog_with, run

TREE = "- {do: outpainting, left: 20, id: widen}\n" + PAINT


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(tmp_path_factory.mktemp("runs"), catalog_with("crashing"), TREE)


@pytest.fixture
def folder(tmp_path: Path, whole: Outcome) -> Path:
    """A finished run, one that was killed after its first step, one whose journal is gone to pieces, and strangers."""
    for name in ("done", "killed", "broken"):
        shutil.copytree(whole.directory.path, tmp_path / name)
    journal = read_journal(tmp_path / "killed" / FILE_NAME)
    cut = next(number for number, line in enumerate(journal.lines) if line["event"] == "outcome")
    data = (tmp_path / "killed" / FILE_NAME).read_bytes()
    (tmp_path / "killed" / FILE_NAME).write_bytes(data[: journal.ends[cut] + 5])
    (tmp_path / "killed" / "run.json").unlink()
    (tmp_path / "broken" / FILE_NAME).write_bytes(b"\x00\xff{}\n")
    (tmp_path / "broken" / "graph.json").write_text("[1]")
    (tmp_path / "photographs").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "done")
    return tmp_path


def call(*arguments: object, stdin: str = "") -> Result:
    return CliRunner().invoke(runs_group, [str(argument) for argument in arguments], input=stdin)


def code_of(result: Result) -> str:
    assert isinstance(result.exception, CostaError), result.output
    return result.exception.diagnostics[0].code


def test_each_run_is_told_as_far_as_it_came(folder: Path, whole: Outcome) -> None:
    found = {run.path.name: run for run in runs_in(folder)}
    assert set(found) == {"done", "killed", "broken"}
    assert {name: run.status for name, run in found.items()} == {
        "done": "completed", "killed": "stopped", "broken": "damaged",
    }  # fmt: skip
    assert (found["done"].done, found["done"].steps) == (2, 2)
    assert (found["killed"].done, found["killed"].steps) == (1, 2)
    assert found["done"].plan == whole.record["plan"]
    assert found["done"].picture == "drawn"
    assert found["done"].seconds == pytest.approx(whole.record["totals"]["seconds"], abs=1e-3)


def test_the_list_as_a_table_and_as_json(folder: Path) -> None:
    text = call("list", folder).output
    assert [line.split()[0] for line in text.splitlines()[2:5]][-1] == "broken"  # nobody knows when it began
    assert text.splitlines()[-1].startswith("3 runs, ")
    assert "stopped" in call("list", folder, "--status", "stopped").output
    assert call("list", folder, "--status", "stopped").output.splitlines()[-1].startswith("1 run, ")
    value = json.loads(call("list", folder, "--format", "json").output)
    assert value["version"] == 1
    assert sorted(run["status"] for run in value["runs"]) == ["completed", "damaged", "stopped"]
    assert call("list", folder, "--plan", "no-such-plan").output.startswith("0 runs, ")


def test_a_run_is_running_while_somebody_holds_it(folder: Path) -> None:
    only_one(folder / "killed")
    try:
        assert summary(folder / "killed").status == "running"
        refused = call("rm", folder / "killed", "--yes")
        assert code_of(refused) == "COS6403"
        assert (folder / "killed").is_dir()
    finally:
        let_go(folder / "killed")
    assert summary(folder / "killed").status == "stopped"


def test_show_prints_what_exec_printed(folder: Path, whole: Outcome) -> None:
    shown = call("show", folder / "done")
    assert shown.exit_code == 0
    assert shown.output == describe_run(whole.record, folder / "done", whole.objective.title)
    unfinished = call("show", folder / "killed").output
    assert "stopped: 1 of 2 steps done" in unfinished
    assert f"costa exec --resume {folder / 'killed'}" in unfinished
    value = json.loads(call("show", folder / "done", "--format", "json").output)
    assert value["record"] == json.loads((folder / "done" / "run.json").read_text())
    assert json.loads(call("show", folder / "killed", "--format", "json").output)["record"] is None
    assert call("show", folder / "broken").exit_code == 0


@pytest.mark.parametrize("name", ["photographs", "notes.txt", "link", "nowhere"])
@pytest.mark.parametrize("verb", ["show", "rm"])
def test_what_is_no_run_is_neither_shown_nor_removed(folder: Path, verb: str, name: str) -> None:
    result = call(verb, folder / name, *(["--yes"] if verb == "rm" else []))
    assert code_of(result) == "COS6602"
    assert (folder / "done" / "run.json").exists()
    assert (folder / "notes.txt").exists()


def test_nothing_is_removed_unasked(folder: Path) -> None:
    assert call("rm", folder / "done").exit_code == 2
    assert (folder / "done").is_dir()
    assert call("rm", folder / "done", "--yes").exit_code == 0
    assert not (folder / "done").exists()
    assert (folder / "killed").is_dir()


def test_one_that_is_no_run_keeps_all_of_them(folder: Path) -> None:
    assert code_of(call("rm", folder / "done", folder / "photographs", "--yes")) == "COS6602"
    assert (folder / "done").is_dir()


def test_old_runs_go_and_new_ones_stay(folder: Path) -> None:
    assert "there is nothing to remove" in call("gc", folder, "--yes").output
    assert "there is nothing to remove" in call("gc", folder, "--keep", 0, "--older-than", 1, "--yes").output
    told = call("gc", folder, "--keep", 0, "--status", "stopped", "--dry-run").output
    assert "killed" in told
    assert "nothing was removed" in told
    assert (folder / "killed").is_dir()
    assert call("gc", folder, "--keep", 0, "--status", "stopped", "--yes").exit_code == 0
    assert not (folder / "killed").exists()
    assert (folder / "done").is_dir()
    assert (folder / "broken").is_dir()  # it does not tell its age


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert code_of(call("list", tmp_path / "runs")) == "COS6601"
