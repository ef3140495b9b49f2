"""Rules about plans, one a file. Each is a function of a plan and the catalog that it will be used with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.diagnostics import Diagnostic
from costa_dsl.model.plan import Plan
from costa_dsl.rules.plan import (
    blank_object,
    canvas_late,
    check_argument,
    color,
    created_later,
    does_nothing,
    done_twice,
    expect_never,
    foreign_variable,
    gone,
    internal_subtask,
    later_reference,
    missing_file,
    missing_word,
    no_steps,
    no_tool,
    no_tool_left,
    objective,
    one_choice,
    other_job,
    outside,
    pattern,
    place,
    reference,
    risky,
    shares,
    turned_box,
    unknown_check,
    unknown_subtask,
    unknown_tool,
    unknown_word,
    unused_variable,
    variable_value,
    word_value,
)

Rule: TypeAlias = Callable[[Plan, Catalog], Iterable[Diagnostic]]

RULES: tuple[Rule, ...] = (
    # names
    no_steps.check,
    unknown_subtask.check,
    internal_subtask.check,
    unknown_word.check,
    missing_word.check,
    word_value.check,
    color.check,
    pattern.check,
    blank_object.check,
    unknown_check.check,
    check_argument.check,
    unknown_tool.check,
    unused_variable.check,
    foreign_variable.check,
    variable_value.check,
    # places
    place.check,
    turned_box.check,
    outside.check,
    shares.check,
    missing_file.check,
    objective.check,
    reference.check,
    later_reference.check,
    # tools
    no_tool.check,
    no_tool_left.check,
    # meaning
    gone.check,
    created_later.check,
    done_twice.check,
    canvas_late.check,
    does_nothing.check,
    risky.check,
    expect_never.check,
    other_job.check,
    one_choice.check,
)
