"""Run by test_search.py with different hash seeds: prints every event of searches of the paper's table."""

from __future__ import annotations

import random

from costa_dsl.catalog.load import load_catalog
from costa_dsl.compiler.compile import compile_plan
from costa_dsl.diagnostics import Sink
from costa_dsl.model.objective import CostaObjective
from costa_dsl.search.search import Search
from costa_dsl.search.space import Event, Execute, Label, Outcome
from costa_dsl.search.strategies import STRATEGIES
from tests.conftest import make_plan

TREE = """\
- any_order:
    - {do: object-replacement, object: dog, with: cat}
    - {do: object-recoloration, object: car, to: red}
- {do: text-replacement, text: A, with: B}
"""


def said(event: Event) -> str:
    label = getattr(event, "label", None)
    name = f"{label.number} {label.invocation and label.invocation.id}" if isinstance(label, Label) else ""
    values = {key: getattr(event, key) for key in event.__slots__ if not isinstance(getattr(event, key), Label)}
    values.pop("instead_of", None)
    return f"{type(event).__name__} {name} {values}"


if __name__ == "__main__":
    catalog = load_catalog("paper", Sink())
    graph = compile_plan(make_plan(TREE), catalog, Sink(), assume_available=True).graph
    for strategy in ("lazy", "commit", "paper"):
        draw = random.Random(7)
        search = Search(
            graph,
            CostaObjective(1.0),
            STRATEGIES[strategy],
            visitor=lambda event: print(said(event)),  # noqa: T201
        )
        while isinstance(decision := search.next(), Execute):
            found = decision.label.invocation
            assert found is not None
            search.observe(
                Outcome(draw.random() > 0.2, found.seconds * draw.uniform(0.5, 2), found.quality * draw.uniform(0.7, 1))
            )
        print(search.certificate())  # noqa: T201
