"""The search against brute force, what it proves, and what it learns while it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import Invocation, ToolpathGraph
from costa_dsl.model.objective import CostaObjective, Objective, gap
from costa_dsl.model.objectives import MaxCost, MinQuality, WeightedSum
from costa_dsl.search.estimates import SPEED_WEIGHT, Estimates
from costa_dsl.search.search import Search, foresee
from costa_dsl.search.space import Completed, Execute, Exhausted, Finished, Label, Learnt, Outcome, Popped
from costa_dsl.search.strategies import LAZY, STRATEGIES, BestFirst, Strategy
from tests.conftest import said_under_hash_seeds
from tests.search.graphs import ALPHAS, call, graph_from, graphs, layered, least_rank, objectives, paths_of, totals

QUIET = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def exactly(label: Label) -> Outcome:
    """The tool behaves as its benchmark says."""
    assert label.invocation is not None
    return Outcome(True, label.invocation.seconds, label.invocation.quality, label.invocation.usd)


def run_exactly(search: Search) -> list[Label]:
    """Run to the end with outcomes that equal the estimates; what was run, in order."""
    ran = []
    while isinstance(decision := search.next(), Execute):
        ran.append(decision.label)
        search.observe(exactly(decision.label))
    assert isinstance(decision, Finished)
    return ran


def tools(labels: list[Label]) -> list[str]:
    return [label.invocation.tool for label in labels if label.invocation is not None]


# ---- brute force -------------------------------------------------------------------------------------------
@QUIET
@given(graphs(), objectives())
def test_the_forecast_is_the_minimum_and_its_path_is_real(graph: ToolpathGraph, objective: Objective) -> None:
    found = foresee(graph, objective)
    assert gap(found.label.rank(objective), least_rank(graph, objective)) == pytest.approx(0, abs=1e-6)
    path = [label.invocation for label in found.label.path()]
    assert path in [list(other) for other in paths_of(graph)]
    assert found.certificate.status == ("optimal" if objective.is_met(*totals(path)) else "infeasible")


@QUIET
@given(graphs(), objectives(), st.sampled_from(["lazy", "exhaustive"]))
def test_with_exact_estimates_the_result_is_proven_and_is_the_minimum(
    graph: ToolpathGraph, objective: Objective, name: str
) -> None:
    search = Search(graph, objective, STRATEGIES[name])
    ran = run_exactly(search)
    assert search.best is not None
    least = least_rank(graph, objective)
    assert gap(search.best.rank(objective), least) == pytest.approx(0, abs=1e-6)
    certificate = search.certificate()
    assert certificate.gap == pytest.approx(0, abs=1e-6)
    best = search.best
    met = objective.is_met(best.seconds, best.quality, best.usd)
    assert certificate.status == ("optimal" if met else "infeasible")
    if name == "lazy":
        assert ran == best.path(), "only the tools of the best path run"


@QUIET
@given(graphs(), objectives(), st.sampled_from(sorted(STRATEGIES)))
def test_no_bound_is_ever_above_the_minimum(graph: ToolpathGraph, objective: Objective, name: str) -> None:
    least = least_rank(graph, objective)
    search = Search(graph, objective, STRATEGIES[name])
    while isinstance(decision := search.next(), Execute):
        assert gap(search.space.bound(), least) <= 1e-6
        search.observe(exactly(decision.label))
    certificate = search.certificate()
    assert gap(certificate.bound, least) <= 1e-6
    assert gap(certificate.rank, least) >= -1e-6
    if certificate.status == "optimal":
        assert gap(certificate.rank, least) == pytest.approx(0, abs=1e-6)


@QUIET
@given(graphs(7, 4), objectives(), st.integers(1, 4))
def test_thinned_fronts_give_an_honest_gap(graph: ToolpathGraph, objective: Objective, most: int) -> None:
    """ε-dominance and the cap on labels: the bound stays below the minimum, the path stays real, the gap is true."""
    found = foresee(graph, objective, most)
    least = least_rank(graph, objective)
    certificate = found.certificate
    assert gap(certificate.bound, least) <= 1e-6
    assert gap(certificate.rank, least) >= -1e-6
    assert certificate.gap is not None
    assert gap(certificate.rank, least) <= certificate.gap + 1e-6
    assert gap(found.label.rank(objective), certificate.rank) == pytest.approx(0, abs=1e-6)


def test_a_huge_graph_is_searched_with_a_cap_and_says_how_far_it_is_from_the_best() -> None:
    tools_of_a_layer = [(1.0 + 0.37 * place, 1 - 0.3 / (place + 1.5)) for place in range(5)]
    graph = layered([[(c * (1 + layer % 7), q) for c, q in tools_of_a_layer] for layer in range(300)])
    exact, thin = (foresee(graph, CostaObjective(1.0), most) for most in (100_000, 8))
    assert exact.certificate.status == "optimal"
    assert thin.certificate.gap is not None
    assert thin.certificate.gap < 0.2
    assert thin.certificate.bound <= exact.certificate.rank <= thin.certificate.rank


# ---- strategies ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "calls"), [("lazy", 3), ("commit", 3), ("paper", 12), ("exhaustive", 84)])
def test_how_many_tools_run(name: str, calls: int) -> None:
    graph = layered([[(1.0, 0.9), (5.0, 0.95), (9.0, 0.97), (30.0, 0.99)]] * 3)
    assert len(run_exactly(Search(graph, CostaObjective(2.0), STRATEGIES[name]))) == calls


@QUIET
@given(graphs(), objectives(), st.sampled_from(sorted(STRATEGIES)), st.data())
def test_any_strategy_comes_to_an_end_with_any_outcomes(
    graph: ToolpathGraph, objective: Objective, name: str, data: st.DataObject
) -> None:
    """Failures included: it ends with a path of accepted outcomes, or exhausted when there is none at all."""
    search = Search(graph, objective, STRATEGIES[name])
    accepted: dict[str, bool] = {}
    while isinstance(decision := search.next(), Execute):
        found = decision.label.invocation
        assert found is not None
        ok = accepted.setdefault(found.id, data.draw(st.booleans()))
        outcome = Outcome(ok, found.seconds * data.draw(st.sampled_from([0.3, 1.0, 4.0])), found.quality * ok)
        search.observe(outcome)
    if isinstance(decision, Finished):
        path = [part.invocation.id for part in decision.label.path() if part.invocation]
        assert all(accepted[name] for name in path)
        assert search.certificate().status in ("optimal", "feasible", "infeasible")
    else:
        assert isinstance(decision, Exhausted)
        assert search.certificate().status == "infeasible"
        assert not any(all(accepted.get(part.id) for part in path) for path in paths_of(graph))


def test_a_failing_tool_makes_way_for_the_next_and_all_failing_ends() -> None:
    graph = layered([[(1.0, 0.9), (5.0, 0.9)]])
    for name in STRATEGIES:
        search = Search(graph, CostaObjective(1.0), STRATEGIES[name])
        ran = []
        while isinstance(decision := search.next(), Execute):
            ran.append(decision.label)
            search.observe(Outcome(False, 1.0, 0.0))
        assert tools(ran) == ["t0-0", "t0-1"], name
        assert isinstance(decision, Exhausted)


def test_commit_goes_back_only_for_much() -> None:
    """The second way promises some 1 % more than the first turned out to be: only without patience is it taken."""
    graph = layered([[(1.0, 0.9), (1.08, 0.9)], [(1.0, 0.9)]])
    went = {}
    for name, strategy in (("lazy", BestFirst("")), ("commit", STRATEGIES["commit"])):
        search = Search(graph, CostaObjective(1.0), strategy)
        ran = []
        while isinstance(decision := search.next(), Execute):
            ran.append(decision.label)
            assert decision.label.invocation is not None
            search.observe(Outcome(True, decision.label.invocation.seconds, 0.9 if len(ran) > 1 else 0.83))
        assert isinstance(decision, Finished)
        went[name] = tools(ran)
        assert search.certificate().status == ("optimal" if name == "lazy" else "feasible")
    assert went == {"lazy": ["t0-0", "t0-1", "t1-0"], "commit": ["t0-0", "t1-0"]}


def test_commit_goes_back_when_no_way_on_is_left() -> None:
    graph = layered([[(1.0, 0.9), (2.0, 0.9)], [(1.0, 0.9)]])
    search = Search(graph, CostaObjective(1.0), STRATEGIES["commit"])
    ran = []
    while isinstance(decision := search.next(), Execute):
        ran.append(decision.label)
        search.observe(Outcome(len(ran) != 2, 1.0, 0.9))
    assert isinstance(decision, Finished)
    assert tools(ran) == ["t0-0", "t1-0", "t0-1", "t1-0"]


def test_lazy_goes_back_when_another_way_promises_more() -> None:
    graph = layered([[(1.0, 0.9), (1.5, 0.9)], [(1.0, 0.9)]])
    search = Search(graph, CostaObjective(1.0), BestFirst(""))
    first = search.next()
    assert isinstance(first, Execute)
    assert tools([first.label]) == ["t0-0"]
    search.observe(Outcome(True, 1.0, 0.3))
    second = search.next()
    assert isinstance(second, Execute)
    assert tools([second.label]) == ["t0-1"]
    rest = run_exactly(search)
    assert tools(rest) == ["t0-1", "t1-0"]
    assert search.certificate().status == "optimal"


def test_lazy_with_patience_does_not_run_tools_for_little() -> None:
    graph = layered([[(1.0, 0.9), (1.5, 0.95)], [(1.0, 0.9)]])

    def ran(strategy: Strategy) -> int:
        search = Search(graph, CostaObjective(0.0), strategy)
        count = 0
        while isinstance(decision := search.next(), Execute):
            count += 1
            search.observe(Outcome(True, 1.0, 0.88))
        assert isinstance(decision, Finished)
        gap_left = search.certificate().gap
        assert gap_left is not None
        assert gap_left <= max(getattr(strategy, "patience", 0.0), 1e-9)
        return count

    assert ran(BestFirst("", patience=0.2)) < ran(BestFirst(""))


def test_a_dominated_way_is_taken_again_when_all_better_ones_failed() -> None:
    """Two ways to one state; the better one's follower fails, so that the worse one is all that is left."""
    graph = graph_from(3, [call("good", 0, 1, 1.0, 0.9), call("bad", 0, 1, 2.0, 0.8), call("end", 1, 2, 1.0, 0.9)])
    search = Search(graph, CostaObjective(1.0), LAZY)
    ran = []
    while isinstance(decision := search.next(), Execute):
        ran.append(decision.label)
        search.observe(Outcome(tools(ran) != ["good", "end"], 1.0 + len(ran), 0.9 - 0.1 * len(ran)))
    assert tools(ran) == ["good", "end", "bad", "end"]
    assert isinstance(decision, Finished)


