"""`costa cache` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from costa_dsl.cli.main import run
from costa_dsl.store.action_cache import ActionCache
from costa_dsl.store.cache_upkeep import DAY
from costa_dsl.store.journal import Journal
from costa_dsl.store.preimage import action_key
from costa_dsl.store.run_preimages import keep_preimage
from tests.cli.test_imports import HEAVY, loaded
from tests.store.cache_scenes import picture, preimage, store


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ActionCache:
    """A cache with results 0 and 1, in a folder with blanks and an umlaut that is named relative to the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COSTA_CACHE_DIR", "Häuser und Hüte")
    add(ActionCache(), tmp_path, 0)
    add(ActionCache(), tmp_path, 1)
    return ActionCache()


def add(cache: ActionCache, folder: Path, number: int, **fields: Any) -> str:
    where = store(folder)
    made = preimage(number, **fields)
    assert cache.keep(made, {}, {"image": where.put("image", picture(number))}, where)
    return action_key(made)


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What stands on stdout, or on stderr when the command does not end well."""
    assert run(["cache", *arguments]) == code
    out, err = capsys.readouterr()
    assert err == "" or code
    return out if code == 0 else err


def test_list(found: ActionCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(ActionCache(clock=lambda: 1000.0), tmp_path, 2, tool={"name": "nlmeans"})
    lines = said(capsys, "list").splitlines()
    assert lines[0].split() == ["key", "kind", "tool", "subtask", "size", "made", "used"]
    assert [line.split()[2] for line in lines[2:5]] == ["unsharp", "unsharp", "nlmeans"]
    assert lines[4].endswith(" d")
    assert lines[5].startswith("3 results, ")
    assert lines[5].endswith(f'in "{tmp_path / "Häuser und Hüte"}"')
    only = said(capsys, "list", "--tool", "nlmeans").splitlines()
    assert len(only) == 4
    value = json.loads(said(capsys, "list", "--format", "json"))
    assert value["folder"] == str(found.folder.root)
    assert value["bytes"] == sum(result["bytes"] for result in value["results"])
    assert [result["tool"] for result in value["results"]] == ["unsharp", "unsharp", "nlmeans"]
    assert value["results"][2]["made"] == 1000


def test_an_empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COSTA_CACHE_DIR", str(tmp_path / "none"))
    assert said(capsys, "list") == f'0 results, 0 B, in "{tmp_path / "none"}"\n'
    assert said(capsys, "path") == f"{tmp_path / 'none'}\n"
    assert said(capsys, "gc") == "removed nothing (0 B)\n0 results stay (0 B)\n"
    assert said(capsys, "verify") == "whole: 0 results, 0 values; damaged: 0\n"
    assert not (tmp_path / "none").exists()


def test_why_names_what_differs(found: ActionCache, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = action_key(preimage(0)), action_key(preimage(1))
    lines = said(capsys, "why", one[:8]).splitlines()
    assert lines == [
        f"{one[:12]}  attempt · unsharp · sharpen: in the cache, made just now",
        f"the nearest other is {other[:12]}, made just now; 1 field differs:",
        "  parameters.radius (a parameter of the tool): 0 here, 1 there",
    ]
    assert said(capsys, "why", one, other).splitlines()[2] == lines[2]
    assert said(capsys, "why", one, one).splitlines()[1] == "both are made of the same"
    value = json.loads(said(capsys, "why", one, other, "--format", "json"))
    assert value["differs"] == [{"field": ["parameters", "radius"], "here": 0, "there": 1}]
    assert (value["cached"], value["compared"]) == (True, other)


def make_run(folder: Path, *made: dict[str, Any] | None) -> None:
    """A run whose only tool made these attempts."""
    folder.mkdir()
    journal = Journal(folder / "journal.jsonl")
    for number, one in enumerate(made, start=1):
        key = None if one is None else keep_preimage(folder, one)
        journal.event("attempt", number=3, attempt=number, action=key)


def test_why_an_attempt_of_a_run_was_not_found(
    found: ActionCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digests = {"inputs": {"image": "a" * 64}}
    add(found, tmp_path, 5, **digests)
    made = preimage(5, inputs={"image": "b" * 64}, seed=4)
    make_run(tmp_path / "my run", made, preimage(0))
    lines = said(capsys, "why", "my run:3.1").splitlines()
    assert lines[0] == f"{action_key(made)[:12]}  attempt · unsharp · sharpen: not in the cache"
    assert lines[1].endswith("2 fields differ:")
    assert lines[2:] == [
        "  inputs.image (the picture it was given): bbbbbbbbbbbb… here, aaaaaaaaaaaa… there",
        "  seed (the seed): 4 here, nothing there",
    ]
    # The last attempt, when none is named.
    assert said(capsys, "why", f"{tmp_path / 'my run'}:3").startswith(action_key(preimage(0))[:12])


def test_why_finds_what_a_run_was_made_of_in_the_cache(
    found: ActionCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path / "r", preimage(1))
    (tmp_path / f"r/preimages/{action_key(preimage(1))}.json").write_text("damaged")
    assert said(capsys, "why", "r:3").startswith(action_key(preimage(1))[:12])
    assert run(["cache", "gc", "--all"]) == 0
    capsys.readouterr()
    assert "COS8504" in said(capsys, "why", "r:3", code=3)


def test_why_of_a_tool_without_results(found: ActionCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "r", preimage(0, tool={"name": "lanczos"}))
    assert said(capsys, "why", "r:3").splitlines()[1] == "no other result of lanczos is in the cache"


@pytest.mark.parametrize(
    ("asked", "code", "exit_code"),
    [
        ("zz", "COS8504", 3),
        ("abc", "COS8504", 3),
        ("0" * 64, "COS8504", 3),
        ("r:9", "COS8504", 3),
        ("r:3.9", "COS8504", 3),
        ("r:x", "COS8504", 3),
        ("r:", "COS8504", 3),
        ("r:3.", "COS8504", 3),
        ("r:3", "COS8504", 3),
        ("nowhere:1", "COS6401", 1),
        (":1", "COS6401", 1),
    ],
)
def test_what_why_does_not_know(
    found: ActionCache, tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: str, code: str, exit_code: int
) -> None:
    make_run(tmp_path / "r", None)
    assert code in said(capsys, "why", asked, code=exit_code)


def test_a_beginning_of_several_keys(found: ActionCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys: dict[str, str] = {}
    number = 0
    while True:  # until two keys begin alike; a few hundred are enough
        key = action_key(preimage(number))
        if key[:4] in keys:
            break
        keys[key[:4]] = key
        number += 1
    for made in (number, next(n for n in range(number) if action_key(preimage(n)) == keys[key[:4]])):
        add(found, tmp_path, made)
    told = said(capsys, "why", key[:4], code=3)
    assert f'2 keys in the cache begin with "{key[:4]}"' in told
    assert key[:16] in told


def test_gc(found: ActionCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(ActionCache(clock=lambda: 10 * DAY), tmp_path, 2)
    would = said(capsys, "gc", "--dry-run")
    assert would.startswith("would remove 1 result, 1 value (")
    assert would.splitlines()[1].startswith("2 results stay (")
    assert len(list(found.entries())) == 3
    assert said(capsys, "gc", "--unused", "1w").startswith("removed 1 result, 1 value")
    assert said(capsys, "gc", "--unused", "1w").startswith("removed nothing")
    value = json.loads(said(capsys, "gc", "--max-size", "1.5 kB", "--format", "json"))
    assert (value["entries"], value["entries_left"]) == (1, 1)
    assert value["bytes_left"] <= 1500
    assert said(capsys, "gc", "--all").startswith("removed 1 result")
    assert list(found.entries()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--max-size", "much"], ["--max-size", "-1"], ["--max-size", "2 apples"], ["--max-size", ""],
        ["--max-size", "1e3"],
        ["--unused", "5q"], ["--unused", "nan"], ["--unused", "inf"], ["--unused", "30 d d"], ["--unused", "1" * 400],
    ],
)  # fmt: skip
def test_amounts_that_are_none(found: ActionCache, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert "is not a number with a unit" in said(capsys, "gc", *arguments, code=2)
    assert len(list(found.entries())) == 2


def test_verify(found: ActionCache, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "verify") == "whole: 2 results, 2 values; damaged: 0\n"
    place = found.folder.blob_files()[0]
    place.write_bytes(place.read_bytes()[::-1])
    assert run(["cache", "verify"]) == 1
    out, err = capsys.readouterr()
    assert out == "whole: 1 result, 1 value; damaged: 2\n"
    assert err.count("COS6821") == 2
    assert place.name in err
    assert run(["cache", "verify", "--format", "json", "--repair"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in value["diagnostics"]] == ["COS6821", "COS6821"]
    assert value["removed"] == 2
    assert said(capsys, "verify").startswith("whole: 1 result, 1 value; damaged: 0\n")


@pytest.mark.parametrize("command", [["list"], ["why", "abcd"], ["gc"], ["gc", "--all"], ["verify"]])
def test_a_file_in_place_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("COSTA_CACHE_DIR", str(tmp_path / "file"))
    assert "COS8501" in said(capsys, *command, code=1)
    assert (tmp_path / "file").read_text() == "mine"


def test_another_format(found: ActionCache, capsys: pytest.CaptureFixture[str]) -> None:
    (found.folder.root / "format.json").write_text('{"costa-cache": 0}')
    for command in (["list"], ["why", "abcd"], ["gc"], ["verify"]):
        assert "COS8503" in said(capsys, *command, code=1)
    assert said(capsys, "gc", "--all").startswith("removed 2 results, 2 values")
    assert said(capsys, "list").startswith("0 results")


@pytest.mark.parametrize("arguments", [["list"], ["why", "KEY"], ["gc"], ["path"]], ids=lambda a: a[0])
def test_nothing_heavy_is_loaded(found: ActionCache, tmp_path: Path, arguments: list[str]) -> None:
    key = action_key(preimage(0))
    code, modules = loaded(["cache", *(key if one == "KEY" else one for one in arguments)], tmp_path)
    assert code == 0
    assert [name for name in HEAVY if name in modules] == []
