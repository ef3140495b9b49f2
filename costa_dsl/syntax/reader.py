"""YAML text → documents, from the events of libyaml.

Events, not nodes: only they tell where an alias stands, and nesting is measured before anything recurses.
libyaml counts positions in code points without a leading byte order mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn

import yaml

from costa_dsl.diagnostics import Diagnostic, Related, Severity, Sink, SourceSpan, SourceText, closest
from costa_dsl.syntax.document import NO_ITEMS, NO_NODES, NO_PLACES, Document, Node, Value
from costa_dsl.syntax.faults import find_faults, hiding_characters, syntax_fault
from costa_dsl.syntax.scalars import SCALAR_TAGS, TAG_PREFIX, UnfitScalar, resolve, resolve_tagged

DEEPEST = 100
MOST_VALUES = 200_000

_TAG = re.compile(r"!(<[^>\n]*>|[^\s,\[\]{}]*)")
_MAP_TAGS = (None, "!", TAG_PREFIX + "map")
_LIST_TAGS = (None, "!", TAG_PREFIX + "seq")


def read_documents(source: SourceText, sink: Sink) -> list[Document]:
    """The documents of a text, with every finding in the sink.

    A document with a finding that leaves its meaning open (bad syntax, too deep, an alias without end) is
    left out, and so is what follows it in the text; one with a doubled key or a tag is kept, so that later
    checks can report the rest of it.
    """
    found = Sink()
    documents = _read(source, found)
    if not documents and not found.has_errors:
        message = "there is nothing in this file"
        help = "begin it with `apiVersion: costa/v1` and `kind:`"
        found.add(Diagnostic("COS0007", message, SourceSpan(source, 0, 0), help=help))
    sink.extend(found)
    return documents


def _read(source: SourceText, sink: Sink) -> list[Document]:
    faults = find_faults(source)
    if faults:
        sink.extend(faults)
        return []
    sink.extend(hiding_characters(source))
    documents: list[Document] = []
    builder = _Builder(source, sink)
    try:
        for root in builder.documents():
            documents.append(Document(source, root.value, len(documents), root, builder.finite))
    except _Abandoned:
        return documents
    except yaml.MarkedYAMLError as error:
        sink.add(syntax_fault(source, error, builder.shift))
    return documents


def _events(text: str) -> Iterator[Any]:
    """libyaml's events. `yaml.parse` asks for each of them twice, which costs as much as all that is done with them."""
    parser: Any = yaml.CSafeLoader(text)
    try:
        while (event := parser.get_event()) is not None:
            yield event
    finally:
        parser.dispose()


class _Abandoned(Exception):  # noqa: N818  (control flow: the finding is in the sink already)
    """The rest of the text cannot be read."""


@dataclass(slots=True)
class _Frame:
    """A mapping or list whose end has not come yet."""

    node: Node
    is_mapping: bool
    is_flow: bool
    anchor: str | None
    key: Node | None = None
    at_key: bool = True


