"""Findings as a SARIF 2.1.0 log, the form that code scanning services and editors read.

Section numbers are those of the OASIS standard. One thing is left as viewers show it: §3.11.5 asks for doubled
braces in messages, but viewers print them doubled, and a person would copy them; only what would be read as a
placeholder (`{0}`) or as an embedded link (`[a](1)`) is escaped.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Protocol
from urllib.parse import quote

from costa_dsl.diagnostics import Diagnostic, Edit, Fix, Related, Severity, SourceSpan
from costa_dsl.diagnostics.fingerprint import fingerprints
from costa_dsl.report.diagnostics import STDIN, file_uri, sentences

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
# A longer one (a whole tree) would only repeat the file.
_LONGEST_SNIPPET = 1000
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


class Page(Protocol):
    """What is said about a code (the page that `costa explain` prints)."""

    @property
    def title(self) -> str: ...

    @property
    def explanation(self) -> str: ...

    @property
    def severity(self) -> str: ...


def to_sarif(diagnostics: Iterable[Diagnostic], version: str, pages: Mapping[str, Page]) -> dict[str, Any]:
    """One log with one run: plain data for `json.dumps`, the same for the same findings.

    Args:
        version: costa's own.
        pages: the page of each code. A code without one is a rule of which only its level is known.

    Lines and columns start at 1 and count code points, also in the text of a file with a byte order mark.
    Suppressed findings are results with a suppression.
    """
    found = list(diagnostics)
    codes = sorted({diagnostic.code for diagnostic in found})
    default = {diagnostic.code: diagnostic.severity for diagnostic in reversed(found)}
    named = zip(found, fingerprints(found), strict=True)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "costa",
                        "version": version,
                        "rules": [_rule(code, pages.get(code), default[code]) for code in codes],
                    }
                },
                "invocations": [{"executionSuccessful": True}],
                "originalUriBaseIds": {
                    BASE: {"description": {"text": "The folder in which costa was called; relative paths start here."}}
                },
                "columnKind": "unicodeCodePoints",
                # A lone carriage return breaks a line in YAML too.
                "newlineSequences": ["\r\n", "\n", "\r"],
                "results": [_result(diagnostic, codes.index(diagnostic.code), name) for diagnostic, name in named],
            }
        ],
    }


def artifact_uri(name: str) -> tuple[str, bool]:
    """The URI reference of a file, and whether it is relative to the folder in which costa was called.

    Relative paths below that folder stay relative, with forward slashes; all others become `file://` URIs, as a
    relative reference must not climb out of its base (§3.4.4). Both are percent-encoded, a colon included, so that
    no name can be taken for a scheme.
    """
    path = PurePath(name)
    relative = posixpath.normpath(path.as_posix())
    if path.is_absolute() or path.drive or relative == ".." or relative.startswith("../"):
        return file_uri(name), False
    try:
        raw = os.fsencode(relative)
    except UnicodeEncodeError:
        raw = relative.encode("utf-8", "surrogatepass")
    return quote(raw), True


def _rule(code: str, page: Page | None, severity: Severity) -> dict[str, Any]:
    if page is None:
        return {"id": code, "defaultConfiguration": {"level": _LEVELS[severity]}}
    return {
        "id": code,
        "shortDescription": {"text": _sentence(page.title)},
        "fullDescription": {"text": page.explanation.split("\n\n")[0]},
        "help": {
            "text": f"{page.explanation}\n\n`costa explain {code}` shows a wrong and a right example.",
            "markdown": f"{page.explanation}\n\n`costa explain {code}` shows a wrong and a right example.",
        },
        "defaultConfiguration": {"level": _LEVELS[Severity(page.severity)]},
    }


def _result(diagnostic: Diagnostic, rule: int, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": _message(sentences(diagnostic)),
    }
    if diagnostic.span is not None:
        result["locations"] = [{"physicalLocation": _physical(diagnostic.span)}]
    if diagnostic.related:
        result["relatedLocations"] = [_related(number, other) for number, other in enumerate(diagnostic.related, 1)]
    if diagnostic.fix is not None and diagnostic.fix.edits:
        result["fixes"] = [_fix(diagnostic.fix)]
    # On every result, as it must be on all or on none (§3.27.23).
    result["suppressions"] = (
        [{"kind": "inSource", "justification": _clean(diagnostic.suppressed)}] if diagnostic.suppressed else []
    )
    result["partialFingerprints"] = {"costa/v1": fingerprint}
    return result


def _related(number: int, related: Related) -> dict[str, Any]:
    message = _message(_sentence(related.message))
    return {"id": number, "physicalLocation": _physical(related.span), "message": message}


def _fix(fix: Fix) -> dict[str, Any]:
    edits = sorted(fix.edits, key=lambda edit: (edit.span.source.name, edit.span.start, edit.span.end))
    changes: dict[str, list[Edit]] = {}
    for edit in edits:
        changes.setdefault(edit.span.source.name, []).append(edit)
    return {
        "description": _message(_sentence(fix.title)),
        "artifactChanges": [
            {"artifactLocation": _artifact(name), "replacements": [_replacement(edit) for edit in group]}
            for name, group in changes.items()
        ],
        "properties": {"safe": fix.safe},
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    deleted = {"deletedRegion": _region(edit.span)}
    return {**deleted, "insertedContent": {"text": _clean(edit.text)}} if edit.text else deleted


def _physical(span: SourceSpan) -> dict[str, Any]:
    region = _region(span)
    if 0 < span.end - span.start <= _LONGEST_SNIPPET:
        region["snippet"] = {"text": _clean(span.text)}
    return {"artifactLocation": _artifact(span.source.name), "region": region}


def _artifact(name: str) -> dict[str, Any]:
    if name == STDIN:
        return {"uri": "stdin", "description": {"text": "Standard input."}}
    uri, relative = artifact_uri(name)
    return {"uri": uri, "uriBaseId": BASE} if relative else {"uri": uri}


def _region(span: SourceSpan) -> dict[str, Any]:
    end = SourceSpan(span.source, span.end, span.end)
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": end.line,
        "endColumn": end.column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }


def _message(text: str) -> dict[str, str]:
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", _clean(text)).replace("](", "\\](")}


def _sentence(text: str) -> str:
    return sentences(Diagnostic("", text))


def _clean(text: str) -> str:
    """JSON has no half characters: a byte of a file name that is no UTF-8 becomes a replacement character."""
    return _SURROGATE.sub("\ufffd", text)
