"""The empty folder that a run begins with, real or simulated. Nothing of arrays and pictures is loaded for it."""

from __future__ import annotations

from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic


def make_run_folder(path: Path) -> None:
    """Make a run's folder.

    Raises:
        CostaError: it exists and is not empty, or cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        taken = any(path.iterdir())
    except OSError as error:
        raise CostaError(
            Diagnostic(
                "COS8201",
                f'cannot make the run directory "{path}": {error.strerror}',
                help="name another: --run-dir",
            )
        ) from error
    if taken:
        raise CostaError(
            Diagnostic(
                "COS8202",
                f'the run directory "{path}" is not empty',
                help="name a new one with --run-dir, or delete it",
            )
        )
