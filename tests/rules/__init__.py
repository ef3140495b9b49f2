"""Rules about meaning, each by what it finds and by what it must leave alone."""

from __future__ import annotations

from costa_dsl.diagnostics import Diagnostic, SourceText
from costa_dsl.rules.validate import Request, validate_texts


def plan(*steps: str, head: str = "") -> str:
    """The YAML of a plan: its steps, and further top-level keys."""
    tree = "".join(f"  - {step}\n" for step in steps)
    return f"apiVersion: costa/v1\nkind: Plan\ntask: a test\n{head}tree:\n{tree}"


def findings(*texts: str, without: tuple[str, ...] = (), catalog: str = "default") -> list[Diagnostic]:
    """What is found in texts that are validated together, in the order of the texts, without some codes."""
    sources = [SourceText(f"{number}.yaml", text) for number, text in enumerate(texts)]
    return [found for found in validate_texts(sources, Request(catalog)) if found.code not in without]


def in_plan(*steps: str, head: str = "") -> list[Diagnostic]:
    """What is found in a plan, apart from subtasks that the packaged catalog has no tool for."""
    return findings(plan(*steps, head=head), without=("COS4101",))


def told(found: list[Diagnostic]) -> list[tuple[str, str]]:
    """Each finding as its code and the text that is marked."""
    return [(one.code, marked(one)) for one in found]


def marked(found: Diagnostic) -> str:
    """The text that a finding marks."""
    assert found.span is not None
    return found.span.text


def others(found: Diagnostic) -> list[tuple[str, str, int]]:
    """The other places of a finding: what is said there, the text and its line."""
    return [(other.message, other.span.text, other.span.line) for other in found.related]
