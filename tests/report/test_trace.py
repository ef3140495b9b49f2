"""The text and the JSON of a trace, whatever was searched and whatever came of it."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from costa_dsl.compiler.graph import ToolpathGraph
from costa_dsl.model.objective import Objective, gap
from costa_dsl.report.trace import Look, describe_trace
from costa_dsl.report.trace_json import trace_json
from costa_dsl.report.trace_words import compared
from costa_dsl.search.space import Execute
from costa_dsl.search.strategies import STRATEGIES
from costa_dsl.search.trace import Trace
from tests.search.graphs import graphs, objectives
from tests.search.test_trace import live, outcome_of, traced


def any_trace(graph: ToolpathGraph, objective: Objective, name: str, data: st.DataObject) -> Trace:
    """The trace of a search with any outcomes, to its end or not."""
    found = live(graph, objective, STRATEGIES[name])
    most = data.draw(st.one_of(st.none(), st.integers(0, 5)))
    while isinstance(decision := found.search.next(), Execute) and (most is None or len(found.ran) < most):
        found.tell(decision.label, outcome_of(decision.label, data))
    return traced(found)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs(), objectives(), st.sampled_from(sorted(STRATEGIES)), st.integers(40, 120), st.data())
def test_every_trace_can_be_told(
    graph: ToolpathGraph, objective: Objective, name: str, width: int, data: st.DataObject
) -> None:
    trace = any_trace(graph, objective, name, data)
    text = describe_trace(trace, trace.steps, "", ["a note"], Look(width))
    assert max(map(len, text.splitlines())) <= width
    assert not re.search(r"\bnan\b|\bNone\b|\binf\b|-0\.0%|\u00a0", text)
    assert re.findall(r"^([0-9]+)\. ", text, re.MULTILINE) == [str(step.pop.number) for step in trace.steps]
    assert ("Next would have been" in text.replace("\n    ", " ")) == (trace.end.pending is not None)
    colored = describe_trace(trace, trace.steps, "", ["a note"], Look(width, color=True))
    assert re.sub("\x1b\\[[0-9]*m", "", colored) == text
    assert colored.count("\x1b[1m") == colored.count("\x1b[0m") > 0
    document = json.loads(trace_json(trace, trace.steps, False, None))
    assert [step["label"]["number"] for step in document["steps"]] == [step.pop.way.number for step in trace.steps]
    for step, found in zip(trace.steps, document["steps"], strict=True):
        assert found["label"]["promise"] == list(step.pop.way.promise)
        assert found["accepted"] == step.outcome.accepted == (found["reached"] is not None)


@pytest.mark.parametrize(
    ("rank", "other", "said"),
    [
        (2.0, 2.0, "the same"),
        (3.0, 2.0, "50.0% more"),
        (2.0, 3.0, "33.3% less"),
        (2.0, 0.0, "far more"),
        (0.0, 2.0, "100.0% less"),
        (10.0, 2.0, "400.0% more"),
        (2.0001, 2.0, "a trace more"),
        (2.0, 2.0001, "a trace less"),
    ],
)
def test_more_is_a_share_of_the_other_and_so_is_less(rank: float, other: float, said: str) -> None:
    assert compared(gap((rank,), (other,))).replace("\u00a0", " ") == said
