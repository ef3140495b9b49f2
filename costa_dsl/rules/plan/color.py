"""Where a color is meant, a color is named."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, SourceSpan, closest
from costa_dsl.model.color import color_names, color_of
from costa_dsl.model.plan import Plan
from costa_dsl.rules.formats import words_of_format
from costa_dsl.rules.words import has_placeholder
from costa_dsl.syntax import respell


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, word, value in words_of_format(plan, catalog, "color"):
        yield from _check(value, step.origin.span(word))
    for step in plan.steps:
        value = step.target.place("color")
        if isinstance(value, str) and not has_placeholder(value):
            yield from _check(value, step.origin.span("at", "color"))


def _check(value: str, span: SourceSpan) -> Iterator[Diagnostic]:
    if color_of(value) is not None:
        return
    near = closest(value, color_names())
    yield Diagnostic(
        "COS3115",
        f'"{value}" names no color',
        span,
        label=f'did you mean "{near}"?' if near else "",
        help="a name such as `red` or `dark olive green`, or a hex value such as `#cc0000`",
        fix=respell(span, value, near) if near else None,
    )
