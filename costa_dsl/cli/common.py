"""What several verbs share: reading plans, graphs and catalogs, and telling findings."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import CostaError, Diagnostic, Severity, Sink
from costa_dsl.model.plan import Plan
from costa_dsl.syntax import Document

if TYPE_CHECKING:
    from costa_dsl.compiler.compile import Compiled, Observer
    from costa_dsl.compiler.cut import Scope
    from costa_dsl.model.plan import Budget
    from costa_dsl.rules.configuration import Configuration


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line wants otherwise than the plan's policy; None leaves that as it is."""

    alpha: float | None = None
    objective: str | None = None
    strategy: str | None = None
    budget: Budget | None = None

    def over(self, plan: Plan) -> Plan:
        """The plan with these wishes in its policy.

        Raises:
            CostaError: there is no such objective.
        """
        wanted = {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}
        if self.budget is not None:
            wanted["budget"] = self.budget.over(plan.policy.budget)
        found = replace(plan, policy=replace(plan.policy, **wanted))
        if self.objective is not None:
            from costa_dsl.rules.plan.objective import objective_of

            objective_of(found, "--objective")
        return found


NO_WISHES = Wishes()


def read_compiled(
    path: str,
    catalog: Catalog,
    sink: Sink,
    *,
    wishes: Wishes = NO_WISHES,
    scope: Scope | None = None,
    assume_available: bool = False,
    observer: Observer | None = None,
) -> Compiled:
    """The plan in a file, compiled, or the graph in it, read and proven.

    Raises:
        CostaError: the file cannot be read, has errors, holds something else, or no complete path exists.
    """
    from costa_dsl.compiler.canonicalize import digest
    from costa_dsl.compiler.compile import compile_plan
    from costa_dsl.compiler.load import load_graph

    document = read_one(path, ("Plan", "ToolpathGraph"), sink)
    value: Any = document.value
    assume_available = assume_available or catalog.is_paper
    if value["kind"] == "Plan":
        plan = plan_of(document, sink, wishes)
        return compile_plan(plan, catalog, sink, scope=scope, assume_available=assume_available, observer=observer)
    if scope is not None or observer is not None:
        raise CostaError(
            Diagnostic(
                "COS4203",
                "a graph is compiled already: no pass is left to run on it, and no part of it to cut out",
                document.span(("kind",)),
                help="name the plan that it was made of",
            ),
            exit_code=2,
        )
    plan_now = _plan_of_graph(path, value["source"])
    compiled = load_graph(document, catalog, sink, plan_now, assume_available=assume_available)
    if wishes == NO_WISHES:
        return compiled
    graph = replace(compiled.graph, plan=wishes.over(compiled.graph.plan))
    return replace(compiled, graph=replace(graph, digest=digest(graph)))


def plan_of(document: Document, sink: Sink, wishes: Wishes = NO_WISHES) -> Plan:
    """The plan in a document, with what the command line wants otherwise."""
    return wishes.over(Plan.from_document(document, sink))


def _plan_of_graph(path: str, source: str) -> Plan | None:
    """The plan that a graph names, as it is now, beside the graph or where it was; None when it cannot be read."""
    for place in (source, str(Path(path).parent / Path(source).name)):
        if Path(place).is_file():
            with suppress(CostaError):
                sink = Sink()
                plan = Plan.from_document(read_one(place, ("Plan",), sink), sink)
                sink.raise_if_errors()
                return plan
    return None


def read_one(path: str, kinds: Collection[str], sink: Sink, name: str | None = None) -> Document:
    """The one document in a file, of one of some kinds.

    Args:
        name: of the file that this one is a copy of: findings then point there.

    Raises:
        CostaError: the file cannot be read, has errors, or holds something else.
    """
    from costa_dsl.schema import check_document
    from costa_dsl.syntax import read_documents, read_text_file
    from costa_dsl.syntax.secrets import hide_secrets

    source = read_text_file(path, sink)
    if source is not None and name is not None:
        source = replace(source, name=name)
    if source is not None:
        source, secrets = hide_secrets(source)
        sink.extend(secrets)
    documents = read_documents(source, sink) if source is not None else []
    found = [check_document(document, sink) for document in documents]
    sink.raise_if_errors()
    if len(found) != 1 or found[0] not in kinds:
        held = ", ".join(kind or "?" for kind in found) or "nothing"
        raise CostaError(
            Diagnostic(
                "COS3001",
                f'"{path}" should hold exactly one {" or ".join(kinds)}; it holds: {held}',
                documents[0].span() if documents else None,
                help=f"name a file with `kind: {next(iter(kinds))}`",
            )
        )
    return documents[0]


def load_recorded(run: Path, plan_file: str, catalog: str) -> tuple[Catalog, Compiled]:
    """The catalog and the graph that a run was begun with.

    Args:
        run: its folder.
        plan_file: the plan's file, as the journal names it: findings point there, and its files lie beside it.

    Raises:
        CostaError: they cannot be read any more, or do not fit together.
    """
    from costa_dsl.compiler.load import load_graph

    sink = Sink()
    known = load(catalog, sink)
    plan = plan_of(read_one(str(run / "plan.yaml"), ("Plan",), sink, name=plan_file), sink)
    compiled = load_graph(read_one(str(run / "graph.json"), ("ToolpathGraph",), sink), known, sink, plan)
    sink.raise_if_errors()
    return known, compiled


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
