"""Files that a plan names: found below the plan's folder, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from costa_dsl.compiler.graph import GraphStep
from costa_dsl.diagnostics import CostaError, SourceSpan
from costa_dsl.model.artifact import Target
from costa_dsl.model.plan import Plan
from costa_dsl.rules.plan.missing_file import PICTURE_SUFFIXES, SAMPLE, file_fault, plan_folder


def resolve_files(step: GraphStep, folder: Path) -> tuple[dict[str, Any], Target]:
    """A step's arguments and target with absolute paths for the files that they name.

    `at: {mask: …}` is always a file; `with: …` is one when it ends like a picture's name.

    Raises:
        CostaError: a file is missing, or lies outside the plan's folder.
    """
    arguments = dict(step.step.arguments)
    replacement = arguments.get("with")
    if isinstance(replacement, str) and Path(replacement).suffix.lower() in PICTURE_SUFFIXES:
        arguments["with"] = str(_below(folder, replacement, step.step.origin.span("with")))
    at = dict(step.target.at)
    if "mask" in at:
        at["mask"] = str(_below(folder, str(at["mask"]), step.step.origin.span("at", "mask")))
    return arguments, Target(step.target.object, tuple(at.items()))


def input_picture(plan: Plan) -> str | None:
    """The name of the plan's own picture, ready to be loaded: a sample's, or the path of a file below its folder.

    Raises:
        CostaError: the file is missing, or lies outside the plan's folder.
    """
    if plan.image is None or plan.image.startswith(SAMPLE):
        return plan.image
    return str(_below(plan_folder(plan), plan.image, plan.origin.span("inputs", "image")))


def _below(folder: Path, name: str, span: SourceSpan) -> Path:
    fault = file_fault(folder, name, span)
    if fault is not None:
        raise CostaError(fault)
    return (folder / name).resolve()
