"""A file that a plan names is there, below the plan's folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity, SourceSpan, closest
from costa_dsl.model.plan import Plan, Step
from costa_dsl.rules.words import has_placeholder
from costa_dsl.syntax import real_path

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
SAMPLE = "sample:"


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    folder = plan_folder(plan)
    if isinstance(plan.image, str) and not plan.image.startswith(SAMPLE) and not has_placeholder(plan.image):
        found = file_fault(folder, plan.image, plan.origin.span("inputs", "image"))
        # `--image` may name another picture.
        if found is not None:
            yield replace(found, severity=Severity.WARNING) if found.code == "COS6302" else found
    for step in plan.steps:
        for name, span in files_of(step):
            if not has_placeholder(name) and (found := file_fault(folder, name, span)) is not None:
                yield found


def plan_folder(plan: Plan) -> Path:
    """Where a plan's relative names start; the working directory for a plan from standard input without a name."""
    folder = Path(plan.origin.document.source.name).parent
    return real_path(str(folder) if folder.is_dir() else ".")


def files_of(step: Step) -> Iterator[tuple[str, SourceSpan]]:
    """The files that a step names: `at: {mask: …}` is always one, `with: …` when it ends like a picture's name.

    The replacement of a text is words, whatever they end with.
    """
    replacement = step.arguments.get("with")
    if (
        "text" not in step.arguments
        and isinstance(replacement, str)
        and Path(replacement).suffix.lower() in PICTURE_SUFFIXES
    ):
        yield replacement, step.origin.span("with")
    mask = step.target.place("mask")
    if isinstance(mask, str):
        yield mask, step.origin.span("at", "mask")


def file_fault(folder: Path, name: str, span: SourceSpan) -> Diagnostic | None:
    """What is wrong with a file that a plan names; None when it is there and may be read."""
    try:
        path = (folder / name).resolve()
        there = path.is_file()
    except (OSError, ValueError, RuntimeError) as error:
        return Diagnostic("COS6302", f'"{name}" is no name of a file: {error}', span)
    if not path.is_relative_to(folder):
        return Diagnostic(
            "COS6301",
            f'"{name}" lies outside the plan\'s folder',
            span,
            label="a plan may only read files beside or below it",
            help="copy the file next to the plan, or name the picture with `--image`",
        )
    if there:
        return None
    if path.is_dir():
        return Diagnostic("COS6302", f'"{name}" is a folder, not a file', span)
    near = closest(path.name, _files_beside(path))
    label = f'did you mean "{Path(name).with_name(near).as_posix()}"?' if near else "looked in the plan's folder"
    return Diagnostic("COS6302", f'there is no file "{name}"', span, label=label)


def _files_beside(path: Path) -> list[str]:
    try:
        return [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return []
