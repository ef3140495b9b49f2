"""Findings as a JUnit report, which Jenkins, GitLab and most other services show: a test case for each file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.report.diagnostics import STDIN, render, summary, unsuppressed

NO_FILE = "(no file)"

_NAME, _CLASS = "costa validate", "costa.validate"
# XML 1.0 has no way to write them, not even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(files: Iterable[str], diagnostics: Iterable[Diagnostic], seconds: float | None = None) -> str:
    """The report, in ASCII with character references, so that no encoding of a terminal or a log can harm it.

    Args:
        files: those that were validated, in the order in which they shall stand; `-` is standard input.
        seconds: how long that took; nothing is said about it when it is left out.

    A file with errors fails, once, as some services read one failure of a test case only; warnings and hints are its
    output. A finding without a place belongs to the file that its message names in quotes, else to a test case of
    its own; one in a file that was not named (of the catalog) makes that file a test case too. Suppressed findings
    are left out.
    """
    found: dict[str, list[Diagnostic]] = {STDIN if file == "-" else file: [] for file in files}
    without: list[Diagnostic] = []
    for diagnostic in unsuppressed(diagnostics):
        name = diagnostic.span.source.name if diagnostic.span else _named(diagnostic.message, found)
        (without if name is None else found.setdefault(name, [])).append(diagnostic)
    cases = [_case(name, name, group) for name, group in found.items()]
    if without:
        cases.append(_case(NO_FILE, None, without))
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": "0",
        **({} if seconds is None else {"time": f"{seconds:.3f}"}),
    }
    suite = ElementTree.Element("testsuite", {"name": _NAME, **counts})
    suite.extend(cases)
    root = ElementTree.Element("testsuites", {"name": _NAME, **counts})
    root.append(suite)
    ElementTree.indent(root)
    # The declaration says UTF-8, of which ASCII is a part; `tostring` would name ASCII, which some readers lack.
    body = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _named(message: str, files: Iterable[str]) -> str | None:
    return next((file for file in files if f'"{file}"' in message), None)


def _case(name: str, file: str | None, diagnostics: Sequence[Diagnostic]) -> ElementTree.Element:
    attributes = {"classname": _CLASS, "name": name, **({} if file in (None, STDIN) else {"file": name})}
    case = ElementTree.Element("testcase", {key: _written(value) for key, value in attributes.items()})
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
    others = [diagnostic for diagnostic in diagnostics if diagnostic.severity is not Severity.ERROR]
    if errors:
        message = errors[0].message if len(errors) == 1 else f"{summary(errors)}, the first: {errors[0].message}"
        failure = ElementTree.SubElement(case, "failure", {"message": _written(message), "type": errors[0].code})
        failure.text = _written(f"\n{render(errors)}")
    if others:
        ElementTree.SubElement(case, "system-out").text = _written(f"\n{render(others)}")
    return case


def _written(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
