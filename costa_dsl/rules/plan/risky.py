"""Values that are allowed and seldom wise."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity, SourceSpan
from costa_dsl.model.plan import Plan
from costa_dsl.rules.boxes import percent
from costa_dsl.rules.plan.does_nothing import MARGINS
from costa_dsl.rules.words import plain_steps

MOST_MARGIN = 50.0
MOST_SCALE = 4
MOST_THRESHOLD = 0.95


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask in plain_steps(plan, catalog):
        for word in MARGINS:
            value = step.arguments.get(word)
            if word in subtask.parameters and subtask.moves_canvas and (percent(value) or 0) > MOST_MARGIN:
                yield _risky(
                    f"{value} more on one side is mostly invented",
                    step.origin.span(word),
                    "the farther from the old border, the less the picture says about what is there",
                )
        scale = step.arguments.get("scale")
        enlarges = subtask.moves_canvas and "scale" in subtask.parameters
        if enlarges and isinstance(scale, int | float) and scale > MOST_SCALE:
            yield _risky(
                f"{scale:g} times the width and height is {scale * scale:g} times the pixels",
                step.origin.span("scale"),
                f"most upscalers were made for {MOST_SCALE} at most",
            )
    if plan.policy.threshold > MOST_THRESHOLD:
        yield _risky(
            f"hardly any tool reaches a quality of {plan.policy.threshold:g}",
            plan.origin.span("policy", "threshold"),
            "`costa tools list` shows what each tool reaches",
        )


def _risky(message: str, span: SourceSpan, help: str) -> Diagnostic:
    return Diagnostic("COS3208", message, span, severity=Severity.WARNING, help=help)
