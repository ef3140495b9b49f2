"""Promises that code can verify: a result that breaks one is dropped before anyone judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from costa_dsl.checks import pixels
from costa_dsl.checks.evidence import CheckResult, Evidence

# The checks that are exact enough to be promises. Each holds when its score is 1.
PREDICATES: dict[str, Callable[[Evidence, object], CheckResult | None]] = {
    "image-unchanged": pixels.image_unchanged,
    "outside-unchanged": pixels.outside_unchanged,
    "canvas-size": pixels.canvas_size,
    "original-kept": pixels.original_kept,
}


def broken_guarantees(names: Iterable[str], evidence: Evidence) -> list[str]:
    """One sentence for every promise of a tool that its result does not keep; empty when it keeps them all.

    A promise about the outside of a region holds when there is no outside.

    Raises:
        KeyError: a name that is no promise (the schema of manifests allows only these four).
    """
    broken = []
    for name in names:
        result = PREDICATES[name](evidence, True)
        if result is not None and result.score < 1:
            broken.append(f"{name}: {result.sentence}")
    return broken
