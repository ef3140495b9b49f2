"""One JSON Schema (2020-12) applied twice: a fast yes or no, and for a no the words.

Nearly every file is right, and jsonschema-rs says so in microseconds and without jsonschema's quarter of a second
to be imported. What is wrong is then found by jsonschema, whose errors know their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from costa_dsl.schema.problems import Problem, problems_of

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


class Checker:
    """A schema, compiled when it is first used."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema

    def problems(self, value: Any, header: tuple[str, ...] = ()) -> list[Problem]:
        """Everything that the schema finds wrong with a value, each slip once; see `problems_of`."""
        if self.fits(value):
            return []
        return problems_of(self._exact, value, header)

    def fits(self, value: Any) -> bool:
        """Whether the value fits; False also when the fast library cannot tell (endless numbers, huge integers)."""
        try:
            return self._fast.is_valid(value)
        except (ValueError, TypeError):
            return False

    @cached_property
    def _fast(self) -> jsonschema_rs.Draft202012Validator:
        return compiled(self.schema)

    @cached_property
    def _exact(self) -> Draft202012Validator:
        # Imported here: the path of a file without faults needs none of it.
        from jsonschema import Draft202012Validator, validators
        from referencing import Registry

        exact: Any = validators.extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
        # An empty registry: the default one would fetch what a stranger's `$ref` names.
        validator: Draft202012Validator = exact(dict(self.schema), registry=Registry())
        return validator


def compiled(schema: Mapping[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """The fast validator of a schema; references lead only into the schema itself, never to files or networks.

    Raises:
        ValueError, jsonschema_rs.ReferencingError: it is no schema, or refers to something outside itself.
    """
    return jsonschema_rs.Draft202012Validator(dict(schema), retriever=_refuse)


def _refuse(reference: str) -> Any:
    raise ValueError(f'"{reference}" lies outside: a reference begins with `#/`')


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    """By the fast library's engine: its `$` is the end of the text alone, and no pattern of a stranger can hang it."""
    from jsonschema import ValidationError

    if isinstance(value, str) and not _matches(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _matches(pattern: str, text: str) -> bool:
    try:
        return _engine(pattern).is_valid(text)
    except (ValueError, TypeError):
        return False  # half a character, which no text in a file has


@lru_cache(maxsize=256)
def _engine(pattern: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern})
