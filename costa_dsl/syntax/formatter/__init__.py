"""The form of costa's YAML files: the same order of keys, indentation, quotes and breaks everywhere.

    text → tokens with the gaps between them (lexemes) → trees (parse) → keys sorted (arrange) → lines (layout),
    then both texts are read and compared (guarantee).

Our own code rather than a library that reads and writes YAML: those keep comments by the key that they follow, so
that sorting keys, comments inside flow style and comments between items go astray.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from costa_dsl.diagnostics import Diagnostic, Sink, SourceSpan, SourceText
from costa_dsl.syntax.document import Document
from costa_dsl.syntax.formatter.arrange import arrange
from costa_dsl.syntax.formatter.guarantee import says_the_same
from costa_dsl.syntax.formatter.layout import WIDTH, lines_of
from costa_dsl.syntax.formatter.lexemes import Lexeme, comments, lexemes
from costa_dsl.syntax.formatter.parse import parse
from costa_dsl.syntax.formatter.tree import Tree
from costa_dsl.syntax.reader import read_documents

__all__ = ["WIDTH", "format_text"]

Schemas = Callable[[str], Mapping[str, Any] | None]


def format_text(source: SourceText, schemas: Schemas, sink: Sink) -> str | None:
    """The text in costa's form, or None when it cannot be formatted, with the findings in the sink.

    `schemas` gives the JSON Schema of a kind (the order of its keys), or None for a kind that is unknown; the
    keys of such a document stay in their order. Formatting the result again gives the same text.
    """
    found = Sink()
    documents = read_documents(source, found)
    if found.has_errors:
        sink.extend(found)
        return None
    text = source.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    tokens = lexemes(text)
    said = Counter(comments(tokens))
    formatted = _formatted(tokens, documents, schemas)
    if says_the_same(text, documents, said, formatted):
        return formatted
    sink.add(
        Diagnostic(
            "COS6900",
            "internal error: the formatted text would not say what this text says, so it stays as it is",
            SourceSpan(source, 0, 0),
            help="this is a fault of costa, not of your file; please report it, with the file",
        )
    )
    return None


def _formatted(tokens: list[Lexeme], documents: list[Document], schemas: Schemas) -> str:
    lines: list[str] = []
    previous: Tree | None = None
    for tree, document in zip(parse(tokens), documents, strict=True):
        kind = document.value.get("kind") if isinstance(document.value, dict) else None
        kind = kind if isinstance(kind, str) else None
        tree.header += arrange(tree.root, schemas(kind) if kind is not None else None, kind)
        lines += lines_of(tree, previous)
        previous = tree
    return "\n".join(lines) + "\n"
