"""Attempts and measurements in the shared cache: found instead of made, and kept when they were made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.model.artifact import Placement
from costa_dsl.runtime.action import LASTING_FAILURES, instruments_preimage, worth_keeping
from costa_dsl.store.action_cache import ActionCache, Store, Warn
from costa_dsl.store.preimage import Preimage
from costa_dsl.store.refs import ArtifactRef
from costa_dsl.store.run_preimages import keep_preimage

if TYPE_CHECKING:
    from costa_dsl.checks.evidence import CheckResult
    from costa_dsl.runtime.executor import Failure


@dataclass(frozen=True)
class Made:
    """What one attempt of a tool gave, before anything is measured.

    `seconds` and `load_seconds` are those of the time when it really ran, so that a search decides by the same numbers
    whether it is found or made. `log` is what it printed; it is not kept.
    """

    seconds: float
    load_seconds: float
    outputs: Mapping[str, ArtifactRef] = field(default_factory=dict)
    placement: Placement | None = None
    failure: Failure | None = None
    log: str = ""


@dataclass(frozen=True)
class Measured:
    """What was measured of an attempt: each guarantee that it broke, as a sentence, and the results of the checks."""

    broken: tuple[str, ...]
    results: tuple[CheckResult, ...] = ()


@dataclass(frozen=True)
class RunCache:
    """The shared cache as one run uses it.

    Attributes:
        instruments: what checks measure with here (`instruments_preimage`).
        run: the run's folder, which keeps the pre-images, so that `costa cache why` can tell of them later.
    """

    actions: ActionCache
    instruments: Mapping[str, Any] | None
    run: Path

    @staticmethod
    def of(catalog: Catalog, run: Path, warn: Warn) -> RunCache:
        """The user's cache, for a run with the tools of a catalog."""
        return RunCache(ActionCache(warn=warn), instruments_preimage(catalog), run)

    def attempt(
        self, preimage: Preimage | None, store: Store, make: Callable[[], Made]
    ) -> tuple[Made, bool, str | None]:
        """What an attempt gives: found, or made and kept. Then whether it was found, and its key.

        Args:
            preimage: None for what must not be kept.
        """
        if preimage is None:
            return make(), False, None
        key = keep_preimage(self.run, preimage)
        found = find_attempt(self.actions, preimage, store)
        if found is not None:
            return found, True, key
        made = make()
        keep_attempt(self.actions, preimage, made, store)
        return made, False, key

    def measurement(
        self, preimage: Preimage | None, store: Store, measure: Callable[[], Measured]
    ) -> tuple[Measured, str | None]:
        """What is measured of an attempt: found, or measured and kept. Then its key."""
        if preimage is None:
            return measure(), None
        key = keep_preimage(self.run, preimage)
        found = find_measurements(self.actions, preimage)
        if found is None:
            found = measure()
            keep_measurements(self.actions, preimage, found, store)
        return found, key


def find_attempt(cache: ActionCache, preimage: Preimage, store: Store) -> Made | None:
    """What an attempt would give, its outputs linked into `store`; None when the tool must run.

    Raises:
        OSError: the store cannot be written.
    """
    entry = cache.find(preimage)
    outputs = None if entry is None else cache.restore(entry, store)
    if entry is None or outputs is None:
        return None
    try:
        result = dict(entry.result)
        placement, failure = result["placement"], result["failure"]
        if failure is not None:
            # Imported here: the executor brings numpy, and most attempts do not fail.
            from costa_dsl.runtime.executor import Failure

            failure = Failure(**failure)
        return Made(
            seconds=float(result["seconds"]),
            load_seconds=float(result["load_seconds"]),
            outputs=outputs,
            placement=None if placement is None else Placement(**placement),
            failure=failure,
        )
    except (KeyError, TypeError, ValueError):
        return None


def keep_attempt(cache: ActionCache, preimage: Preimage, made: Made, store: Store) -> None:
    """Keep what an attempt gave; a failure only when the inputs alone decide it."""
    failure = made.failure
    if failure is not None and failure.kind not in LASTING_FAILURES:
        return
    told = None if failure is None else {"kind": failure.kind, "message": failure.message, "help": failure.help}
    result = {
        "seconds": made.seconds,
        "load_seconds": made.load_seconds,
        "placement": None if made.placement is None else asdict(made.placement),
        "failure": told,
    }
    _keep(cache, preimage, result, made.outputs, store)


def find_measurements(cache: ActionCache, preimage: Preimage) -> Measured | None:
    """What would be measured; None when the checks must run."""
    entry = cache.find(preimage)
    if entry is None:
        return None
    # Imported here: whoever keeps nothing measures nothing either.
    from costa_dsl.checks.evidence import CheckResult

    try:
        results = tuple(CheckResult.from_line(line) for line in entry.result["results"])
        return Measured(tuple(entry.result["broken"]), results)
    except (KeyError, TypeError):
        return None


def keep_measurements(cache: ActionCache, preimage: Preimage, measured: Measured, store: Store) -> None:
    """Keep what was measured, unless a check failed itself."""
    if worth_keeping(measured.results):
        result = {"broken": list(measured.broken), "results": [one.to_line() for one in measured.results]}
        _keep(cache, preimage, result, {}, store)


def _keep(
    cache: ActionCache,
    preimage: Preimage,
    result: Mapping[str, object],
    outputs: Mapping[str, ArtifactRef],
    store: Store,
) -> None:
    try:
        cache.keep(preimage, result, outputs, store)
    except (TypeError, ValueError):
        return  # NaN among its numbers: nothing that JSON can hold, so it is measured anew each time
