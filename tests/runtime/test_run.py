"""The interpreter with small real tools: what is taken when a tool fails, and what is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costa_dsl.runtime.call import ToolCall
from tests.conftest import assert_fits, make_catalog, make_tool
from tests.runtime.small import EDITORS, PAINT, RED, catalog_with, decline, find_blue, paint, picture, run


def test_a_plan_runs_to_a_picture_a_record_and_a_folder(tmp_path: Path) -> None:
    outcome = run(tmp_path, catalog_with())
    assert outcome.exit_code == 0
    expected = picture().pixels.copy()
    expected[30:60, 40:80] = RED
    assert np.array_equal(outcome.picture, expected)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert_fits(record, "run-record")
    assert record["status"] == "completed"
    assert [(step["id"], step["subtask"], step["tool"]) for step in record["steps"]] == [
        ("paint", "grounding", "finder"),
        ("paint", "object-recoloration", "painter"),
    ]
    assert record["totals"]["executions"] == 2
    assert all((tmp_path / "run" / path).is_file() for step in record["steps"] for path in step["artifacts"].values())
    for name in ("plan.yaml", "graph.json", "journal.jsonl", "output.png"):
        assert (tmp_path / "run" / name).is_file()
    quality = [step["quality"] for step in record["steps"]]
    assert record["path"]["quality"] == pytest.approx(quality[0] * quality[1], abs=1e-3)


@pytest.mark.parametrize("editor", EDITORS)
def test_a_tool_that_fails_in_any_way_makes_way_for_the_other(tmp_path: Path, editor: str) -> None:
    outcome = run(tmp_path, catalog_with(editor))
    assert outcome.exit_code == 0
    assert outcome.record["steps"][-1]["tool"] == "painter"
    assert editor in outcome.record["steps"][-1]["why"]
    assert [step["tool"] for step in outcome.record["rejected"]] == [editor]


@pytest.mark.parametrize(
    ("editor", "kind"),
    [
        ("crashing", "crash"),
        ("declining", "not-found"),
        ("spilling", "guarantee"),
        ("wrong-size", "guarantee"),
        ("float-image", "invalid-output"),
        ("nothing-given", "invalid-output"),
    ],
)
def test_a_failure_has_a_kind_and_is_kept_in_the_journal(tmp_path: Path, editor: str, kind: str) -> None:
    run(tmp_path, catalog_with(editor))
    events = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines()]
    kinds = [event["failure"]["kind"] for event in events if "failure" in event]
    assert kinds == [kind]


def test_a_crash_leaves_its_traceback_in_the_run_directory(tmp_path: Path) -> None:
    run(tmp_path, catalog_with("crashing"))
    (log,) = (tmp_path / "run" / "steps").rglob("*.log")
    assert "ZeroDivisionError: a defect of the tool" in log.read_text()


def test_when_all_fail_the_furthest_picture_is_kept_and_the_line_is_named(tmp_path: Path) -> None:
    tree = "- {do: outpainting, left: 20, id: widen}\n" + PAINT
    outcome = run(tmp_path, catalog_with("crashing"), tree, painter=decline)
    assert outcome.exit_code == 4
    assert outcome.picture.shape == (96, 148, 3)
    (problem,) = outcome.problems
    assert problem.code == "COS6101"
    assert problem.span is not None
    assert problem.span.text == "object-recoloration"
    assert "a defect of the tool" in problem.help
    assert "nothing of this kind here" in problem.help
    assert outcome.record["status"] == "failed"
    assert_fits(outcome.record, "run-record")


def test_the_retry_ladder_is_climbed_until_the_checks_are_content(tmp_path: Path) -> None:
    more = "parameters: {strength: {type: integer, default: 0, minimum: 0, maximum: 1}}\nretries: [{strength: 1}]"
    outcome = run(tmp_path, catalog_with("painter", more))
    assert outcome.exit_code == 0
    last = outcome.record["steps"][-1]
    assert last["attempts"] == 2
    assert last["parameters"] == {"strength": 1}


def test_a_check_that_only_screens_does_not_make_a_result_better_than_its_benchmark(tmp_path: Path) -> None:
    tree = "- {do: object-segmentation, object: square, at: {color: blue}, id: s}"
    tools = make_tool("finder", "object-segmentation", gives="mask", more="grounds: [color]")
    catalog = make_catalog(tools, {("finder", "object-segmentation"): (0.1, 0.6)})
    (step,) = run(tmp_path, catalog, tree, head="policy: {threshold: 0.5}").record["steps"]
    assert [check["score"] for check in step["checks"]] == [1.0]
    assert step["quality"] == 0.6
    assert step["measured"] is False


def test_a_remedy_for_the_failed_check_comes_before_the_ladder(tmp_path: Path) -> None:
    more = (
        "parameters: {strength: {type: integer, default: 0, minimum: 0, maximum: 2}}\n"
        "retries: [{strength: 1}]\nremedies: {inside-changed: {strength: 2}}"
    )
    outcome = run(tmp_path, catalog_with("painter", more))
    assert outcome.record["steps"][-1]["parameters"] == {"strength": 2}


def test_attempts_stop_at_the_policys_limit(tmp_path: Path) -> None:
    more = "parameters: {strength: {type: integer, default: 0, minimum: 0, maximum: 1}}\nretries: [{strength: 1}]"
    outcome = run(tmp_path, catalog_with("painter", more), head="policy: {attempts: 1}")
    assert outcome.exit_code == 4
    assert outcome.record["rejected"][0]["attempts"] == 1


def test_the_same_tool_never_runs_twice_on_the_same_input(tmp_path: Path) -> None:
    calls: list[str] = []

    def counted(call: ToolCall) -> Mapping[str, Any]:
        calls.append("finder")
        return find_blue(call)

    tree = f"- one_of:\n    - {PAINT[2:]}\n    - {PAINT[2:].replace('id: paint', 'id: again')}\n"
    outcome = run(tmp_path, catalog_with("crashing"), tree, painter=decline, finder=counted)
    assert outcome.exit_code == 4
    assert calls == ["finder"]


def test_a_budget_ends_the_run_with_what_there_is(tmp_path: Path) -> None:
    tree = "- {do: outpainting, left: 20, id: widen}\n" + PAINT
    outcome = run(tmp_path, catalog_with(), tree, head="policy: {budget: {calls: 1}}")
    assert outcome.exit_code == 5
    assert outcome.record["status"] == "budget"
    assert outcome.picture.shape == (96, 148, 3)
    assert outcome.problems[0].code == "COS6201"


LADDER = "parameters: {strength: {type: integer, default: 0, minimum: 0, maximum: 1}}\nretries: [{strength: 1}]"


def test_a_budget_of_calls_counts_each_try_of_a_tool(tmp_path: Path) -> None:
    """The finder, then the painter's first try, which does nothing; its second would be the third call."""
    outcome = run(tmp_path, catalog_with("painter", LADDER), head="policy: {budget: {calls: 2}}")
    assert (outcome.exit_code, outcome.record["totals"]["executions"]) == (5, 2)
    assert [step["attempts"] for step in outcome.record["rejected"]] == [1]
    assert run(tmp_path / "more", catalog_with("painter", LADDER), head="policy: {budget: {calls: 3}}").exit_code == 0


