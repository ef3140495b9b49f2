"""Removing the folders of runs: only real ones, and never one that a process is at work on."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.store.run_folder import let_go, only_one
from costa_dsl.store.stored_runs import StoredRun, the_run


def refuse_running(run: StoredRun) -> None:
    """Raises CostaError COS6603 when a process is at work on a run."""
    if run.state == "running":
        message = f'"{run.path}" is not removed: another costa is at work on it'
        raise CostaError(Diagnostic("COS6603", message, help="wait until it has ended, or stop it"), exit_code=1)


LEFT_OVER = ".*.removed"


def remove_left_over(folder: Path) -> None:
    """Remove what a kill in the middle of a removal has left in a folder of runs."""
    for path in folder.glob(LEFT_OVER):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)


def remove_run(run: StoredRun) -> None:
    """Remove a run's folder; it leaves its name in one step, so that no half of it is ever taken for a run.

    Raises:
        CostaError: COS6602 it is no run any more, COS6603 it is running, COS6604 it cannot be removed.
    """
    now = the_run(run.path)
    refuse_running(now)
    # `.` and `..` have no name that could be changed. A link was refused above.
    place = run.path.resolve()
    try:
        # Held while it goes, so that nobody takes it up in between.
        only_one(place)
        try:
            going = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}.removed")
            place.replace(going)
        finally:
            let_go(place)
        shutil.rmtree(going)
    except OSError as error:
        message = f'the run "{run.path}" cannot be removed: {error.strerror or error}'
        raise CostaError(Diagnostic("COS6604", message, help="check who owns it and its permissions")) from error
