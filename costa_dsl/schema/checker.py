"""One JSON Schema (2020-12) applied twice: a fast yes or no, and for a no the words.

Nearly every file is right, and jsonschema-rs says so in microseconds and without jsonschema's quarter of a second
to be imported. What is wrong is then found by jsonschema, whose errors know their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from costa_dsl.schema.problems import Problem, problems_of

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


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
        return jsonschema_rs.Draft202012Validator(dict(self.schema))

    @cached_property
    def _exact(self) -> Draft202012Validator:
        # Imported here: the path of a file without faults needs none of it.
        from jsonschema import Draft202012Validator

        return Draft202012Validator(dict(self.schema))
