"""What people type under `do:` who do not know the subtasks' names, and the subtask that a person would expect."""

from __future__ import annotations

import pytest

from costa_dsl.catalog.load import load_catalog
from costa_dsl.diagnostics import Sink
from costa_dsl.model.subtask import Vocabulary
from costa_dsl.rules.meaning import Meant, subtask_meant
from tests.rules import findings, in_plan, marked, plan

MEANT = {
    "object-recoloration": """recolour | recolor | Recoloring | change color | change_color
        | change the colour of the car | paint | paint red | tint | dye | make it red
        | change hair color to blonde | recolr""",
    "object-removal": """erase | delete | remove | remove object | remove_object | removeObject | REMOVE
        | object removal | remove the dog | erase person | inpaint | inpainting | clean up
        | get rid of the car | delte | rmove the cat""",
    "image-upscaling": """upscale | upscaling | upscale 2x | enlarge 200% | super resolution | super-resolution
        | upsample | superresolution | increase resolution | enhance resolution | scale up | upscale to 4k""",
    "background-removal": """remove bg | remove background | remove the background | background remove | cutout
        | transparent background | make transparent | extract the subject | remove white background""",
    "object-segmentation": "cut out the dog | cut out | segment | segmentation | mask the dog",
    "object-detection": "detect faces | find people | detect | locate the dog | count the cars | face detection",
    "object-replacement": "replace dog with cat | replace | swap | replace object | swap faces",
    "object-addition": "add dog | insert object | add a hat | place | put a hat on the dog",
    "brightness": """make it brighter | brighten | darken | brighter | increase brightness | lighten
        | make it 30% darker""",
    "contrast": "increase contrast | more contrast",
    "saturation": "saturate | more saturation | grayscale | greyscale | black and white | desaturate",
    "temperature": "warmer | white balance",
    "exposure": "overexposed | exposure up",
    "blur": "blur background | blur the face | bokeh | blur faces",
    "image-deblurring": "deblur | remove blur | unblur | fix blurry photo",
    "sharpen": "sharpen it | sharpening | unsharp mask",
    "denoising": "denoise | remove noise | noise reduction",
    "low-light": "low light | enhance low light",
    "colorize": "colourise | colorise",
    "crop": "crop to square | trim",
    "rotate": "rotate 90 degrees | turn 90 | straighten | deskew",
    "flip": "mirror | flip horizontally",
    "outpainting": "outpaint | extend the picture | expand canvas | uncrop | widen | add border | padding",
    "perspective-correction": "perspective | fix perspective",
    "move": "move left | shift",
    "resize-subject": "make bigger | resize 50%",
    "text-detection": "detect text | find text | find the text OPEN",
    "text-extraction": "ocr | OCR | read text | extract text | recognize text",
    "text-removal": "remove text | delete text | erase words | remove watermark",
    "text-replacement": "change text | replace text | text replace | edit text | translate the sign | translate text",
    "text-addition": "write text | add text | insert text | text overlay | watermark | add caption | write hello",
    "text-redaction": "censor | hide text | black out the email | anonymize | redact emails",
    "keyword-highlighting": "highlight text",
    "change-text-style": "font | change font | bold text",
    "changing-scenery": """change background | replace background | change scenery | new background | make it night
        | change weather""",
    "change-sky": "replace sky | sky replacement | make the sky blue",
    "style-transfer": "style transfer van gogh | apply style | make it look like a van gogh",
    "style-filter": "watercolor | oil painting | cartoonize | sepia",
    "image-captioning": "caption | describe the image | generate caption | alt text",
    "depth-estimation": "depth | depth map",
    "landmark-detection": "landmark | identify landmark",
    "question-answering": "ask | answer question",
    "sentiment-analysis": "sentiment",
    "change-material": "material | texture",
}

NONSENSE = """foo | bar | asdf | qwerty | lorem ipsum | 🦄 | ✂️ | 123 | 50% | ... | - | _ | the | do it | please | x | a
    | object | image | text | change | make | null | true | banana | dog | todo | xyzzy | step1 | help | test | print
    | hello world | save | export | merge | invert | convert to png | удалить | 修改颜色 | [] | {} | $(rm -rf) | \x00"""


def phrases(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("|")]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load_catalog("default", Sink()).vocabulary


