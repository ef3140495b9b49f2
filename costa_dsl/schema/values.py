"""Single values against small schemas: the words of a step, the parameters of a tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jsonschema_rs

from costa_dsl.schema.checker import Checker, compiled
from costa_dsl.schema.kinds import shared_definitions
from costa_dsl.schema.problems import Problem
from costa_dsl.schema.wording import describe
from costa_dsl.syntax import Route


def value_problems(schema: Mapping[str, Any], value: Any) -> list[Problem]:
    """What is wrong with a value; the routes of the problems begin at the value.

    The schema may refer to `#/$defs/length` (whole pixels, or a percentage) and the other definitions of
    the plan schema.
    """
    return _checker(json.dumps(schema, sort_keys=True)).problems(value)


@lru_cache(maxsize=512)
def _checker(schema: str) -> Checker:
    return Checker({"$defs": shared_definitions(), **json.loads(schema)})


def schema_fault(schema: Mapping[str, Any]) -> tuple[Route, str] | None:
    """What keeps a mapping from being a JSON Schema (2020-12), with the place inside it; None when it is one.

    References can only lead to the shared definitions.
    """
    try:
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
        compiled({"$defs": shared_definitions(), **schema})
    except jsonschema_rs.ValidationError as error:
        route = tuple(error.instance_path)
        found: Any = schema
        for step in route:
            found = found[step]
        return route, f"{describe(found)} is no value of `{route[-1]}`" if route else error.message
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        outside = "retrieving it failed" in str(error)
        return (), "a reference leads out of it, and only `#/…` is followed" if outside else str(error)
    return None
