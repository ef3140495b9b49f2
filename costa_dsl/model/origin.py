"""Where a piece of a model was written."""

from __future__ import annotations

from dataclasses import dataclass

from costa_dsl.diagnostics import SourceSpan
from costa_dsl.syntax import Document, Route


@dataclass(frozen=True, eq=False)
class Origin:
    """A place in a document: a route first, a span when somebody asks."""

    document: Document
    route: Route = ()

    def span(self, *more: str | int, key: bool = False) -> SourceSpan:
        """The span of the value at `route + more`, or of its key."""
        return self.document.span(self.route + more, key=key)

    def has(self, key: str) -> bool:
        """Whether the mapping at this place has a key."""
        value = self.document.value_at(self.route)
        return isinstance(value, dict) and key in value

    def at(self, *more: str | int) -> Origin:
        return Origin(self.document, self.route + more)

    def __str__(self) -> str:
        return str(self.span())
