"""What of a graph is drawn when it is too large to be seen as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from costa_dsl.compiler.drawing.layout import longest_ways
from costa_dsl.compiler.drawing.words import Link, count
from costa_dsl.compiler.graph import ToolpathGraph

MOST_LINKS = 12_000
MOST_PIECES = 60_000  # a line has a piece for each layer that it crosses


def simplify(graph: ToolpathGraph, links: Sequence[Link]) -> tuple[list[Link], str]:
    """The links to draw, and a sentence about what is left out (empty when nothing is).

    A graph that is too large is reduced to its best path; without a best path, to as many links as can be drawn.
    """
    if len(links) <= MOST_LINKS and _pieces(graph, links) <= MOST_PIECES:
        return list(links), ""
    best = [link for link in links if link.best]
    if best and len(best) <= MOST_LINKS:
        shown, what = best, "only the best path is drawn"
    else:
        shown, what = list((best or links)[: MOST_LINKS // 6]), "only its beginning is drawn"
        while len(shown) > 1 and _pieces(graph, shown) > MOST_PIECES:
            shown = shown[: len(shown) // 2]
    left = sum(len(link.calls) for link in links) - sum(len(link.calls) for link in shown)
    return shown, f"The graph is too large for a picture: {what}; {count(left, 'invocation')} left out."


def _pieces(graph: ToolpathGraph, links: Sequence[Link]) -> int:
    far = longest_ways([state.id for state in graph.states], [(link.source, link.target) for link in links])
    return sum(2 * (far[link.target] - far[link.source]) for link in links)
