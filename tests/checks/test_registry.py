"""Checks by name: built-in ones, plug-ins from an installed package, and checks that fail themselves."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from costa_dsl.checks import registry
from costa_dsl.checks.evidence import CheckResult, Evidence
from costa_dsl.diagnostics import CostaError, Severity, Sink
from tests.checks.scenes import Answers

PICTURE = np.zeros((20, 30, 3), np.uint8)
EVIDENCE = Evidence("object-removal", PICTURE, PICTURE + np.uint8(255), Answers(), region=np.ones((20, 30), bool))

MODULE = """
from costa_dsl.checks.evidence import CheckResult

def shiny(evidence, wanted):
    return CheckResult("shiny", 0.75, f"it shines as {wanted}", {"shine": evidence.after.mean()})

def crashes(evidence, wanted):
    raise ZeroDivisionError("no light\\nat all")

def lies(evidence, wanted):
    return CheckResult("lies", float(wanted), "trust me")

def mute(evidence, wanted):
    return None

def talks(evidence, wanted):
    return "fine"
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Installs a package (as importlib.metadata sees it) with the given entry points."""

    def install(name: str, points: str) -> None:
        (tmp_path / f"{name}_module.py").write_text(MODULE, encoding="utf-8")
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[costa.checks]\n{points}\n", encoding="utf-8")
        registry._plugins.cache_clear()

    monkeypatch.syspath_prepend(str(tmp_path))
    registry._plugins.cache_clear()
    yield install
    registry._plugins.cache_clear()


def test_every_name_leads_to_a_function_that_answers() -> None:
    for name in registry.check_names():
        results = registry.run_checks([(name, True)], EVIDENCE)
        assert [result.check for result in results] in ([], [name])
        assert not any("itself failed" in result.sentence for result in results), results


def test_the_vocabulary_and_the_registry_name_the_same_checks() -> None:
    from costa_dsl.catalog.load import load_catalog

    sink = Sink()
    subtasks = load_catalog("default", sink).vocabulary.subtasks
    used = {check for subtask in subtasks.values() for check in subtask.checks}
    assert used <= set(registry.BUILT_IN)


def test_results_keep_their_order_and_empty_ones_are_left_out() -> None:
    names = [
        ("inside-changed", True),
        ("object-absent", True),
        ("canvas-size", True),
        ("outside-unchanged", True),
    ]
    results = registry.run_checks(names, EVIDENCE)
    assert [result.check for result in results] == ["inside-changed", "canvas-size", "outside-unchanged"]


def test_an_unknown_check_is_named_before_anything_runs() -> None:
    with pytest.raises(CostaError) as caught:
        registry.run_checks([("canvas-size", True), ("colour-match", True)], EVIDENCE)
    (found,) = caught.value.diagnostics
    assert found.code == "COS9102"
    assert 'did you mean "color-match"?' in found.help


def test_plugins_are_found_and_their_numbers_become_plain(package: Callable[[str, str], None]) -> None:
    package("shop", "shiny = shop_module:shiny\nmute = shop_module:mute")
    assert {"shiny", "mute", "canvas-size"} <= set(registry.check_names())
    (result,) = registry.run_checks([("shiny", "gold"), ("mute", True)], EVIDENCE)
    assert result == CheckResult("shiny", 0.75, "it shines as gold", {"shine": 255.0})
    assert type(result.measured["shine"]) is float


@pytest.mark.parametrize(("name", "wanted"), [("crashes", True), ("lies", 1.5), ("lies", "nan"), ("talks", True)])
def test_a_check_that_fails_itself_is_named(package: Callable[[str, str], None], name: str, wanted: object) -> None:
    package("shop", f"{name} = shop_module:{name}")
    sink = Sink()
    results = registry.run_checks([(name, wanted), ("canvas-size", True)], EVIDENCE, sink)
    assert [result.check for result in results] == [name, "canvas-size"]
    assert results[0].score == 0
    assert results[0].sentence.startswith(f'the check "{name}" itself failed')
    assert "\n" not in results[0].sentence
    assert [(found.code, found.severity) for found in sink] == [("COS9104", Severity.WARNING)]


def test_clashes_are_errors(package: Callable[[str, str], None]) -> None:
    package("shop", "canvas-size = shop_module:shiny")
    with pytest.raises(CostaError) as caught:
        registry.check_names()
    assert caught.value.diagnostics[0].code == "COS9101"
    assert "shop" in caught.value.diagnostics[0].message
    with pytest.raises(CostaError):
        registry.run_checks([("canvas-size", True)], EVIDENCE)


def test_two_packages_with_one_name_clash(package: Callable[[str, str], None]) -> None:
    package("shop", "shiny = shop_module:shiny")
    package("mall", "shiny = mall_module:shiny")
    with pytest.raises(CostaError) as caught:
        registry.find_check("shiny")
    message = caught.value.diagnostics[0].message
    assert "shop" in message
    assert "mall" in message


def test_a_plugin_that_cannot_be_loaded(package: Callable[[str, str], None]) -> None:
    package("shop", "broken = shop_module:nothing_here")
    with pytest.raises(CostaError) as caught:
        registry.find_check("broken")
    assert caught.value.diagnostics[0].code == "COS9103"


def test_listing_checks_loads_nothing_heavy() -> None:
    code = (
        "import sys; from costa_dsl.checks.registry import check_names; check_names();"
        "print(sorted({'cv2', 'skimage', 'scipy', 'PIL'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
