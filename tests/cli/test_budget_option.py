"""`--budget`: limits on the command line, over those of the plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from costa_dsl.cli.exec import exec_command

PLAN = """\
apiVersion: costa/v1
kind: Plan
task: a test
policy: {budget: {seconds: 900, calls: 1}}
tree:
  - {do: outpainting, left: 8, tools: {only: [outpaint-mirror]}}
  - {do: outpainting, right: 8, tools: {only: [outpaint-mirror]}}
"""


WRONG = ["seconds=0", "calls=0", "calls=1.5", "usd=-1", "usd=nan", "seconds=inf", "x=1", "calls", "", "calls=1,calls=2"]


@pytest.mark.parametrize("written", WRONG)
def test_what_is_no_limit_is_refused(written: str, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    done = CliRunner().invoke(exec_command, [str(tmp_path / "plan.yaml"), "--budget", written])
    assert done.exit_code == 2
    assert "is no limit: expected seconds=60, calls=20 or usd=0.5, each once" in done.output


def test_it_stands_over_the_plans_and_leaves_its_other_limits(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN.replace("policy: {", "policy: {threshold: 0.4, "))
    common = [str(tmp_path / "plan.yaml"), "--image", "sample:coffee", "--no-cache"]
    short = CliRunner().invoke(exec_command, [*common, "--run-dir", str(tmp_path / "short")])
    assert short.exit_code == 5, short.output
    longer = CliRunner().invoke(exec_command, [*common, "--run-dir", str(tmp_path / "longer"), "--budget", "calls=9"])
    assert longer.exit_code == 0, longer.output
    graph = json.loads((tmp_path / "longer" / "graph.json").read_text())
    assert graph["plan"]["policy"]["budget"] == {"calls": 9, "seconds": 900.0}
    # And a run that ended goes on when it is raised.
    on = CliRunner().invoke(exec_command, ["--resume", str(tmp_path / "short"), "--budget", "calls=9"])
    assert on.exit_code == 0, on.output
    assert "1 attempt was made before" in on.output
    done, whole = (
        json.loads((tmp_path / name / "run.json").read_text())["totals"]["executions"] for name in ("short", "longer")
    )
    assert done == whole == 2
