"""`costa trace`: real runs and simulations explained, cut off anywhere, damaged in any way."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from costa_dsl.cli.main import run
from costa_dsl.compiler.read import read_recorded
from costa_dsl.diagnostics import CostaError, Sink
from costa_dsl.model.objective import CostaObjective
from costa_dsl.resources import data_folder
from costa_dsl.runtime.execute import resume
from costa_dsl.runtime.resume import take_up
from costa_dsl.search.journal import recordings
from costa_dsl.search.replay import replay
from costa_dsl.search.strategies import STRATEGIES
from costa_dsl.store.journal_reading import read_journal
from tests.cli.test_imports import HEAVY, loaded
from tests.conftest import read, said_under_hash_seeds
from tests.runtime.small import PAINT, catalog_with, compiled, decline, executor_with, paint
from tests.runtime.small import run as execute

PLAN = """\
apiVersion: costa/v1
kind: Plan
task: Replace the dog and recolor the car.
tree:
  any_order:
    - {do: object-replacement, object: dog, with: cat}
    - {do: object-recoloration, object: car, to: red}
"""
GOLDEN = Path(__file__).parent / "traces"
Capture = pytest.CaptureFixture[str]
Change = Callable[[list[dict[str, Any]]], list[Any]]


def simulate(folder: Path, *more: str, plan: str = PLAN) -> Path:
    """A simulation of the plan with a journal."""
    path = folder / "plan.yaml"
    path.write_text(plan)
    kept = folder / "kept"
    assert run(["simulate", str(path), "--catalog", "paper", "--run-dir", str(kept), *more]) == 0
    return kept


def trace(folder: Path | str, capsys: Capture, *more: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(["trace", str(folder), *more])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert "internal error" not in out + err
    return code, out, err


def document(folder: Path | str, capsys: Capture, *more: str) -> dict[str, Any]:
    code, out, err = trace(folder, capsys, "--format", "json", *more)
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """The lines of a journal, without the checksums of a real run."""
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "sum"} for line in lines]


def write(folder: Path, lines: list[Any]) -> None:
    told = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "journal.jsonl").write_text("".join(line + "\n" for line in told))


# ---- simulations ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("strategy", ["lazy", "commit", "paper", "exhaustive"])
def test_each_strategy(strategy: str, tmp_path: Path, capsys: Capture) -> None:
    kept = simulate(tmp_path, "--strategy", strategy, "--seed", "3", "--failures", "0.3", "--format", "json")
    shown = json.loads(capsys.readouterr().out)["strategies"][strategy][0]
    found = document(kept, capsys)
    outcomes = [line for line in lines_of(kept) if line["event"] == "outcome"]
    steps = found["steps"]
    assert [step["label"]["number"] for step in steps] == [line["label"] for line in outcomes]
    assert [step["observed"]["seconds"] for step in steps] == [line["seconds"] for line in outcomes]
    assert [step["number"] for step in steps] == list(range(1, len(outcomes) + 1))
    assert (found["strategy"], found["seed"], found["count"]) == (strategy, 3, len(outcomes))
    end = found["end"]
    assert end["proof"]["status"] == shown["status"]
    assert end["path"]["seconds"] == shown["path"]["seconds"]
    assert [part["tool"] for part in end["path"]["path"]] == [part["tool"] for part in shown["path"]["tools"]]
    assert end["next"] is None
    code, out, err = trace(kept, capsys)
    assert (code, err) == (0, "")
    assert len(re.findall(r"^[0-9]+\. ", out, re.MULTILINE)) == len(steps)
    assert f"the search `{strategy}` for the least J at α 1, simulated with seed 3" in out
    assert not re.search(r"\bnan\b|\bNone\b|\binf\b", out)


@pytest.mark.parametrize(
    "objective", ["min-quality:0.9", "max-cost:30", "money", "lexicographic:quality,seconds",
                  "weighted-sum:seconds=1,quality=60.123456789", "criteria:seconds=30.0000001,quality=0.9"],
)  # fmt: skip
def test_each_objective(objective: str, tmp_path: Path, capsys: Capture) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy", "--objective", objective, "--alpha", "0.5")
    found = document(kept, capsys)
    assert found["end"]["kind"] == "finished"
    assert trace(kept, capsys)[0] == 0


def test_the_default_objective_in_place_of_the_plans(tmp_path: Path, capsys: Capture) -> None:
    plan = PLAN.replace("tree:", "policy: {objective: 'min-quality:0.9', strategy: commit}\ntree:")
    kept = simulate(tmp_path, "--objective", "costa", "--strategy", "lazy", plan=plan)
    assert document(kept, capsys)["objective"]["name"] == "costa"


def test_a_graph_with_another_objective_than_it_was_compiled_with(tmp_path: Path, capsys: Capture) -> None:
    kept = simulate(tmp_path)
    again = tmp_path / "again"
    graph = str(kept / "graph.json")
    assert run(["simulate", graph, "--catalog", "paper", "--alpha", "2", "--run-dir", str(again)]) == 0
    assert document(again, capsys)["alpha"] == 2.0


def test_a_graph_without_the_tools_that_are_missing_here(tmp_path: Path, capsys: Capture) -> None:
    catalog, plan = tmp_path / "tools", tmp_path / "plan.yaml"
    shutil.copytree(data_folder("tools"), catalog)
    plan.write_text(
        PLAN.split("tree:")[0] + "tree: {do: object-recoloration, object: suit, at: {color: red}, to: blue}"
    )
    graph = str(tmp_path / "graph.json")
    assert run(["compile", str(plan), "--assume-available", "-o", graph]) == 0
    lab = catalog / "recolor-lab.yaml"
    lab.write_text(lab.read_text().replace("implementation: ", "implementation: none-"))
    kept = tmp_path / "kept"
    capsys.readouterr()
    assert run(["simulate", graph, "--catalog", str(catalog), "--strategy", "exhaustive", "--run-dir", str(kept)]) == 0
    text = trace(kept, capsys)[1]
    assert "recolor-hue" in text
    assert "recolor-lab" not in text


def test_the_text(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was looked at and found good: ways back, a look around, a failure. It follows the tables of the paper."""
    monkeypatch.setenv("COLUMNS", "100")
    kept = simulate(tmp_path, "--strategy", "lazy", "--seed", "3", "--failures", "0.3", "--alpha", "0.5")
    code, out, err = trace(kept, capsys)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    assert out == (GOLDEN / "lazy.txt").read_text(encoding="utf-8")


