"""`costa runs` as a user calls it, on real runs of small tools."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from costa_dsl.cli.main import run as costa
from costa_dsl.runtime.execute import execute
from costa_dsl.runtime.inline import InlineExecutor
from costa_dsl.store.journal import FILE_NAME, journal_line
from costa_dsl.store.stored_runs import size_on_disk
from tests.cli.test_imports import HEAVY, loaded
from tests.runtime.small import FUNCTIONS, GUARANTEES, PAINT, catalog_with, compiled, picture

LADDER = "parameters: {strength: {type: integer, default: 0, minimum: 0, maximum: 1}}\nretries: [{strength: 1}]\n"
WRONG = (None, [], {"x": [1]}, "\x00/..", 1e300, [{"check": 3}], -1)
MEMBERS = ("picture", "image", "plan", "catalog")
WIDEN = "- {do: outpainting, left: 20, id: widen}"


def make(folder: Path, editor: str = "painter", tree: str = PAINT) -> None:
    catalog = catalog_with(editor, LADDER + GUARANTEES)
    execute(compiled(catalog, tree), catalog, picture(), folder, executor=InlineExecutor(find=FUNCTIONS.__getitem__))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs: a plain one, the same again, one in which a tool crashed, one that failed, one with another step."""
    root = tmp_path_factory.mktemp("made")
    make(root / "one")
    make(root / "two")
    make(root / "crashed", "crashing")
    make(root / "other", tree=f"{WIDEN}\n{PAINT}")
    return root


@pytest.fixture
def runs(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, tmp_path / "runs")
    return Path("runs")


