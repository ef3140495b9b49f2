"""Values that are allowed and seldom wise."""

from __future__ import annotations

from collections.abc import Iterator

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic, Severity, SourceSpan
from costa_dsl.model.plan import Plan
from costa_dsl.rules.boxes import percent
from costa_dsl.rules.plan.does_nothing import MARGINS
from costa_dsl.rules.words import plain_steps, problems_with

MOST_MARGIN = 50.0
MOST_SCALE = 4
MOST_THRESHOLD = 0.95


def check(plan: Plan, catalog: Catalog) -> Iterator[Diagnostic]:
    for step, subtask in plain_steps(plan, catalog):
        if not subtask.moves_canvas:
            continue
        # A value that is wrong has a finding of its own.
        given = {word: value for word, value in step.arguments.items() if word in subtask.parameters}
        for word in MARGINS:
            if (percent(given.get(word)) or 0) > MOST_MARGIN and not problems_with(word, given[word], subtask, catalog):
                yield _risky(
                    f"{given[word]} more on one side is mostly invented",
                    step.origin.span(word),
                    "the farther from the old border, the less the picture says about what is there",
                )
        scale = given.get("scale")
        if (
            isinstance(scale, int | float)
            and scale > MOST_SCALE
            and not problems_with("scale", scale, subtask, catalog)
        ):
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
