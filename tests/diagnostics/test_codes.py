"""Every code has a page, and the examples on the pages are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import costa_dsl
from costa_dsl.cli.validate import validate_files
from costa_dsl.diagnostics import Severity
from costa_dsl.diagnostics.codes import CODES

PACKAGE = Path(costa_dsl.__file__).parent
WITH_EXAMPLE = sorted(code for code, page in CODES.items() if page.bad)


def used_codes() -> set[str]:
    """Every code in the package's source, apart from the registry itself."""
    return {
        code
        for path in PACKAGE.rglob("*.py")
        if "diagnostics" not in path.relative_to(PACKAGE).parts[0]
        for code in re.findall(r"\bCOS\d{4}\b", path.read_text(encoding="utf-8"))
    }


def test_every_code_in_the_source_has_a_page() -> None:
    assert used_codes() - set(CODES) == set()


def test_every_page_is_of_a_code_in_the_source() -> None:
    assert set(CODES) - used_codes() == set()


@pytest.mark.parametrize("code", sorted(CODES))
def test_pages_are_complete(code: str) -> None:
    page = CODES[code]
    assert re.fullmatch(r"COS\d{4}", code)
    assert page.title
    assert not page.title.endswith(".")
    assert page.explanation.endswith((".", ")"))
    assert bool(page.bad) == bool(page.good)


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_examples_are_true(code: str, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.yaml", tmp_path / "good.yaml"
    # Not write_text: it would translate line breaks.
    bad.write_bytes(CODES[code].bad.encode())
    good.write_bytes(CODES[code].good.encode())
    assert code in {found.code for found in validate_files([str(bad)], "default")}
    after = list(validate_files([str(good)], "default"))
    assert code not in {found.code for found in after}
    own_room = [
        found for found in after if found.severity is Severity.ERROR and found.code[:4] in ("COS0", "COS1", code[:4])
    ]
    assert own_room == []
