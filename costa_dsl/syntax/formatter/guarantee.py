"""Proof that a formatted text says what the text before it said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import yaml

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.syntax.document import Document, Route, Value
from costa_dsl.syntax.formatter.lexemes import comments, lexemes
from costa_dsl.syntax.reader import read_documents


def says_the_same(before: str, documents: list[Document], said: Counter[str], after: str) -> bool:
    """Whether `after` holds the same documents, anchors, tags and directives as `before`, and the comments `said`.

    Values are compared with their types and lists in their order; the order of keys is free.
    """
    sink = Sink()
    again = read_documents(SourceText("formatted", after), sink)
    return (
        not sink.has_errors
        and len(again) == len(documents)
        and all(_same(one.value, other.value) for one, other in zip(documents, again, strict=True))
        and _marks(before) == _marks(after)
        and said == Counter(comments(lexemes(after)) if "#" in after else ())
    )


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    # By its digits: nan is no other nan, and 0.0 is not -0.0.
    return type(one) is type(other) and repr(one) == repr(other)


def _marks(text: str) -> list[tuple[Route, str]]:
    """Each anchor, alias, tag and directive with its place, sorted."""
    if not any(sign in text for sign in "&*!%"):
        return []
    return sorted(_events(text), key=repr)


def _events(text: str) -> Iterator[tuple[Route, str]]:
    # For each open collection: whether it is a mapping, its place, the key that waits for a value, its items.
    frames: list[_Frame] = []
    number = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.DocumentStartEvent):
            number += 1
            if event.version or event.tags:
                yield (number,), f"%{event.version} {sorted((event.tags or {}).items())}"
        elif isinstance(event, yaml.CollectionEndEvent):
            frames.pop()
        elif isinstance(event, yaml.NodeEvent):
            place = frames[-1].place_of(event) if frames else (number,)
            if isinstance(event, yaml.AliasEvent):
                yield place, f"*{event.anchor}"
                continue
            if event.anchor is not None:
                yield place, f"&{event.anchor}"
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
                yield place, str(event.tag)
            if isinstance(event, yaml.CollectionStartEvent):
                frames.append(_Frame(place, isinstance(event, yaml.MappingStartEvent)))


class _Frame:
    """An open collection, and where its next child stands."""

    def __init__(self, route: Route, is_mapping: bool) -> None:
        self._route = route
        self._is_mapping = is_mapping
        self._key: str | None = None
        self._count = 0

    def place_of(self, event: yaml.NodeEvent) -> Route:
        if not self._is_mapping:
            self._count += 1
            return (*self._route, self._count)
        if self._key is None:
            # Every key is a text or an alias of one.
            self._key = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
            return (*self._route, "key", self._key)
        key, self._key = self._key, None
        return (*self._route, "value", key)