@pytest.mark.parametrize("name", ["lazy", "commit"])
def test_a_worse_way_is_gone_when_what_follows_the_better_one_fails(name: str) -> None:
    """Its result is another input: `second` fails on what `a` made, and not on what `b` made."""
    calls = [call("a", 0, 1, 1.0, 0.9), call("b", 0, 1, 1.0, 0.9), call("second", 1, 2, 1.0, 0.9)]
    search = Search(graph_from(3, [*calls, call("dear", 1, 2, 50.0, 0.9)]), CostaObjective(1.0), STRATEGIES[name])
    ran = []
    while isinstance(decision := search.next(), Execute):
        ran.append(decision.label)
        path = tools(decision.label.path())
        # `a` is a little slower than thought, so that `b` is tried; it is slower still.
        seconds = {"a": 1.2, "b": 1.3}.get(path[-1], 1.0)
        search.observe(Outcome(path != ["a", "second"], seconds, 0.9))
    assert isinstance(decision, Finished)
    assert tools(decision.label.path()) == ["b", "second"]
    assert "dear" not in tools(ran)


@settings(QUIET, max_examples=600)
@given(graphs(), objectives(), st.sampled_from(sorted(STRATEGIES)), st.data())
def test_what_is_called_optimal_cannot_be_beaten_whatever_the_outcomes(
    graph: ToolpathGraph, objective: Objective, name: str, data: st.DataObject
) -> None:
    """Brute force over all paths: measured where they were run, as estimated now where not, without what failed."""
    search = Search(graph, objective, STRATEGIES[name])
    measured: dict[tuple[str, ...], Outcome] = {}
    while isinstance(decision := search.next(), Execute):
        found = decision.label.invocation
        assert found is not None
        ok = data.draw(st.sampled_from([True, True, True, False]))
        factor = data.draw(st.sampled_from([0.5, 1.0, 2.0]))
        outcome = Outcome(ok, found.seconds * factor, round(found.quality * data.draw(st.sampled_from([0.5, 1.0])), 3))
        measured[tuple(part.invocation.id for part in decision.label.path() if part.invocation)] = outcome
        search.observe(outcome)
    least = []
    for path in paths_of(graph):
        seconds, quality, usd = 0.0, 1.0, 0.0
        for end, found in enumerate(path, start=1):
            known = measured.get(tuple(part.id for part in path[:end]))
            if known is not None and not known.accepted:
                break
            value = known or search.estimates.of(found)
            seconds, quality, usd = seconds + value.seconds, quality * value.quality, usd + value.usd
        else:
            least.append(objective.rank(seconds, quality, usd))
    certificate = search.certificate()
    assert bool(least) == bool(certificate.bound)
    if not least:
        assert isinstance(decision, Exhausted)
        return
    assert gap(certificate.bound, min(least)) == pytest.approx(0, abs=1e-6), "the bound is the least of them all"
    if isinstance(decision, Finished):
        assert certificate.gap == pytest.approx(max(0.0, gap(certificate.rank, min(least))), abs=1e-6)
        assert (certificate.status == "optimal") <= (certificate.gap <= 1e-6)


