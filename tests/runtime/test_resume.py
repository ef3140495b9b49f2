"""A run that is stopped at any moment goes on, does nothing twice that had finished, and ends in the same picture."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.diagnostics import CostaError
from costa_dsl.model.plan import Budget
from costa_dsl.runtime.call import ToolCall
from costa_dsl.runtime.events import AttemptEnded, Resumed
from costa_dsl.runtime.execute import Outcome, execute, resume
from costa_dsl.runtime.resume import take_up
from costa_dsl.store.artifacts import ArtifactStore, digest
from costa_dsl.store.journal import CUT_NAME, FILE_NAME, journal_line, read_journal
from costa_dsl.store.run_folder import let_go
from tests.runtime.small import (
    FUNCTIONS,
    GUARANTEES,
    PAINT,
    Tool,
    catalog_with,
    compiled,
    crash,
    executor_with,
    paint,
    picture,
)

TREE = f"- {{do: outpainting, left: 20, id: widen}}\n{PAINT}\n- {{do: outpainting, left: 4, id: again}}"
LADDER = "parameters: {strength: {type: integer, default: 0, minimum: 0, maximum: 1}}\nretries: [{strength: 1}]\n"


def counted(counts: Counter[str]) -> dict[str, Tool]:
    """The tools of this run, each call counted; an editor that fails comes before the painter, which tries twice."""

    def one(name: str) -> Tool:
        def call(given: ToolCall) -> Mapping[str, Any]:
            counts[name] += 1
            return {"crashing": crash, "painter": paint}.get(name, FUNCTIONS[name])(given)

        return call

    return {name: one(name) for name in ("finder", "widener", "painter", "crashing")}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_with("crashing", LADDER + GUARANTEES)


@pytest.fixture(scope="module")
def graph(catalog: Catalog) -> ToolpathGraph:
    return compiled(catalog, TREE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog, graph: ToolpathGraph) -> tuple[Path, Outcome]:
    """A run that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    outcome = execute(graph, catalog, picture(), folder, executor=executor_with(counted(Counter())))
    return folder, outcome


def go_on(folder: Path, catalog: Catalog, graph: ToolpathGraph, counts: Counter[str] | None = None) -> Outcome:
    executor = executor_with(counted(Counter() if counts is None else counts))
    return resume(graph, catalog, take_up(folder), executor=executor)


def essence(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without how long the processes were at work."""
    kept = {**record, "totals": {**record["totals"]}}
    del kept["totals"]["wall_seconds"]
    return kept


def assert_whole(folder: Path, outcome: Outcome, reference: Outcome) -> None:
    assert digest("image", outcome.picture) == digest("image", reference.picture)
    assert essence(outcome.record) == essence(reference.record)
    assert json.loads((folder / "run.json").read_text()) == outcome.record
    assert read_journal(folder / FILE_NAME).problem == ""
    store = ArtifactStore(folder / "artifacts", memory=0)
    for line in read_journal(folder / FILE_NAME).lines:
        for name, ref in line.get("outputs", {}).items():
            store.get(type(outcome.result.situation.image)(name, **ref))


def test_the_run_is_one_that_has_all_kinds_of_lines(whole: tuple[Path, Outcome]) -> None:
    folder, outcome = whole
    assert outcome.exit_code == 0
    events = Counter(line["event"] for line in read_journal(folder / FILE_NAME).lines)
    assert set(events) == {"run", "search", "started", "attempt", "outcome", "ended"}
    assert outcome.record["rejected"][0]["tool"] == "crashing"
    assert outcome.result.executions > len(outcome.result.tried)  # some tool was tried again


def test_stopped_behind_any_line_it_goes_on_to_the_same_picture_and_runs_nothing_twice(
    tmp_path: Path, catalog: Catalog, graph: ToolpathGraph, whole: tuple[Path, Outcome]
) -> None:
    reference, expected = whole
    recorded = read_journal(reference / FILE_NAME)
    data = (reference / FILE_NAME).read_bytes()
    for count in range(1, len(recorded.lines)):
        for torn in (0, 1, 40):
            folder = tmp_path / f"run-{count}-{torn}"
            shutil.copytree(reference, folder)
            (folder / "run.json").unlink()
            (folder / FILE_NAME).write_bytes(data[: recorded.ends[count - 1] + torn])
            made = sum(line["event"] == "attempt" for line in recorded.lines[:count])
            counts: Counter[str] = Counter()
            outcome = go_on(folder, catalog, graph, counts)
            assert sum(counts.values()) == expected.result.executions - made
            assert_whole(folder, outcome, expected)
            assert (folder / CUT_NAME).exists() == (torn > 0)
            shutil.rmtree(folder)


def test_cut_at_any_byte_a_journal_gives_its_whole_lines(tmp_path: Path, whole: tuple[Path, Outcome]) -> None:
    """Where the cut is not at a line's end, the run goes on behind the last whole line (the test above)."""
    data = (whole[0] / FILE_NAME).read_bytes()
    recorded = read_journal(whole[0] / FILE_NAME)
    place = tmp_path / FILE_NAME
    for size in range(len(data) + 1):
        place.write_bytes(data[:size])
        found = read_journal(place)
        count = sum(end <= size for end in recorded.ends)
        assert found.lines == recorded.lines[:count]
        assert found.problem == ("" if size in (0, *recorded.ends) else "torn")


def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path: Path, whole: tuple[Path, Outcome]) -> None:
    data = (whole[0] / FILE_NAME).read_bytes()
    recorded = read_journal(whole[0] / FILE_NAME)
    place = tmp_path / FILE_NAME
    for at in range(0, len(data), 7):
        place.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        found = read_journal(place)
        assert found.problem
        assert len(found.lines) == sum(end <= at for end in recorded.ends)


