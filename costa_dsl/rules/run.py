"""Runs all rules over schema-valid documents and the catalog that they will be used with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.load import PACKAGED, KindedDocument, build_catalog, catalog_documents
from costa_dsl.diagnostics import Diagnostic, Severity, Sink
from costa_dsl.model.plan import Plan
from costa_dsl.syntax import Document, real_path

# They live in the compiler, which this room does not know.
GraphCheck: TypeAlias = Callable[[Document, Catalog, Sink], object]
PlanCheck: TypeAlias = Callable[[Plan, Catalog], Iterable[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Proofs:
    """What the compiler can tell about files: whether a graph is sound, and which steps of a plan cannot be done."""

    check_graph: GraphCheck
    check_plan: PlanCheck


def check_all(
    documents: Sequence[KindedDocument], catalog_selector: str, sink: Sink, proofs: Proofs | None = None
) -> None:
    """Check schema-valid documents against each other and against a catalog.

    A manifest that is itself being checked takes the place of the catalog's own of the same name.
    """
    kinds = {kind for kind, _ in documents}
    names = {_name(document) for kind, document in documents if kind == "Tool"}
    # What is being checked is not read again: its faults are told, and the rest of it is understood all the same.
    known = {real_path(document.source.name) for _, document in documents}
    behind = [
        (kind, document)
        for kind, document in catalog_documents(catalog_selector, Sink(), known)
        if not (kind == "Tool" and _name(document) in names)
        and not (kind in ("SubtaskCatalog", "BenchmarkTable") and kind in kinds)
    ]
    catalog = build_catalog([*documents, *behind], sink)
    for kind, document in documents:
        if kind == "Plan":
            plan, own = Plan.from_document(document, sink), Sink()
            check_plan(plan, catalog, own)
            if proofs is not None and not own.has_errors and not sink.has_errors:
                own.extend(proofs.check_plan(plan, catalog))
            sink.extend(own)
        elif kind == "ToolpathGraph" and proofs is not None:
            own = Sink()
            proofs.check_graph(document, catalog, own)
            sink.extend(own)
    if catalog_selector not in PACKAGED and kinds <= {"Plan", "ToolpathGraph"}:
        sink.extend(_faults_behind(catalog))
    # Each family of rules is imported when there is something for it to check.
    if names:
        from costa_dsl.rules.tool import RULES as TOOL_RULES

        for name in sorted(names):
            for tool_rule in TOOL_RULES:
                sink.extend(tool_rule(catalog.tools[name], catalog))
    if "SubtaskCatalog" in kinds or "BenchmarkTable" in kinds:
        from costa_dsl.rules.catalog import TABLE_RULES, VOCABULARY_RULES

        for rule in VOCABULARY_RULES if "SubtaskCatalog" in kinds else ():
            sink.extend(rule(catalog))
        for rule in TABLE_RULES if "BenchmarkTable" in kinds else ():
            sink.extend(rule(catalog))


def _faults_behind(catalog: Catalog) -> Iterator[Diagnostic]:
    """The errors of a catalog that somebody named for plans; manifests that are checked themselves tell their own."""
    from costa_dsl.rules.catalog import TABLE_RULES, VOCABULARY_RULES
    from costa_dsl.rules.tool import RULES as TOOL_RULES

    found = [rule(catalog) for rule in (*VOCABULARY_RULES, *TABLE_RULES)]
    found += [rule(tool, catalog) for _, tool in sorted(catalog.tools.items()) for rule in TOOL_RULES]
    yield from (diagnostic for part in found for diagnostic in part if diagnostic.severity is Severity.ERROR)


def _name(document: Document) -> str:
    value: Any = document.value
    return str(value["name"])


def check_plan(plan: Plan, catalog: Catalog, sink: Sink) -> None:
    """All rules about a plan."""
    from costa_dsl.rules.plan import RULES

    for rule in RULES:
        sink.extend(rule(plan, catalog))
