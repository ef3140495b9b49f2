"""Validation as a whole: texts in, every finding out, at the levels that the project asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from costa_dsl.diagnostics import CostaError, Diagnostic, Severity, Sink, SourceText
from costa_dsl.rules.configuration import Configuration
from costa_dsl.schema import check_document, kind_meant, salvage
from costa_dsl.syntax import Document, read_documents
from costa_dsl.syntax.secrets import hide_secrets

if TYPE_CHECKING:
    from costa_dsl.rules.run import Proofs


@dataclass(frozen=True)
class Request:
    """What to validate against.

    Attributes:
        catalog: `default`, or a folder of manifests.
        kind: every document must be of this kind; None for any.
        proofs: what the compiler can tell; without it graphs are only checked against their schema, and nobody
            looks whether a plan can be lowered.
    """

    catalog: str = "default"
    kind: str | None = None
    configuration: Configuration = field(default_factory=Configuration)
    proofs: Proofs | None = None


def validate_texts(sources: Iterable[SourceText], request: Request) -> list[Diagnostic]:
    """Every finding in the texts, in the order of the texts' names and lines.

    Texts given together are checked together: a plan may use a tool whose manifest stands beside it. A text that
    holds a secret is read with the secret hidden, so that no finding can show it.
    """
    sink = Sink()
    documents: list[tuple[str, Document]] = []
    read: list[tuple[SourceText, Sequence[Document]]] = []
    lost: set[str] = set()  # kinds of documents of which nothing was understood
    for original in sources:
        source, secrets = hide_secrets(original)
        sink.extend(secrets)
        own = read_documents(source, sink)
        read.append((source, own))
        for document in own:
            kind = check_document(document, sink)
            understood = (kind, document) if kind is not None else salvage(document, sink)
            if understood is None:
                lost.add(kind_meant(document) or "")
                continue
            if request.kind not in (None, understood[0]):
                sink.add(_other_kind(document, understood[0], str(request.kind)))
            else:
                documents.append(understood)
    if documents:
        # Imported here: the rules and the catalog behind them are no use to a text that is no YAML.
        from costa_dsl.rules.run import check_all

        rules = Sink()
        try:
            check_all(documents, request.catalog, rules, request.proofs)
        except CostaError as error:
            rules.extend(error.diagnostics)
        sink.extend(_first_causes(rules, sink, lost))
    found = request.configuration.apply(_without_echoes(sink.sorted()))
    for source, parts in read:
        if "costa:" in source.text:
            from costa_dsl.rules.suppress import suppress
            from costa_dsl.syntax.suppressions import suppressions_of

            found = suppress(found, source, suppressions_of(source, parts))
    finished = Sink()
    finished.extend(found)
    return finished.sorted()


# Findings that may only say that a manifest or table could not be read.
_FOLLOWS = {
    "Tool": frozenset({"COS2009", "COS2015", "COS2016", "COS2017", "COS3110", "COS3120", "COS3121", "COS4101"}),
    "BenchmarkTable": frozenset({"COS2008"}),
}


def _first_causes(rules: Iterable[Diagnostic], before: Iterable[Diagnostic], lost: Collection[str]) -> list[Diagnostic]:
    """What the rules found, without what only follows from a fault that was told before.

    A value that is wrong for its schema, or a secret, is not looked at again for its meaning.
    """
    follows = {code for kind in lost for code in _FOLLOWS.get(kind, ())}
    told = {_place(diagnostic) for diagnostic in before if diagnostic.severity is Severity.ERROR}
    return [one for one in rules if one.code not in follows and (one.span is None or _place(one) not in told)]


def _without_echoes(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Without what else is said about the place of a secret."""
    secrets = {_place(diagnostic) for diagnostic in found if diagnostic.code == "COS0029"}
    return [one for one in found if one.code == "COS0029" or one.span is None or _place(one) not in secrets]


def _place(diagnostic: Diagnostic) -> tuple[int, int, int] | None:
    span = diagnostic.span
    return None if span is None else (id(span.source), span.start, span.end)


def counted(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that nobody has given a reason to live with."""
    return [diagnostic for diagnostic in found if not diagnostic.suppressed]


def fails(found: Iterable[Diagnostic], strict: bool) -> bool:
    """Whether a validation with these findings fails: at errors, and if strict at warnings. Hints never fail."""
    bad = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return any(diagnostic.severity in bad for diagnostic in counted(found))


def _other_kind(document: Document, kind: str, wanted: str) -> Diagnostic:
    return Diagnostic(
        "COS1005",
        f"expected a {wanted}, found a {kind}",
        document.span(("kind",)),
        help=f"--kind {wanted} was asked for; leave it out to take files of any kind",
    )
