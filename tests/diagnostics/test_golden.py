"""Golden pairs: golden/NAME.yaml is read and checked, golden/NAME.out is what a person sees.

After a wanted change: `COSTA_REGENERATE=1 pytest tests/diagnostics/test_golden.py`, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from costa_dsl.diagnostics import Sink
from costa_dsl.report.diagnostics import render, summary
from costa_dsl.schema import check_document
from costa_dsl.syntax import read_documents, read_text_file

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.yaml"))


def seen(name: str) -> str:
    """Everything that syntax and schema say about a golden file, as a terminal shows it."""
    sink = Sink()
    source = read_text_file(f"{name}.yaml", sink)
    kinds = [str(check_document(document, sink)) for document in read_documents(source, sink)] if source else []
    found = sink.sorted()
    text = f"{render(found)}\n{summary(found)}\n" if found else "no findings\n"
    return f"{text}documents: {', '.join(kinds) or 'none'}\n"


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)
    text = seen(name)
    expected = GOLDEN / f"{name}.out"
    if os.environ.get("COSTA_REGENERATE"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def test_every_golden_file_has_its_pair() -> None:
    assert {path.stem for path in GOLDEN.glob("*.out")} == set(NAMES)
    assert all(seen_valid == ("no findings" in (GOLDEN / f"{name}.out").read_text(encoding="utf-8"))
               for name in NAMES for seen_valid in [name.startswith("valid-")])  # fmt: skip