@pytest.mark.parametrize("subtask", MEANT)
def test_what_a_newcomer_types_leads_to_the_subtask(subtask: str, vocabulary: Vocabulary) -> None:
    answers = {phrase: subtask_meant(phrase, vocabulary) for phrase in phrases(MEANT[subtask])}
    assert {phrase: meant and meant.subtask for phrase, meant in answers.items()} == dict.fromkeys(answers, subtask)


def test_the_table_is_long() -> None:
    assert sum(len(phrases(text)) for text in MEANT.values()) >= 60


@pytest.mark.parametrize("text", [*phrases(NONSENSE), "", " ", "\t\n", "z" * 5000])
def test_nonsense_gives_no_guess(text: str, vocabulary: Vocabulary) -> None:
    assert subtask_meant(text, vocabulary) is None


@pytest.mark.parametrize(
    "spell",
    [str, str.upper, str.title, lambda name: name.replace("-", "_"), lambda name: name.replace("-", " ")],
)
def test_every_subtask_is_found_by_its_own_name_and_phrases(spell: type[str], vocabulary: Vocabulary) -> None:
    for name in vocabulary.plannable():
        assert subtask_meant(spell(name), vocabulary) == Meant(name)
        assert subtask_meant(vocabulary.subtasks[name].title, vocabulary) == Meant(name)
        for phrase in vocabulary.subtasks[name].phrases:
            meant = subtask_meant(phrase, vocabulary)
            assert meant is not None
            assert meant.subtask == name, phrase


def test_no_two_subtasks_have_a_phrase_in_common(vocabulary: Vocabulary) -> None:
    every = [phrase for subtask in vocabulary.subtasks.values() for phrase in subtask.phrases]
    assert len(every) == len(set(every))


def test_internal_subtasks_are_never_meant(vocabulary: Vocabulary) -> None:
    assert subtask_meant("grounding of it", vocabulary) is None


@pytest.mark.parametrize(
    ("text", "word", "amount"),
    [
        ("upscale 2x", "scale", "2"),
        ("x4 upscale", "scale", "4"),
        ("upscale 1.5 times", "scale", "1.5"),
        ("enlarge 200%", "scale", "2"),
        ("rotate 90 degrees", "angle", "90"),
        ("rotate 90°", "angle", "90"),
        ("brighter 20%", "amount", "20%"),
        ("brighter 20", "amount", "20%"),
        ("make it 30% darker", "amount", "-30%"),
        ("brightness +0.2", "amount", "0.2"),
        # Too much, unclear, or of something else.
        ("resize to 512", "", ""),
        ("contrast 1.5", "", ""),
        ("rotate 10%", "", ""),
        ("upscale to 4k", "", ""),
        ("remove 3 people", "", ""),
    ],
)
def test_an_amount_goes_under_its_word(text: str, word: str, amount: str, vocabulary: Vocabulary) -> None:
    meant = subtask_meant(text, vocabulary)
    assert meant is not None
    assert (meant.word, meant.amount) == (word, amount)


def test_suggested_amounts_are_valid() -> None:
    for step in ("upscale 2x", "enlarge 200%", "rotate 90 degrees", "brighter 20", "make it 30% darker"):
        (found,) = in_plan(f"{{do: {step}}}")
        assert found.fix is not None
        amount = found.help.removeprefix("write `").removesuffix("` beside it")
        mended = f"{{do: {found.fix.edits[0].text}, {amount}}}"
        assert [one.code for one in findings(plan(mended), without=("COS4101",))] == []


def test_a_finding_names_the_subtask_meant_and_mends_it_by_a_guess() -> None:
    (found,) = in_plan("{do: upscale 2x}")
    assert (found.code, marked(found), found.label) == ("COS3104", "upscale 2x", 'did you mean "image-upscaling"?')
    assert found.help == "write `scale: 2` beside it"
    assert found.fix is not None
    assert (found.fix.title, found.fix.safe) == ("write `image-upscaling`", False)


def test_a_name_in_other_letters_is_mended_safely() -> None:
    (found,) = in_plan("{do: Object_Removal, object: dog}")
    assert found.fix is not None
    assert (found.fix.title, found.fix.safe) == ("write `object-removal`", True)


def test_an_amount_that_is_given_already_is_not_asked_for() -> None:
    (found,) = in_plan("{do: upscale 2x, scale: 2}")
    assert found.help == ""


def test_without_a_guess_the_subtasks_are_listed() -> None:
    (found,) = in_plan("{do: foo}")
    assert (found.code, found.fix) == ("COS3104", None)
    assert found.label.startswith("known: background-removal, blur,")
    assert found.help == "`costa tools list` shows every subtask with its tools"