# ---- objectives that demand something ---------------------------------------------------------------------------
def test_min_quality_takes_the_fastest_that_is_good_enough() -> None:
    graph = layered([[(1.0, 0.7), (3.0, 0.9), (9.0, 1.0)]] * 2)
    found = foresee(graph, MinQuality(0.8))
    assert (found.label.seconds, found.label.quality) == (6.0, pytest.approx(0.81))
    none = foresee(layered([[(1.0, 0.5), (2.0, 0.6)]]), MinQuality(0.8))
    assert none.certificate.status == "infeasible"
    assert tools(none.label.path()) == ["t0-1"], "the one that lacks least"


def test_max_cost_takes_the_best_that_is_fast_or_cheap_enough() -> None:
    graph = graph_from(2, [call("a", 0, 1, 1.0, 0.7), call("b", 0, 1, 5.0, 0.9, usd=0.3), call("c", 0, 1, 9.0, 1.0)])
    assert tools(foresee(graph, MaxCost(6.0)).label.path()) == ["b"]
    assert tools(foresee(graph, MaxCost(0.1, "usd")).label.path()) == ["c"]
    assert foresee(graph, MaxCost(0.5)).certificate.status == "infeasible"


def test_a_run_below_min_quality_goes_on_to_the_next_tool() -> None:
    graph = layered([[(1.0, 0.9), (3.0, 0.9)]])
    search = Search(graph, MinQuality(0.85), LAZY)
    first = search.next()
    assert isinstance(first, Execute)
    search.observe(Outcome(True, 1.0, 0.5))
    second = search.next()
    assert isinstance(second, Execute)
    search.observe(Outcome(True, 3.0, 0.9))
    assert search.best is second.label
    assert search.certificate().status == "optimal"


