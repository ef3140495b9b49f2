"""Files that a plan names: found below the plan's folder, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from costa_dsl.compiler.graph import GraphStep
from costa_dsl.diagnostics import CostaError, Diagnostic, SourceSpan
from costa_dsl.model.artifact import Target
from costa_dsl.model.plan import Plan

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})


def plan_folder(plan: Plan) -> Path:
    """Where a plan's relative names start; the working directory for a plan from standard input."""
    path = Path(plan.origin.document.source.name)
    return path.parent.resolve() if path.exists() else Path.cwd()


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
    if plan.image is None or plan.image.startswith("sample:"):
        return plan.image
    return str(_below(plan_folder(plan), plan.image, plan.origin.span("inputs", "image")))


def _below(folder: Path, name: str, span: SourceSpan) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise CostaError(
            Diagnostic(
                "COS6301",
                f'"{name}" lies outside the plan\'s folder',
                span,
                label="a plan may only read files beside or below it",
                help="copy the file next to the plan, or name the picture with `--image`",
            )
        )
    if not path.is_file():
        raise CostaError(Diagnostic("COS6302", f'there is no file "{name}"', span, label=f"looked in {folder}"))
    return path
