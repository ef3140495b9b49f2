"""The pre-images of a run's attempts, in its folder, so that it can be told later why one was not in the cache."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costa_dsl.diagnostics import CostaError, Diagnostic
from costa_dsl.store.journal import FILE_NAME, read_journal
from costa_dsl.store.preimage import Preimage, action_key, canonical

FOLDER = "preimages"


def keep_preimage(run: Path, preimage: Preimage) -> str:
    """Write a pre-image into a run's folder; gives its key. It is not synced: nothing depends on it.

    Raises:
        OSError: the folder cannot be written.
    """
    key = action_key(preimage)
    place = run / FOLDER / f"{key}.json"
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        unfinished = place.with_name(f".{place.name}.{secrets.token_hex(8)}.part")
        try:
            unfinished.write_bytes(canonical(preimage) + b"\n")
            unfinished.replace(place)
        finally:
            unfinished.unlink(missing_ok=True)
    return key


def read_preimage(run: Path, key: str) -> Preimage | None:
    """The pre-image of a key in a run's folder; None when it is not there or damaged."""
    try:
        preimage: dict[str, Any] = json.loads((run / FOLDER / f"{key}.json").read_bytes())
        return preimage if action_key(preimage) == key else None
    except (OSError, ValueError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class AttemptKeys:
    """One attempt of a run: the number of the invocation, its own number, and the keys that the journal holds."""

    number: int
    attempt: int
    action: str | None
    measurement: str | None


def attempt_keys(run: Path, number: int, attempt: int | None = None) -> AttemptKeys:
    """The keys of an attempt, by default of the last one of the invocation.

    Raises:
        CostaError: COS6401 there is no journal, COS8504 it holds no such attempt.
    """
    found = [
        line
        for line in read_journal(run / FILE_NAME).lines
        if line.get("event") == "attempt"
        and line.get("number") == number
        and (attempt is None or line.get("attempt") == attempt)
    ]
    if not found:
        wanted = f"{number}" if attempt is None else f"{number}.{attempt}"
        raise CostaError(
            Diagnostic(
                "COS8504",
                f'the run "{run}" has no attempt {wanted}',
                help="the numbers stand in its journal and before the names of the folders in steps/",
            ),
            exit_code=3,
        )
    line = found[-1]
    return AttemptKeys(number, line["attempt"], line.get("action"), line.get("measurement"))