def test_a_narrow_terminal(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy", "--seed", "3", "--failures", "0.3")
    for columns, most in (("72", 72), ("7", 40), ("1000", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        _, out, _ = trace(kept, capsys)
        assert max(map(len, out.splitlines())) <= most


def test_the_same_under_every_hash_seed(tmp_path: Path) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy", "--seed", "3", "--failures", "0.3")
    for form in ("text", "json"):
        assert said_under_hash_seeds("-m", "costa_dsl", "trace", str(kept), "--format", form)


def test_no_heavy_library_is_loaded(tmp_path: Path) -> None:
    kept = simulate(tmp_path)
    code, modules = loaded(["trace", str(kept)], tmp_path)
    assert code == 0
    assert [name for name in HEAVY if name in modules] == []


# ---- real runs -----------------------------------------------------------------------------------------------
def test_a_real_run_in_which_a_tool_crashes(tmp_path: Path, capsys: Capture) -> None:
    outcome = execute(tmp_path, catalog_with("crashing"))
    found = document(tmp_path / "run", capsys)
    tools = [step["label"]["path"][-1]["tool"] for step in found["steps"]]
    assert tools == ["finder", "crashing", "painter"]
    assert [step["accepted"] for step in found["steps"]] == [True, False, True]
    assert found["steps"][2]["failed"] == found["steps"][1]["label"]["path"][-1]["invocation"]
    assert found["steps"][2]["place"] == "beside"
    proof = outcome.result.certificate
    assert (found["end"]["proof"]["status"], found["end"]["proof"]["bound"]) == (proof.status, list(proof.bound))
    assert found["seed"] is None
    code, out, err = trace(tmp_path / "run" / "journal.jsonl", capsys)
    assert (code, err) == (0, "")
    assert "crashing was not good enough; nothing else is open" in out
    assert "ZeroDivisionError" in out


@pytest.mark.parametrize("strategy", ["lazy", "commit", "paper", "exhaustive"])
def test_a_real_run_that_its_budget_ends(strategy: str, tmp_path: Path, capsys: Capture) -> None:
    tree = "- {do: outpainting, left: 20, id: widen}\n" + PAINT
    outcome = execute(tmp_path, catalog_with(), tree, head=f"policy: {{strategy: {strategy}, budget: {{calls: 1}}}}")
    assert outcome.exit_code == 5
    found = document(tmp_path / "run", capsys)
    assert len(found["steps"]) == 1
    assert (found["end"]["kind"], found["end"]["proof"]["status"]) == ("stopped", "budget")
    assert found["end"]["proof"]["bound"] == list(outcome.result.certificate.bound)
    assert found["end"]["next"]["label"]["path"][-1]["tool"] == "finder"
    _, out, _ = trace(tmp_path / "run", capsys)
    assert "the budget was spent" in out
    assert "Next would have been: paint: finder for its grounding" in out


def test_a_real_run_in_which_nothing_works(tmp_path: Path, capsys: Capture) -> None:
    execute(tmp_path, catalog_with("crashing"), painter=decline)
    found = document(tmp_path / "run", capsys)
    assert found["end"]["kind"] == "exhausted"
    assert found["end"]["path"] is None
    _, out, _ = trace(tmp_path / "run", capsys)
    assert "nothing of this kind here" in out
    assert "infeasible: no path is complete" in out


def test_a_result_that_is_used_again_is_told(tmp_path: Path, capsys: Capture) -> None:
    tree = f"- one_of:\n    - {PAINT[2:]}\n    - {PAINT[2:].replace('id: paint', 'id: again')}\n"
    execute(tmp_path, catalog_with("crashing"), tree, painter=decline)
    _, out, _ = trace(tmp_path / "run", capsys)
    assert "it was run on this before; its result was used again" in out


def test_a_tool_that_was_interrupted_is_told(tmp_path: Path, capsys: Capture) -> None:
    def interrupted(call: Any) -> Any:
        raise KeyboardInterrupt

    execute(tmp_path, catalog_with(), painter=interrupted)
    found = document(tmp_path / "run", capsys)
    assert found["end"]["proof"]["status"] == "cancelled"
    _, out, _ = trace(tmp_path / "run", capsys)
    assert "a tool was running when the journal ended" in out


def test_a_run_that_was_taken_up_again_is_one_search(tmp_path: Path, capsys: Capture) -> None:
    """Killed in the middle of a line behind its second outcome, and gone on with."""
    catalog = catalog_with("crashing")
    execute(tmp_path, catalog)
    journal = tmp_path / "run" / "journal.jsonl"
    tools = [step["label"]["path"][-1]["tool"] for step in document(tmp_path / "run", capsys)["steps"]]
    lines = journal.read_bytes().splitlines(keepends=True)
    second = [number for number, line in enumerate(lines) if b'"outcome"' in line][1]
    journal.write_bytes(b"".join(lines[: second + 1]) + lines[second + 1][:20])
    (tmp_path / "run" / "run.json").unlink()
    assert "not written to its end" in " ".join(trace(tmp_path / "run", capsys)[1].split())
    outcome = resume(compiled(catalog), catalog, take_up(tmp_path / "run"), executor=executor_with({}))
    found = document(tmp_path / "run", capsys)
    assert [step["label"]["path"][-1]["tool"] for step in found["steps"]] == tools
    assert "resumed" in [line["event"] for line in found["steps"][2]["told"]]
    assert found["end"]["proof"]["bound"] == list(outcome.result.certificate.bound)


# ---- parts ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--step", "2"], [2]),
        (["--step", "2-4"], [2, 3, 4]),
        (["--step", "-2"], [1, 2]),
        (["--step", "1,4-5", "--step", "3"], [1, 3, 4, 5]),
        (["--step", "3-3"], [3]),
        (["--step", "2-99999"], None),
        (["--step", "2-"], None),
    ],
)
def test_some_steps(options: list[str], numbers: list[int] | None, tmp_path: Path, capsys: Capture) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy")
    whole = document(kept, capsys)
    part = document(kept, capsys, *options)
    numbers = numbers or list(range(2, whole["count"] + 1))
    assert part["steps"] == [whole["steps"][number - 1] for number in numbers]
    assert (part["count"], part["end"]) == (whole["count"], whole["end"])
    _, out, _ = trace(kept, capsys, *options)
    assert [int(found) for found in re.findall(r"^([0-9]+)\. ", out, re.MULTILINE)] == numbers
    assert "The end" not in out


@pytest.mark.parametrize("step", ["0", "x", "", "-", "5-2", "1,,2", "1-2-3", "-0", "²", "1e3", "99999999999"])
def test_what_is_no_step(step: str, tmp_path: Path, capsys: Capture) -> None:
    code, out, err = trace(tmp_path, capsys, f"--step={step}")
    assert (code, out) == (2, "")
    assert "--step" in err


def test_a_step_behind_the_last(tmp_path: Path, capsys: Capture) -> None:
    code, out, err = trace(simulate(tmp_path), capsys, "--step", "500-")
    assert (code, out) == (3, "")
    assert "COS6508" in err
    assert "there is no step 500: this trace has" in err


def test_several_searches_in_one_journal(tmp_path: Path, capsys: Capture) -> None:
    parts = []
    for strategy in ("lazy", "commit"):
        (tmp_path / strategy).mkdir()
        parts.append(simulate(tmp_path / strategy, "--strategy", strategy))
    lines = lines_of(parts[0]) + lines_of(parts[1])
    alone = [document(part, capsys) for part in parts]
    write(parts[0], lines)
    for strategy, wanted in zip(("lazy", "commit"), alone, strict=True):
        assert document(parts[0], capsys, "--strategy", strategy)["steps"] == wanted["steps"]
    code, _, err = trace(parts[0], capsys)
    assert code == 2
    assert "choose one with --strategy: lazy, commit" in err
    code, _, err = trace(parts[0], capsys, "--strategy", "paper")
    assert code == 3
    assert "COS6507" in err


# ---- cut off anywhere ----------------------------------------------------------------------------------------
def test_cut_off_at_any_byte_it_is_a_diagnostic_or_the_beginning_of_the_whole(tmp_path: Path) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy", "--seed", "3", "--failures", "0.3")
    [(_, found)] = read((kept / "graph.json").read_text(), "graph.json")
    graph = read_recorded(found, Sink())
    assert graph is not None
    journal = kept / "journal.jsonl"
    data = journal.read_bytes()
    (recording,) = recordings(read_journal(str(kept)).lines)
    whole = replay(graph, CostaObjective(1.0), STRATEGIES["lazy"], recording.outcomes)
    seen: set[int] = set()
    for size in range(len(data)):
        journal.write_bytes(data[:size])
        if not data[: size + 1].startswith(b"{") or (b"\n" not in data[:size] and not data[:size].endswith(b"}}")):
            with pytest.raises(CostaError) as refused:
                read_journal(str(journal))
            assert [one.code for one in refused.value.diagnostics] == ["COS6502"]
            seen.add(-1)
            continue
        part = recordings(read_journal(str(journal)).lines)
        outcomes = part[0].outcomes if part else ()
        spans = [(one.label, one.invocation, one.outcome) for one in outcomes]
        if (count := len(outcomes)) not in seen:
            seen.add(count)
            cut = replay(graph, CostaObjective(1.0), STRATEGIES["lazy"], outcomes)
            assert [step.pop for step in cut.steps] == [step.pop for step in whole.steps[:count]]
            assert cut.end.pending == (whole.steps[count].pop if count < len(whole.steps) else None)
        assert spans == [(one.label, one.invocation, one.outcome) for one in recording.outcomes[:count]]
    assert seen == {-1, *range(len(recording.outcomes) + 1)}


def test_cut_off_the_command_says_so(tmp_path: Path, capsys: Capture) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy", "--seed", "3")
    journal = kept / "journal.jsonl"
    whole, data = document(kept, capsys), journal.read_bytes()
    starts = [match.end() for match in re.finditer(rb"\n", data)]
    for size in (*range(0, starts[0] + 1, 40), starts[1], starts[1] + 1, starts[3] - 1, starts[3], starts[-2] + 30):
        journal.write_bytes(data[:size])
        code, out, err = trace(kept, capsys)
        if code == 0:
            assert err == ""
            assert ("not written to its end" in out) == (data[:size].rstrip()[-1:] != b"}")
            assert "Next would have been: " in out or size == len(data) - 1
            found = document(kept, capsys)
            assert found["steps"] == whole["steps"][: len(found["steps"])]
        else:
            assert out == ""
            assert "COS6502" in err or "COS6503" in err


def test_a_real_run_is_cut_off_too_and_goes_on(tmp_path: Path, capsys: Capture) -> None:
    execute(tmp_path, catalog_with("crashing"))
    journal = tmp_path / "run" / "journal.jsonl"
    (tmp_path / "run" / "run.json").unlink()
    whole, data = document(tmp_path / "run", capsys), journal.read_bytes()
    counts = []
    for end in [match.end() for match in re.finditer(rb"\n", data)]:
        for size in (end - 9, end - 1, end, end + 9):
            journal.write_bytes(data[:size])
            code, out, _ = trace(tmp_path / "run", capsys, "--format", "json")
            if code:
                assert "COS6502" in out or "COS6503" in out
                continue
            found = json.loads(out)
            counts.append(len(found["steps"]))
            assert found["steps"] == whole["steps"][: counts[-1]]
            if found["end"]["kind"] == "stopped":
                assert "`costa exec --resume` goes on from here" in " ".join(trace(tmp_path / "run", capsys)[1].split())
    assert sorted(set(counts)) == [0, 1, 2, 3]


@pytest.mark.parametrize("how", ["one character", "a line taken out", "two lines exchanged", "the first line"])
def test_checksums_find_what_was_edited(how: str, tmp_path: Path, capsys: Capture) -> None:
    execute(tmp_path, catalog_with("crashing"))
    journal = tmp_path / "run" / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if '"outcome"' in line)
    if how == "one character":
        lines[number] = lines[number].replace('"accepted": true', '"accepted": false')
    elif how == "a line taken out":
        del lines[number - 1]
        number -= 1
    elif how == "the first line":
        number = 0
        lines[0] = lines[0].replace('"version": 1', '"version": 2')
    else:
        lines[number], lines[number - 1] = lines[number - 1], lines[number]
        number -= 1
    journal.write_text("".join(lines))
    code, out, err = trace(tmp_path / "run", capsys)
    assert (code, out) == (1, "")
    assert f"journal.jsonl:{number + 1}:1: error[COS6502]" in err
    assert f"line {number + 1} of the journal has not its checksum" in err


