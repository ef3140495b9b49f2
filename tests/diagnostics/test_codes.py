"""Every code has a page in docs/codes, and what the page says is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import costa_dsl
from costa_dsl.cli.validate import validate_files
from costa_dsl.diagnostics import Severity, SourceText
from costa_dsl.diagnostics.pages import Pages, read_page
from costa_dsl.resources import data_folder
from costa_dsl.rules.mend import mend
from costa_dsl.rules.validate import Request, validate_texts

PACKAGE = Path(costa_dsl.__file__).parent
PAGES = Pages()
WITH_EXAMPLE = sorted(code for code, page in PAGES.items() if page.bad)
WITH_FIX = sorted(code for code, page in PAGES.items() if page.fix)


def used_codes() -> set[str]:
    """Every code that stands in quotes in the package's source."""
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    return {code for text in texts for code in re.findall(r'"(COS\d{4})"', text)}


def test_every_code_in_the_source_has_a_page() -> None:
    assert used_codes() - set(PAGES) == set()


def test_every_page_is_of_a_code_in_the_source() -> None:
    assert set(PAGES) - used_codes() == set()


def test_the_list_of_pages_is_complete() -> None:
    listed = re.findall(r"\[(COS\d{4})\]\(\1\.md\): ([^|\n]+)", (data_folder("codes") / "README.md").read_text("utf-8"))
    assert {code: title.strip() for code, title in listed} == {code: page.title for code, page in PAGES.items()}


@pytest.mark.parametrize("code", sorted(PAGES))
def test_pages_are_complete(code: str) -> None:
    page = PAGES[code]
    assert page.code == code
    assert not page.title.endswith(".")
    assert page.severity in set(Severity)
    assert page.fix in ("", "safe", "unsafe")
    assert page.explanation.endswith((".", ")"))
    assert bool(page.bad) == bool(page.good)


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_examples_are_true(code: str, tmp_path: Path) -> None:
    page = PAGES[code]
    bad, good = tmp_path / "bad.yaml", tmp_path / "good.yaml"
    # Not write_text: it would translate line breaks.
    bad.write_bytes(page.bad.encode())
    good.write_bytes(page.good.encode())
    found = [diagnostic for diagnostic in validate_files([str(bad)], "default") if diagnostic.code == code]
    assert found
    assert {str(diagnostic.severity) for diagnostic in found} == {page.severity}
    fixes = {"" if diagnostic.fix is None else "safe" if diagnostic.fix.safe else "unsafe" for diagnostic in found}
    assert fixes == {page.fix}
    after = validate_files([str(good)], "default")
    assert code not in {diagnostic.code for diagnostic in after}
    assert [str(diagnostic) for diagnostic in after if diagnostic.severity is Severity.ERROR] == []


@pytest.mark.parametrize("code", WITH_FIX)
def test_the_fix_ends_the_finding(code: str) -> None:
    mended = mend([SourceText("bad.yaml", PAGES[code].bad)], Request(), unsafe=True)
    assert mended.applied
    assert code not in {diagnostic.code for diagnostic in mended.found}
    assert [found.code for found in validate_texts(mended.sources, Request())] == [found.code for found in mended.found]


def test_what_is_no_page() -> None:
    with pytest.raises(ValueError, match="a page begins with"):
        read_page("# Something\n\nelse")
    assert "COS0000" not in PAGES
