"""What is written down of a search, so that it can be replayed: three kinds of lines of a journal.

The search is deterministic. Its graph, objective and strategy, and then what became known of the targets of steps and
each outcome, in the order in which they came, are all of it: every label, bound and estimate follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from costa_dsl.diagnostics import CostaError, Diagnostic, SourceSpan
from costa_dsl.model.context import FEATURES, Features
from costa_dsl.search.search import Search
from costa_dsl.search.space import Label, Outcome

SEARCH, OUTCOME, KNOWN, STARTED, ATTEMPT = "search", "outcome", "known", "started", "attempt"
# No tool takes this many seconds or dollars; beyond it, squares and products would leave the range of numbers.
MOST = 1e15


def search_line(search: Search, known: Mapping[str, Features] | None = None) -> dict[str, Any]:
    """The first line: what is searched, how, and what it was told of the targets of steps before its first question."""
    policy = search.graph.plan.policy
    line: dict[str, Any] = {
        "event": SEARCH,
        "graph": search.graph.digest,
        "objective": search.objective.spec,
        "alpha": policy.alpha,
        "strategy": search.strategy.name,
    }
    return {**line, "known": {step: dict(features) for step, features in known.items()}} if known else line


def known_line(step: str, features: Features) -> dict[str, Any]:
    """What was measured of the target of a step."""
    return {"event": KNOWN, "step": step, "features": dict(features)}


def outcome_line(label: Label, outcome: Outcome) -> dict[str, Any]:
    """What came of a label's invocation; numbers are written in full, so that a replay decides alike."""
    assert label.invocation is not None
    line: dict[str, Any] = {
        "event": OUTCOME,
        "label": label.number,
        "invocation": label.invocation.id,
        "accepted": outcome.accepted,
        "seconds": outcome.seconds,
        "quality": outcome.quality,
        "usd": outcome.usd,
    }
    return line if outcome.ran else {**line, "ran": False}


# ---- and read back -------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Line:
    """One line of a journal, and where it stands; `span` is None for one that was never written."""

    value: Mapping[str, Any]
    span: SourceSpan | None = None

    @property
    def event(self) -> object:
        return self.value.get("event")


# A step, and what was measured of its target.
Finding: TypeAlias = tuple[str, Features]


@dataclass(frozen=True, slots=True)
class Recorded:
    """An outcome as it was written down.

    Attributes:
        label, invocation: the number and the id of what it came of.
        known: what became known of the targets of steps since the outcome before, in this order.
        told: what else was written since then: that a tool was started, and its attempts.
    """

    label: int
    invocation: str
    outcome: Outcome
    known: tuple[Finding, ...] = ()
    told: tuple[Line, ...] = ()
    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """One search as it was written down.

    Attributes:
        known: what was known of the targets of steps when it began.
        rest: what stands behind its last outcome.
    """

    graph: str
    objective: str
    alpha: float
    strategy: str
    outcomes: tuple[Recorded, ...]
    known: tuple[Finding, ...] = ()
    rest: tuple[Line, ...] = ()
    span: SourceSpan | None = None


def recordings(lines: Iterable[Line]) -> list[Recording]:
    """The searches in a journal, in its order. Lines of other kinds are kept, and never looked into.

    Raises:
        CostaError: a line of a search or an outcome is not what this version of costa writes.
    """
    parts: list[list[Line]] = []
    for line in lines:
        if line.event == SEARCH:
            parts.append([line])
        elif parts:
            parts[-1].append(line)
        elif line.event == OUTCOME:
            raise _fault(line, "an outcome stands before the line of the search that it belongs to", "COS6503")
    return [_recording(part) for part in parts]


def _recording(lines: Sequence[Line]) -> Recording:
    head = lines[0]
    outcomes: list[Recorded] = []
    known: list[Finding] = []
    told: list[Line] = []
    for line in lines[1:]:
        if line.event == KNOWN:
            known.append((_text(line, "step"), _features(line, line.value.get("features"))))
        if line.event != OUTCOME:
            told.append(line)
            continue
        outcome = Outcome(
            accepted=_of_type(line, "accepted", bool, "true or false"),
            seconds=_number(line, "seconds", MOST),
            quality=_number(line, "quality", 1.0),
            usd=_number(line, "usd", MOST),
            ran="ran" not in line.value or _of_type(line, "ran", bool, "true or false"),
        )
        label = _of_type(line, "label", int, "a whole number")
        outcomes.append(Recorded(label, _text(line, "invocation"), outcome, tuple(known), tuple(told), line.span))
        known, told = [], []
    return Recording(
        graph=_text(head, "graph"),
        objective=_text(head, "objective"),
        alpha=_number(head, "alpha", 2.0),
        strategy=_text(head, "strategy"),
        outcomes=tuple(outcomes),
        known=_known_at_first(head),
        rest=tuple(told),
        span=head.span,
    )


def _known_at_first(line: Line) -> tuple[Finding, ...]:
    found: Mapping[str, Any] = _of_type(line, "known", dict, "an object") if "known" in line.value else {}
    return tuple((step, _features(line, features)) for step, features in found.items())


def _features(line: Line, found: Any) -> Features:
    if not isinstance(found, dict):
        raise _fault(line, f"the features of a target should be an object, found {found!r}")
    for name, value in found.items():
        if name not in FEATURES or type(value) not in (bool, int, float) or not abs(value) <= MOST:
            raise _fault(line, f"the features of a target should be numbers, found {name}: {value!r}")
    return found


def _text(line: Line, key: str) -> str:
    found: str = _of_type(line, key, str, "a text")
    return found


def _of_type(line: Line, key: str, kind: type, wanted: str) -> Any:
    value = line.value.get(key)
    if type(value) is not kind:  # to Python, true is a whole number too
        raise _fault(line, f"`{key}` should be {wanted}, {_found(line, key)}")
    return value


def _number(line: Line, key: str, most: float) -> float:
    value: Any = line.value.get(key)
    if type(value) not in (int, float) or not 0 <= value <= most:  # nan is in no range
        raise _fault(line, f"`{key}` should be a number from 0 to {most:g}, {_found(line, key)}")
    return float(value)


def _found(line: Line, key: str) -> str:
    if key not in line.value:
        return "and is missing"
    said = repr(line.value[key]) if type(line.value[key]) is not bool else str(line.value[key]).lower()
    return f"found {said if len(said) <= 40 else said[:37] + '...'}"


def _fault(line: Line, message: str, code: str = "COS6504") -> CostaError:
    event = {SEARCH: "of the search", KNOWN: "of what is known"}.get(str(line.event), "of the outcome")
    text = message if code != "COS6504" else f"in this line {event}, {message}"
    return CostaError(Diagnostic(code, text, line.span, help="a journal is not made to be edited"))
