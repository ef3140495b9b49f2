"""Trees → lines: two spaces of indentation, flow style within 120 columns, comments where they were."""

from __future__ import annotations

import re
from dataclasses import dataclass

from costa_dsl.syntax.formatter.quoting import MARKER, written
from costa_dsl.syntax.formatter.tree import Collection, Entry, Leaf, Node, Style, Tree

WIDTH = 120
_STEP = 2
# The longest key that libyaml finds without a `?` in front of it.
_LONGEST_KEY = 1000
_DIGIT = re.compile(r"[1-9]")


def lines_of(tree: Tree, previous: Tree | None) -> list[str]:
    """The lines of a document; `previous` is the one above it in its file."""
    first = previous is None
    kept = previous is not None and not previous.tail and _ends_kept(previous.root)
    lines = _separated(_without_last_blanks(tree.before), first=first or kept)
    if tree.directives and not first:
        lines = ["...", *lines]
    lines += tree.directives
    if tree.explicit or tree.directives or not first:
        lines.append(_with_comment("---", tree.marker))
    lines += _separated(tree.header, first=True)
    lines += _root(tree)
    lines += _separated(_without_last_blanks(tree.tail), first=not lines)
    return lines


def _root(tree: Tree) -> list[str]:
    root = tree.root
    if isinstance(root, Collection) and not root.is_flow:
        return ([root.properties] if root.properties else []) + _block(root, 0)
    if isinstance(root, Leaf) and root.style is Style.EMPTY and not root.properties:
        return [tree.after] if tree.after else []
    # In the first column, `---` would end the document.
    start = " " * _STEP if isinstance(root, Leaf) and MARKER.match(written(root, in_flow=False)) else ""
    return _ended(_value(root, 0, start, len(start)), tree.after, root)


# ---- block style -------------------------------------------------------------------------------------
def _block(node: Collection, indent: int) -> list[str]:
    lines: list[str] = []
    kept = False
    for entry in node.entries:
        lines += [_indented(line, indent) for line in _separated(entry.above, first=kept or not lines)]
        lines += _block_entry(entry, indent) if node.is_mapping else _behind(entry, indent, "-", entry.value)
        kept = _keeps_blanks(entry)
    return lines + [_indented(line, indent) for line in _separated(_without_last_blanks(node.tail), first=kept)]


def _keeps_blanks(entry: Entry) -> bool:
    """Whether a blank line below the entry would be a part of it: a block scalar with `+` stands at its end.

    Its own blank lines are in its text; those above the next key came from elsewhere when keys were sorted.
    """
    node = entry.value
    if node is None or (isinstance(node, Leaf) and node.style is Style.EMPTY):
        node = entry.key
    return node is not None and _ends_kept(node)


def _ends_kept(node: Node) -> bool:
    """Whether the node ends with a block scalar that keeps the blank lines below it."""
    if isinstance(node, Collection):
        return not node.is_flow and not node.tail and bool(node.entries) and _keeps_blanks(node.entries[-1])
    return node.is_block and "+" in node.text.partition("\n")[0]


def _block_entry(entry: Entry, indent: int) -> list[str]:
    key = _key(entry.key)
    if key is not None:
        return _behind(entry, indent, f"{key}:", entry.value)
    lines = _behind(Entry(), indent, "?", entry.key)
    if isinstance(entry.value, Leaf) and entry.value.style is Style.EMPTY and not entry.value.properties:
        return [*lines, *([_indented(entry.after, indent)] if entry.after else [])]
    return lines + _behind(entry, indent, ":", entry.value)


def _key(key: Node | None) -> str | None:
    """A key as it stands in front of its colon; None when it needs a `?`."""
    if key is None:
        return ""
    text = _with_properties(key, written(key, in_flow=True, as_key=True)) if isinstance(key, Leaf) else _one_line(key)
    if text is None or "\n" in text or len(text) > _LONGEST_KEY or (isinstance(key, Leaf) and key.is_block):
        return None
    # A colon right behind an alias, an anchor or a tag would be read as a part of it.
    return text + (" " if isinstance(key, Leaf) and (key.style is Style.ALIAS or (text and not key.text)) else "")


