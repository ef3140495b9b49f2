"""Rules about what happens before what: things taken away, made later, done twice, a late canvas, expectations."""

from __future__ import annotations

import pytest

from costa_dsl.diagnostics import Severity
from tests.conftest import calls_of
from tests.rules import findings as findings_in
from tests.rules import in_plan, marked, others, plan, told

DOG_GONE = "{do: object-removal, object: dog}"
RED_DOG = "{do: object-recoloration, object: dog, to: red}"
BLUE_DOG = "{do: object-recoloration, object: dog, to: blue}"
NEW_DOG = "{do: object-addition, object: dog}"
CAT_GONE = "{do: object-removal, object: cat}"
RED_CAT = "{do: object-recoloration, object: cat, to: red}"
OPEN_GONE = "{do: text-removal, text: OPEN}"
HIGHLIGHT = "{do: keyword-highlighting, text: OPEN}"


def any_order(*items: str) -> str:
    return "{any_order: [" + ", ".join(items) + "]}"


def one_of(*items: str) -> str:
    return "{one_of: [" + ", ".join(items) + "]}"


def series(*items: str) -> str:
    return "[" + ", ".join(items) + "]"


# ---- what is gone ------------------------------------------------------------------------------------------


def test_both_ends_of_a_thing_that_is_gone_are_shown() -> None:
    (found,) = in_plan(DOG_GONE, RED_DOG)
    assert (found.code, found.severity, marked(found)) == ("COS3201", Severity.ERROR, "dog")
    assert found.message == '"dog" is no longer there at this step'
    assert found.label == "used here"
    assert found.help == "move this step before that one, or name something else"
    assert found.span is not None
    assert found.span.line == 6
    assert others(found) == [("taken away here", "object-removal", 5)]


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((DOG_GONE, CAT_GONE, RED_DOG), "dog"),
        (("{do: object-removal, object: The  Dog}", "{do: object-recoloration, object: a dog, to: red}"), "a dog"),
        (("{do: object-removal, object: all dogs}", "{do: object-detection, object: the dogs}"), "the dogs"),
        ((DOG_GONE, "{do: object-recoloration, object: dog, to: red, at: {point: [1, 2]}}"), "dog"),
        ((series(DOG_GONE, CAT_GONE), RED_DOG), "dog"),
        ((any_order(DOG_GONE, CAT_GONE), RED_DOG), "dog"),
        ((DOG_GONE, any_order(RED_CAT, RED_DOG)), "dog"),
        ((DOG_GONE, one_of(RED_CAT, RED_DOG)), "dog"),
        ((DOG_GONE, one_of(series(NEW_DOG, RED_DOG), BLUE_DOG)), "dog"),
        ((NEW_DOG, DOG_GONE, RED_DOG), "dog"),
        ((DOG_GONE, NEW_DOG, DOG_GONE, RED_DOG), "dog"),
        (("{do: object-replacement, object: dog, with: cat}", RED_DOG), "dog"),
        (
            (
                "{do: object-removal, object: dog, at: {box: [0, 0, 9, 9]}}",
                "{do: object-recoloration, object: dog, to: red, at: {box: [0, 0, 9, 9]}}",
            ),
            "dog",
        ),
        ((OPEN_GONE, HIGHLIGHT), "OPEN"),
        ((OPEN_GONE, "{do: keyword-highlighting, text: open}"), "open"),
        (("{do: text-redaction, text: OPEN}", HIGHLIGHT), "OPEN"),
        (("{do: text-replacement, text: OPEN, with: CLOSED}", HIGHLIGHT), "OPEN"),
        ((OPEN_GONE, "{do: text-addition, text: SHUT, at: {text: OPEN}}"), "OPEN"),
    ],
)
def test_what_is_gone_cannot_be_used(steps: tuple[str, ...], text: str) -> None:
    found = [one for one in in_plan(*steps) if one.code != "COS3205"]
    assert told(found) == [("COS3201", text)]


