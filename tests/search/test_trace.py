"""Traces: they say of each decision what the live search said, and nothing when the recording is of something else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.diagnostics import CostaError
from costa_dsl.model.objective import CostaObjective, Objective, Rank
from costa_dsl.search.estimates import Estimate
from costa_dsl.search.journal import Line, Recorded, Recording, outcome_line, recordings, search_line
from costa_dsl.search.replay import replay
from costa_dsl.search.search import Search
from costa_dsl.search.space import Completed, Event, Execute, Label, Learnt, Outcome, Popped, Ran
from costa_dsl.search.strategies import STRATEGIES, BestFirst, Strategy
from costa_dsl.search.trace import Trace
from tests.search.graphs import call, graph_from, graphs, layered, objectives

QUIET = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
J = CostaObjective(1.0)


@dataclass
class Live:
    """A search that runs for the first time, and all that it said, as plain values: labels change later."""

    search: Search
    pops: list[tuple[int, str, Rank, Rank, list[tuple[int, Rank]], int]] = field(default_factory=list)
    ran: list[tuple[int, Estimate, Outcome]] = field(default_factory=list)
    learnt: list[Learnt] = field(default_factory=list)
    completed: list[tuple[int, Rank, bool]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    def hear(self, event: Event) -> None:
        match event:
            case Popped(label, bound, promise, instead_of, open_labels):
                assert label.invocation is not None
                others = [(one.number, rank) for one, rank in instead_of]
                self.pops.append((label.number, label.invocation.id, bound, promise, others, open_labels))
            case Ran(label, expected, outcome):
                self.ran.append((label.number, expected, outcome))
            case Learnt():
                self.learnt.append(event)
            case Completed(label, rank, best):
                self.completed.append((label.number, rank, best))

    def tell(self, label: Label, outcome: Outcome) -> None:
        self.lines.append(Line(outcome_line(label, outcome)))
        self.search.observe(outcome)


def live(graph: ToolpathGraph, objective: Objective, strategy: Strategy) -> Live:
    found = Live(Search(graph, objective, strategy))
    found.search = Search(graph, objective, strategy, visitor=found.hear)
    found.lines = [Line(search_line(found.search))]
    return found


def recorded(found: Live) -> Recording:
    (recording,) = recordings(found.lines)
    return recording


def traced(found: Live) -> Trace:
    search = found.search
    return replay(search.graph, search.objective, search.strategy, recorded(found).outcomes)


def told(trace: Trace) -> Live:
    """What a trace says, in the form of what the live search said."""
    said = Live(Search(trace.graph, trace.objective, trace.strategy))
    pops = [step.pop for step in trace.steps] + ([trace.end.pending] if trace.end.pending else [])
    for pop in pops:
        rivals = [(rival.way.number, rival.way.promise) for rival in pop.rivals]
        way = pop.way
        said.pops.append((way.number, way.invocation.id, way.bound, way.promise, rivals, pop.open_labels))
    for step in trace.steps:
        number = step.pop.way.number
        said.ran.append((number, step.pop.expected, step.outcome))
        if step.learnt:
            said.learnt.append(step.learnt)
        if step.completed:
            said.completed.append((number, step.completed.rank, step.completed.best))
    return said


def outcome_of(label: Label, data: st.DataObject) -> Outcome:
    found = label.invocation
    assert found is not None
    ok = data.draw(st.sampled_from([True, True, True, False]))
    factor = data.draw(st.sampled_from([0.5, 1.0, 1.7]))
    return Outcome(ok, found.seconds * factor, found.quality * data.draw(st.sampled_from([0.5, 1.0])), found.usd)


# ---- the same as the live search ------------------------------------------------------------------------------
@QUIET
@given(graphs(), objectives(), st.sampled_from(sorted(STRATEGIES)), st.data())
def test_a_trace_says_what_the_live_search_said(
    graph: ToolpathGraph, objective: Objective, name: str, data: st.DataObject
) -> None:
    """To the end, or stopped anywhere: every pop, rival, estimate, lesson and path, and the certificate."""
    found = live(graph, objective, STRATEGIES[name])
    most = data.draw(st.one_of(st.none(), st.integers(0, 6)))
    while isinstance(decision := found.search.next(), Execute):
        if most is not None and len(found.ran) >= most:
            break
        found.tell(decision.label, outcome_of(decision.label, data))
    trace = traced(found)
    said = told(trace)
    assert said.pops == found.pops
    assert said.ran == found.ran
    assert said.learnt == found.learnt
    assert said.completed == found.completed
    stopped = isinstance(decision, Execute)
    assert trace.end.certificate == found.search.certificate("cancelled" if stopped else "")
    assert (trace.end.pending is not None, trace.end.kind == "stopped") == (stopped, stopped)
    best = found.search.best
    assert (trace.end.path.number if trace.end.path else None) == (best.number if best else None)
    assert (trace.end.kind == "exhausted") == (not stopped and best is None)


@QUIET
@given(graphs(), objectives(), st.sampled_from(sorted(STRATEGIES)), st.data())
def test_less_of_a_journal_is_less_of_the_same_trace(
    graph: ToolpathGraph, objective: Objective, name: str, data: st.DataObject
) -> None:
    found = live(graph, objective, STRATEGIES[name])
    while isinstance(decision := found.search.next(), Execute):
        found.tell(decision.label, outcome_of(decision.label, data))
    whole = traced(found)
    size = data.draw(st.integers(0, len(whole.steps)))
    part = replay(graph, objective, STRATEGIES[name], recorded(found).outcomes[:size])
    assert part.steps == whole.steps[:size]
    if size < len(whole.steps):
        assert part.end.pending == whole.steps[size].pop


@QUIET
@given(graphs(), objectives(), st.sampled_from(["lazy", "commit"]), st.data())
def test_the_reason_agrees_with_the_numbers(
    graph: ToolpathGraph, objective: Objective, name: str, data: st.DataObject
) -> None:
    found = live(graph, objective, STRATEGIES[name])
    while isinstance(decision := found.search.next(), Execute):
        found.tell(decision.label, outcome_of(decision.label, data))
    trace = traced(found)
    strategy = trace.strategy
    assert isinstance(strategy, BestFirst)
    ran: dict[int, int] = {}
    for step in trace.steps:
        pop = step.pop
        least = pop.rivals[0].excess if pop.rivals else None
        if pop.reason == "only":
            assert pop.open_labels == 1
        elif pop.reason == "patience":
            assert least is not None
            assert -strategy.patience - 1e-6 <= least < 0, (pop.way.promise, pop.rivals)
            reached = [one.pop.way for one in trace.steps[: pop.number - 1] if one.outcome.accepted]
            last = [way.number for way in reached if way.invocation.target != graph.goal][-1:]
            assert list(pop.way.labels[-2:-1]) == last, "it goes on from the place that was reached last"
        elif pop.reason in ("least", "equal"):
            assert least is not None
            assert (least > 0) == (pop.reason == "least")
        else:
            assert pop.reason == "curiosity"
            assert pop.complete
        way = pop.way
        assert way.labels[-1] == way.number
        assert way.path[0].source == graph.start
        assert all(one.target == other.source for one, other in zip(way.path, way.path[1:], strict=False))
        assert (pop.failed is not None) == (pop.number > 1 and not trace.steps[pop.number - 2].outcome.accepted)
        parent = way.labels[-2] if len(way.labels) > 1 else 0
        before = trace.steps[pop.number - 2].pop.way.number if pop.number > 1 else None
        assert (pop.place == "start") == (before is None)
        assert (pop.place == "onward") == (parent == before)
        assert (pop.place == "beside") == (parent == ran.get(before or 0) and before is not None and parent != before)
        ran[way.number] = parent


# ---- by hand ----------------------------------------------------------------------------------------------------
def run(graph: ToolpathGraph, name: str, **outcomes: Outcome) -> Trace:
    """Invocations that are not named go as estimated."""
    found = live(graph, J, STRATEGIES[name])
    while isinstance(decision := found.search.next(), Execute):
        invocation = decision.label.invocation
        assert invocation is not None
        usual = Outcome(True, invocation.seconds, invocation.quality)
        found.tell(decision.label, outcomes.get(invocation.id, usual))
    return traced(found)


def places(trace: Trace) -> list[tuple[str, str, str]]:
    return [(step.pop.way.invocation.id, step.pop.place, step.pop.reason) for step in trace.steps]


def test_a_failure_leads_to_another_way_from_the_same_place() -> None:
    graph = graph_from(3, [call("a", 0, 1, 1.0, 0.9), call("b", 1, 2, 1.0, 0.9), call("c", 1, 2, 5.0, 0.9)])
    trace = run(graph, "lazy", b=Outcome(False, 1.0, 0.1))
    assert places(trace) == [("a", "start", "only"), ("b", "onward", "least"), ("c", "beside", "only")]
    last = trace.steps[-1]
    assert last.pop.failed is not None
    assert last.pop.failed.id == "b"
    assert last.pop.before == (1.0, 0.9, 0.0)
    assert last.completed is not None
    assert trace.steps[1].after is None


def test_a_disappointment_leads_back() -> None:
    calls = [call("a", 0, 1, 1.0, 0.9), call("b", 0, 2, 2.0, 0.9), call("c", 1, 3, 1.0, 0.9), call("d", 2, 3, 1.0, 0.9)]
    trace = run(graph_from(4, calls), "lazy", a=Outcome(True, 30.0, 0.9))
    assert places(trace)[:2] == [("a", "start", "least"), ("b", "beside", "least")]
    assert trace.steps[0].learnt is not None
    assert trace.steps[0].learnt.slowness > trace.steps[0].slowness == 1.0
    back = run(graph_from(4, calls), "lazy", c=Outcome(False, 1.0, 0.1))
    assert places(back) == [
        ("a", "start", "least"),
        ("c", "onward", "least"),
        ("b", "back", "only"),
        ("d", "onward", "only"),
    ]


def test_patience_is_told() -> None:
    calls = [
        call("a", 0, 1, 10.0, 0.9), call("b", 0, 1, 10.1, 0.9), call("c", 1, 2, 10.0, 0.9),
    ]  # fmt: skip
    trace = run(graph_from(3, calls), "commit", a=Outcome(True, 10.0, 0.895))
    assert [reason for _, _, reason in places(trace)] in (["least", "least"], ["least", "patience"])
    slower = run(graph_from(3, calls), "commit", a=Outcome(True, 10.3, 0.9))
    assert places(slower)[1][:2] == ("c", "onward")


def test_curiosity_is_told_with_what_it_goes_by() -> None:
    """Two equal halves, in which outcomes differ widely: it looks into what promises a little more."""
    graph = layered([[(10.0, 0.9), (10.5, 0.9)]] * 3)
    trace = run(graph, "lazy", **{"t0-0": Outcome(True, 14.0, 0.9), "t1-0": Outcome(True, 7.0, 0.9)})
    curious = [step.pop for step in trace.steps if step.pop.reason == "curiosity"]
    assert curious
    for pop in curious:
        assert pop.surprise > 0
        assert pop.complete


def test_the_strategies_without_promises_say_so() -> None:
    graph = layered([[(1.0, 0.9), (2.0, 0.95)]] * 2)
    for name in ("paper", "exhaustive"):
        trace = run(graph, name)
        assert {reason for _, _, reason in places(trace)} == {"order"}
        assert (trace.steps[0].learnt is None) == (name == "paper")


# ---- what is no recording of this search --------------------------------------------------------------------------
def some() -> tuple[ToolpathGraph, tuple[Recorded, ...]]:
    graph = layered([[(1.0, 0.9), (2.0, 0.95)]] * 3)
    found = live(graph, J, STRATEGIES["lazy"])
    while isinstance(decision := found.search.next(), Execute):
        assert decision.label.invocation is not None
        found.tell(decision.label, Outcome(True, decision.label.invocation.seconds, 0.9))
    return graph, recorded(found).outcomes


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": 99}, "this is an outcome of label 99, t1-0 (t1-0 at step1); the search asks for label 3, t1-0"),
        ({"invocation": "t1-1"}, "label 3, t1-1 (t1-1 at step1); the search asks for label 3, t1-0 (t1-0 at step1)"),
        ({"invocation": "none"}, "label 3, none, which is not in the graph; the search asks for label 3"),
    ],
)
def test_an_outcome_of_something_else(change: dict[str, int | str], said: str) -> None:
    graph, outcomes = some()
    changed = (outcomes[0], replace(outcomes[1], **change), *outcomes[2:])  # type: ignore[arg-type]
    with pytest.raises(CostaError) as refused:
        replay(graph, J, STRATEGIES["lazy"], changed)
    (found,) = refused.value.diagnostics
    assert found.code == "COS6506"
    assert said in found.message


def test_an_outcome_after_the_end() -> None:
    graph, outcomes = some()
    with pytest.raises(CostaError, match="the search has come to its end before it"):
        replay(graph, J, STRATEGIES["lazy"], (*outcomes, outcomes[-1]))


def test_numbers_that_leave_the_range_of_numbers() -> None:
    graph, outcomes = some()
    huge = replace(outcomes[0], outcome=Outcome(True, 1e300, 0.9))
    with pytest.raises(CostaError) as refused:
        replay(graph, CostaObjective(2.0), STRATEGIES["lazy"], (huge,))
    assert [found.code for found in refused.value.diagnostics] == ["COS6504"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seconds", -1), ("seconds", float("nan")), ("seconds", float("inf")), ("seconds", True), ("seconds", "1"),
        ("seconds", 10**400), ("quality", 1.5), ("quality", None), ("usd", -0.1), ("usd", float("nan")),
        ("label", "1"), ("label", 1.0), ("label", True), ("invocation", 5), ("accepted", 1), ("accepted", "yes"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("missing", [False, True])
def test_an_outcome_that_cannot_be(key: str, value: object, missing: bool) -> None:
    head = {"event": "search", "graph": "sha256:0", "objective": "costa", "alpha": 1.0, "strategy": "lazy"}
    line = {"event": "outcome", "label": 1, "invocation": "i", "accepted": True, "seconds": 1, "quality": 1, "usd": 0}
    assert recordings([Line(head), Line(line)])[0].outcomes[0].outcome == Outcome(True, 1.0, 1.0, 0.0)
    changed = {name: found for name, found in line.items() if name != key} if missing else {**line, key: value}
    with pytest.raises(CostaError) as refused:
        recordings([Line(head), Line(changed)])
    (found,) = refused.value.diagnostics
    assert found.code == "COS6504"
    assert f"`{key}` should be" in found.message
    assert len(found.message) < 200
