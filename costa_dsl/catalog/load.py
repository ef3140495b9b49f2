"""Reads a catalog from a folder of manifests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from costa_dsl.catalog.catalog import PAPER, Catalog
from costa_dsl.diagnostics import CostaError, Diagnostic, Related, Sink
from costa_dsl.model.benchmark import BenchmarkRow, rows_from_document
from costa_dsl.model.subtask import Vocabulary
from costa_dsl.model.tool import Tool
from costa_dsl.resources import data_folder
from costa_dsl.schema import check_document
from costa_dsl.syntax import Document, read_documents, read_text_file, real_path
from costa_dsl.syntax.secrets import hide_secrets

PACKAGED = ("default", PAPER)
KindedDocument = tuple[str, Document]


def load_catalog(selector: str, sink: Sink) -> Catalog:
    """The catalog that a `--catalog` value names: `default`, `paper` (both packaged with costa) or a folder.

    A folder without a SubtaskCatalog uses the packaged vocabulary.

    Raises:
        CostaError: a file in the folder has errors, or there is nothing in it.
    """
    known = selector if selector in PACKAGED else str(Path(selector).resolve())
    return replace(build_catalog(catalog_documents(selector, sink), sink), selector=known)


def catalog_folder(selector: str) -> Path:
    """Where the manifests are of a `--catalog` value: `paper` is the tables of CoSTA*, behind which stands no code."""
    if selector == PAPER:
        return Path(__file__).parent / PAPER
    return data_folder("tools") if selector == "default" else Path(selector)


def catalog_documents(selector: str, sink: Sink, known: Collection[Path] = ()) -> list[KindedDocument]:
    """The schema-valid documents of a catalog, each with its kind; those of known files (resolved) are left out.

    Raises:
        CostaError: a file has errors, or the folder has no manifests.
    """
    folder = catalog_folder(selector)
    paths = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    if not paths:
        raise CostaError(
            Diagnostic(
                "COS2101",
                f'the catalog "{selector}" has no manifests: expected a folder of *.yaml files',
                help="name a folder of tool manifests, `--catalog default`, or `--catalog paper`",
            ),
            exit_code=3,
        )
    place = real_path(str(folder))
    documents = [found for path in paths if place / path.name not in known for found in _read(path, sink)]
    sink.raise_if_errors()
    if not any(kind == "SubtaskCatalog" for kind, _ in documents):
        documents = [*_read(data_folder("tools") / "subtasks.yaml", sink), *documents]
        sink.raise_if_errors()
    return documents


def _read(path: Path, sink: Sink) -> list[KindedDocument]:
    source = read_text_file(str(path), sink)
    if source is None:
        return []
    source, secrets = hide_secrets(source)
    sink.extend(secrets)
    documents = read_documents(source, sink)
    return [(kind, document) for document in documents if (kind := check_document(document, sink))]


def build_catalog(documents: Iterable[KindedDocument], sink: Sink) -> Catalog:
    """A catalog out of schema-valid documents; names that stand twice go to the sink, the first one counts.

    Raises:
        CostaError: there is no SubtaskCatalog among the documents.
    """
    vocabulary: Vocabulary | None = None
    tools: dict[str, Tool] = {}
    rows: dict[tuple[str, str], BenchmarkRow] = {}
    for kind, document in documents:
        if kind == "SubtaskCatalog":
            if vocabulary is not None:
                sink.add(_second_vocabulary(document, vocabulary))
            vocabulary = vocabulary or Vocabulary.from_document(document)
        elif kind == "Tool":
            tool = Tool.from_document(document)
            if first := tools.get(tool.name):
                sink.add(_twice("COS2006", f'two tools are named "{tool.name}"', tool, first, "name"))
            tools.setdefault(tool.name, tool)
        elif kind == "BenchmarkTable":
            for row in rows_from_document(document):
                key = (row.tool, row.subtask)
                if previous := rows.get(key):
                    message = f"two rows for {row.tool} · {row.subtask}"
                    sink.add(_twice("COS2010", message, row, previous, "tool"))
                rows.setdefault(key, row)
    if vocabulary is None:
        raise CostaError(Diagnostic("COS2102", "no SubtaskCatalog was found", help="keep tools/subtasks.yaml"))
    return Catalog(vocabulary, tools, rows)


def _second_vocabulary(document: Document, first: Vocabulary) -> Diagnostic:
    return Diagnostic(
        "COS2023",
        "a catalog has one SubtaskCatalog, and this is the second",
        document.span(("kind",)),
        related=(Related("the first one", first.origin.span("kind")),),
        help="join the two, or keep one of them",
    )


def _twice(code: str, message: str, here: Tool | BenchmarkRow, first: Tool | BenchmarkRow, key: str) -> Diagnostic:
    return Diagnostic(
        code,
        message,
        here.origin.span(key),
        related=(Related("first defined here", first.origin.span(key)),),
        help="keep one of them",
    )