# ---- what is learnt --------------------------------------------------------------------------------------------
def test_estimates_are_the_posterior_with_the_benchmarks_n_as_prior_weight() -> None:
    for n in (1, 4, 40):
        estimates = Estimates()
        found = Invocation("i", "s0", "s1", "a", "step", "t", "x", (), (), 2.0, 0.8, n, 0.1)
        estimates.observe(found, 2.0, 0.5, 0.3)
        estimates.observe(found, 2.0, 0.6, 0.1)
        after = estimates.of(found)
        assert after.quality == pytest.approx((n * 0.8 + 1.1) / (n + 2))
        assert after.usd == pytest.approx((n * 0.1 + 0.4) / (n + 2))
        assert after.seconds == pytest.approx(2.0), "as expected"


def test_what_was_seen_once_changes_what_is_expected_next() -> None:
    """The same tool twice in a row: slow the first time, it is not chosen the second time."""
    calls = [
        call(f"{tool}{i}", i, i + 1, cost, 0.9, tool)
        for i in range(2)
        for tool, cost in (("quick", 1.0), ("steady", 2.0))
    ]
    search = Search(graph_from(3, calls), CostaObjective(2.0), LAZY)
    first = search.next()
    assert isinstance(first, Execute)
    assert first.label.invocation is not None
    assert first.label.invocation.tool == "quick"
    search.observe(Outcome(False, 30.0, 0.0))
    slowness = search.estimates.slowness
    assert slowness == pytest.approx(30 ** (1 / (SPEED_WEIGHT + 1)))
    assert search.estimates.of(first.label.invocation).seconds == pytest.approx((slowness + 30.0) / 2)
    path = []
    while isinstance(decision := search.next(), Execute):
        path.append(decision.label)
        search.observe(Outcome(True, 2.0, 0.9))
    assert tools(path) == ["steady", "steady"]


