"""Single values against small schemas: the words of a step, the parameters of a tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from costa_dsl.schema.kinds import shared_definitions
from costa_dsl.schema.problems import problems_of
from costa_dsl.syntax import Route

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def value_problems(schema: Mapping[str, Any], value: Any) -> list[tuple[Route, str]]:
    """What is wrong with a value: for each problem the route inside the value, and a sentence.

    The schema may refer to `#/$defs/length` (whole pixels, or a percentage) and the other definitions of
    the plan schema.
    """
    validator = _validator(json.dumps(schema, sort_keys=True))
    return [(problem.route, problem.sentence) for problem in problems_of(validator, value)]


@lru_cache(maxsize=512)
def _validator(schema: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator({"$defs": shared_definitions(), **json.loads(schema)})
