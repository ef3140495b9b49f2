"""Findings that are hard to write down, for the tests of every format."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from costa_dsl.diagnostics import Diagnostic, Edit, Fix, Related, Severity, SourceSpan, SourceText, replace_with

PLAN = "kind: Plan\ntree:\n  - {do: object-recolouring, object: leaves}\n  - {do: upscale, id: a}\n"
# Characters that URIs, workflow commands, XML or terminals give a meaning.
NAMES = (
    "plans/market.yaml",
    "./plans//my plan.yaml",
    "a#b%c?d.yaml",
    "c:\\plans\\a.yaml",
    "http://x/a.yaml",
    "../up.yaml",
    "plans/../../up.yaml",
    "/tmp/日本 🐕.yaml",
    "line\nbreak,\r\t.yaml",
    "\udcff\udc80.yaml",
    "\ud83d.yaml",
    "-a&<b>\"'.yaml",
    "<stdin>",
)
MESSAGES = (
    "it ends ]]> here <&>",
    "100%0A %25 :: ::error::x",
    "two\r\nlines",
    "hidden \x00\x08\x1b[31m \u202e\ufffe\uffff \ud800",
    "{0} and {do: x} and [a](1)",
    "日本 🐕 e\u0301",
)


@dataclass(frozen=True)
class Page:
    """A page of a code, as `to_sarif` takes it."""

    title: str
    explanation: str
    severity: str


PAGES = {
    "COS3104": Page("An unknown subtask", "No such subtask.\n\nNames are in kebab case.", "error"),
    "COS2201": Page("A missing licence", "The manifest does not say it.", "warning"),
}


def finding(text: str, piece: str, name: str = "plans/market.yaml", **more: Any) -> Diagnostic:
    """A finding at the first occurrence of a piece of a text."""
    start = text.index(piece)
    given = {"code": "COS3104", "message": f'unknown subtask "{piece}"', **more}
    return Diagnostic(span=SourceSpan(SourceText(name, text), start, start + len(piece)), **given)


def recolouring(**more: Any) -> Diagnostic:
    """The finding of the handbook, with a related place, a safe fix, and everything else that a finding can have."""
    found = finding(PLAN, "object-recolouring", label='did you mean "object-recoloration"?')
    assert found.span
    tree = Related("the tree begins here", SourceSpan(found.span.source, 11, 15))
    fix = replace_with(found.span, "object-recoloration", safe=True)
    return replace(found, related=(tree,), help="see `costa tools list`\nit was renamed", fix=fix, **more)


def hard() -> list[Diagnostic]:
    """Names, messages and places that break careless writers."""
    texts = ("a: 🐕🐕 e\u0301 x\r\nb: 日本 x\r\n", "a: x", "\ufeffa:\tx\r\nb: x\r\n")
    found = [finding(text, "x", name) for text in texts for name in NAMES]
    found += [finding("a: x", "x", message=message, label=message, help=message) for message in MESSAGES]
    found += [Diagnostic("COS0001", message, severity=Severity.HINT) for message in (*MESSAGES, "there is no file")]
    for text in texts:
        source = SourceText("end.yaml", text)
        for start, end in ((len(text), len(text)), (0, len(text)), (0, 0), (max(0, len(text) - 2), len(text))):
            span = SourceSpan(source, start, end)
            fix = Fix("write {0} [a](1)", (Edit(span, "🐕\r\n"), Edit(SourceSpan(source, 0, 0), "")), safe=False)
            found.append(
                Diagnostic("COS2201", "at the end", span, Severity.WARNING, fix=fix, related=(Related("x", span),))
            )
    found.append(recolouring())
    found.append(recolouring(suppressed="the vendor's own name ]]> %0A \x00"))
    long = "a: |\n" + "  long\n" * 1000
    found.append(finding(long, long))
    return found