def _behind(entry: Entry, indent: int, sign: str, value: Node | None) -> list[str]:
    """The lines of a value behind its sign: `key:`, `-`, `?` or `:`."""
    start = " " * indent + sign
    value = value or Leaf("", Style.EMPTY)
    if not isinstance(value, Collection) or value.is_flow:
        if entry.value_breaks and sign[-1] == ":" and not _stands_behind(value, len(start) + 1):
            body = _value(value, indent, " " * (indent + _STEP), indent + _STEP)
            return [start, *_ended(body, entry.after, value)]
        return _ended(_value(value, indent, f"{start} ", len(start) + 1), entry.after, value)
    if value.properties:
        return [_with_comment(f"{start} {value.properties}", entry.opening), *_block(value, indent + _STEP)]
    lines = _block(value, indent + _STEP)
    if sign.endswith(":") and sign != ":":
        return [_with_comment(start, entry.opening), *lines]
    # The first key of an item shares the line of its dash.
    lines[0] = start + lines[0][indent + 1 :]
    return lines


def _stands_behind(value: Node, column: int) -> bool:
    """Whether a value that its author put on the next line goes behind its key."""
    if isinstance(value, Leaf) and (value.is_block or value.style is Style.EMPTY or "\n" in value.text):
        return True
    return _fits(value, column)


def _value(node: Node, indent: int, start: str, column: int) -> list[str]:
    """The lines of a scalar or flow collection; the first begins with `start`, which ends at `column`."""
    if isinstance(node, Leaf) and node.is_block:
        head, *content = _block_scalar(node, indent)
        return [start + _with_properties(node, head), *content]
    if isinstance(node, Leaf):
        first, *rest = _text_lines(node, in_flow=False)
        text = _with_properties(node, first)
        return [_joined(start, text), *(_indented(line, indent + _STEP) for line in rest)]
    first, *rest = _flow(node, column, 0)
    return [start + first, *rest]


def _ended(lines: list[str], comment: str, node: Node) -> list[str]:
    """The lines with a comment behind the last one; for a block scalar, behind its first."""
    place = 0 if isinstance(node, Leaf) and node.is_block else -1
    lines[place] = _with_comment(lines[place], comment)
    return lines


def _block_scalar(leaf: Leaf, indent: int) -> list[str]:
    """The first line and the content, which moves with the indentation around it."""
    head, *content = leaf.text.split("\n")
    digit = _DIGIT.search(head)
    if digit:
        old, new = max(leaf.column, 0) + int(digit[0]), indent + int(digit[0])
    else:
        filled = [line for line in content if line.strip(" ")]
        old = len(filled[0]) - len(filled[0].lstrip(" ")) if filled else max(map(len, content), default=0)
        new = indent + _STEP
    if leaf.cut and content and len(content[-1]) > old:
        # The form ends every line; the last one of this text has no line break to keep.
        head = head.replace("+", "").replace("-", "") + "-"
    elif content:
        content.pop()
    if "+" not in head:
        while content and len(content[-1]) <= old and not content[-1].strip(" "):
            content.pop()
    return [head, *(" " * new + line[old:] if len(line) > old else "" for line in content)]


# ---- flow style --------------------------------------------------------------------------------------
@dataclass(slots=True)
class _Pen:
    """Lines under way; the first begins at `column` of the line that it will stand on."""

    column: int
    lines: list[str]

    @property
    def place(self) -> int:
        """The column of the next character."""
        return len(self.lines[-1]) + (self.column if len(self.lines) == 1 else 0)


def _fits(node: Node, column: int) -> bool:
    text = _one_line(node)
    return text is not None and (column + len(text) <= WIDTH or (isinstance(node, Collection) and node.row))


