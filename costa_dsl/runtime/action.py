"""What an attempt and its measurements are made of: the pre-images under which the shared cache keeps them.

Every name in them is stable and meant to be read: `costa cache why` speaks of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from costa_dsl.catalog.availability import implementation, missing
from costa_dsl.catalog.catalog import Catalog
from costa_dsl.checks.registry import BUILT_IN, GROUP
from costa_dsl.model.artifact import Placement, Target
from costa_dsl.model.tool import Tool
from costa_dsl.rules.plan.missing_file import PICTURE_SUFFIXES
from costa_dsl.runtime.code_epoch import (
    CHECK_CODE,
    PICTURE_CODE,
    TOOL_CODE,
    code_epoch,
    data_digest,
    environment,
    origin,
    packages,
)
from costa_dsl.store.preimage import Preimage, canonical
from costa_dsl.store.refs import ArtifactRef

if TYPE_CHECKING:
    from costa_dsl.checks.evidence import CheckResult

# Failures that the inputs alone decide. The others may go away by themselves: a crash, too little memory or time.
LASTING_FAILURES = frozenset({"not-found", "invalid-input", "unsupported"})

# Of the result that is kept (runtime/cached.py): another form is another key.
FORM = 1

# The subtasks that checks measure with (runtime/instruments.py).
_INSTRUMENTS = ("text-detection", "text-extraction", "object-detection")


def attempt_preimage(
    tool: Tool,
    subtask: str,
    *,
    inputs: Mapping[str, ArtifactRef],
    gives: Iterable[str],
    parameters: Mapping[str, Any],
    arguments: Mapping[str, Any],
    target: Target,
    seed: int,
) -> Preimage | None:
    """All that the result of one attempt depends on; None when it must not be kept.

    It must not when the tool declares `determinism: none`, when no installed package brings its implementation, or
    when a file that it is given cannot be read.

    Args:
        inputs: what the tool is given, the picture as `image`.
        gives: the artifact types that are asked for.
        arguments, target: as in the tool's call, with absolute paths for files.
        seed: counts only for a `seeded` tool.
    """
    if tool.determinism not in ("pure", "seeded"):
        return None
    made_by = _tool(tool)
    if made_by is None:
        return None
    try:
        preimage: dict[str, Any] = {
            "kind": "attempt",
            "form": FORM,
            "tool": made_by,
            "subtask": subtask,
            "parameters": _plain(parameters),
            **_wishes(arguments, target),
            "inputs": _digests(inputs),
            "gives": sorted(set(gives)),
            "code": dict(code_epoch(TOOL_CODE)),
            "environment": dict(environment()),
        }
        if tool.determinism == "seeded":
            preimage["seed"] = seed
        canonical(preimage)
    except (OSError, TypeError, ValueError):
        return None
    return preimage


def measurement_preimage(
    checks: Sequence[tuple[str, Any]],
    guarantees: Sequence[str],
    subtask: str,
    *,
    inputs: Mapping[str, ArtifactRef],
    outputs: Mapping[str, ArtifactRef],
    placement: Placement | None,
    parameters: Mapping[str, Any],
    arguments: Mapping[str, Any],
    target: Target,
    instruments: Mapping[str, Any] | None,
) -> Preimage | None:
    """All that the measurements of one attempt depend on; None when they must not be kept.

    The tool that made the outputs does not count: a measurement of the same things is the same. So the measurements of
    a tool that never gives the same result twice can be kept, too.

    Args:
        checks: name and wanted value, in order.
        guarantees: the checks that the tool's manifest promises, in order.
        instruments: of `instruments_preimage`; None when there are some whose results must not be kept.
    """
    if instruments is None:
        return None
    try:
        preimage: dict[str, Any] = {
            "kind": "measurement",
            "form": FORM,
            "checks": [{"check": name, "wanted": _plain(wanted)} for name, wanted in checks],
            "guarantees": list(guarantees),
            "subtask": subtask,
            "parameters": _plain(parameters),
            **_wishes(arguments, target),
            "inputs": _digests(inputs),
            "outputs": _digests(outputs),
            "placement": None if placement is None else asdict(placement),
            "instruments": dict(instruments),
            "plug-ins": _check_plugins({*guarantees, *(name for name, _ in checks)}),
            "code": dict(code_epoch(CHECK_CODE)),
            "environment": dict(environment()),
        }
        canonical(preimage)
    except (OSError, TypeError, ValueError):
        return None
    return preimage


def instruments_preimage(catalog: Catalog) -> Mapping[str, Any] | None:
    """The tools that checks can measure with here, in the order in which they are preferred; once per run.

    None when one of them declares `determinism: none`.
    """
    found: dict[str, Any] = {}
    for subtask in _INSTRUMENTS:
        able = sorted(
            (row.seconds, tool.name)
            for tool in catalog.tools_for(subtask)
            if (row := catalog.row(tool.name, subtask)) and not missing(tool)
        )
        tools = [catalog.tools[name] for _, name in able]
        if any(tool.determinism not in ("pure", "seeded") for tool in tools):
            return None
        found[subtask] = [_instrument(tool) for tool in tools]
    return found


def _instrument(tool: Tool) -> dict[str, Any]:
    value = {**(_tool(tool) or {}), "parameters": _plain(tool.defaults())}
    # The vocabularies of detectors are long, and stand in every measurement.
    value["objects"] = hashlib.sha256(canonical(value["objects"])).hexdigest()
    return value


def picture_preimage(path: Path) -> Preimage | None:
    """What a decoded picture depends on: the content of its file; None when that cannot be read.

    With it a run knows the digest of its picture, and finds all else in the cache, before anything is decoded.
    """
    try:
        return {
            "kind": "picture",
            "file": file_digest(path),
            "code": dict(code_epoch(PICTURE_CODE)),
            "environment": dict(environment()),
        }
    except OSError:
        return None


def worth_keeping(results: Iterable[CheckResult]) -> bool:
    """Whether all measurements were made; a check that failed itself may do better another time."""
    return not any("check_failed" in result.measured for result in results)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tool(tool: Tool) -> dict[str, Any] | None:
    """The tool itself: its code, its packages, its weights, and what of its manifest reaches the code."""
    entry = implementation(tool.implementation)
    if entry is None:
        return None
    weights = dict(tool.requires.weights)
    if package := weights.get("package"):
        weights["content"] = data_digest(package) or ""
    return {
        "name": tool.name,
        "implementation": tool.implementation,
        **origin(entry),
        "packages": packages(tool.requires.packages),
        "weights": weights,
        "objects": {label: list(words) for label, words in tool.objects.items()},
        "determinism": tool.determinism,
    }


def _check_plugins(names: set[str]) -> dict[str, Any]:
    others = names - set(BUILT_IN)
    if not others:
        return {}
    from importlib.metadata import entry_points

    return {entry.name: dict(origin(entry)) for entry in entry_points(group=GROUP) if entry.name in others}


def _wishes(arguments: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """The words of the step. A file that they name counts by its content, as runtime/files.py finds it."""
    words = {name: _plain(value) for name, value in arguments.items()}
    named = arguments.get("with")
    if isinstance(named, str) and Path(named).suffix.lower() in PICTURE_SUFFIXES and Path(named).is_absolute():
        words["with"] = {"file": file_digest(Path(named))}
    at = {name: _plain(value) for name, value in target.at}
    if "mask" in at:
        at["mask"] = {"file": file_digest(Path(str(at["mask"])))}
    return {"arguments": words, "target": {"object": target.object, "at": at}}


def _digests(refs: Mapping[str, ArtifactRef]) -> dict[str, str]:
    return {name: ref.digest for name, ref in refs.items()}


def _plain(value: Any) -> Any:
    """JSON values: tuples become lists.

    Raises:
        TypeError: it holds something else.
    """
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("a name is no text")
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is no JSON value")
