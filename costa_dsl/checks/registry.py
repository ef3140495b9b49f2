"""Every check by name: the built-in ones and those of plug-ins, and the one way to run them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from costa_dsl.checks.evidence import CheckFunction, CheckResult, Evidence
from costa_dsl.diagnostics import CostaError, Diagnostic, Severity, Sink, closest

# Plug-ins add checks under this group: name = "module:function", a `CheckFunction`.
GROUP = "costa.checks"

# Names only, so that listing the checks loads nothing heavy.
BUILT_IN = {
    "image-unchanged": "costa_dsl.checks.pixels:image_unchanged",
    "outside-unchanged": "costa_dsl.checks.pixels:outside_unchanged",
    "inside-changed": "costa_dsl.checks.pixels:inside_changed",
    "canvas-size": "costa_dsl.checks.pixels:canvas_size",
    "original-kept": "costa_dsl.checks.pixels:original_kept",
    "object-found": "costa_dsl.checks.objects:object_found",
    "object-absent": "costa_dsl.checks.objects:object_absent",
    "object-present": "costa_dsl.checks.objects:object_present",
    "mask-plausible": "costa_dsl.checks.masks:mask_plausible",
    "grounding-plausible": "costa_dsl.checks.masks:grounding_plausible",
    "cutout-plausible": "costa_dsl.checks.masks:cutout_plausible",
    "texture-kept": "costa_dsl.checks.texture:texture_kept",
    "seam": "costa_dsl.checks.seam:seam",
    "color-match": "costa_dsl.checks.color:color_match",
    "structure-kept": "costa_dsl.checks.structure:structure_kept",
    "sharper": "costa_dsl.checks.structure:sharper",
    "noise-reduced": "costa_dsl.checks.structure:noise_reduced",
    "text-found": "costa_dsl.checks.text:text_found",
    "text-present": "costa_dsl.checks.text:text_present",
    "text-absent": "costa_dsl.checks.text:text_absent",
}


def check_names() -> tuple[str, ...]:
    """Every check that this installation knows, sorted; none of them is loaded.

    Raises:
        CostaError: COS9101 two packages give a check of one name.
    """
    return tuple(sorted({*BUILT_IN, *_plugins()}))


def find_check(name: str) -> CheckFunction:
    """The function of a check.

    Raises:
        CostaError: COS9101 a clash of names, COS9102 no such check, COS9103 a plug-in's check cannot be
            loaded.
    """
    if name in BUILT_IN:
        _plugins()
        module, _, function = BUILT_IN[name].partition(":")
        found: CheckFunction = getattr(import_module(module), function)
        return found
    plugin = _plugins().get(name)
    if plugin is None:
        near = closest(name, check_names())
        advice = f'did you mean "{near}"?' if near else f"the checks are {', '.join(check_names())}"
        raise CostaError(Diagnostic("COS9102", f'there is no check "{name}"', help=advice))
    try:
        loaded: CheckFunction = plugin.load()
    except Exception as error:  # a plug-in's module may fail in any way
        message = f'the check "{name}" of {_package(plugin)} cannot be loaded: {error}'
        raise CostaError(Diagnostic("COS9103", message, help="repair or remove that package")) from error
    return loaded


def run_checks(checks: Iterable[tuple[str, Any]], evidence: Evidence, sink: Sink | None = None) -> list[CheckResult]:
    """Run checks on one attempt, in the given order; those with nothing to measure give no result.

    A check that fails itself, or answers nonsense, counts as failed (score 0): nothing was verified. The
    sentence and a warning (COS9104, into the sink) name it, so that nobody blames the tool.

    Args:
        checks: name and `wanted` (the value under `expect:`, True for a check without one).

    Raises:
        CostaError: as `find_check`, before anything is measured.
    """
    functions = [(name, wanted, find_check(name)) for name, wanted in checks]
    results = []
    for name, wanted, function in functions:
        try:
            result = function(evidence, wanted)
            if result is not None:
                result = _valid(name, result)
        except Exception as error:  # one broken check must not end a run that took minutes
            reason = f"{type(error).__name__}: {error}".split("\n")[0]
            message = f'the check "{name}" itself failed ({reason})'
            if sink is not None:
                sink.add(
                    Diagnostic("COS9104", message, severity=Severity.WARNING, help="report this check to its authors")
                )
            result = CheckResult(name, 0.0, message, {"check_failed": 1.0})
        if result is not None:
            results.append(result)
    return results


def _valid(name: str, result: Any) -> CheckResult:
    if not isinstance(result, CheckResult):
        raise TypeError(f"it gave {type(result).__name__} instead of a CheckResult")
    score = float(result.score)
    if not 0 <= score <= 1:  # NaN too
        raise ValueError(f"its score {score} is not between 0 and 1")
    # Numbers of numpy would not survive in a run record.
    measured = {key: float(value) for key, value in result.measured.items()}
    return CheckResult(name, score, result.sentence, measured)


@cache
def _plugins() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for plugin in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        other = found.get(plugin.name)
        if plugin.name in BUILT_IN or (other is not None and other.value != plugin.value):
            rival = "costa itself" if plugin.name in BUILT_IN else _package(other)
            message = f'{_package(plugin)} gives a check "{plugin.name}", and so does {rival}'
            raise CostaError(Diagnostic("COS9101", message, help="remove one of the packages, or rename its check"))
        found[plugin.name] = plugin
    return found


def _package(plugin: EntryPoint | None) -> str:
    package = plugin.dist.name if plugin is not None and plugin.dist is not None else None
    return f"the package {package}" if package else "a package"
