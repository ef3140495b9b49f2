"""One finding as data; how it looks is the business of `costa_dsl.report`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from costa_dsl.diagnostics.fix import Fix
from costa_dsl.diagnostics.source import SourceSpan


class Severity(StrEnum):
    """How bad: an error stops all that comes after it, a warning is likely a slip, a hint may help."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Related:
    """The other end of a finding: "first defined here"."""

    message: str
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: what was found and what was expected (`message`), where (`span`), what to do (`help`).

    A finding about no text at all (a missing file, a machine without a package) has no span.

    Attributes:
        label: the short text behind the caret.
        related: other places that the finding is about.
        fix: the change of the text that would end it, when there is one.
        suppressed: the reason that a comment in the text gives for living with it; empty when there is none.
    """

    code: str
    message: str
    span: SourceSpan | None = None
    severity: Severity = Severity.ERROR
    label: str = ""
    help: str = ""
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    suppressed: str = ""

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        span = self.span
        if span is None:
            return ("", 0, 0, self.code, self.message)
        return (span.source.name, span.start, span.end, self.code, self.message)


class Sink:
    """Collects findings so that one run reports all of them, not the first."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        self._found.append(diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._found.extend(diagnostics)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.sorted())

    def sorted(self) -> list[Diagnostic]:
        """Every different finding once, in the order of the text."""
        seen: dict[tuple[object, ...], Diagnostic] = {}
        for diagnostic in self._found:
            seen.setdefault(diagnostic.sort_key, diagnostic)
        return sorted(seen.values(), key=lambda diagnostic: diagnostic.sort_key)

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self._found)

    def raise_if_errors(self) -> None:
        """Stop here with everything found so far when any of it is an error.

        Raises:
            CostaError: at least one error was collected.
        """
        if self.has_errors:
            raise CostaError(*self.sorted())


class CostaError(Exception):
    """Work that cannot go on, with the findings that say why. The command line prints them, never a traceback."""

    def __init__(self, *diagnostics: Diagnostic, exit_code: int = 1) -> None:
        super().__init__("; ".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = diagnostics
        self.exit_code = exit_code
