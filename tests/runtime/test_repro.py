"""One attempt of a run is made again, alone, and compared with what is recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.diagnostics import CostaError
from costa_dsl.runtime.call import ToolCall, ToolFailure
from costa_dsl.runtime.execute import execute
from costa_dsl.runtime.repro import Repeated, repeat
from costa_dsl.store.journal import FILE_NAME, journal_line, read_journal
from costa_dsl.store.run_calls import one_call
from costa_dsl.store.stored_runs import read_run
from tests.runtime.small import GUARANTEES, PAINT, Tool, catalog_with, compiled, executor_with, paint, picture

LADDER = "parameters: {strength: {type: integer, default: 0, minimum: 0, maximum: 1}}\nretries: [{strength: 1}]\n"
CRASHING, PAINTER = 2, 3


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_with("crashing", LADDER + GUARANTEES)


@pytest.fixture(scope="module")
def graph(catalog: Catalog) -> ToolpathGraph:
    return compiled(catalog, PAINT)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog, graph: ToolpathGraph) -> Path:
    folder = tmp_path_factory.mktemp("repro") / "run"
    execute(graph, catalog, picture(), folder, executor=executor_with({}))
    return folder


def again(
    run: Path, catalog: Catalog, graph: ToolpathGraph, name: str, root: Path, attempt: int | None = None, **tools: Tool
) -> Repeated:
    stored = read_run(run)
    return repeat(stored, one_call(stored, name), attempt, graph, catalog, root, executor_with(tools))


def test_every_invocation_comes_out_as_it_did(
    run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    calls = read_run(run).calls
    assert [call.tool for call in calls] == ["finder", "crashing", "painter"]
    for call in calls:
        for line in call.attempts:
            found = again(run, catalog, graph, str(call.number), tmp_path / str(call.number), line["attempt"])
            assert found.differs == ()
            assert found.recorded is not None
            assert found.attempt.to_line()["outputs"] == line["outputs"]
            assert found.attempt.quality == line["quality"]
            for ref in found.attempt.outputs.values():
                assert (found.trial.store.root / ref.path).is_file()
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before


def test_a_crash_comes_with_its_traceback(run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path) -> None:
    found = again(run, catalog, graph, "crashing", tmp_path)
    assert found.attempt.failure is not None
    assert "Traceback" in found.attempt.failure.log
    assert "in crash" in found.attempt.failure.log
    assert found.differs == ()


def test_a_tool_that_was_changed_is_told(run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path) -> None:
    def darker(call: ToolCall) -> Mapping[str, Any]:
        image = np.array(paint(call)["image"])
        image[call.mask] -= 3
        return {"image": image}

    def declines(call: ToolCall) -> Mapping[str, Any]:
        raise ToolFailure("unsupported", "not today")

    found = again(run, catalog, graph, "painter", tmp_path / "a", painter=darker)
    share = 30 * 40 / (96 * 128)
    assert found.differs[0] == (
        f"image: {share:.2%} of the pixels differ, by 3.0 steps of 255 on average and 3 at most"
    )
    found = again(run, catalog, graph, "painter", tmp_path / "b", painter=declines)
    assert found.differs == ("recorded: it gave something", "now: unsupported: not today")
    found = again(run, catalog, graph, "crashing", tmp_path / "c", crashing=paint)
    assert found.differs[1] == "now: it gave something"


def test_the_tool_gets_the_seed_and_the_parameters_of_the_attempt(
    run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path
) -> None:
    seen: list[tuple[int, Mapping[str, Any]]] = []

    def look(call: ToolCall) -> Mapping[str, Any]:
        seen.append((call.seed, call.parameters))
        raise ToolFailure("not-found", "only looking")

    numbers = [line["attempt"] for line in read_run(run).calls[CRASHING - 1].attempts]
    assert len(numbers) > 1
    for number in numbers:
        again(run, catalog, graph, "2", tmp_path / str(number), number, crashing=look)
    assert [parameters for _, parameters in seen] == [{"strength": 0}, {"strength": 1}]
    assert [seed % 1000 for seed, _ in seen] == numbers


def copied(run: Path, folder: Path, lines: list[dict[str, Any]]) -> Path:
    """A run with another journal."""
    import shutil

    shutil.copytree(run, folder)
    text, checksum = "", ""
    for line in lines:
        one, checksum = journal_line(line, checksum)
        text += one + "\n"
    (folder / FILE_NAME).write_text(text)
    return folder


def test_an_attempt_that_ended_the_process_is_made_for_the_first_time(
    run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path
) -> None:
    lines = [dict(line) for line in read_journal(run / FILE_NAME).lines]
    last = next(number for number, line in enumerate(lines) if line["event"] == "started" and line["number"] == PAINTER)
    stopped = copied(run, tmp_path / "run", lines[: last + 1])
    found = again(stopped, catalog, graph, "painter", tmp_path / "out")
    assert found.recorded is None
    assert found.attempt.failure is None
    assert again(stopped, catalog, graph, "painter", tmp_path / "out", 1).attempt.outputs == found.attempt.outputs


def code_of(error: pytest.ExceptionInfo[CostaError]) -> str:
    return error.value.diagnostics[0].code


def test_what_cannot_be_made_again(run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path) -> None:
    with pytest.raises(CostaError) as error:
        again(run, catalog, graph, "painter", tmp_path, 9)
    assert code_of(error) == "COS6609"
    with pytest.raises(CostaError) as error:
        again(run, catalog, graph, "nobody", tmp_path)
    assert code_of(error) == "COS6606"
    with pytest.raises(CostaError) as error:
        again(run, catalog, graph, "paint", tmp_path)
    assert code_of(error) == "COS6607"
    assert f"costa repro {run} {PAINTER}" in error.value.diagnostics[0].help
    assert again(run, catalog, graph, "grounding", tmp_path).recorded is not None


@pytest.mark.parametrize("change", [{"inputs": None}, {"inputs": {}}, {"inputs": {"image": 3}}, {"invocation": "i-0"}])
def test_a_journal_that_tells_too_little(
    run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path, change: dict[str, Any]
) -> None:
    lines = [dict(line) for line in read_journal(run / FILE_NAME).lines]
    for line in lines:
        if line["event"] == "started":
            line.update(change)
    with pytest.raises(CostaError) as error:
        again(copied(run, tmp_path / "run", lines), catalog, graph, "painter", tmp_path / "out")
    assert code_of(error) == "COS6608"


def test_a_damaged_input_is_told(run: Path, catalog: Catalog, graph: ToolpathGraph, tmp_path: Path) -> None:
    lines = [dict(line) for line in read_journal(run / FILE_NAME).lines]
    other = copied(run, tmp_path / "run", lines)
    mask = read_run(other).calls[PAINTER - 1].started["inputs"]["mask"]["path"]
    (other / "artifacts" / mask).write_bytes(b"x")
    with pytest.raises(CostaError) as error:
        again(other, catalog, graph, "painter", tmp_path / "out")
    assert code_of(error) == "COS6802"
    (other / "artifacts" / mask).unlink()
    with pytest.raises(CostaError) as error:
        again(other, catalog, graph, "painter", tmp_path / "out")
    assert code_of(error) == "COS6801"


def test_the_finding_of_a_failed_step_names_log_and_command(tmp_path: Path, catalog: Catalog) -> None:
    alone = catalog_with("crashing")
    outcome = execute(
        compiled(alone), alone, picture(), tmp_path / "run", executor=executor_with({"painter": _crash_too})
    )
    (problem,) = outcome.problems
    assert problem.code == "COS6101"
    last = outcome.result.tried[-1]
    log = tmp_path / "run" / last.folder / "attempt-1.log"
    assert f"log of {last.invocation.tool}: {log}" in problem.help
    assert log.is_file()
    assert f"again, alone: costa repro {tmp_path / 'run'} {last.number}" in problem.help
    assert json.loads((tmp_path / "run" / last.folder / "attempts.json").read_text())["tool"] == last.invocation.tool


def _crash_too(call: ToolCall) -> Mapping[str, Any]:
    raise KeyError("too")
