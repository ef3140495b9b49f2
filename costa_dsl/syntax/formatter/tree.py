"""A YAML text as a tree that still knows its comments, its quotes and the line breaks of its author."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Style(Enum):
    """How a scalar is written."""

    PLAIN = ""
    SINGLE = "'"
    DOUBLE = '"'
    LITERAL = "|"
    FOLDED = ">"
    ALIAS = "*"
    EMPTY = "nothing"


@dataclass(slots=True)
class Leaf:
    """A scalar, an alias, or nothing.

    Attributes:
        text: as written; for a block scalar without the comment of its first line.
        value: what it says, before numbers and truth values are told apart.
        properties: anchor and tag, as written: `&dog`, `!!str`.
        column: of a block scalar, where the block collection around it stands; -1 when there is none.
        cut: a block scalar whose last line is the last of the text and has no line break.
    """

    text: str
    style: Style
    value: str = ""
    properties: str = ""
    column: int = -1
    cut: bool = False

    @property
    def is_block(self) -> bool:
        return self.style in (Style.LITERAL, Style.FOLDED)


@dataclass(slots=True)
class Entry:
    """An entry of a mapping (with a key) or an item of a list (without).

    Attributes:
        value: None for a key in a flow mapping that stands alone: `{a}`.
        above: the comments on lines of their own above it; "" is a blank line.
        opening: the comment behind `key:` of a block collection.
        after: the comment at the end of its last line.
        breaks: in flow style, whether its author began a line with it.
        value_breaks: whether its author put the value on a line below the key.
    """

    key: Node | None = None
    value: Node | None = None
    above: list[str] = field(default_factory=list)
    opening: str = ""
    after: str = ""
    breaks: bool = False
    value_breaks: bool = False


@dataclass(slots=True)
class Collection:
    """A mapping or a list.

    Attributes:
        bare: a mapping of one entry that stands in a flow list without braces: `[a: 1]`.
        tail: the comments below the last entry.
        row: it is written on one line, however long that is.
    """

    is_mapping: bool
    is_flow: bool
    entries: list[Entry] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    properties: str = ""
    bare: bool = False
    row: bool = False


Node = Leaf | Collection


@dataclass(slots=True)
class Tree:
    """One document.

    Attributes:
        before: the comments above its directives or its `---`.
        directives: its lines `%YAML …`.
        explicit: whether it has a `---`.
        marker: the comment behind the `---`.
        header: the comments about the whole document.
        tail: what stands below a root that is no block collection.
        after: the comment behind such a root.
    """

    root: Node
    before: list[str]
    directives: list[str]
    explicit: bool
    marker: str
    header: list[str]
    tail: list[str]
    after: str