@pytest.mark.parametrize(("usd", "calls"), [(0, 1), (0.29, 1), (0.3, 2), (0.59, 2), (0.6, 3)])
def test_no_call_is_made_that_would_cost_more_than_is_left(tmp_path: Path, usd: float, calls: int) -> None:
    """Prices that are no round numbers: three times 0.1 + 0.2 is more than 0.9 to a computer."""
    catalog = catalog_with("painter", LADDER + "\nprice_usd: 0.3")
    outcome = run(tmp_path, catalog, head=f"policy: {{budget: {{usd: {usd}}}}}")
    assert outcome.record["totals"]["executions"] == calls
    assert outcome.record["totals"]["usd"] == pytest.approx(0.3 * (calls - 1))
    assert outcome.exit_code == (0 if calls == 3 else 5)


def test_a_budget_that_ends_the_look_for_a_better_path_ends_well(tmp_path: Path) -> None:
    """Two good painters, everything is run; the budget is spent after the first complete path."""
    head = "policy: {strategy: exhaustive, budget: {calls: 2}}"
    outcome = run(tmp_path, catalog_with("unchanged"), head=head, unchanged=paint)
    assert (outcome.exit_code, outcome.problems) == (0, ())
    assert outcome.record["totals"]["executions"] == 2
    assert outcome.record["status"] == "completed"
    proof = outcome.record["path"]["proof"]
    assert (proof["status"], proof["gap"] >= 0) == ("budget", True)
    assert [step["id"] for step in outcome.record["steps"]] == ["paint", "paint"]


