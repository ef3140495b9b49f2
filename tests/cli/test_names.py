"""What the command line says again, so that it need not load it, is what the search knows."""

from __future__ import annotations

from costa_dsl.cli.options import STRATEGY_NAMES
from costa_dsl.cli.pareto import pareto_command
from costa_dsl.model.plan import Policy
from costa_dsl.schema.kinds import schema_of
from costa_dsl.search.fronts import MOST_POINTS
from costa_dsl.search.strategies import STRATEGIES


def test_the_strategies_are_the_same_everywhere() -> None:
    schema = schema_of("Plan")["$defs"]["policy"]["properties"]["strategy"]
    assert set(STRATEGY_NAMES) == set(STRATEGIES) == set(schema["enum"])
    assert Policy().strategy in STRATEGIES


def test_the_cap_on_points_is_the_searchs() -> None:
    assert [option.default for option in pareto_command.params if option.name == "most_points"] == [MOST_POINTS]
