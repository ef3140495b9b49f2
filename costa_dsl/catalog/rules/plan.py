"""Each step names a known subtask, with the right words, a place that makes sense, and known checks and tools."""

from __future__ import annotations

from collections.abc import Iterable

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.rules.names import unknown_name
from costa_dsl.diagnostics import Diagnostic, Sink, closest
from costa_dsl.model.origin import Origin
from costa_dsl.model.plan import Expectation, Plan, Step, ToolChoice
from costa_dsl.model.subtask import Subtask
from costa_dsl.schema import value_problems

# How `at:` finds a place; the other keys narrow one of these down.
PLACES = ("box", "mask", "point", "color", "text", "of")


def check_plan(plan: Plan, catalog: Catalog, sink: Sink) -> None:
    steps = plan.steps
    if not steps:
        sink.add(Diagnostic("COS3103", "the plan has no steps", plan.origin.span("tree"), help="add one: `- {do: …}`"))
    _check_tools(plan.policy.tools, plan.origin.at("policy"), catalog, sink)
    _check_expectations(plan.expect, catalog, sink)
    ids = [step.id for step in steps]
    for position, step in enumerate(steps):
        _check_step(step, ids[:position], ids, catalog, sink)


def _check_step(step: Step, earlier: list[str], ids: list[str], catalog: Catalog, sink: Sink) -> None:
    vocabulary = catalog.vocabulary
    _check_tools(step.tools, step.origin, catalog, sink)
    _check_expectations(step.expect, catalog, sink)
    _check_place(step, earlier, ids, sink)
    subtask = vocabulary.subtasks.get(step.subtask)
    span = step.origin.span("do")
    if subtask is None:
        near = _by_phrase(step.subtask, catalog)
        if near and not closest(step.subtask, vocabulary.plannable()):
            sink.add(Diagnostic("COS3104", f'unknown subtask "{step.subtask}"', span, label=f'did you mean "{near}"?'))
        else:
            sink.add(unknown_name("COS3104", "subtask", step.subtask, vocabulary.plannable(), span))
        return
    if subtask.internal:
        sink.add(
            Diagnostic(
                "COS3111",
                f'"{step.subtask}" is no step: the compiler puts it in where a tool needs it',
                span,
                help="leave it out",
            )
        )
        return
    _check_words(step, subtask, catalog, sink)


def _by_phrase(word: str, catalog: Catalog) -> str | None:
    """The subtask whose everyday phrases contain the word: `erase` means object-removal."""
    phrases = {
        phrase: name
        for name, subtask in reversed(list(catalog.vocabulary.subtasks.items()))
        if not subtask.internal
        for phrase in subtask.phrases
    }
    near = closest(word.replace("-", " "), phrases)
    return phrases[near] if near else None


def _check_words(step: Step, subtask: Subtask, catalog: Catalog, sink: Sink) -> None:
    given: dict[str, object] = dict(step.arguments)
    if step.target.object is not None:
        given["object"] = step.target.object
    allowed = subtask.parameters
    unknown = [word for word in given if word not in allowed]
    absent = [word for word, required in allowed.items() if required and word not in given]
    for word in unknown:
        span = step.origin.span(word, key=True)
        near = closest(word, [name for name in allowed if name not in given])
        if near:
            absent = [name for name in absent if name != near]  # one slip, one message
        label = f'did you mean "{near}"?' if near else "takes: " + (", ".join(allowed) or "no words")
        sink.add(Diagnostic("COS3105", f'{step.subtask} has no word "{word}"', span, label=label))
    for word in absent:
        meaning = catalog.vocabulary.words.get(word, {}).get("description", "")
        sink.add(
            Diagnostic(
                "COS3106",
                f'{step.subtask} needs the word "{word}"',
                step.origin.span("do"),
                label=f'add "{word}: …"',
                help=meaning,
            )
        )
    if subtask.one_needed and not absent and not any(word in given for word in allowed):
        sink.add(
            Diagnostic(
                "COS3106",
                f"{step.subtask} needs at least one of: {', '.join(allowed)}",
                step.origin.span("do"),
                label="nothing says how much or which" if not unknown else "",
            )
        )
    for word, value in given.items():
        schema = catalog.vocabulary.words.get(word)
        if schema is None or word not in allowed:
            continue
        for route, message in value_problems(schema, value):
            sink.add(
                Diagnostic(
                    "COS3107",
                    f'wrong value for "{word}": {message}',
                    step.origin.span(word, *route),
                    help=schema.get("description", ""),
                )
            )


def _check_place(step: Step, earlier: Iterable[str], ids: Iterable[str], sink: Sink) -> None:
    at = dict(step.target.at)
    if not at:
        return
    places = [key for key in at if key in PLACES]
    span = step.origin.span("at")
    if len(places) != 1:
        found = " and ".join(places) if places else ", ".join(at)
        sink.add(
            Diagnostic(
                "COS3112",
                f"`at:` finds a place in exactly one way; found: {found}",
                span,
                label="keep one of: " + ", ".join(PLACES),
                help="`within: [x0, y0, x1, y1]` narrows another one down; `side:` goes with `of:`",
            )
        )
    of = at.get("of")
    if of is None or of in earlier:
        return
    if of in ids:
        sink.add(
            Diagnostic(
                "COS3113",
                f"`at: {{of: {of}}}` refers to a step that comes later",
                step.origin.span("at", "of"),
                label="not done yet at this point",
                help="move that step before this one",
            )
        )
    else:
        sink.add(unknown_name("COS3108", "step id", str(of), ids, step.origin.span("at", "of")))


def _check_expectations(expectations: Iterable[Expectation], catalog: Catalog, sink: Sink) -> None:
    checks = catalog.vocabulary.checks
    for expectation in expectations:
        kind = checks.get(expectation.check)
        if kind is None:
            sink.add(unknown_name("COS3109", "check", expectation.check, checks, expectation.origin.span()))
        elif expectation.wanted is not True and not (kind.takes_text and isinstance(expectation.wanted, str)):
            takes = "a text, a color or an object" if kind.takes_text else "nothing behind it"
            sink.add(
                Diagnostic(
                    "COS3114",
                    f"`{expectation.check}` takes {takes}",
                    expectation.origin.span(expectation.check),
                    label="this says nothing to it",
                    help="write the check alone" + (", or quote the text" if kind.takes_text else ""),
                )
            )


def _check_tools(choice: ToolChoice, origin: Origin, catalog: Catalog, sink: Sink) -> None:
    for key, names in (("only", choice.only), ("avoid", choice.avoid)):
        for index, name in enumerate(names):
            if name not in catalog.tools:
                span = origin.span("tools", key, index)
                sink.add(unknown_name("COS3110", "tool", name, catalog.tools, span, "`costa tools list` shows them"))