def test_lines_that_were_taken_out_or_exchanged_are_noticed(tmp_path: Path, whole: tuple[Path, Outcome]) -> None:
    lines = (whole[0] / FILE_NAME).read_bytes().splitlines(keepends=True)
    place = tmp_path / FILE_NAME
    place.write_bytes(b"".join(lines[:3] + lines[4:]))
    assert len(read_journal(place).lines) == 3
    place.write_bytes(b"".join([*lines[:3], lines[4], lines[3], *lines[5:]]))
    assert len(read_journal(place).lines) == 3


def test_killed_two_hundred_times_at_random_moments_it_still_ends_in_the_same_picture(
    tmp_path: Path, catalog: Catalog, graph: ToolpathGraph, whole: tuple[Path, Outcome]
) -> None:
    """Each run is killed and taken up again until it is done; SIGKILL leaves no time for anything."""
    _, expected = whole
    draw = random.Random(6)
    kills, runs = 0, 0
    while kills < 200:
        runs += 1
        folder = tmp_path / f"run{runs}"
        while not (folder / "run.json").exists():
            child = os.fork()
            if child == 0:
                _work_until_killed(folder, catalog, graph)
            # Sometimes nearly at once, sometimes near the end.
            time.sleep(draw.uniform(0, 0.12))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            kills += os.WIFSIGNALED(status)
        if read_journal(folder / FILE_NAME).lines[-1]["event"] != "ended":
            go_on(folder, catalog, graph)
        assert_whole(folder, go_on(folder, catalog, graph), expected)
        shutil.rmtree(folder)
    assert runs >= 10  # they do come to their ends


def _work_until_killed(folder: Path, catalog: Catalog, graph: ToolpathGraph) -> None:
    """In a child process: begin, or go on; a kill before the first whole line means to begin anew."""
    try:
        if (folder / FILE_NAME).exists() and read_journal(folder / FILE_NAME).lines:
            go_on(folder, catalog, graph)
        else:
            shutil.rmtree(folder, ignore_errors=True)
            execute(graph, catalog, picture(), folder, executor=executor_with(counted(Counter())))
    finally:
        os._exit(0)


def test_a_run_that_is_done_says_so_again_and_runs_nothing(
    tmp_path: Path, catalog: Catalog, graph: ToolpathGraph, whole: tuple[Path, Outcome]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole[0], folder)
    counts: Counter[str] = Counter()
    seen: list[object] = []
    taken_up = take_up(folder)
    outcome = resume(graph, catalog, taken_up, observer=seen.append, executor=executor_with(counted(counts)))
    assert_whole(folder, outcome, whole[1])
    assert not counts
    assert seen == [Resumed(whole[1].result.executions, 0.0)]


def test_a_missing_or_damaged_artifact_is_made_again(
    tmp_path: Path, catalog: Catalog, graph: ToolpathGraph, whole: tuple[Path, Outcome]
) -> None:
    reference, expected = whole
    attempts = [line for line in read_journal(reference / FILE_NAME).lines if line.get("outputs")]

    def halve(place: Path) -> None:
        place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])

    spoils: list[Callable[[Path], None]] = [Path.unlink, halve]
    for number, spoil in enumerate(spoils):
        folder = tmp_path / f"run{number}"
        shutil.copytree(reference, folder)
        (ref,) = attempts[2]["outputs"].values()
        spoil(folder / "artifacts" / ref["path"])
        taken_up = take_up(folder)
        (notice,) = taken_up.notices
        assert notice.code == "COS6405"
        assert ref["path"] in notice.message
        outcome = resume(graph, catalog, taken_up, executor=executor_with(counted(Counter())))
        assert_whole(folder, outcome, expected)