def test_a_budget_that_ends_before_the_objective_is_met_is_told(tmp_path: Path) -> None:
    head = "policy: {strategy: exhaustive, objective: 'min-quality:1', budget: {calls: 2}}"
    outcome = run(tmp_path, catalog_with("unchanged"), head=head, unchanged=paint)
    assert outcome.exit_code == 5
    assert [problem.code for problem in outcome.problems] == ["COS6201"]


def test_an_interruption_keeps_what_there_is(tmp_path: Path) -> None:
    def interrupted(call: ToolCall) -> Mapping[str, Any]:
        raise KeyboardInterrupt

    tree = "- {do: outpainting, left: 20, id: widen}\n" + PAINT
    outcome = run(tmp_path, catalog_with(), tree, painter=interrupted)
    assert outcome.exit_code == 130
    assert (tmp_path / "run" / "run.json").is_file()
    assert outcome.picture.shape == (96, 148, 3)


def test_expectations_of_the_plan_are_measured_on_the_finished_picture(tmp_path: Path) -> None:
    head = "expect: [cutout-plausible]"
    outcome = run(tmp_path, catalog_with(), head=head)
    assert outcome.exit_code == 4
    assert outcome.problems[0].code == "COS6102"
    assert (tmp_path / "run" / "output.png").is_file()


def test_an_expectation_of_a_step_can_reject_a_tool(tmp_path: Path) -> None:
    tree = PAINT.replace("id: paint", "id: paint, expect: [{color-match: blue}]")
    outcome = run(tmp_path, catalog_with(), tree)
    assert outcome.exit_code == 4
    assert "color-match" in outcome.problems[0].help


def test_a_file_outside_the_plans_folder_is_refused(tmp_path: Path) -> None:
    from costa_dsl.diagnostics import CostaError

    tools = make_tool("masker", "grounding", gives="mask", more="grounds: [mask]") + make_tool(
        "painter", "object-recoloration", needs="image, mask"
    )
    rows = {("masker", "grounding"): (0.1, 1.0), ("painter", "object-recoloration"): (0.1, 1.0)}
    tree = "- {do: object-recoloration, at: {mask: ../../etc/passwd}, object: x, to: red}"
    with pytest.raises(CostaError) as refused:
        run(tmp_path, make_catalog(tools, rows), tree)
    (found,) = refused.value.diagnostics
    assert found.code == "COS6301"
    assert found.span is not None
    assert found.span.text == "../../etc/passwd"


def test_models_are_loaded_once_and_their_loading_is_not_charged(tmp_path: Path) -> None:
    import time

    loads: list[int] = []

    def load() -> str:
        loads.append(1)
        time.sleep(0.2)
        return "model"

    def with_model(call: ToolCall) -> Mapping[str, Any]:
        assert call.models.get("m", load) == "model"
        return find_blue(call)

    outcome = run(tmp_path, catalog_with(), PAINT, finder=with_model)
    step = outcome.record["steps"][0]
    assert step["load_seconds"] >= 0.2
    assert step["seconds"] < 0.1
    assert len(loads) == 1