def _flow(node: Node, column: int, reserve: int) -> list[str]:
    """The lines of a node in flow style whose first character stands at `column`; `reserve` characters follow it."""
    text = _one_line(node)
    if text is not None and (_fits(node, column + reserve) or isinstance(node, Leaf)):
        return [text]
    if isinstance(node, Leaf):
        first, *rest = _text_lines(node, in_flow=True)
        return [_with_properties(node, first), *(_indented(line, column) for line in rest)]
    opening, closing = ("", "") if node.bare else "{}" if node.is_mapping else "[]"
    start = _with_properties(node, opening)
    pen = _Pen(column, [start])
    inner = column + len(start)
    must = False
    for place, entry in enumerate(node.entries):
        last = place == len(node.entries) - 1
        room = len(closing) + reserve if last else 1
        one = _one_line_entry(entry)
        fitting = one is not None and pen.place + 1 + len(one) + room <= WIDTH
        if place and (must or entry.breaks or entry.above or not fitting):
            pen.lines += [_indented(line, inner) for line in entry.above]
            pen.lines.append(" " * inner)
        elif place:
            pen.lines[-1] += " "
        before = len(pen.lines)
        first, *rest = _flow_entry(entry, pen.place, room)
        pen.lines[-1] += first
        pen.lines += rest
        pen.lines[-1] += "" if last else ","
        if entry.after:
            pen.lines[-1] = _with_comment(pen.lines[-1], entry.after)
        # What follows a comment or an entry of several lines begins a line.
        must = bool(entry.after) or len(pen.lines) > before
    pen.lines += [_indented(line, inner) for line in node.tail]
    if node.entries and (node.entries[-1].after or node.tail):
        pen.lines.append(" " * column + closing)
    else:
        pen.lines[-1] += closing
    return pen.lines


def _flow_entry(entry: Entry, column: int, room: int) -> list[str]:
    if entry.key is None:
        assert entry.value is not None
        return _flow(entry.value, column, room)
    if entry.value is None:
        return _flow(entry.key, column, room)
    key = _key(entry.key)
    if key is None:
        first, *rest = _flow(entry.key, column + _STEP, 0)
        lines = [f"? {first}", *rest, " " * column + ":"]
    else:
        lines = [f"{key}:"]
    start = f"{lines[-1]} "
    first, *rest = _flow(entry.value, len(start) + (column if len(lines) == 1 else 0), room)
    return [*lines[:-1], _joined(start, first), *rest]


def _one_line(node: Node | None) -> str | None:
    """A node on one line, or None when it has comments or lines of its own."""
    if node is None:
        return ""
    if isinstance(node, Leaf):
        text = written(node, in_flow=True)
        if text == "":
            # A comma or bracket right behind a tag would be read as a part of it.
            return f"{node.properties} " if "!" in node.properties else node.properties or "null"
        return None if "\n" in text else _with_properties(node, text)
    parts = []
    if node.tail:
        return None
    for entry in node.entries:
        part = _one_line_entry(entry)
        if part is None or entry.above or entry.after:
            return None
        parts.append(part)
    opening, closing = ("", "") if node.bare else "{}" if node.is_mapping else "[]"
    return _with_properties(node, f"{opening}{', '.join(parts)}{closing}")


def _one_line_entry(entry: Entry) -> str | None:
    value = _one_line(entry.value)
    if entry.key is None:
        return value
    key = _key(entry.key)
    if key is None or value is None:
        return None
    return key if entry.value is None else f"{key}: {value}"


# ---- lines -------------------------------------------------------------------------------------------
def _text_lines(leaf: Leaf, in_flow: bool) -> list[str]:
    """The lines of a scalar without the blanks around them, which mean nothing."""
    text = written(leaf, in_flow)
    if "\n" not in text:
        return [text]
    first, *rest = text.split("\n")
    lines = [first, *(line.lstrip(" \t") for line in rest)]
    return [*(_without_last_spaces(line, leaf.style) for line in lines[:-1]), lines[-1]]


def _without_last_spaces(line: str, style: Style) -> str:
    short = line.rstrip(" \t")
    backslashes = len(short) - len(short.rstrip("\\"))
    # A backslash makes the space behind it part of the text.
    return line[: len(short) + 1] if style is Style.DOUBLE and backslashes % 2 else short


def _joined(start: str, text: str) -> str:
    """No blank remains in front of nothing; a blank at the end of a text may be part of it."""
    return start + text if text else start.rstrip()


def _with_properties(node: Node, text: str) -> str:
    return _joined(f"{node.properties} ", text) if node.properties else text


def _with_comment(line: str, comment: str) -> str:
    return f"{line}  {comment}" if comment else line


def _indented(line: str, indent: int) -> str:
    return " " * indent + line if line else ""


def _without_last_blanks(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def _separated(lines: list[str], first: bool) -> list[str]:
    """Comments with at most one blank line between them, and none where a block begins."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]) or (not kept and not first):
            kept.append(line)
    return kept