def test_a_slow_machine_does_not_make_tools_that_have_not_run_look_better() -> None:
    """Everything takes three times as long as in the benchmark: still only the best path runs."""
    graph = layered([[(1.0, 0.9), (1.8, 0.9)]] * 6)
    search = Search(graph, CostaObjective(1.0), BestFirst(""))
    ran = []
    while isinstance(decision := search.next(), Execute):
        assert decision.label.invocation is not None
        ran.append(decision.label)
        search.observe(Outcome(True, 3 * decision.label.invocation.seconds, 0.9))
    assert tools(ran) == [f"t{layer}-0" for layer in range(6)]


@QUIET
@given(graphs(), st.sampled_from(ALPHAS), st.floats(0, 1000))
def test_sunk_cost_is_never_counted(graph: ToolpathGraph, alpha: float, lost: float) -> None:
    """However much a failed tool cost, the path that is returned is charged with its own invocations only."""
    search = Search(graph, CostaObjective(alpha), LAZY)
    spent: dict[int, Outcome] = {}
    while isinstance(decision := search.next(), Execute):
        outcome = Outcome(False, lost, 0.0) if not spent else exactly(decision.label)
        spent[decision.label.number] = outcome
        search.observe(outcome)
    if isinstance(decision, Finished):
        assert decision.label.seconds == pytest.approx(
            sum(spent[part.number].seconds for part in decision.label.path())
        )
        assert all(spent[part.number].accepted for part in decision.label.path())


@QUIET
@given(graphs(), objectives(), st.sampled_from(["lazy", "commit", "exhaustive"]), st.data())
def test_no_tool_runs_twice_on_the_same_input(
    graph: ToolpathGraph, objective: Objective, name: str, data: st.DataObject
) -> None:
    """A label's way is its input: no two labels that ran came the same way."""
    search = Search(graph, objective, STRATEGIES[name])
    seen = set()
    while isinstance(decision := search.next(), Execute):
        way = tuple(part.invocation.id for part in decision.label.path() if part.invocation)
        assert way not in seen
        seen.add(way)
        ok = data.draw(st.booleans())
        search.observe(Outcome(ok, 1.0, 0.7 * ok))


# ---- the visitor, the end ---------------------------------------------------------------------------------------
def test_the_visitor_hears_why() -> None:
    heard = []
    graph = graph_from(3, [call("good", 0, 1, 1.0, 0.9), call("bad", 0, 1, 1.05, 0.9), call("end", 1, 2, 1.0, 0.9)])
    search = Search(graph, CostaObjective(1.0), BestFirst(""), visitor=heard.append)
    while isinstance(decision := search.next(), Execute):
        search.observe(Outcome(True, 1.0, 0.6 if tools([decision.label]) == ["end"] else 0.9))
    pops = [event for event in heard if isinstance(event, Popped)]
    # What `end` makes of another picture may be better than what it made of the first: the mean of 0.9 and 0.6 says so.
    assert tools([event.label for event in pops]) == ["good", "end", "bad", "end"]
    assert [tools([label for label, _ in event.instead_of]) for event in pops] == [["bad"], ["bad"], [], []]
    assert pops[0].promise == pops[0].bound < pops[0].instead_of[0][1]
    arrived = [event for event in heard if isinstance(event, Completed)]
    assert [event.best for event in arrived] == [True, False]
    learnt = [event for event in heard if isinstance(event, Learnt) and event.pair.tool == "end"]
    assert [round(event.after.quality, 3) for event in learnt] == [0.75, 0.7]


def test_what_a_stopped_search_proves() -> None:
    graph = layered([[(1.0, 0.9), (1.2, 0.95)], [(1.0, 0.9)]])
    search = Search(graph, WeightedSum(seconds=1.0), LAZY)
    first = search.next()
    assert isinstance(first, Execute)
    stopped = search.certificate("budget")
    assert (stopped.status, stopped.rank) == ("budget", ())
    assert stopped.bound == (pytest.approx(2.0),)


def test_the_same_under_every_hash_seed() -> None:
    assert len(said_under_hash_seeds(str(Path(__file__).parent / "searched.py"))) > 1000
