"""A whole run whose best-looking tool fails badly: the next tool does the step, and the journal says why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costa_dsl.runtime.execute import execute
from costa_dsl.runtime.process import ProcessExecutor
from tests.runtime import faults
from tests.runtime.small import FUNCTIONS, GUARANTEES, RED, catalog_with, compiled, picture


def find(name: str) -> Any:
    """What the workers find tools by: the small ones, and those with faults."""
    return FUNCTIONS[name] if name in FUNCTIONS else faults.find(name.replace("-", "_"))


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessExecutor]:
    with ProcessExecutor(jobs=1, memory=600 * 2**20, find=find) as executor:
        yield executor


@pytest.mark.parametrize(
    ("editor", "kind"),
    [
        ("read-nothing", "crash"),
        ("leave", "crash"),
        ("hang-in-native-code", "timeout"),
        ("hog", "out-of-memory"),
        ("fork", "crash"),
        ("wrong-size", "guarantee"),
        ("spilling", "guarantee"),
        ("float-image", "invalid-output"),
    ],
)
def test_the_run_goes_on_with_the_next_tool(tmp_path: Path, pool: ProcessExecutor, editor: str, kind: str) -> None:
    catalog = catalog_with(editor, f"timeout: 1\n{GUARANTEES}" if kind == "timeout" else GUARANTEES)
    outcome = execute(compiled(catalog), catalog, picture(), tmp_path / "run", executor=pool)
    assert outcome.exit_code == 0
    expected = picture().pixels.copy()
    expected[30:60, 40:80] = RED
    assert np.array_equal(outcome.picture, expected)
    assert outcome.record["steps"][-1]["tool"] == "painter"
    events = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines()]
    assert [event["failure"]["kind"] for event in events if event.get("failure")] == [kind]
    assert all(event["failure"] is not None for event in events if "failure" in event)