@dataclass
class _Builder:
    source: SourceText
    sink: Sink
    shift: int = 0
    frames: list[_Frame] = field(default_factory=list)
    # None: the anchor is known, but its value has not ended.
    anchors: dict[str, Node | None] = field(default_factory=dict)
    values: int = 0
    # False when a number without end (`.inf`, `.nan`, `1e999`) stands somewhere in the text.
    finite: bool = True
    # False when a finding leaves open what the current document means.
    sound: bool = True

    def __post_init__(self) -> None:
        self.shift = 1 if self.source.text.startswith("\ufeff") else 0

    def documents(self) -> Iterator[Node]:
        root: Node | None = None
        for event in _events(self.source.text):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                finished = self._scalar(event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                finished = self._close(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(event, kind is yaml.MappingStartEvent)
                continue
            elif kind is yaml.AliasEvent:
                finished = self._alias(event)
            else:
                if kind is yaml.DocumentStartEvent:
                    root, self.sound = None, True
                    self.anchors, self.values = {}, 0
                    self._check_version(event)
                elif kind is yaml.DocumentEndEvent and root is not None and self.sound:
                    yield root
                continue
            if self.frames:
                self._put(finished)
            else:
                root = finished

    def _count(self, event: yaml.Event) -> None:
        self.values += 1
        if self.values > MOST_VALUES:
            self._too_many(event)

    def _too_many(self, event: yaml.Event) -> NoReturn:
        self._abandon("COS0026", self._span(event), f"this document holds more than {MOST_VALUES:,} values")

    def _open(self, event: Any, is_mapping: bool) -> None:
        self._count(event)
        if len(self.frames) >= DEEPEST:
            self._abandon("COS0027", self._span(event), f"this is nested more than {DEEPEST} levels deep", "flatten it")
        if event.tag not in (_MAP_TAGS if is_mapping else _LIST_TAGS):
            self._refuse_tag(self._span(event), str(event.tag))
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        start = event.start_mark.index + self.shift
        value: Value = {} if is_mapping else []
        node = Node(start, start, value, {}, {}, [])
        self.frames.append(_Frame(node, is_mapping, bool(event.flow_style), event.anchor))

    def _close(self, event: Any) -> Node:
        frame = self.frames.pop()
        node = frame.node
        if frame.is_flow:
            node.end = event.end_mark.index + self.shift
        elif node.end == node.start:
            # Nothing in it was kept: at least the first line of it.
            node.end = node.start + 1
        if frame.anchor is not None:
            self.anchors[frame.anchor] = node
        return node

    def _put(self, child: Node) -> None:
        """Hang a finished node into the collection around it."""
        frame = self.frames[-1]
        node = frame.node
        # Thousands of times for a catalog: comparisons, not calls of max().
        if child.end > node.end:
            node.end = child.end
        node.size += child.size
        if child.depth >= node.depth:
            node.depth = child.depth + 1
        if not frame.is_mapping:
            assert isinstance(node.value, list)
            node.items.append(child)
            node.value.append(child.value)
            return
        if frame.at_key:
            frame.at_key, frame.key = False, child
            return
        key, frame.key, frame.at_key = frame.key, None, True
        assert key is not None
        self._put_entry(node, key, child)

    def _put_entry(self, node: Node, key: Node, child: Node) -> None:
        name = key.value
        if not isinstance(name, str):
            self._refuse_key(SourceSpan(self.source, key.start, key.end), name)
            return
        if name == "<<" and self.source.text[key.start : key.end] == "<<":
            self.sink.add(
                Diagnostic(
                    "COS0022",
                    "merge keys (`<<`) are not part of YAML 1.2, and costa does not read them",
                    SourceSpan(self.source, key.start, key.end),
                    help="write the keys out, or use an alias for a whole value",
                )
            )
            self.sound = False
            return
        if name in node.entries:
            self._refuse_twice(node, key, name)
            return
        assert isinstance(node.value, dict)
        node.keys[name] = (key.start, key.end)
        node.entries[name] = child
        node.value[name] = child.value

    def _refuse_twice(self, node: Node, key: Node, name: str) -> None:
        self.sink.add(
            Diagnostic(
                "COS0020",
                f'the key "{name}" stands twice in one mapping',
                SourceSpan(self.source, key.start, key.end),
                label="again here",
                help="keep one of them",
                related=(Related("first here", SourceSpan(self.source, *node.keys[name])),),
            )
        )

    def _scalar(self, event: Any) -> Node:
        self.values += 1
        if self.values > MOST_VALUES:
            self._too_many(event)
        start, end = event.start_mark.index + self.shift, event.end_mark.index + self.shift
        tag, value = event.tag, event.value
        try:
            if tag is None:
                if event.implicit[0]:
                    value = resolve(value)
            elif tag in SCALAR_TAGS:
                value = resolve_tagged(value, tag)
            elif tag != "!":
                self._refuse_tag(self._span(event), tag)
        except UnfitScalar as error:
            self.sound = False
            help = "quote it if it is meant as a text"
            self.sink.add(Diagnostic("COS0028", str(error), self._span(event), help=help))
        if event.style in ("|", ">"):
            # The mark of a block scalar lies behind the line breaks that follow it.
            end = start + max(1, len(self.source.text[start:end].rstrip()))
        if type(value) is float and not isfinite(value):
            self.finite = False
        node = Node(start, end, value, NO_PLACES, NO_NODES, NO_ITEMS)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _alias(self, event: Any) -> Node:
        self._count(event)
        span, name = self._span(event), str(event.anchor)
        if name not in self.anchors:
            guess = closest(name, self.anchors)
            self._abandon(
                "COS0024",
                span,
                f'no anchor "&{name}" stands before this alias',
                "quote a text that begins with `*`" if guess is None else "",
                f'did you mean "*{guess}"?' if guess else "",
            )
        target = self.anchors[name]
        if target is None:
            self._abandon("COS0025", span, f'the alias "*{name}" stands inside the value that it names', "write it out")
        self.values += target.size
        if self.values > MOST_VALUES:
            self._abandon(
                "COS0026",
                span,
                f"with its aliases written out, this document holds more than {MOST_VALUES:,} values",
                "use fewer aliases of aliases",
            )
        if len(self.frames) + target.depth > DEEPEST:
            self._abandon(
                "COS0027", span, f"with its aliases written out, this is nested more than {DEEPEST} levels deep"
            )
        return Node(
            span.start, span.end, target.value, target.keys, target.entries, target.items, target.size, target.depth
        )

    def _refuse_key(self, span: SourceSpan, found: Value) -> None:
        what = "a list or mapping" if isinstance(found, list | dict) else f"{_kind_of(found)}"
        text = span.text
        self.sink.add(
            Diagnostic(
                "COS0021",
                f"every key is a text; this one is {what}",
                span,
                help=f'quote it: "{text}"'
                if isinstance(found, bool | int | float)
                else "write a text before the colon",
            )
        )

    def _refuse_tag(self, span: SourceSpan, resolved: str) -> None:
        written = resolved.replace(TAG_PREFIX, "!!")
        tag = _TAG.search(self.source.text, span.start)
        place = SourceSpan(self.source, tag.start(), tag.end()) if tag else span
        self.sink.add(
            Diagnostic(
                "COS0023",
                f"costa gives no meaning to the tag {written}",
                place,
                help="remove it; quote a text that begins with `!`",
            )
        )

    def _check_version(self, event: Any) -> None:
        if event.version and event.version != (1, 2):
            self.sink.add(
                Diagnostic(
                    "COS0030",
                    f"this document declares YAML {event.version[0]}.{event.version[1]}, costa reads YAML 1.2",
                    self._span(event),
                    Severity.WARNING,
                    help="remove the %YAML line: `no` and `on` are texts here, `true` and `false` are not",
                )
            )

    def _abandon(self, code: str, span: SourceSpan, message: str, help: str = "", label: str = "") -> NoReturn:
        self.sink.add(Diagnostic(code, message, span, label=label, help=help))
        raise _Abandoned

    def _span(self, event: yaml.Event) -> SourceSpan:
        assert event.start_mark is not None
        assert event.end_mark is not None
        return SourceSpan(self.source, event.start_mark.index + self.shift, event.end_mark.index + self.shift)


def _kind_of(value: Value) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "a truth value"
    return "a number"
