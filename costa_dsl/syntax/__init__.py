"""YAML text → plain values, with a span for every key and value.

YAML as costa reads it: version 1.2 with its core schema (`no`, `on` and `12:30` are strings, `1e-3` is a
float, `017` is seventeen), every key a string and written once, no custom tags, no merge keys. Anchors and
aliases work, within limits that keep a small file small.
"""

from costa_dsl.syntax.document import Document, Route, Value
from costa_dsl.syntax.files import read_text_file, real_path
from costa_dsl.syntax.reader import read_documents
from costa_dsl.syntax.respell import folded, quoted, respell, rewritten

__all__ = [
    "Document",
    "Route",
    "Value",
    "folded",
    "quoted",
    "read_documents",
    "read_text_file",
    "real_path",
    "respell",
    "rewritten",
]
