"""Tokens → trees: every comment finds the entry that it is about."""

from __future__ import annotations

import yaml

from costa_dsl.syntax.formatter.lexemes import Gap, Lexeme
from costa_dsl.syntax.formatter.tree import Collection, Entry, Leaf, Node, Style, Tree

_STYLES = {"'": Style.SINGLE, '"': Style.DOUBLE, "|": Style.LITERAL, ">": Style.FOLDED}
_ABOUT_THE_FILE = ("apiVersion", "kind")
_MODELINE = "yaml-language-server"


def parse(tokens: list[Lexeme]) -> list[Tree]:
    """The documents of a text that `read_documents` reads without an error; the gaps of its tokens are emptied."""
    return _Parser(tokens).trees()


class _Parser:
    def __init__(self, tokens: list[Lexeme]) -> None:
        self._tokens = tokens
        self._next = 0
        # Comments at places where the form has none (between a key and its colon): they go above the entry.
        self._loose: list[str] = []
        # The columns of the open block collections, as libyaml counts indentation.
        self._columns: list[int] = [-1]

    # ---- tokens --------------------------------------------------------------------------------------
    @property
    def _name(self) -> str:
        return self._tokens[self._next].name

    @property
    def _gap(self) -> Gap:
        return self._tokens[self._next].gap

    def _take(self) -> Lexeme:
        lexeme = self._tokens[self._next]
        self._next += 1
        if lexeme.text:
            self._loose += filter(None, [self._same_line(lexeme.gap), *self._lines(lexeme.gap)])
        return lexeme

    def _same_line(self, gap: Gap | None = None) -> str:
        gap = gap or self._gap
        comment, gap.same_line = gap.same_line, ""
        return comment

    def _lines(self, gap: Gap | None = None) -> list[str]:
        gap = gap or self._gap
        lines, gap.lines = [line for _, line in gap.lines], []
        return lines

    def _tail(self, column: int) -> list[str]:
        """The next lines as far as they are indented to a column: the comments at the end of a block."""
        gap = self._gap
        count = 0
        for position, (start, comment) in enumerate(gap.lines):
            if comment and start < column:
                break
            if comment:
                count = position + 1
        taken, gap.lines = gap.lines[:count], gap.lines[count:]
        return [line for _, line in taken]

    def _spend(self) -> list[str]:
        loose, self._loose = self._loose, []
        return loose

    # ---- documents -----------------------------------------------------------------------------------
    def trees(self) -> list[Tree]:
        found: list[Tree] = []
        assert self._name == "StreamStart"
        self._next += 1
        while self._name != "StreamEnd":
            if self._name == "DocumentEnd":
                # A second `...`, or one before the first document.
                self._take()
                continue
            found.append(self._document())
        # What stands below the last `...`.
        if found:
            found[-1].tail += [*self._spend(), *filter(None, [self._same_line()]), *self._lines()]
        return found

    def _document(self) -> Tree:
        before: list[str] = []
        directives: list[str] = []
        explicit, marker = False, ""
        while self._name == "Directive":
            before += self._lines()
            directives.append(self._take().text.strip())
            # A comment behind a directive.
            before += filter(None, [self._same_line()])
        if self._name == "DocumentStart":
            before += self._lines()
            self._take()
            explicit, marker = True, self._same_line()
        before += self._spend()
        header = [] if self._name in ("DocumentStart", "DocumentEnd", "StreamEnd", "Directive") else self._lines()
        root = self._node()
        after, tail = self._same_line(), self._lines()
        loose = self._spend()
        if self._name == "DocumentEnd":
            self._next += 1
            tail += filter(None, [self._same_line()])
        _share_header(header, root)
        return Tree(root, before, directives, explicit, marker, header + loose, tail, after)

    # ---- nodes ---------------------------------------------------------------------------------------
    def _node(self, indentless: bool = False) -> Node:
        properties = []
        while self._name in ("Anchor", "Tag"):
            properties.append(self._take().text)
        node = self._bare_node(indentless)
        node.properties = " ".join(properties)
        return node

    def _bare_node(self, indentless: bool) -> Node:
        name = self._name
        if name == "Scalar":
            return self._scalar()
        if name == "Alias":
            return Leaf(self._take().text, Style.ALIAS)
        if name in ("FlowMappingStart", "FlowSequenceStart"):
            return self._flow()
        if name == "BlockMappingStart":
            return self._block_mapping()
        if name == "BlockSequenceStart" or (indentless and name == "BlockEntry"):
            return self._block_list()
        return Leaf("", Style.EMPTY)

    def _scalar(self) -> Leaf:
        lexeme = self._take()
        token = lexeme.token
        assert isinstance(token, yaml.ScalarToken)
        if lexeme.head:
            # It stands on the first line: the place of a comment at the end of a line.
            self._gap.same_line = lexeme.head
        style = _STYLES.get(token.style or "", Style.PLAIN)
        return Leaf(lexeme.text, style, token.value, column=self._columns[-1], cut=lexeme.cut)

    # ---- block style ---------------------------------------------------------------------------------
    def _block_mapping(self) -> Collection:
        column = self._take().column
        self._columns.append(column)
        node = Collection(is_mapping=True, is_flow=False)
        outside = self._spend()
        while self._name != "BlockEnd":
            node.entries.append(self._block_entry())
        node.tail = self._tail(column)
        self._loose = outside
        self._columns.pop()
        self._next += 1
        return node

    def _block_entry(self) -> Entry:
        entry = Entry(above=self._lines())
        entry.key = Leaf("", Style.EMPTY)
        if self._name == "Key":
            self._take()
            entry.key = self._node(indentless=True)
        if self._name == "Value":
            self._take()
            self._block_value(entry, indentless=True)
        else:
            entry.value, entry.after = Leaf("", Style.EMPTY), self._same_line()
        entry.above += self._spend()
        return entry

    def _block_list(self) -> Collection:
        indentless = self._name == "BlockEntry"
        if not indentless:
            self._columns.append(self._take().column)
        column = self._tokens[self._next].column
        node = Collection(is_mapping=False, is_flow=False)
        outside = self._spend()
        while self._name == "BlockEntry":
            entry = Entry(above=self._lines())
            self._take()
            self._block_value(entry, indentless=False)
            entry.above += self._spend()
            node.entries.append(entry)
        # A list may stand in the column of its key: there, a comment belongs to the mapping.
        node.tail = self._tail(column + indentless)
        self._loose = outside
        if not indentless:
            self._columns.pop()
            self._next += 1
        return node

    def _block_value(self, entry: Entry, indentless: bool) -> None:
        """Read what stands behind `key:` or `- `, with the comments around it."""
        opening = self._same_line()
        entry.value_breaks = self._gap.breaks
        properties = []
        while self._name in ("Anchor", "Tag"):
            properties.append(self._take().text)
            comment = self._same_line()
            self._loose += [opening] if opening and comment else []
            opening = comment or opening
        node = self._bare_node(indentless)
        node.properties = " ".join(properties)
        entry.value = node
        if isinstance(node, Collection) and not node.is_flow:
            entry.opening = opening
            return
        entry.after = self._same_line() or opening
        if opening and opening is not entry.after:
            self._loose.append(opening)

    # ---- flow style ----------------------------------------------------------------------------------
    def _flow(self) -> Collection:
        is_mapping = self._take().name == "FlowMappingStart"
        node = Collection(is_mapping, is_flow=True)
        # It has no place behind the brace; whoever holds this collection puts it above.
        opening = self._same_line()
        while self._name not in ("FlowMappingEnd", "FlowSequenceEnd"):
            node.entries.append(self._flow_entry(is_mapping))
        node.tail = [line for line in self._lines() if line]
        self._take()
        if opening:
            self._put_first(node, opening)
        return node

    @staticmethod
    def _put_first(node: Collection, comment: str) -> None:
        lines = node.entries[0].above if node.entries else node.tail
        lines.insert(0, comment)

    def _flow_entry(self, is_mapping: bool) -> Entry:
        # What is loose here belongs to the entry around this collection.
        outside = self._spend()
        entry = Entry(breaks=self._gap.breaks, above=[line for line in self._lines() if line])
        if is_mapping:
            self._flow_pair(entry)
        elif self._name == "Key":
            pair = Entry()
            self._flow_pair(pair)
            # Without braces, only its colon tells it from a text.
            pair.value = pair.value or Leaf("", Style.EMPTY)
            entry.value = Collection(is_mapping=True, is_flow=True, entries=[pair], bare=True)
        else:
            entry.value = self._node()
        entry.after = self._same_line()
        if self._name == "FlowEntry":
            self._loose += [line for line in self._lines() if line]
            self._take()
            comment = self._same_line()
            self._loose += [comment] if comment and entry.after else []
            entry.after = entry.after or comment
        entry.above += self._spend()
        self._loose = outside
        return entry

    def _flow_pair(self, entry: Entry) -> None:
        if self._name == "Key":
            self._take()
        entry.key = self._node()
        if self._name == "Value":
            self._take()
            self._loose += filter(None, [self._same_line()])
            entry.value = self._node() if self._name not in _FLOW_ENDS else Leaf("", Style.EMPTY)


_FLOW_ENDS = ("FlowEntry", "FlowMappingEnd", "FlowSequenceEnd")


def _share_header(header: list[str], root: Node) -> None:
    """Hand the comment directly above the first key to that key, unless it is about the whole file."""
    if not isinstance(root, Collection) or root.is_flow or not root.entries or not header or not header[-1]:
        return
    first = root.entries[0]
    if not isinstance(first.key, Leaf) or first.key.value in _ABOUT_THE_FILE:
        return
    start = len(header)
    while start and header[start - 1]:
        start -= 1
    if any(_MODELINE in line for line in header[start:]):
        return
    first.above = header[start:] + first.above
    del header[start:]