@pytest.mark.parametrize(
    "steps",
    [
        # Another thing.
        (DOG_GONE, RED_CAT),
        ("{do: object-removal, object: the left dog}", RED_DOG),
        (DOG_GONE, "{do: object-recoloration, object: the man beside the dog, to: red}"),
        (OPEN_GONE, "{do: keyword-highlighting, text: WE ARE OPEN}"),
        (OPEN_GONE, "{do: object-recoloration, object: open, to: red}"),
        # One of several: who knows what is left?
        ("{do: object-removal, object: dog, at: {point: [1, 2]}}", RED_DOG),
        (
            "{do: object-removal, object: dog, at: {point: [1, 2]}}",
            "{do: object-removal, object: dog, at: {point: [3, 4]}}",
        ),
        ("{do: object-removal, object: the left dog}", "{do: object-removal, object: the left dog}"),
        ("{do: object-removal, object: largest car}", "{do: object-recoloration, object: largest car, to: red}"),
        # Not certainly before.
        (any_order(DOG_GONE, RED_DOG),),
        (one_of(DOG_GONE, RED_DOG), BLUE_DOG),
        # It comes back, or something that may be called so.
        (DOG_GONE, NEW_DOG, RED_DOG),
        (DOG_GONE, "{do: object-addition, object: brown dog}", RED_DOG),
        ("{do: object-removal, object: dogs}", NEW_DOG, "{do: object-recoloration, object: dogs, to: red}"),
        ("{do: object-replacement, object: dog, with: black dog}", RED_DOG),
        ("{do: object-replacement, object: dog, with: cat}", RED_CAT),
        (DOG_GONE, any_order(NEW_DOG, RED_CAT), RED_DOG),
        (DOG_GONE, any_order(NEW_DOG, RED_DOG)),
        (DOG_GONE, one_of(NEW_DOG, "{do: object-addition, object: cat}"), RED_DOG),
        ("{do: text-replacement, text: OPEN, with: OPEN LATE}", HIGHLIGHT),
        (OPEN_GONE, "{do: text-addition, text: WE ARE OPEN}", HIGHLIGHT),
        ("{do: text-removal, text: OPEN, id: old}", "{do: text-addition, text: SHUT, at: {of: old}}"),
        # A color is no other thing, and a recolored thing can be taken away.
        (RED_DOG, DOG_GONE),
        (RED_DOG, "{do: object-recoloration, object: red dog, to: blue}"),
        ("{do: object-recoloration, object: red dog, to: blue}", "{do: object-removal, object: red dog}"),
        # A branch of the paper's own example.
        (
            one_of(
                "{do: object-recoloration, object: leaves, to: red}",
                series("{do: object-removal, object: plant}", "{do: object-addition, object: red plant}"),
            ),
        ),
    ],
)
def test_what_may_be_there_can_be_used(steps: tuple[str, ...]) -> None:
    assert told(in_plan(*steps)) == []


def test_a_new_canvas_moves_what_is_at_a_place() -> None:
    place = "object: dog, at: {box: [0, 0, 9, 9]}"
    found = in_plan(
        f"{{do: object-removal, {place}}}",
        "{do: outpainting, left: 10}",
        f"{{do: object-recoloration, to: red, {place}}}",
    )
    assert [one.code for one in found] == ["COS3202"]


def test_nothing_is_known_of_things_with_undefined_names() -> None:
    found = in_plan("{do: object-removal, object: '${x}'}", "{do: object-recoloration, object: '${x}', to: red}")
    assert told(found) == [("COS3101", "'${x}'")] * 2


def test_a_thing_without_a_name_is_told_once_for_each_step() -> None:
    found = in_plan("{do: object-removal, object: the}", "{do: object-recoloration, object: the, to: red}")
    assert told(found) == [("COS3117", "the")] * 2


# ---- what is made later ------------------------------------------------------------------------------------


