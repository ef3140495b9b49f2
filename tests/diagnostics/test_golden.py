"""Golden files: NAME.yaml is validated, NAME.out is what a person sees, NAME.sarif.json what a service reads.

After a wanted change: `COSTA_REGENERATE=1 pytest tests/diagnostics/test_golden.py`, then read the difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from costa_dsl.cli.main import run

GOLDEN = Path(__file__).parent / "golden"
CATALOG = GOLDEN.parent / "catalog"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.yaml"))
SARIF = sorted(path.name.removesuffix(".sarif.json") for path in GOLDEN.glob("*.sarif.json"))


def seen(name: str, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What `costa validate` says about a golden file."""
    run(["validate", "--format", form, "--catalog", str(CATALOG), f"{name}.yaml"])
    return capsys.readouterr().out


def compare(text: str, expected: Path) -> None:
    if os.environ.get("COSTA_REGENERATE"):
        expected.write_text(text, encoding="utf-8", newline="\n")
    assert text == expected.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def beside_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    compare(seen(name, "text", capsys), GOLDEN / f"{name}.out")


@pytest.mark.parametrize("name", SARIF)
def test_golden_sarif(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    compare(seen(name, "sarif", capsys), GOLDEN / f"{name}.sarif.json")


def test_every_golden_file_has_its_pair() -> None:
    assert {path.stem for path in GOLDEN.glob("*.out")} == set(NAMES)
    assert set(SARIF) < set(NAMES)
    assert len(NAMES) >= 60
    assert len(SARIF) >= 10
    for name in NAMES:
        assert name.startswith("valid-") == (", no findings" in (GOLDEN / f"{name}.out").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SARIF)
def test_sarif_is_ascii_json(name: str) -> None:
    text = (GOLDEN / f"{name}.sarif.json").read_text(encoding="ascii")
    assert json.loads(text)["version"] == "2.1.0"
