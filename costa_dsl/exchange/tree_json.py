"""The reference implementation's Tree.json: read, checked, and turned into a graph of nodes.

    {"task": "…", "subtask_tree": [{"subtask": "Object Detection (Dog) (2)", "parent": ["Outpainting (1)"]}, …]}

JSON is read as YAML, which gives every key and value its place in the text. The two differ where JSON writes a
character beyond U+FFFF as two escapes; those are respelled first, without moving anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from costa_dsl.diagnostics import Diagnostic, Related, Severity, Sink, SourceSpan, SourceText, closest
from costa_dsl.exchange.tree_checks import check_parents, check_ways, joined
from costa_dsl.exchange.tree_nodes import Entry, TaskTree, short
from costa_dsl.syntax import Document, Route, read_documents

_TREE_KEYS = ("task", "subtask_tree")
_NODE_KEYS = ("subtask", "parent")
# An escape of JSON; the groups are the two halves of a surrogate pair.
_ESCAPE = re.compile(r"\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)", re.IGNORECASE | re.DOTALL)
_SHAPE = '{"task": "…", "subtask_tree": [{"subtask": "Outpainting (1)", "parent": []}, …]}'


def read_tree(source: SourceText, sink: Sink) -> TaskTree | None:
    """The tree in a text, with every fault in the sink; None when there are no nodes to look at."""
    document = _read_json(source, sink)
    if document is None:
        return None
    found = Sink()
    reader = _Reader(document, found)
    task = reader.task()
    entries = reader.entries()
    tree = None
    if entries is not None:
        nodes = joined(entries, found)
        complete = check_parents(entries, nodes, found)
        sound = check_ways(nodes, complete, found)
        tree = TaskTree(task or "", tuple(nodes.values()), sound and not found.has_errors)
    sink.extend(found)
    return tree


def _read_json(source: SourceText, sink: Sink) -> Document | None:
    """The one document of a text."""
    spelled = SourceText(source.name, _ESCAPE.sub(_one_character, source.text))
    faults = Sink()
    documents = read_documents(spelled, faults)
    # Nothing has moved, so the places are the same in the text as it is.
    sink.extend(_moved(fault, source) for fault in faults)
    if faults.has_errors:
        return None
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        where = documents[-1].span() if documents else SourceSpan(spelled, 0, 0)
        message = "a subtask tree is one JSON object" + (
            f"; here are {len(documents)} documents" * (len(documents) > 1)
        )
        sink.add(_moved(Diagnostic("COS3301", message, where, help=f"it has the form {_SHAPE}"), source))
        return None
    return replace(documents[0], source=source)


def _one_character(match: re.Match[str]) -> str:
    """Two escapes as YAML writes the one character, in as many characters: YAML drops an escaped line break."""
    if not match[1]:
        return match[0]
    code = 0x10000 + ((int(match[1], 16) & 0x3FF) << 10) + (int(match[2], 16) & 0x3FF)
    return f"\\\n\\U{code:08x}"


def _moved(fault: Diagnostic, source: SourceText) -> Diagnostic:
    if fault.span is None:
        return fault
    related = tuple(
        Related(other.message, SourceSpan(source, other.span.start, other.span.end)) for other in fault.related
    )
    return replace(fault, span=SourceSpan(source, fault.span.start, fault.span.end), related=related, fix=None)


class _Reader:
    """Takes the values out of the document; what has the wrong form goes to the sink and is left out."""

    def __init__(self, document: Document, sink: Sink) -> None:
        self.document = document
        self.sink = sink
        value: Any = document.value
        self.value: dict[str, Any] = value
        self.keys(value, (), _TREE_KEYS, "the tree")

    def task(self) -> str | None:
        if "task" not in self.value:
            return None
        task = self.value["task"]
        if not isinstance(task, str) or not task.strip():
            self.wrong(("task",), task, 'a sentence: "task": "Make the leaves red."')
            return None
        return task

    def entries(self) -> list[Entry] | None:
        """Every entry that has a name; None when there is no list."""
        if "subtask_tree" not in self.value:
            return None
        listed = self.value["subtask_tree"]
        if not isinstance(listed, list):
            self.wrong(("subtask_tree",), listed, "a list of nodes")
            return None
        if not listed:
            span = self.document.span(("subtask_tree",))
            self.sink.add(Diagnostic("COS3309", "the tree has no nodes", span, help=f"it has the form {_SHAPE}"))
            return None
        found = [self.entry(value, ("subtask_tree", index)) for index, value in enumerate(listed)]
        return [entry for entry in found if entry is not None]

    def entry(self, value: Any, route: Route) -> Entry | None:
        if not isinstance(value, dict):
            self.wrong(route, value, 'a node: {"subtask": "…", "parent": ["…"]}')
            return None
        self.keys(value, route, _NODE_KEYS, "this node")
        parents = self.parents(value.get("parent", []), (*route, "parent"))
        if "subtask" not in value:
            return None
        text = value["subtask"]
        if not isinstance(text, str) or not text.strip():
            self.wrong((*route, "subtask"), text, 'a text: "Object Detection (Dog) (2)"')
            return None
        return Entry(text.strip(), parents, self.document.span((*route, "subtask")))

    def parents(self, listed: Any, route: Route) -> list[tuple[str, SourceSpan]]:
        if not isinstance(listed, list):
            self.wrong(route, listed, "a list of nodes; it is empty for the first step")
            return []
        found = []
        for index, parent in enumerate(listed):
            if isinstance(parent, str) and parent.strip():
                found.append((parent.strip(), self.document.span((*route, index))))
            else:
                self.wrong((*route, index), parent, "the text of another node")
        return found

    def keys(self, value: Mapping[str, Any], route: Route, known: Sequence[str], what: str) -> None:
        """Report keys that lack, and warn of those that mean nothing; one slip is reported once."""
        missing = [key for key in known if key not in value]
        for key in value:
            if key in known:
                continue
            span = self.document.span((*route, key), key=True)
            near = closest(key[:80], missing) if missing else None
            if near is not None:
                missing.remove(near)
                label = f'did you mean "{near}"?'
                self.sink.add(Diagnostic("COS3302", f'{what} has no "{near}"', span, label=label))
            else:
                message = f'the key "{short(key)}" means nothing in a subtask tree'
                help = f"the keys are {' and '.join(known)}; costa leaves it out"
                self.sink.add(Diagnostic("COS3318", message, span, Severity.WARNING, help=help))
        for key in missing:
            span = self.document.span(route)
            first = SourceSpan(span.source, span.start, span.start + 1)
            self.sink.add(Diagnostic("COS3302", f'{what} has no "{key}"', first, help=f"the form is {_SHAPE}"))

    def wrong(self, route: Route, value: Any, wanted: str) -> None:
        message = f"expected {wanted}; found {_kind_of(value)}"
        self.sink.add(Diagnostic("COS3303", message, self.document.span(route)))


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "an empty text" if not value.strip() else "a text"
    return "a list" if isinstance(value, list) else "an object"
