"""What several verbs share: reading a plan and a catalog, and telling findings."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import CostaError, Diagnostic, Severity, Sink
from costa_dsl.model.plan import Plan

if TYPE_CHECKING:
    from costa_dsl.rules.configuration import Configuration


def read_plan(path: str, sink: Sink, alpha: float | None = None) -> Plan:
    """The one plan in a file.

    Raises:
        CostaError: the file cannot be read, has errors, or holds something else.
    """
    from costa_dsl.schema import check_document
    from costa_dsl.syntax import read_documents, read_text_file

    source = read_text_file(path, sink)
    documents = read_documents(source, sink) if source is not None else []
    kinds = [check_document(document, sink) for document in documents]
    sink.raise_if_errors()
    if kinds != ["Plan"]:
        found = ", ".join(kind or "?" for kind in kinds) or "nothing"
        raise CostaError(
            Diagnostic(
                "COS3001",
                f'"{path}" should hold exactly one Plan; it holds: {found}',
                documents[0].span() if documents else None,
                help="name a file with `kind: Plan`",
            )
        )
    plan = Plan.from_document(documents[0], sink)
    return plan if alpha is None else replace(plan, policy=replace(plan.policy, alpha=alpha))


def load(catalog: str | None, sink: Sink) -> Catalog:
    """The catalog that `--catalog` names, else the project's configuration, else the packaged one."""
    from costa_dsl.catalog.load import load_catalog

    return load_catalog(catalog or configuration().catalog or "default", sink)


def configuration() -> Configuration:
    """What the project around the current folder asks for.

    Raises:
        CostaError: its file has errors.
    """
    from costa_dsl.rules.configuration import read_configuration

    sink = Sink()
    found = read_configuration(sink)
    sink.raise_if_errors()
    return found


def tell(sink: Sink) -> None:
    """Print what is no error to stderr, as `costa validate` would; hints are for that command alone."""
    from costa_dsl.rules.suppress import is_ignored

    shown = (found for found in configuration().apply(sink) if found.severity not in (Severity.ERROR, Severity.HINT))
    tell_all(found for found in shown if not is_ignored(found))


def tell_all(diagnostics: Iterable[Diagnostic]) -> None:
    """Print findings to stderr."""
    from costa_dsl.report.diagnostics import print_report

    if found := list(diagnostics):
        print_report(found, sys.stderr)
