"""Replays a search from its outcomes and keeps every decision.

Nothing is decided here. The search itself runs again over the same graph, and is told what came of its tools the
first time; wherever it asks for something else than the recording says, that is an error and no trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from costa_dsl.compiler.drawing.words import clean
from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.diagnostics import CostaError, Diagnostic, SourceSpan
from costa_dsl.model.objective import Objective, Rank, gap
from costa_dsl.search.journal import Recorded
from costa_dsl.search.search import Search
from costa_dsl.search.space import Completed, Event, Execute, Label, Learnt, Popped, Stop
from costa_dsl.search.strategies import BestFirst, Strategy
from costa_dsl.search.trace import Arrival, End, Place, Pop, Reason, Rival, Step, Trace, Way

# How many of the labels that are still open at the end are named; `Popped` has as many.
MOST_RIVALS = 3


def replay(
    graph: ToolpathGraph,
    objective: Objective,
    strategy: Strategy,
    outcomes: Iterable[Recorded],
    stopped: Stop = "cancelled",
) -> Trace:
    """The trace of the search that had these outcomes, as far as they go.

    Args:
        stopped: why it was stopped, should they end before the search.

    Raises:
        CostaError: the search asks for something else than what an outcome is of.
    """
    heard = _Heard(graph, objective, strategy)
    steps: list[Step] = []
    place: SourceSpan | None = None
    try:
        for recorded in outcomes:
            place = recorded.span
            steps.append(_step(heard, recorded))
        end = _end(heard, stopped)
    except OverflowError as error:
        message = "the numbers up to this outcome are too large to search with"
        raise CostaError(Diagnostic("COS6504", message, place, help="a journal is not made to be edited")) from error
    return Trace(graph, objective, strategy, tuple(steps), end)


def _step(heard: _Heard, recorded: Recorded) -> Step:
    """Tell the search one outcome, if it is of what the search asks for."""
    pop = heard.next()
    invocation = pop.way.invocation if pop else None
    if pop is None or invocation is None or (pop.way.number, invocation.id) != (recorded.label, recorded.invocation):
        raise _other_way(heard.search, pop, recorded)
    label, slowness = heard.label, heard.search.estimates.slowness
    heard.learnt = heard.completed = None
    heard.search.observe(recorded.outcome)
    after = Way.of(label) if recorded.outcome.accepted else None
    return Step(pop, recorded.outcome, after, slowness, heard.learnt, heard.completed, recorded.told)


def _other_way(search: Search, pop: Pop | None, recorded: Recorded) -> CostaError:
    known = next((one for one in search.graph.invocations if one.id == recorded.invocation), None)
    name = f" ({known.tool} at {known.step})" if known else ", which is not in the graph"
    found = f"an outcome of label {recorded.label}, {clean(recorded.invocation)}{name}"
    if pop is None:
        wanted = "the search has come to its end before it"
    else:
        call = pop.way.invocation
        wanted = f"the search asks for label {pop.way.number}, {call.id} ({call.tool} at {call.step})"
    return CostaError(
        Diagnostic(
            "COS6506",
            f"this is {found}; {wanted}",
            recorded.span,
            help="the journal was edited, or another version of costa wrote it: only the same one can explain the run",
        )
    )


def _end(heard: _Heard, stopped: Stop) -> End:
    pending = heard.next()
    search = heard.search
    best = search.best
    rank = best.rank(search.objective) if best is not None else ()
    left = sorted(search.space.open.values(), key=lambda one: (one.promise, one.number))[:MOST_RIVALS]
    kind: Literal["finished", "exhausted", "stopped"] = "finished" if best is not None else "exhausted"
    return End(
        kind="stopped" if pending else kind,
        path=Way.of(best) if best is not None else None,
        met=best is not None and search.objective.is_met(best.seconds, best.quality, best.usd),
        certificate=search.certificate(stopped if pending else ""),
        still_open=tuple(Rival(Way.of(one), gap(one.promise, rank) if rank else 0.0) for one in left),
        open_labels=len(search.space.open),
        surprise=search.space.surprise,
        pending=pending,
    )


@dataclass
class _Heard:
    """The search that runs again, and what its visitor was told last."""

    graph: ToolpathGraph
    objective: Objective
    strategy: Strategy
    learnt: Learnt | None = None
    completed: Arrival | None = None
    search: Search = field(init=False)
    label: Label = field(init=False)
    _pop: Pop | None = None
    _ran: Label | None = None
    _pops: int = 0

    def __post_init__(self) -> None:
        self.search = Search(self.graph, self.objective, self.strategy, visitor=self._hear)

    def next(self) -> Pop | None:
        """What the search asks for now; None when it has come to its end."""
        return self._pop if isinstance(self.search.next(), Execute) else None

    def _hear(self, event: Event) -> None:
        match event:
            case Popped():
                # Not later: a label changes with the estimates.
                self.label = event.label
                self._pop = self._explain(event)
            case Learnt():
                self.learnt = event
            case Completed():
                self.completed = Arrival(event.rank, event.best)
            case _:
                pass  # `Ran`: the recording says what came of it, and the pop what was expected

    def _explain(self, event: Popped) -> Pop:
        label, space = event.label, self.search.space
        assert label.invocation is not None
        assert label.parent is not None
        self._pops += 1
        rivals = tuple(Rival(Way.of(one), gap(promise, event.promise)) for one, promise in event.instead_of)
        complete = space.complete.rank(self.objective) if space.complete is not None else ()
        ran, self._ran = self._ran, label
        return Pop(
            number=self._pops,
            way=Way.of(label),
            before=(label.parent.seconds, label.parent.quality, label.parent.usd),
            rivals=rivals,
            open_labels=event.open_labels,
            place=_place(label, ran),
            reason=_reason(self.strategy, event, rivals, complete),
            failed=ran.invocation if ran is not None and not ran.executed else None,
            expected=self.search.estimates.of(label.invocation),
            complete=complete,
            surprise=space.surprise,
        )


def _place(label: Label, before: Label | None) -> Place:
    if before is None:
        return "start"
    if label.parent is before:
        return "onward"
    return "beside" if label.parent is before.parent else "back"


def _reason(strategy: Strategy, event: Popped, rivals: tuple[Rival, ...], complete: Rank) -> Reason:
    if not isinstance(strategy, BestFirst):
        return "order"
    if rivals and rivals[0].excess < 0:
        return "patience"
    if complete and gap(event.promise, complete) >= 0:
        return "curiosity"
    if not rivals:
        return "only"
    return "least" if rivals[0].excess > 0 else "equal"
