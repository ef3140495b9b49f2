"""Which of a benchmark's numbers counts for an invocation, once something is known of what it works on."""

from __future__ import annotations

from typing import NamedTuple

from costa_dsl.compiler.graph import Case, Invocation
from costa_dsl.model.context import Features, all_hold


class Prior(NamedTuple):
    """The benchmark's word on one invocation: seconds (≥ 0), quality in [0, 1], and how many measurements it is."""

    seconds: float
    quality: float
    n: int


def prior_of(invocation: Invocation, features: Features) -> Prior:
    """The estimate of the first case whose conditions all hold, else the invocation's own.

    Args:
        invocation: as it stands in the graph.
        features: what has been measured of its step's target (see `costa_dsl.model.context.FEATURES`); a condition
            on a feature that is not there does not hold, so that no features give the fallback.
    """
    found = (case_of(invocation, features) if invocation.cases else None) or invocation
    return Prior(found.seconds, found.quality, found.n)


def case_of(invocation: Invocation, features: Features) -> Case | None:
    """The first case whose conditions all hold; None when it is the fallback's turn.

    What is observed of a tool in one case says little about another: its `when` tells them apart.
    """
    return next((case for case in invocation.cases if all_hold(case.when, features)), None)


def in_vain(invocation: Invocation, features: Features, threshold: float) -> bool:
    """Whether running an invocation makes no sense: nothing will measure its result, and its estimate is too low.

    What the compiler says of a tool's best case (see `Selector.why_not`), this says of the case that holds, or of the
    fallback where none does.

    Args:
        threshold: the least quality of a step, in [0, 1], as in the plan's policy.
    """
    return invocation.unmeasured and prior_of(invocation, features).quality < threshold


def described(invocation: Invocation, features: Features) -> str:
    """What was measured of the target, of the features that decided which case holds; empty when nothing was."""
    case = case_of(invocation, features)
    names = [condition.feature for found in ([case] if case else invocation.cases) for condition in found.when]
    told = (f"{name} {said(features[name])}" for name in dict.fromkeys(names) if name in features)
    return ", ".join(told)


def said(value: float | bool) -> str:
    """The value of a feature for people."""
    return str(value).lower() if isinstance(value, bool) else f"{value:.2g}"