def test_a_thing_that_is_made_later() -> None:
    (found,) = in_plan("{do: keyword-highlighting, text: Open}", "{do: text-addition, text: OPEN}")
    assert (found.code, found.severity, marked(found)) == ("COS3203", Severity.ERROR, "Open")
    assert found.message == '"Open" is used before it is made'
    assert found.help == "swap the two steps; when the picture holds one already, say which is meant with `at:`"
    assert others(found) == [("made only here", "text-addition", 6)]


def test_to_look_for_what_is_made_later_may_be_meant() -> None:
    (found,) = in_plan("{do: object-detection, object: dog}", NEW_DOG)
    assert (found.code, found.severity) == ("COS3203", Severity.WARNING)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((RED_DOG, NEW_DOG), "dog"),
        (("{do: object-recoloration, object: the cat, to: red}", "{do: object-replacement, object: dog, with: a cat}"),
         "the cat"),
        ((RED_DOG, one_of(NEW_DOG, "{do: object-addition, object: cat}")), "dog"),
        ((any_order(RED_DOG, RED_CAT), NEW_DOG), "dog"),
        ((RED_DOG, any_order(NEW_DOG, RED_CAT)), "dog"),
    ],
)  # fmt: skip
def test_what_is_made_later_cannot_be_used(steps: tuple[str, ...], text: str) -> None:
    found = [one for one in in_plan(*steps) if one.code != "COS3205"]
    assert told(found) == [("COS3203", text)]


@pytest.mark.parametrize(
    "steps",
    [
        (NEW_DOG, RED_DOG),
        (NEW_DOG, NEW_DOG),
        (any_order(RED_DOG, NEW_DOG),),
        (any_order(NEW_DOG, RED_DOG),),
        (one_of(NEW_DOG, "{do: object-addition, object: cat}"), RED_DOG, NEW_DOG),
        (RED_DOG, "{do: object-addition, object: second dog}"),
        ("{do: object-recoloration, object: dog, to: red, at: {point: [1, 2]}}", NEW_DOG),
        (HIGHLIGHT.replace("}", ", at: {point: [1, 2]}}"), "{do: text-addition, text: OPEN}"),
        # The wall has a name of its own: the text under `at:` only says where it is.
        ("{do: object-recoloration, object: wall, to: red, at: {text: OPEN}}", "{do: text-addition, text: OPEN}"),
        # Taken away, and put back anew.
        (RED_DOG, DOG_GONE, NEW_DOG),
        (RED_DOG, "{do: object-removal, object: dog, at: {point: [1, 2]}}", NEW_DOG),
        (DOG_GONE, NEW_DOG),
        (OPEN_GONE, "{do: text-addition, text: OPEN}"),
        ("{do: object-replacement, object: dog, with: cat}", NEW_DOG),
        # A red plant is a plant.
        ("{do: object-addition, object: red plant}", "{do: object-recoloration, object: plant, to: blue}",
         "{do: object-addition, object: plant}"),
    ],
)  # fmt: skip
def test_what_may_have_been_there_can_be_used(steps: tuple[str, ...]) -> None:
    assert told(in_plan(*steps)) == []


# ---- what is done twice ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((RED_DOG, BLUE_DOG), "undoes what an earlier step did"),
        ((RED_DOG, CAT_GONE, BLUE_DOG), "undoes what an earlier step did"),
        ((RED_DOG, RED_DOG), "does what an earlier step did already"),
        ((any_order(RED_DOG, BLUE_DOG),), "undoes what another step of any_order did"),
        ((any_order(RED_DOG, RED_DOG),), "does what another step of any_order did already"),
        ((any_order(RED_DOG, RED_CAT), BLUE_DOG), "undoes what an earlier step did"),
        ((RED_DOG, one_of(BLUE_DOG, CAT_GONE)), "undoes what an earlier step did"),
        (("{do: changing-scenery, to: night}", "{do: changing-scenery, to: snow}"), "undoes what an earlier step did"),
        (("{do: image-deblurring}", "{do: image-deblurring}"), "does what an earlier step did already"),
        (("{do: text-extraction}", "{do: text-extraction}"), "does what an earlier step did already"),
        (("{do: text-detection}", RED_DOG, "{do: text-detection}"), "does what an earlier step did already"),
        (("{do: object-detection, object: dog}", "{do: object-detection, object: the dog}"),
         "does what an earlier step did already"),
    ],
)  # fmt: skip
def test_a_thing_done_twice(steps: tuple[str, ...], message: str) -> None:
    (found,) = in_plan(*steps)
    assert (found.code, found.severity) == ("COS3204", Severity.WARNING)
    assert found.message == f"this {marked(found)} {message}"
    assert [(what, text) for what, text, _ in others(found)] == [("done here", marked(found))]


