"""Subtask trees for tests, and what they mean by brute force."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

from costa_dsl.catalog.load import load_catalog
from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.exchange.import_tree import Imported, import_tree
from costa_dsl.exchange.step_words import PlainStep, read_words, split_text
from costa_dsl.model.plan import AnyOrder, Node, OneOf, Plan, Step
from costa_dsl.schema import check_document
from costa_dsl.syntax import folded, read_documents

Entry = dict[str, Any]
Key = tuple[Any, ...]

VOCABULARY = load_catalog("default", Sink()).vocabulary


def tree_text(entries: Sequence[Entry], task: str = "Edit the picture.") -> str:
    return json.dumps({"task": task, "subtask_tree": list(entries)}, ensure_ascii=False)


def entries_of(ways: Sequence[Sequence[str]]) -> list[Entry]:
    """A tree with these ways, as the reference implementation writes it: shared beginnings, numbered nodes."""
    names: dict[tuple[str, ...], str] = {}
    entries: list[Entry] = []
    for way in ways:
        for depth in range(len(way)):
            prefix = tuple(way[: depth + 1])
            if prefix not in names:
                names[prefix] = f"{way[depth]} ({len(names) + 1})"
                entries.append({"subtask": names[prefix], "parent": [names[prefix[:-1]]] if depth else []})
    return entries


def imported(text: str) -> tuple[Imported | None, list[str]]:
    """The plan of a text, and the codes of what was found."""
    sink = Sink()
    found = import_tree(SourceText("tree.json", text), VOCABULARY, sink)
    return found, [diagnostic.code for diagnostic in sink]


def ways_of_tree(entries: Sequence[Entry]) -> set[tuple[Key, ...]]:
    """Every complete way of a tree, walked one by one."""
    children: dict[str, list[str]] = {}
    for entry in entries:
        for parent in entry["parent"]:
            children.setdefault(parent, []).append(entry["subtask"])
    roots = {entry["subtask"] for entry in entries if not entry["parent"]}

    def walk(node: str, before: tuple[Key, ...]) -> Iterator[tuple[Key, ...]]:
        way = (*before, key_of_text(node))
        if node not in children:
            yield way
        for child in children.get(node, ()):
            yield from walk(child, way)

    return {way for root in roots for way in walk(root, ())}


def key_of_text(text: str) -> Key:
    parts = split_text(text)
    subtask = next(found for found in VOCABULARY.subtasks.values() if folded(found.title) == folded(parts.name))
    return key_of_plain(read_words(subtask, parts.argument, VOCABULARY).step)


def key_of_plain(step: PlainStep) -> Key:
    return (step.subtask, *sorted(step.words))


def plan_of(text: str) -> Plan:
    """The plan in a text, which must be a sound file."""
    sink = Sink()
    (document,) = read_documents(SourceText("plan.yaml", text), sink)
    assert check_document(document, sink) == "Plan"
    plan = Plan.from_document(document, sink)
    # A hidden character of the tree is one of the plan too, and told.
    assert [(found.code, found.message) for found in sink if found.code != "COS0035"] == []
    return plan


def ways_of_plan(plan: Plan) -> set[tuple[Key, ...]]:
    """Every complete way of a plan's tree: a list in its order, `any_order` in all orders of whole items."""
    return set(_ways(plan.tree))


def _ways(node: Node) -> set[tuple[Key, ...]]:
    if isinstance(node, Step):
        words = dict(node.arguments)
        if node.target.object is not None:
            words["object"] = node.target.object
        return {((node.subtask, *sorted(words.items())),)}
    parts = [_ways(item) for item in node.items]
    if isinstance(node, OneOf):
        return set().union(*parts)
    orders = permutations(parts) if isinstance(node, AnyOrder) else [tuple(parts)]
    return {sum(chosen, ()) for order in orders for chosen in product(*order)}
