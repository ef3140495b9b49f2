"""Searches that are told of their steps' targets: the rows for such targets count from then on, and only they."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import Case, Invocation, ToolpathGraph
from costa_dsl.model.context import Features, read_conditions
from costa_dsl.model.objective import CostaObjective, Objective, gap
from costa_dsl.search.context import prior_of
from costa_dsl.search.estimates import Estimates
from costa_dsl.search.journal import Line, known_line, outcome_line, recordings, search_line
from costa_dsl.search.replay import replay
from costa_dsl.search.search import Search
from costa_dsl.search.space import Event, Execute, Finished, Known, Outcome, Popped, Stop
from costa_dsl.search.strategies import STRATEGIES
from tests.search.graphs import QUALITIES, SECONDS, call, graphs, layered, least_rank, objectives

QUIET = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
PLAIN, BUSY = read_conditions({"background": "plain"}), read_conditions({"background": "busy"})
FOUND = st.sampled_from([{}, {"background": 0.02}, {"background": 0.7}, {"background": 0.02, "area": 0.3}])


@st.composite
def cased(draw: st.DrawFn) -> ToolpathGraph:
    """A graph in which some tools have other numbers on plain ground, on busy ground, or on both."""
    graph = draw(graphs())
    calls = []
    for found in graph.invocations:
        wanted = draw(st.sampled_from([(), (PLAIN,), (BUSY,), (PLAIN, BUSY)]))
        cases = tuple(Case(when, draw(SECONDS), draw(QUALITIES), draw(st.integers(1, 9))) for when in wanted)
        calls.append(replace(found, cases=cases))
    return replace(graph, invocations=tuple(calls))


def as_known(graph: ToolpathGraph, known: dict[str, Features]) -> ToolpathGraph:
    """The graph whose own numbers are those of the cases that hold."""

    def settled(found: Invocation) -> Invocation:
        prior = prior_of(found, known.get(found.step, {}))
        return replace(found, seconds=prior.seconds, quality=prior.quality, n=prior.n, cases=())

    return replace(graph, invocations=tuple(map(settled, graph.invocations)))


def steps_of(graph: ToolpathGraph) -> list[str]:
    return sorted({found.step for found in graph.invocations})


@QUIET
@given(cased(), objectives(), st.data())
def test_with_all_targets_known_and_exact_estimates_the_result_is_the_least_of_all_paths(
    graph: ToolpathGraph, objective: Objective, data: st.DataObject
) -> None:
    known = {step: data.draw(FOUND) for step in steps_of(graph)}
    settled = as_known(graph, known)
    search = Search(graph, objective)
    for step, features in known.items():
        search.know(step, features)
    values = {found.id: found for found in settled.invocations}
    while isinstance(decision := search.next(), Execute):
        assert decision.label.invocation is not None
        exact = values[decision.label.invocation.id]
        search.observe(Outcome(True, exact.seconds, exact.quality, exact.usd))
    assert isinstance(decision, Finished)
    rank = decision.label.rank(objective)
    assert gap(rank, least_rank(settled, objective)) == 0
    assert gap(search.certificate().bound, least_rank(settled, objective)) <= 0


@QUIET
@given(cased(), objectives(), st.data())
def test_a_search_with_cases_goes_as_one_whose_numbers_are_theirs(
    graph: ToolpathGraph, objective: Objective, data: st.DataObject
) -> None:
    """Known before the first question: every bound, promise and decision is the same, with any outcomes."""
    known = {step: data.draw(FOUND) for step in steps_of(graph)}
    said: list[list[object]] = [[], []]

    def hear(place: int, event: Event) -> None:
        if isinstance(event, Popped):
            said[place].append((event.label.number, event.bound, event.promise))

    one = Search(graph, objective, visitor=lambda event: hear(0, event))
    other = Search(as_known(graph, known), objective, visitor=lambda event: hear(1, event))
    for step, features in known.items():
        one.know(step, features)
    for _ in range(12):
        first, second = one.next(), other.next()
        assert type(first) is type(second)
        if not isinstance(first, Execute):
            break
        outcome = Outcome(data.draw(st.booleans()), data.draw(SECONDS), data.draw(QUALITIES))
        one.observe(outcome)
        other.observe(outcome)
    assert said[0] == said[1]
    assert one.certificate() == other.certificate()


@QUIET
@given(cased(), objectives(), st.sampled_from(sorted(STRATEGIES)), st.data())
def test_a_replay_that_is_told_the_same_at_the_same_moments_decides_the_same(
    graph: ToolpathGraph, objective: Objective, strategy: str, data: st.DataObject
) -> None:
    pops: list[tuple[int, object, object]] = []

    def hear(event: Event) -> None:
        if isinstance(event, Popped):
            pops.append((event.label.number, event.bound, event.promise))

    search = Search(graph, objective, STRATEGIES[strategy], visitor=hear)

    def measure() -> dict[str, Features]:
        found = {step: data.draw(FOUND) for step in steps_of(graph) if data.draw(st.booleans())}
        for step, features in found.items():
            search.know(step, features)
        return found

    lines = [Line(search_line(search, measure()))]
    for _ in range(12):
        if not isinstance(decision := search.next(), Execute):
            break
        lines += [Line(known_line(step, features)) for step, features in measure().items()]
        ran = data.draw(st.booleans())
        outcome = Outcome(ran and data.draw(st.booleans()), data.draw(SECONDS), data.draw(QUALITIES), ran=ran)
        lines.append(Line(outcome_line(decision.label, outcome)))
        search.observe(outcome)
    search.next()
    (recording,) = recordings(lines)
    trace = replay(graph, objective, STRATEGIES[strategy], recording.outcomes, known=recording.known)
    seen = [step.pop for step in trace.steps] + ([trace.end.pending] if trace.end.pending else [])
    assert [(pop.way.number, pop.way.bound, pop.way.promise) for pop in seen] == pops
    assert trace.end.certificate.bound == search.certificate().bound


def test_what_becomes_known_on_the_way_changes_what_runs_next() -> None:
    """Painting over is good on plain ground: 0.5 before anybody has looked, 0.98 after."""
    graph = layered([[(1.0, 1.0)], [(1.0, 0.5), (5.0, 0.9)]])
    calls = [
        replace(found, cases=(Case(PLAIN, 1.0, 0.98, 9),) if found.quality == 0.5 else ())
        for found in graph.invocations
    ]
    for features, tool in (({}, "t1-1"), ({"background": 0.02}, "t1-0"), ({"background": 0.7}, "t1-1")):
        search = Search(replace(graph, invocations=tuple(calls)), CostaObjective(0.0))
        assert isinstance(search.next(), Execute)
        search.know("step1", features)
        search.observe(Outcome(True, 1.0, 1.0))
        decision = search.next()
        assert isinstance(decision, Execute)
        assert decision.label.invocation is not None
        assert decision.label.invocation.tool == tool


def test_what_is_learnt_in_one_case_says_nothing_of_another() -> None:
    paint = replace(call("paint", 0, 1, 1.0, 0.5), cases=(Case(PLAIN, 1.0, 0.98, 1),))
    estimates = Estimates()
    estimates.know("step0", {"background": 0.02})
    estimates.observe(paint, 1.0, 0.6)
    assert estimates.of(paint).quality == (0.98 + 0.6) / 2
    estimates.know("step0", {"background": 0.7})
    assert estimates.of(paint).quality == 0.5


def test_nothing_is_learnt_of_a_tool_that_was_left_out() -> None:
    graph = layered([[(1.0, 0.9), (2.0, 0.8)]])
    heard: list[Event] = []
    search = Search(graph, CostaObjective(1.0), visitor=heard.append)
    search.know("step0", {"area": 0.1})
    assert isinstance(search.next(), Execute)
    before = [search.estimates.of(found) for found in graph.invocations]
    search.observe(Outcome(False, 0.0, 0.2, ran=False))
    assert [search.estimates.of(found) for found in graph.invocations] == before
    assert [event for event in heard if isinstance(event, Known)] == [Known("step0", {"area": 0.1})]
    decision = search.next()
    assert isinstance(decision, Execute)
    assert decision.label.invocation is not None
    assert decision.label.invocation.tool == "t0-1"


@QUIET
@given(cased(), objectives(), st.sampled_from(sorted(STRATEGIES)), st.data())
def test_what_becomes_known_at_any_moment_counts_in_the_bound(
    graph: ToolpathGraph, objective: Objective, strategy: str, data: st.DataObject
) -> None:
    """Exact outcomes; the search ends by itself or is stopped while a tool runs. No path ranks below the bound."""
    truth: dict[str, Features] = {step: data.draw(FOUND) for step in steps_of(graph)}
    values = {found.id: found for found in as_known(graph, truth).invocations}
    known: dict[str, Features] = {}
    search = Search(graph, objective, STRATEGIES[strategy])
    stopped: Stop = ""
    while not stopped and isinstance(decision := search.next(), Execute):
        assert decision.label.invocation is not None
        own = decision.label.invocation
        for step in sorted(truth):
            if step not in known and (step == own.step or data.draw(st.booleans())):
                known[step] = truth[step]
                search.know(step, truth[step])
        stopped = "budget" if data.draw(st.integers(0, 4)) == 0 else ""
        if not stopped:
            exact = values[own.id]
            search.observe(Outcome(True, exact.seconds, exact.quality, exact.usd))
    certificate, least = search.certificate(stopped), least_rank(as_known(graph, known), objective)
    assert gap(certificate.bound, least) <= 0
    if certificate.status == "optimal":
        assert gap(certificate.rank, least) == 0


def test_what_is_measured_is_no_surprise_about_tools() -> None:
    """The promise grows by what is known of a target, and the tool does exactly as its row says."""
    graph = layered([[(1.0, 1.0)], [(1.0, 0.5), (5.0, 0.9)], [(1.0, 1.0)]])
    calls = [replace(found, cases=(Case(PLAIN, 9.0, 0.6, 9),)) for found in graph.invocations]
    search = Search(replace(graph, invocations=tuple(calls)), CostaObjective(1.0))
    for step in ("step0", "step1", "step2"):
        decision = search.next()
        assert isinstance(decision, Execute)
        search.know(step, {"background": 0.02})
        search.observe(Outcome(True, 9.0, 0.6))
    assert search.space.surprise == 0