# ---- damaged, edited, mixed up -------------------------------------------------------------------------------
def first_outcome(**changes: Any) -> Change:
    def change(lines: list[dict[str, Any]]) -> list[Any]:
        return [*lines[:2], {**lines[2], **changes}, *lines[3:]]

    return change


def searched(**changes: Any) -> Change:
    return lambda lines: [lines[0], {**lines[1], **changes}, *lines[2:]]


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda lines: [], "COS6502", "is empty"),
        (lambda lines: [lines[0], "{no json", *lines[1:]], "COS6502", "line 2 of the journal is not one JSON object"),
        (lambda lines: [*lines[:3], "[1, 2]", *lines[3:]], "COS6502", "line 4"),
        (lambda lines: [*lines, "\0\0\0"], "COS6502", "is not one JSON object"),
        (lambda lines: [*lines[:3], "[" * 100_000, *lines[3:]], "COS6502", "line 4"),
        (lambda lines: [*lines[:3], '{"n": ' + "9" * 5000 + "}", *lines[3:]], "COS6502", "line 4"),
        (lambda lines: lines[:1], "COS6503", "no line of this journal says what is searched"),
        (lambda lines: lines[2:], "COS6503", "an outcome stands before the line of the search"),
        (searched(strategy="lazzy"), "COS6507", 'did you mean "lazy"?'),
        (searched(strategy=None), "COS6504", "`strategy` should be a text, found None"),
        (searched(alpha=7), "COS6504", "`alpha` should be a number from 0 to 2, found 7"),
        (searched(alpha=0.5), "COS6505", "the search was for `costa` at α 0.5"),
        (searched(objective="money"), "COS6505", "the search was for `money`"),
        (searched(graph="sha256:0"), "COS6505", "the search was of another graph: sha256:0"),
        (first_outcome(seconds=-1), "COS6504", "`seconds` should be a number from 0 to 1e+15, found -1"),
        (first_outcome(seconds=float("nan")), "COS6504", "found nan"),
        (first_outcome(quality=1.01), "COS6504", "`quality` should be a number from 0 to 1, found 1.01"),
        (first_outcome(accepted="yes"), "COS6504", "`accepted` should be true or false, found 'yes'"),
        (first_outcome(label=77), "COS6506", "an outcome of label 77"),
        (first_outcome(invocation="i-none"), "COS6506", "which is not in the graph"),
        (lambda lines: [*lines, lines[-1]], "COS6506", "the search has come to its end before it"),
        (lambda lines: [*lines[:2], *lines[3:]], "COS6506", "the search asks for label"),
    ],
)  # fmt: skip
def test_a_journal_that_was_damaged_or_edited(
    change: Change, code: str, said: str, tmp_path: Path, capsys: Capture
) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy")
    write(kept, change(lines_of(kept)))
    for form in ("text", "json"):
        exit_code, out, err = trace(kept, capsys, "--format", form)
        assert exit_code == 1
        report = err if form == "text" else out
        assert report.count(code) == 1 if form == "text" else json.loads(out)["summary"]["errors"] == 1
        assert said in (err if form == "text" else json.dumps(json.loads(out), ensure_ascii=False).replace('\\"', '"'))


