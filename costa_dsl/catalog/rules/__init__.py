"""What a schema cannot say: names that must exist somewhere else, words that must fit their subtask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.load import KindedDocument, build_catalog, catalog_documents
from costa_dsl.catalog.rules.benchmark import check_benchmark
from costa_dsl.catalog.rules.order import check_order
from costa_dsl.catalog.rules.plan import check_plan
from costa_dsl.catalog.rules.tool import check_tool
from costa_dsl.catalog.rules.vocabulary import check_vocabulary
from costa_dsl.diagnostics import Sink
from costa_dsl.model.plan import Plan
from costa_dsl.syntax import Document

__all__ = ["check_all", "check_plan_file"]


def check_all(documents: Sequence[KindedDocument], catalog_selector: str, sink: Sink) -> None:
    """Check schema-valid documents against each other and against the catalog that they will be used with.

    A manifest that is itself being checked takes the place of the catalog's own of the same name.
    """
    kinds = {kind for kind, _ in documents}
    names = {_name(document) for kind, document in documents if kind == "Tool"}
    behind = [
        (kind, document)
        for kind, document in catalog_documents(catalog_selector, Sink())
        if not (kind == "Tool" and _name(document) in names)
        and not (kind in ("SubtaskCatalog", "BenchmarkTable") and kind in kinds)
    ]
    catalog = build_catalog([*documents, *behind], sink)
    for kind, document in documents:
        if kind == "Plan":
            check_plan_file(Plan.from_document(document, sink), catalog, sink)
    if "SubtaskCatalog" in kinds:
        check_vocabulary(catalog.vocabulary, sink)
    for name in sorted(names):
        check_tool(catalog.tools[name], catalog, sink)
    if "BenchmarkTable" in kinds:
        check_benchmark(catalog, sink)


def _name(document: Document) -> str:
    value: Any = document.value
    return str(value["name"])


def check_plan_file(plan: Plan, catalog: Catalog, sink: Sink) -> None:
    """All rules about a plan."""
    check_plan(plan, catalog, sink)
    check_order(plan, catalog, sink)
