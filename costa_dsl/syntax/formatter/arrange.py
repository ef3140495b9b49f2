"""The order of keys: that of the kind's JSON Schema. And comments of first entries: above what they begin."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.syntax.formatter.tree import Collection, Entry, Leaf, Node, Style
from costa_dsl.syntax.subschemas import Schema, alternatives, schemas_of_items, schemas_of_key

# A step is open for words, so that its schema cannot say where they stand.
_BEFORE_WORDS = ("do", "object")
_BEHIND_WORDS = ("expect", "tools", "id", "note")
# The rows of these are compared, sorted and searched line by line.
_ROWS = {"BenchmarkTable": "rows"}


def arrange(root: Node, schema: Schema | None, kind: str | None) -> list[str]:
    """Sort the keys of a document and give the comments that belong above its root; the tree is changed in place.

    Without a schema the keys stay in their order.
    """
    if schema is not None:
        _sort(root, [schema], schema)
    if isinstance(root, Collection) and root.is_mapping:
        for entry in root.entries:
            if isinstance(entry.key, Leaf) and kind in _ROWS and entry.key.value == _ROWS[kind]:
                _mark_rows(entry.value)
    return _hoist(root)


def _mark_rows(node: Node | None) -> None:
    for entry in node.entries if isinstance(node, Collection) and not node.is_flow else ():
        if isinstance(entry.value, Collection):
            entry.value.row = True


# ---- sorting -----------------------------------------------------------------------------------------
def _sort(node: Node | None, schemas: list[Schema], root: Schema) -> None:
    if not isinstance(node, Collection):
        return
    known = alternatives(schemas, root)
    if not node.is_mapping:
        items = schemas_of_items(known)
        for entry in node.entries:
            _sort(entry.value, items, root)
        return
    names = [_name(entry) for entry in node.entries]
    for entry, name in zip(node.entries, names, strict=True):
        _sort(entry.value, schemas_of_key(known, name), root)
    order = _order(known, names)
    entries = sorted(node.entries, key=lambda entry: order.get(_name(entry), len(order)))
    # An anchor stands before its aliases: where sorting would part them, the author's order stays.
    if list(_anchors(entries)) == list(_anchors(node.entries)):
        node.entries = entries


def _name(entry: Entry) -> str:
    return entry.key.value if isinstance(entry.key, Leaf) else ""


def _order(known: list[Schema], names: list[str]) -> dict[str, int]:
    """The place of each key; those without one follow."""
    listings = [schema for schema in known if schema.get("properties")]
    if not listings:
        return {}
    best = max(listings, key=lambda schema: sum(name in schema["properties"] for name in names))
    listed = list(best["properties"])
    if "do" in listed:
        return _step_order(names)
    # A mapping that is open for any key (a JSON Schema in a vocabulary) follows somebody else's taste.
    return {name: place for place, name in enumerate(listed)} if "additionalProperties" in best else {}


def _step_order(names: list[str]) -> dict[str, int]:
    words = [name for name in names if name not in (*_BEFORE_WORDS, "at", *_BEHIND_WORDS)]
    # `at` tells where the object is; without an object, where the words go.
    middle = ["at", *words] if "object" in names else [*words, "at"]
    return {name: place for place, name in enumerate([*_BEFORE_WORDS, *middle, *_BEHIND_WORDS])}


def _anchors(entries: list[Entry]) -> Iterator[str]:
    for entry in entries:
        for node in (entry.key, entry.value):
            if node is None:
                continue
            if node.properties:
                yield node.properties
            if isinstance(node, Collection):
                yield from _anchors(node.entries)
            elif node.style is Style.ALIAS:
                yield node.text


# ---- comments of first entries -----------------------------------------------------------------------
def _hoist(node: Node | None) -> list[str]:
    """The comments of a flow collection for which it has no place, since its first entry follows the brace.

    Those of the first key of a list's item go above the dash.
    """
    if not isinstance(node, Collection):
        return []
    for entry in node.entries:
        entry.above += [*_hoist(entry.key), *_hoist(entry.value)]
        if not node.is_flow and not node.is_mapping:
            _hoist_above_dash(entry)
    if not node.is_flow:
        return []
    if not node.entries:
        lifted, node.tail = node.tail, []
        return lifted
    lifted, node.entries[0].above = node.entries[0].above, []
    return lifted


def _hoist_above_dash(item: Entry) -> None:
    """A block collection in a list begins on the line of its dash, unless an anchor or tag stands there."""
    value = item.value
    if isinstance(value, Collection) and not value.is_flow and not value.properties:
        item.above += [*filter(None, [item.opening]), *_without_first_blanks(value.entries[0].above)]
        item.opening, value.entries[0].above = "", []


def _without_first_blanks(lines: list[str]) -> list[str]:
    while lines and not lines[0]:
        lines = lines[1:]
    return lines