@pytest.mark.parametrize(
    "steps",
    [
        (RED_DOG, RED_CAT),
        (one_of(RED_DOG, BLUE_DOG),),
        (one_of(RED_DOG, BLUE_DOG), "{do: object-recoloration, object: dog, to: green}"),
        # Other places, other questions, other tools.
        ("{do: object-recoloration, object: car, to: red, at: {point: [1, 2]}}",
         "{do: object-recoloration, object: car, to: blue, at: {point: [3, 4]}}"),
        ("{do: text-extraction, at: {box: [0, 0, 5, 5]}}", "{do: text-extraction, at: {box: [5, 5, 9, 9]}}"),
        ("{do: question-answering, question: Who?}", "{do: question-answering, question: When?}"),
        ("{do: object-detection, object: dog}", "{do: object-detection, object: dog, tools: {only: [ssd-mobilenet]}}"),
        # Something in between makes it worth while.
        ("{do: text-extraction}", "{do: text-removal, text: A}", "{do: text-extraction}"),
        ("{do: image-captioning}", RED_DOG, "{do: image-captioning}"),
        (RED_DOG, DOG_GONE, NEW_DOG, BLUE_DOG),
        # Done again is done further.
        ("{do: sharpen}", "{do: sharpen}"),
        ("{do: brightness, amount: 10%}", "{do: brightness, amount: 10%}"),
        ("{do: move, object: dog, by: [5, 0]}", "{do: move, object: dog, by: [5, 0]}"),
        (NEW_DOG, NEW_DOG),
        # Many small edits of one thing, one filter over another.
        ("{do: local-edit, object: man, to: smiling}", "{do: local-edit, object: man, to: wearing a hat}"),
        ("{do: style-filter, to: oil}", "{do: style-filter, to: pencil}"),
        ("{do: text-redaction, kind: email}", "{do: text-redaction, kind: phone}"),
    ],
)  # fmt: skip
def test_what_is_worth_doing_again(steps: tuple[str, ...]) -> None:
    assert told(in_plan(*steps)) == []


# ---- the canvas --------------------------------------------------------------------------------------------


def test_a_late_change_of_the_canvas() -> None:
    (found,) = in_plan(DOG_GONE, "{do: outpainting, left: 10%}")
    assert (found.code, found.severity, marked(found)) == ("COS3202", Severity.WARNING, "outpainting")
    assert found.label == "masks and boxes found before are no longer valid after this"
    assert others(found) == [("worked on the old canvas", "object-removal", 5)]


@pytest.mark.parametrize(
    "steps",
    [
        ("{do: outpainting, left: 10%}", DOG_GONE),
        ("{do: image-deblurring}", "{do: outpainting, left: 10%}"),
        (any_order(DOG_GONE, "{do: outpainting, left: 10%}"),),
        (one_of(DOG_GONE, RED_DOG), "{do: outpainting, left: 10%}"),
        ("{do: image-upscaling, scale: 2}", "{do: outpainting, left: 10%}"),
    ],
)
def test_a_canvas_that_changes_in_time(steps: tuple[str, ...]) -> None:
    assert told(in_plan(*steps)) == []


