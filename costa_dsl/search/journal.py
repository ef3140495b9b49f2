"""What is written down of a search, so that it can be replayed: two kinds of lines of a journal.

The search is deterministic. Its graph, objective and strategy, and then each outcome in the order in which they came,
are all of it: every label, bound and estimate follows.
"""

from __future__ import annotations

from typing import Any

from costa_dsl.search.search import Search
from costa_dsl.search.space import Label, Outcome

SEARCH, OUTCOME = "search", "outcome"


def search_line(search: Search) -> dict[str, Any]:
    """The first line: what is searched, and how."""
    policy = search.graph.plan.policy
    return {
        "event": SEARCH,
        "graph": search.graph.digest,
        "objective": search.objective.spec,
        "alpha": policy.alpha,
        "strategy": search.strategy.name,
    }


def outcome_line(label: Label, outcome: Outcome) -> dict[str, Any]:
    """What came of a label's invocation; numbers are written in full, so that a replay decides alike."""
    assert label.invocation is not None
    return {
        "event": OUTCOME,
        "label": label.number,
        "invocation": label.invocation.id,
        "accepted": outcome.accepted,
        "seconds": outcome.seconds,
        "quality": outcome.quality,
        "usd": outcome.usd,
    }