def test_a_changed_tool_is_told_and_nothing_is_lost(
    tmp_path: Path, graph: ToolpathGraph, whole: tuple[Path, Outcome]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole[0], folder)
    before = (folder / FILE_NAME).read_bytes()
    other = catalog_with("crashing", LADDER.replace("strength: 1}]", "strength: 0}]") + GUARANTEES)
    with pytest.raises(CostaError) as refused:
        go_on(folder, other, compiled(other, TREE.replace("left: 20", "left: 21")))
    (found,) = refused.value.diagnostics
    assert found.code == "COS6402"
    assert "graph" in found.help
    assert (folder / FILE_NAME).read_bytes() == before


def test_one_process_at_a_time(tmp_path: Path, whole: tuple[Path, Outcome]) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole[0], folder)
    take_up(folder)
    program = f"from pathlib import Path; from costa_dsl.runtime.resume import take_up; take_up(Path({str(folder)!r}))"
    refused = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    let_go(folder)
    assert "another costa is at work on the run" in refused.stderr
    allowed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (allowed.returncode, allowed.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "COS6401"),
        ("", "COS6404"),
        ("no journal\n", "COS6404"),
        (journal_line({"event": "simulated", "seed": 1})[0] + "\n", "COS6404"),
        (journal_line({"event": "run", "version": 99})[0] + "\n", "COS6404"),
    ],
)
def test_what_is_no_run_is_told(tmp_path: Path, text: str | None, code: str) -> None:
    if text is not None:
        (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(CostaError) as refused:
        take_up(tmp_path)
    assert [found.code for found in refused.value.diagnostics] == [code]


def test_a_full_disk_loses_nothing(
    tmp_path: Path, catalog: Catalog, graph: ToolpathGraph, whole: tuple[Path, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From any sync on there is no room."""
    real, left = os.fsync, [1000]

    def full(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    execute(graph, catalog, picture(), tmp_path / "counted", executor=executor_with(counted(Counter())))
    syncs = 1000 - left[0]
    begun = 8  # plan, graph and picture, with their folders, and the journal's first line
    for number in range(begun, syncs, 3):
        folder = tmp_path / f"run{number}"
        left[0] = number
        with pytest.raises(CostaError) as refused:
            execute(graph, catalog, picture(), folder, executor=executor_with(counted(Counter())))
        (found,) = refused.value.diagnostics
        assert found.code == "COS8205"
        assert "--resume" in found.help
        left[0] = 1000
        assert_whole(folder, go_on(folder, catalog, graph), whole[1])


def test_the_budget_counts_what_was_spent_before(tmp_path: Path, catalog: Catalog) -> None:
    small = compiled(catalog, TREE, "policy: {budget: {calls: 3}}")
    outcome = execute(small, catalog, picture(), tmp_path / "run", executor=executor_with(counted(Counter())))
    assert outcome.exit_code == 5
    again = go_on(tmp_path / "run", catalog, small)
    assert (again.exit_code, again.result.executions) == (5, outcome.result.executions)
    assert np.array_equal(again.picture, outcome.picture)


def test_a_run_that_its_budget_ended_goes_on_with_a_greater_one(
    tmp_path: Path, whole: tuple[Path, Outcome], catalog: Catalog, graph: ToolpathGraph
) -> None:
    """At any call, also between two tries of one tool; with the graph that it began with."""
    for calls in range(1, whole[1].result.executions):
        small = compiled(catalog, TREE, f"policy: {{budget: {{calls: {calls}}}}}")
        folder = tmp_path / f"run{calls}"
        outcome = execute(small, catalog, picture(), folder, executor=executor_with(counted(Counter())))
        assert (outcome.exit_code, outcome.result.executions) == (5, calls)
        raised = replace(small.plan.policy, budget=Budget(calls=100))
        more = replace(small, plan=replace(small.plan, policy=raised))
        counts: Counter[str] = Counter()
        again = go_on(folder, catalog, more, counts)
        assert sum(counts.values()) == whole[1].result.executions - calls
        assert digest("image", again.picture) == digest("image", whole[1].picture)
        assert again.record["steps"] == whole[1].record["steps"]


def test_only_what_is_new_is_told(
    tmp_path: Path, catalog: Catalog, graph: ToolpathGraph, whole: tuple[Path, Outcome]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole[0], folder)
    recorded = read_journal(folder / FILE_NAME)
    made = [number for number, line in enumerate(recorded.lines) if line["event"] == "attempt"]
    (folder / FILE_NAME).write_bytes((folder / FILE_NAME).read_bytes()[: recorded.ends[made[1]]])
    seen: list[object] = []
    resume(graph, catalog, take_up(folder), observer=seen.append, executor=executor_with(counted(Counter())))
    assert seen[0] == Resumed(2, 0.0)
    assert sum(isinstance(event, AttemptEnded) for event in seen) == len(made) - 2
