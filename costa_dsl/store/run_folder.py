"""The folder of a run, real or simulated: made empty, and one process at a time. No arrays or pictures here."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

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


def step_folder(number: int, subtask: str, tool: str) -> str:
    """Where the files of an invocation lie in the run's folder; `number` is its place in the order, from 1."""
    return f"steps/{number:02d}-{subtask}-{tool}"


# Held until the process ends, however it ends.
_held: dict[Path, FileLock] = {}
LOCK_NAME = ".lock"


def only_one(path: Path) -> None:
    """Hold a run's folder, so that no other process goes on with the same run.

    Raises:
        CostaError: COS6403 another process holds it.
    """
    place = path.resolve()
    lock = _held.setdefault(place, FileLock(place / LOCK_NAME))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CostaError(
            Diagnostic(
                "COS6403",
                f'another costa is at work on the run "{path}"',
                help="wait until it has ended, or stop it",
            )
        ) from None


def let_go(path: Path) -> None:
    """Give a run's folder free."""
    lock = _held.pop(path.resolve(), None)
    if lock is not None:
        lock.release()


def is_held(path: Path) -> bool:
    """Whether some process, this one included, is at work on a run's folder."""
    place = path.resolve()
    if place in _held:
        return True
    if not (place / LOCK_NAME).is_file():
        return False
    lock = FileLock(place / LOCK_NAME)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:  # a folder that others own: who may not write there cannot tell
        return False
    lock.release()
    return False
