"""What a variable puts in fits the place where it stands; values that are written out were checked by the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.origin import Origin
from costa_dsl.model.plan import Plan
from costa_dsl.rules.words import has_placeholder
from costa_dsl.schema import value_problems

_HELP = "the value that stands under `vars:` is put in here"
_PLACE = {"$ref": "#/$defs/place"}
_FILE = {"title": "a path, or sample:NAME", "type": "string", "minLength": 1}


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:  # noqa: ARG001
    if not plan.used_variables:
        return
    if plan.image is not None:
        yield from _check(_FILE, plan.image, plan.origin.at("inputs", "image"))
    for step in plan.steps:
        if step.target.at:
            yield from _check(_PLACE, {key: _thawed(value) for key, value in step.target.at}, step.origin.at("at"))


def _check(schema: dict[str, Any], value: Any, origin: Origin) -> Iterator[Diagnostic]:
    for problem in value_problems(schema, value):
        span = origin.span(*problem.route)
        if "$" in span.text and not has_placeholder(_at(value, problem.route)):
            what = next((str(key) for key in reversed((*origin.route, *problem.route)) if isinstance(key, str)), "")
            yield Diagnostic("COS3107", f'wrong value for "{what}": {problem.sentence}', span, help=_HELP)


def _at(value: Any, route: tuple[str | int, ...]) -> Any:
    for key in route:
        value = value[key]
    return value


def _thawed(value: Any) -> Any:
    return [_thawed(entry) for entry in value] if isinstance(value, tuple) else value
