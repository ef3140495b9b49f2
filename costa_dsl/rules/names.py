"""The one way in which rules report a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from costa_dsl.diagnostics import Diagnostic, SourceSpan, closest
from costa_dsl.syntax import respell


def unknown_name(code: str, what: str, name: str, known: Iterable[str], span: SourceSpan, help: str = "") -> Diagnostic:
    """`unknown subtask "object-recolouring"`, with the nearest known name, or the list when it is short."""
    names = sorted(set(known))
    near = closest(name, names)
    if near:
        label = f'did you mean "{near}"?'
    elif not names:
        label = "there are none"
    else:
        shown = ", ".join(names[:8])
        label = f"known: {shown}, …" if len(names) > 8 else f"known: {shown}"
    fix = respell(span, name, near) if near else None
    return Diagnostic(code, f'unknown {what} "{name}"', span, label=label, help=help, fix=fix)
