"""The words of a trace: names of tools, shares, and what came of a tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from costa_dsl.compiler.drawing.words import clean, count
from costa_dsl.compiler.graph import Invocation
from costa_dsl.search.estimates import Estimate
from costa_dsl.search.journal import ATTEMPT, STARTED
from costa_dsl.search.trace import Step


def name(invocation: Invocation) -> str:
    """What an invocation does, and with which tool: `object-removal: grabcut for its object-segmentation`."""
    supplies = f" for its {clean(invocation.subtask)}" if invocation.role == "supply" else ""
    return f"{clean(invocation.step)}: {clean(invocation.tool)}{supplies}"


def compared(share: float) -> str:
    """How a rank compares with another one, by the gap between them (`gap(rank, other)`): `4.8% more`, `4.6% less`.

    A gap is a share of the larger of the two. What is more is told as a share of the other one all the same.
    """
    if share == 0:
        return "the same"
    if share < 0:
        return kept(f"{-share:.1%} less" if share <= -0.0005 else "a trace less")
    if share > 0.99:
        return kept("far more")
    return kept(f"{share / (1 - share):.1%} more" if share >= 0.0005 else "a trace more")


def changes(before: Estimate, after: Estimate) -> str:
    """The numbers of an estimate that changed as far as they are shown; empty when none did."""
    told = [
        (f"{before.seconds:.3g}", f"{after.seconds:.3g}", "seconds"),
        (f"{before.quality:.3f}", f"{after.quality:.3f}", "quality"),
        (f"{before.usd:.3g}", f"{after.usd:.3g}", "USD"),
    ]
    return joined(*(f"{what} {old} → {new}" if old != new else "" for old, new, what in told))


def observed_words(step: Step) -> str:
    """What came of the tool, and by how much that is not what was expected."""
    outcome, expected = step.outcome, step.pop.expected
    moved = outcome.quality - expected.quality
    said = joined(
        f"{outcome.seconds:.3g} s{_factor(outcome.seconds, expected.seconds)}",
        f"quality {outcome.quality:.3f}" + (f" ({moved:+.3f})" if abs(moved) >= 0.0005 else ""),
        f"{outcome.usd:.3g} USD" if outcome.usd or expected.usd else "",
    )
    return f"{said}: {'accepted' if outcome.accepted else 'not good enough'}"


def _factor(observed: float, expected: float) -> str:
    if expected <= 0 or observed <= 0:
        return ""
    share = observed / expected - 1
    if abs(share) < 0.005:
        return ""
    return f" ({share:+.0%})" if share < 1 else f" ({observed / expected:.3g} times)"


def totals_words(seconds: float, quality: float, usd: float) -> str:
    """Seconds, quality and dollars of a path."""
    return joined(f"{seconds:.4g} s", f"quality {quality:.3f}", f"{usd:.3g} USD" if usd else "")


def path_words(labels: Sequence[int], path: Sequence[Invocation]) -> str:
    """Labels with what they ran, in order; empty for the start."""
    return " → ".join(kept(f"{number} {clean(call.tool)}") for number, call in zip(labels, path, strict=True))


def kept(text: str) -> str:
    """A text that is not broken at the end of a line."""
    return text.replace(" ", "\u00a0")


def joined(*parts: str) -> str:
    """The parts that are not empty, with commas; a line ends between them only."""
    return ", ".join(kept(part) for part in parts if part)


def told_words(step: Step, reuses: bool) -> str:
    """What the journal of a real run tells besides: how often the tool tried, and what was said of the last attempt."""
    attempts = [line.value for line in step.told if line.event == ATTEMPT]
    if not any(line.event == STARTED for line in step.told):
        return "it was run on this before; its result was used again" if reuses else ""
    said = [count(len(attempts), "attempt")] if attempts else []
    if attempts and (last := _said_of(attempts[-1])):
        said.append(last)
    return ": ".join(said)


def _said_of(attempt: Any) -> str:
    """The sentence of the failure, or of the check with the lowest score; the journal may be of another version."""
    try:
        failure = attempt.get("failure")
        if failure:
            return clean(str(failure["message"]))
        checks = [(float(check["score"]), str(check["sentence"])) for check in attempt.get("checks", ())]
    except (LookupError, TypeError, ValueError, AttributeError):
        return ""
    return clean(min(checks, key=lambda check: check[0])[1]) if checks else ""