def test_lines_of_other_kinds_are_passed_over(tmp_path: Path, capsys: Capture) -> None:
    kept = simulate(tmp_path, "--strategy", "lazy")
    whole, lines = document(kept, capsys), lines_of(kept)
    told: dict[str, Any] = {"event": "measured", "area": 0.1, "deep": [{"list": []}]}
    write(kept, [told, *lines[:3], told, "", {"no": "event"}, *lines[3:], told])
    found = document(kept, capsys)
    assert found["steps"][1].pop("told") == [told, {"no": "event"}]
    whole["steps"][1].pop("told")
    assert found == whole
    # Numbers that JSON does not have, and nesting that no JSON writer takes.
    deep = '{"event": "odd", "area": NaN, "far": 1e999, "deep": ' + "[" * 400 + "]" * 400 + "}"
    write(kept, [*lines[:3], deep, *lines[3:]])
    (odd,) = document(kept, capsys)["steps"][1]["told"]
    assert (odd["area"], odd["far"]) == (None, None)
    assert trace(kept, capsys)[0] == 0


def test_attempts_of_another_version_do_no_harm(tmp_path: Path, capsys: Capture) -> None:
    execute(tmp_path, catalog_with("crashing"))
    lines = lines_of(tmp_path / "run")
    for key, value in (("checks", 5), ("checks", [{}]), ("checks", [{"score": "x"}]), ("failure", "odd")):
        write(tmp_path / "run", [{"event": "attempt", key: value} if "attempt" in one else one for one in lines])
        assert trace(tmp_path / "run", capsys)[0] == 0


