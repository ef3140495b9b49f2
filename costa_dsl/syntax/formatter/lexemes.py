"""YAML text → the tokens of libyaml, each with the comments and blank lines in front of it.

Between two tokens stand only white space and comments, so that nothing of a text is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

_HEAD = re.compile(r"([|>][-+0-9]*)[ \t]*(#[^\n]*)?")


@dataclass(slots=True)
class Gap:
    """What stands in front of a token.

    Attributes:
        same_line: the comment on the line of the token before.
        lines: (column, comment) of each comment on a line of its own; (-1, "") for blank lines.
        breaks: whether the token stands on a later line than the token before.
    """

    same_line: str = ""
    lines: list[tuple[int, str]] = field(default_factory=list)
    breaks: bool = False


@dataclass(slots=True)
class Lexeme:
    """A token, its text, and the gap in front of it.

    Tokens without text (the beginning of a block mapping, say) share the gap of the next one that has some.
    `head` is the comment on the first line of a block scalar.
    """

    token: yaml.Token
    text: str
    column: int
    gap: Gap
    head: str = ""
    cut: bool = False

    @property
    def name(self) -> str:
        return type(self.token).__name__.removesuffix("Token")


def lexemes(text: str) -> list[Lexeme]:
    """The tokens of a text with line breaks `\\n` only and no byte order mark.

    Raises:
        yaml.MarkedYAMLError: the text is no YAML.
    """
    found: list[Lexeme] = []
    waiting: list[Lexeme] = []
    end, at_line_start = 0, True
    blank = False
    for token in yaml.scan(text, Loader=yaml.CSafeLoader):
        assert token.start_mark is not None
        assert token.end_mark is not None
        start, stop = token.start_mark.index, token.end_mark.index
        lexeme = Lexeme(token, text[start:stop], token.start_mark.column, Gap())
        found.append(lexeme)
        waiting.append(lexeme)
        if start == stop and not isinstance(token, yaml.StreamEndToken):
            continue
        gap = _gap(text[end:start], at_line_start, blank)
        for one in waiting:
            one.gap = gap
        waiting = []
        end, at_line_start, blank = stop, False, False
        if lexeme.text.startswith(("|", ">")) and isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            at_line_start = text[stop - 1] == "\n"
            lexeme.cut = not at_line_start
            head = _HEAD.match(lexeme.text)
            assert head is not None
            lexeme.head = (head[2] or "").rstrip()
            lexeme.text = head[1] + lexeme.text[head.end() :].lstrip(" \t")
            # Blank lines behind it are content only where it keeps them (`|+`).
            blank = "+" not in head[1] and bool(re.search(r"\n[ \t]*\n[ \t]*$", lexeme.text))
    return found


def comments(tokens: list[Lexeme]) -> Iterator[str]:
    """Every comment of a text."""
    seen: set[int] = set()
    for lexeme in tokens:
        if lexeme.head:
            yield lexeme.head
        if id(lexeme.gap) not in seen:
            seen.add(id(lexeme.gap))
            yield from filter(None, [lexeme.gap.same_line, *(line for _, line in lexeme.gap.lines)])


def _gap(text: str, at_line_start: bool, blank: bool) -> Gap:
    if not (at_line_start or blank or "\n" in text or "#" in text):
        return Gap()
    gap = Gap(breaks=at_line_start or "\n" in text)
    first, *rest = text.split("\n")
    if not at_line_start:
        gap.same_line = first.strip()
    else:
        rest = [first, *rest]
    if blank:
        gap.lines.append((-1, ""))
    # The last piece is the indentation of the token itself, or a comment at the end of the text.
    for position, line in enumerate(rest):
        comment = line.strip()
        if comment:
            gap.lines.append((len(line) - len(line.lstrip()), comment))
        elif position < len(rest) - 1 and (not gap.lines or gap.lines[-1][1]):
            gap.lines.append((-1, ""))
    return gap