# ---- expectations ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "text", "reason"),
    [
        ("{do: object-removal, object: dog, expect: [{object-present: the dog}]}", "{object-present: the dog}",
         "object-removal takes it away"),
        ("{do: object-removal, object: dog, expect: [object-present]}", "object-present",
         "object-removal takes it away"),
        ("{do: object-removal, object: dog, expect: [image-unchanged]}", "image-unchanged",
         "object-removal edits the picture"),
        ("{do: object-detection, object: dog, expect: [inside-changed]}", "inside-changed",
         "object-detection only looks at the picture"),
        ("{do: image-upscaling, scale: 2, expect: [outside-unchanged]}", "outside-unchanged",
         "image-upscaling gives every pixel a new place"),
        ("{do: text-addition, text: A, expect: [{text-absent: a}]}", "{text-absent: a}", "text-addition puts it there"),
        ("{do: text-addition, text: A, expect: [text-absent]}", "text-absent", "text-addition puts it there"),
        ("{do: text-replacement, text: OPEN, with: SHUT, expect: [{text-present: OPEN}]}", "{text-present: OPEN}",
         "text-replacement takes it away"),
        ("{do: text-replacement, text: OPEN, with: SHUT, expect: [{text-absent: SHUT}]}", "{text-absent: SHUT}",
         "text-replacement puts it there"),
    ],
)  # fmt: skip
def test_what_a_step_can_never_fulfil(step: str, text: str, reason: str) -> None:
    (found,) = in_plan(step)
    assert (found.code, found.severity, marked(found)) == ("COS3207", Severity.ERROR, text)
    assert found.message.endswith(f"can never hold here: {reason}")
    assert [what for what, _, _ in others(found)] == ["by this step"]


@pytest.mark.parametrize(
    "step",
    [
        "{do: object-removal, object: dog, expect: [object-absent, inside-changed, outside-unchanged]}",
        "{do: object-removal, object: dog, expect: [{object-absent: dog}, {object-present: cat}, text-present]}",
        "{do: object-removal, object: the left dog, expect: [{object-present: dog}, {object-present: the left dog}]}",
        "{do: object-removal, object: dog, at: {point: [1, 2]}, expect: [{object-present: dog}]}",
        "{do: object-replacement, object: dog, with: black dog, expect: [{object-present: dog}]}",
        "{do: text-replacement, text: OPEN, with: SHUT, expect: [text-present, text-absent]}",
        "{do: text-replacement, text: OPEN, with: SHUT, expect: [{text-present: SHUT}, {text-absent: OPEN}]}",
        "{do: text-replacement, text: OPEN, with: OPEN LATE, expect: [{text-present: OPEN}]}",
        "{do: text-removal, text: OPEN, expect: [{text-present: WE ARE OPEN}]}",
        "{do: object-detection, object: dog, expect: [image-unchanged]}",
        "{do: object-recoloration, object: dog, to: red, expect: [{color-match: red}]}",
    ],
)
def test_what_a_step_can_fulfil(step: str) -> None:
    assert told(in_plan(step)) == []