def test_other_graphs(tmp_path: Path, capsys: Capture) -> None:
    kept = simulate(tmp_path)
    graph = kept / "graph.json"
    text = graph.read_text()
    value = json.loads(text)

    def refused(new: str | None, code: str) -> None:
        if new is None:
            graph.unlink()
        else:
            graph.write_text(new)
        exit_code, out, err = trace(kept, capsys)
        assert (exit_code, out) == (1, "")
        assert f"error[{code}]" in err

    refused(json.dumps({**value, "invocations": value["invocations"][1:]}), "COS6505")
    refused(text.replace('"seconds": ', '"seconds": 1'), "COS6505")
    refused(PLAN, "COS3001")
    refused("", "COS0007")
    refused(text[: len(text) // 2], "COS0013")
    refused(None, "COS6501")
    # Only how it is written is another.
    graph.write_text(json.dumps(value))
    assert trace(kept, capsys)[0] == 0


def test_a_graph_and_a_journal_that_were_edited_alike(tmp_path: Path, capsys: Capture) -> None:
    """The digest fits, and the graph leads in circles, or nowhere: that is found all the same."""
    import hashlib

    kept = simulate(tmp_path)
    value, lines = json.loads((kept / "graph.json").read_text()), lines_of(kept)
    calls = value["invocations"]
    for changed, code in (
        ({"invocations": [{**calls[0], "target": calls[0]["source"]}, *calls[1:]]}, "COS5005"),
        ({"invocations": calls[1:3]}, "COS5005"),
        ({"invocations": [{**calls[0], "id": calls[1]["id"]}, *calls[1:]]}, "COS5002"),
        ({"goal": "s-none"}, "COS5002"),
        ({"steps": value["steps"][:1] * 2 + [{**value["steps"][1], "id": "else"}]}, "COS5006"),
        ({"invocations": [{**calls[0], "step": "else"}, *calls[1:]]}, None),
    ):
        new = {**value, **changed}
        content = {key: part for key, part in new.items() if key not in ("digest", "source")}
        found = "sha256:" + hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        (kept / "graph.json").write_text(json.dumps(new))
        write(kept, [lines[0], {**lines[1], "graph": found}, *lines[2:]])
        exit_code, out, err = trace(kept, capsys)
        assert exit_code == (1 if code else 0)
        assert code is None or (f"error[{code}]" in err and out == "")


def test_what_is_no_run(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "journal.jsonl").write_text("")
    (tmp_path / "odd" / "journal.jsonl").mkdir(parents=True)
    (tmp_path / "text.md").write_text("# no journal\n\nat all\n")
    os.mkfifo(tmp_path / "pipe")
    for name, code, said in (
        ("none", "COS6501", "there is no"),
        ("folder", "COS6501", "holds no journal.jsonl"),
        ("runs", "COS6501", "did you mean"),
        ("odd", "COS6501", "holds no journal.jsonl"),
        ("pipe", "COS6501", "there is no"),
        ("runs/one", "COS6502", "is empty"),
        ("text.md", "COS6502", "line 1 of the journal is not one JSON object"),
        ("a\0b", "COS650", ""),
        ("x" * 5000, "COS650", ""),
    ):
        exit_code, out, err = trace(f"{tmp_path}/{name}", capsys)
        assert (exit_code, out) == (1, "")
        assert code in err
        assert said in err


def test_a_run_that_was_moved_and_has_no_record_yet(tmp_path: Path, capsys: Capture) -> None:
    execute(tmp_path, catalog_with(), unchanged=paint)
    whole = document(tmp_path / "run", capsys)
    shutil.copytree(tmp_path / "run", tmp_path / "moved")
    for record in ("{", "[]", '{"path": {"proof": {"status": ["budget"]}}}'):
        (tmp_path / "moved" / "run.json").write_text(record)
        assert document(tmp_path / "moved", capsys) == whole
    (tmp_path / "moved" / "run.json").unlink()
    assert document(tmp_path / "moved", capsys) == whole