@pytest.fixture
def held(runs: Path) -> Iterator[Path]:
    """A run that another process is at work on."""
    program = (
        "import sys; from pathlib import Path; from costa_dsl.store.run_folder import only_one; "
        "only_one(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(runs / "two")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield runs / "two"
        other.stdin.close()


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What stands on stdout, or on stderr when the command ends with an error."""
    capsys.readouterr()
    assert costa(list(arguments)) == code
    out, err = capsys.readouterr()
    return out or err


def value(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    return json.loads(said(capsys, *arguments, "--format", "json", code=code))


def cut(run: Path, size: int) -> None:
    """Leave the first bytes of a journal, as a kill would."""
    journal = run / FILE_NAME
    journal.write_bytes(journal.read_bytes()[:size])


# ---- list ---------------------------------------------------------------------------------------------------


def test_list_has_the_newest_first(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = value(capsys, "runs", "list")
    assert found["version"] == 1
    assert [Path(run["run"]).name for run in found["runs"]] == ["other", "crashed", "two", "one"]
    assert {run["status"] for run in found["runs"]} == {"completed"}
    assert [run["steps"] for run in found["runs"]] == [{"done": 2, "all": 2}, *[{"done": 1, "all": 1}] * 3]
    assert {run["picture"] for run in found["runs"]} == {"drawn"}
    assert found["runs"][0]["bytes"] == size_on_disk(runs / "other") > 1000
    lines = said(capsys, "runs", "list").splitlines()
    assert lines[0].split() == ["run", "begun", "plan", "picture", "status", "steps", "seconds", "size"]
    assert lines[2].startswith("other ")
    assert lines[-1].startswith("4 runs, ")


def test_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    os.link(tmp_path / "a", tmp_path / "b")
    (tmp_path / "link").symlink_to("/usr")
    assert 1000 <= size_on_disk(tmp_path) < 1100


def test_a_killed_run_is_stopped_and_one_at_work_is_running(held: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = held.parent
    cut(runs / "one", (runs / "one" / FILE_NAME).stat().st_size - 5)
    found = {Path(run["run"]).name: run for run in value(capsys, "runs", "list")["runs"]}
    assert found["one"]["status"] == "stopped"
    assert "torn" in found["one"]["problem"]
    assert found["two"]["status"] == "running"
    only = value(capsys, "runs", "list", "--status", "stopped", "--status", "running")["runs"]
    assert {Path(run["run"]).name for run in only} == {"one", "two"}
    name = found["one"]["plan"]
    assert len(value(capsys, "runs", "list", "--plan", Path(name).stem)["runs"]) == 4
    assert value(capsys, "runs", "list", "--plan", "nothing")["runs"] == []


def test_every_cut_of_a_journal_is_told(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = (runs / "crashed" / FILE_NAME).read_bytes()
    first = whole.index(b"\n") + 1
    for size in range(0, len(whole), 97):
        (runs / "crashed" / FILE_NAME).write_bytes(whole[:size])
        found = {Path(run["run"]).name: run for run in value(capsys, "runs", "list")["runs"]}["crashed"]
        assert found["status"] == ("damaged" if size < first else "stopped")
        said(capsys, "runs", "show", "runs/crashed", code=3 if size < first else 0)


def test_what_is_no_run_is_listed_as_such(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (runs / "empty").mkdir()
    (runs / "link").symlink_to("one")
    (runs / "a file").write_text("x")
    (runs / "folder" / FILE_NAME).mkdir(parents=True)
    texts = {
        "garbage": b"\xff\x00 no journal\n",
        "simulated": b'{"event": "simulated", "seed": 1}\n',
        "nothing": b"",
        "unknown": f"{journal_line({'at': 1, 'event': 'run', 'version': 9})[0]}\n".encode(),
        "odd": f"{journal_line({'at': [], 'event': 'run', **dict.fromkeys(MEMBERS, 1)})[0]}\n".encode(),
    }
    for name, text in texts.items():
        (runs / name).mkdir()
        (runs / name / FILE_NAME).write_bytes(text)
    found = {Path(run["run"]).name: run["status"] for run in value(capsys, "runs", "list")["runs"]}
    assert {name: status for name, status in found.items() if status != "completed"} == {
        "empty": "foreign", "link": "foreign", "folder": "foreign", "garbage": "damaged", "simulated": "simulation",
        "nothing": "damaged", "unknown": "damaged", "odd": "damaged",
    }  # fmt: skip
    assert "a file" not in found
    for name in ("empty", "link", "a file", "folder", *texts, "gone"):
        assert "COS6602" in said(capsys, "runs", "show", f"runs/{name}", code=3)
        assert "COS6602" in said(capsys, "runs", "rm", "--yes", f"runs/{name}", code=3)
        assert "COS6602" in said(capsys, "repro", f"runs/{name}", "1", code=3)
    assert (runs / "one").is_dir()


def test_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "COS6601" in said(capsys, "runs", "list", str(tmp_path / "gone"), code=3)
    assert "COS6601" in said(capsys, "runs", "gc", str(tmp_path / "gone"), "--keep", "1", code=3)


def test_listing_and_showing_load_nothing_heavy(runs: Path) -> None:
    for arguments in (["list"], ["show", "runs/one"], ["rm", "runs/one", "--yes"], ["gc", "--keep", "0"]):
        code, modules = loaded(["runs", *arguments], Path.cwd())
        assert code == 0
        assert [name for name in HEAVY if name in modules] == []
    assert list(runs.iterdir()) == []


def test_no_value_in_a_line_ends_in_a_traceback(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines with right checksums and wrong values: every member of every line in turn, and some inside of them."""
    journal = runs / "crashed" / FILE_NAME
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for line in lines:
        del line["sum"]
    codes = set()
    turn = itertools.count()
    for number, line in enumerate(lines):
        for name in [name for name in line if name != "event"]:
            for wrong in (WRONG[next(turn) % len(WRONG)], WRONG[next(turn) % len(WRONG)]):
                changed, checksum = "", ""
                for place, other in enumerate(lines):
                    text, checksum = journal_line({**other, name: wrong} if place == number else other, checksum)
                    changed += text + "\n"
                journal.write_text(changed)
                for arguments in (["list"], ["show", "runs/crashed"], ["show", "runs/crashed", "--step", "paint"]):
                    code = costa(["runs", *arguments])
                    codes.add(code)
                    assert code in (0, 3), (number, name, wrong, capsys.readouterr().err)
                assert costa(["runs", "diff", "runs/crashed", "runs/one"]) in (1, 3), (number, name, wrong)
    assert codes == {0, 3}


# ---- show ---------------------------------------------------------------------------------------------------


def test_show_tells_what_exec_told(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "runs", "show", "runs/crashed")
    assert "rejected: crashing for paint" in text
    assert "completed: path" in text
    assert "picture: runs/crashed/output.png" in text
    assert "--resume" not in text
    assert "inside-changed" in said(capsys, "runs", "show", "runs/crashed", "--check")
    assert value(capsys, "runs", "show", "runs/crashed")["record"] == json.loads(
        (runs / "crashed" / "run.json").read_text()
    )


def test_show_of_a_stopped_run_tells_how_it_goes_on(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.move(runs / "crashed", runs / "with blank")
    cut(runs / "with blank", (runs / "with blank" / FILE_NAME).stat().st_size - 5)
    text = said(capsys, "runs", "show", "runs/with blank")
    assert "stopped: 1 of 1 step done so far" in text
    assert "goes on with: costa exec --resume 'runs/with blank'" in text


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"kind": "RunRecord", "steps": 3}', "[" * 5000])
def test_a_damaged_record_is_not_believed(runs: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (runs / "one" / "run.json").write_text(text)
    assert "run.json is missing or damaged" in said(capsys, "runs", "show", "runs/one")
    (runs / "one" / "graph.json").write_text(text)
    said(capsys, "runs", "show", "runs/one")
    said(capsys, "runs", "list")
    said(capsys, "runs", "diff", "runs/one", "runs/two", code=1)


def test_show_of_one_step(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "runs", "show", "runs/crashed", "--step", "crashing")
    assert "ZeroDivisionError" in text
    log = next(line.split("log: ")[1] for line in text.splitlines() if "log: " in line)
    assert "a defect of the tool" in Path(log).read_text()
    for line in text.splitlines():
        if "given " in line or "gave " in line:
            assert Path(line.split(": ", 1)[1]).is_file()
    assert "given mask: " in text
    found = value(capsys, "runs", "show", "runs/crashed", "--step", "paint")
    assert [call["tool"] for call in found["calls"]] == ["finder", "crashing", "painter"]
    assert [attempt["parameters"] for attempt in found["calls"][-1]["attempts"]][-1] in ({}, {"strength": 1})
    assert [call["number"] for call in value(capsys, "runs", "show", "runs/crashed", "--step", "[2]")["calls"]] == [2]
    assert 'did you mean "paint"' in said(capsys, "runs", "show", "runs/crashed", "--step", "pain", code=3)


# ---- diff ---------------------------------------------------------------------------------------------------


def test_the_same_run_twice_is_the_same(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "output: equal in every pixel" in said(capsys, "runs", "diff", "runs/one", "runs/two")
    found = value(capsys, "runs", "diff", "runs/one", "runs/two")
    assert (found["same"], found["same_path"], found["output"]) == (True, True, None)


def test_another_plan_and_size(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "runs", "diff", "runs/one", "runs/other", code=1)
    assert "output: 128×96 pixels against 148×96" in text
    assert "≠  widen" in text
    assert "graph: " in text


def test_changed_pixels_are_counted(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = runs / "two" / "output.png"
    pixels = np.array(Image.open(path))
    pixels[:10, :10, 0] ^= 4
    Image.fromarray(pixels).save(path)
    text = said(capsys, "runs", "diff", "runs/one", "runs/two", code=1)
    assert f"output: {100 / (96 * 128):.2%} of the pixels differ" in text
    assert "and 4 at most" in text
    assert "path: the same" in text
    path.write_bytes(b"no picture")
    assert "output: " in said(capsys, "runs", "diff", "runs/one", "runs/two", code=1)
    path.unlink()
    assert "no finished picture in runs/two" in said(capsys, "runs", "diff", "runs/one", "runs/two", code=1)


# ---- rm and gc ----------------------------------------------------------------------------------------------


def test_rm_asks_or_needs_yes(runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr("sys.stdin", nobody)
        assert "COS6605" in said(capsys, "runs", "rm", "runs/one", code=2)
    assert (runs / "one").is_dir()
    assert "removed 1 run" in said(capsys, "runs", "rm", "runs/one", "runs/../runs/one", "--yes")
    assert sorted(path.name for path in runs.iterdir()) == ["crashed", "other", "two"]


@pytest.mark.parametrize(("inside", "name"), [("", "."), ("artifacts", "..")])
def test_rm_of_the_folder_one_is_in(
    runs: Path, inside: str, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = runs.absolute()
    monkeypatch.chdir(folder / "one" / inside)
    assert "removed 1 run" in said(capsys, "runs", "rm", name, "--yes")
    assert sorted(path.name for path in folder.iterdir()) == ["crashed", "other", "two"]


def test_a_running_run_is_never_removed(held: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "COS6603" in said(capsys, "runs", "rm", "--yes", "runs/one", "runs/two", code=1)
    assert (held.parent / "one").is_dir()  # nothing goes when one is refused
    said(capsys, "runs", "gc", "--keep", "0")
    assert [path.name for path in held.parent.iterdir()] == ["two"]
    assert (held / FILE_NAME).is_file()


def test_gc_removes_what_all_options_allow(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (runs / "foreign").mkdir()
    (runs / ".x.0000.removed").mkdir()
    assert costa(["runs", "gc"]) == 2
    assert "would remove 2 runs" in said(capsys, "runs", "gc", "--keep", "2", "--dry-run")
    assert "removed 0 runs" in said(capsys, "runs", "gc", "--older-than", "1d", "--keep", "0")
    assert "removed 0 runs" in said(capsys, "runs", "gc", "--status", "failed")
    assert len(list(runs.iterdir())) == 5
    before = {name: size_on_disk(runs / name) for name in ("one", "two")}
    found = value(capsys, "runs", "gc", "--keep", "2")
    assert found["bytes"] == sum(before.values())
    assert {Path(run["run"]).name for run in found["runs"]} == {"one", "two"}
    assert sorted(path.name for path in runs.iterdir()) == ["crashed", "foreign", "other"]


def test_gc_by_age(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = json.loads((runs / "one" / FILE_NAME).read_text().splitlines()[0])
    del first["sum"]
    old = journal_line({**first, "at": time.time() - 40 * 86400})[0]
    (runs / "one" / FILE_NAME).write_text(old + "\n")
    assert "removed runs/one (" in said(capsys, "runs", "gc", "--older-than", "30d")
    assert not (runs / "one").exists()
    assert len(list(runs.iterdir())) == 3