@pytest.mark.parametrize(
    ("steps", "expected", "reason"),
    [
        ((DOG_GONE,), "object-present: dog", "a step takes it away"),
        ((NEW_DOG, DOG_GONE), "object-present: dog", "a step takes it away"),
        ((any_order(DOG_GONE, CAT_GONE),), "object-present: dog", "a step takes it away"),
        ((NEW_DOG,), "object-absent: the dog", "a step puts it there"),
        (("{do: text-replacement, text: OPEN, with: SHUT}",), "text-present: open", "a step takes it away"),
        (("{do: text-replacement, text: OPEN, with: SHUT}",), "text-absent: shut", "a step puts it there"),
        ((DOG_GONE,), "image-unchanged: true", "the plan edits the picture"),
    ],
)
def test_what_a_plan_can_never_fulfil(steps: tuple[str, ...], expected: str, reason: str) -> None:
    (found,) = in_plan(*steps, head=f"expect: [{{{expected}}}]\n")
    assert (found.code, marked(found)) == ("COS3207", f"{{{expected}}}")
    assert found.message.endswith(f"can never hold here: {reason}")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((DOG_GONE,), "object-absent: dog"),
        ((DOG_GONE, NEW_DOG), "object-present: dog"),
        ((DOG_GONE, "{do: object-addition, object: small dog}"), "object-present: dog"),
        ((one_of(DOG_GONE, RED_DOG),), "object-present: dog"),
        ((any_order(DOG_GONE, NEW_DOG),), "object-present: dog"),
        ((any_order(DOG_GONE, NEW_DOG),), "object-absent: dog"),
        ((NEW_DOG, DOG_GONE), "object-absent: dog"),
        ((NEW_DOG, "{do: object-replacement, object: dog, with: cat}"), "object-absent: dog"),
        ((NEW_DOG, "{do: object-removal, object: dog, at: {point: [1, 2]}}"), "object-absent: dog"),
        ((one_of(NEW_DOG, "{do: object-addition, object: cat}"),), "object-absent: dog"),
        (("{do: object-removal, object: left dog}",), "object-present: left dog"),
        (("{do: text-replacement, text: OPEN, with: OPEN LATE}",), "text-present: OPEN"),
        (("{do: text-addition, text: A}", "{do: text-removal, text: B A}"), "text-absent: A"),
        (("{do: object-detection, object: dog}",), "image-unchanged: true"),
    ],
)
def test_what_a_plan_can_fulfil(steps: tuple[str, ...], expected: str) -> None:
    assert told(in_plan(*steps, head=f"expect: [{{{expected}}}]\n")) == []


@pytest.mark.parametrize("where", ["step", "plan"])
def test_expectations_that_exclude_each_other_are_told_once(where: str) -> None:
    both = "expect: [{object-present: the dog}, {object-absent: Dog}]"
    if where == "step":
        (found,) = in_plan(f"{{do: object-removal, object: dog, {both}}}")
    else:
        (found,) = in_plan(DOG_GONE, head=f"{both}\n")
    assert (found.code, marked(found)) == ("COS3207", "{object-absent: Dog}")
    assert found.message == "`object-absent` and `object-present` cannot both hold for the same thing"
    assert [text for _, text, _ in others(found)] == ["{object-present: the dog}"]


# ---- unknown steps, and scale ------------------------------------------------------------------------------


def test_steps_of_unknown_subtasks_are_told_once() -> None:
    found = in_plan(
        "{do: foo, object: dog, to: 5, expect: [object-absent]}", RED_DOG, head="expect: [object-present]\n"
    )
    assert told(found) == [("COS3104", "foo")]


def longest(count: int) -> dict[str, str]:
    """Plans of so many steps, of the shapes that tempt a rule to look at every pair of steps."""
    half = range(count // 2)
    red = [f"{{do: object-recoloration, object: thing {number}, to: red}}" for number in range(count)]
    return {
        "one after the other": plan(*red),
        "in any order": plan(any_order(*red)),
        "in any order after others": plan(*red[: count // 2], any_order(*red[count // 2 :])),
        "pairs in any order": plan(*(any_order(red[2 * number], red[2 * number + 1]) for number in half)),
        "nested": plan(*(series(series(any_order(*red[start : start + 4]))) for start in range(0, count, 4))),
        "texts": plan(*(f"{{do: text-replacement, text: A{number}, with: B{number}}}" for number in range(count))),
    }


@pytest.mark.parametrize("shape", longest(4))
def test_work_grows_with_the_steps_not_with_their_pairs(shape: str) -> None:
    def work(count: int) -> int:
        text = longest(count)[shape]
        return calls_of(lambda: findings_in(text))

    assert findings_in(longest(8)[shape]) == []
    # Four times the steps: linear work is 4 times as much, work on pairs 16 times.
    assert work(1000) < 5 * work(250)
