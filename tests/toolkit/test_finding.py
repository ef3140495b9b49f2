"""Finding things: truth that the tests draw, and objects that anybody sees on packaged photographs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pictures

from costa_dsl.model.artifact import Box, Target, TextLine
from costa_dsl.model.tool import Tool
from costa_dsl.resources import data_folder
from costa_dsl.runtime.call import ModelCache, ToolCall, ToolFailure
from costa_dsl.runtime.inline import installed_function
from costa_dsl.store.pictures import load_picture
from costa_dsl.store.values import Image, Mask
from tests.conftest import read

MODELS = ModelCache()


def manifest(name: str) -> Tool:
    return Tool.from_document(read((data_folder("tools") / f"{name}.yaml").read_text())[0][1])


NOTHING = Target()


def call(tool: str, image: Image, target: Target = NOTHING, **artifacts: Any) -> Mapping[str, Any]:
    """Run a tool with its manifest's defaults, as the interpreter would."""
    found = manifest(tool)
    keys = {name.replace("_", "-"): value for name, value in artifacts.items()}
    attempt = ToolCall(
        found.implements[0], image, keys, target, parameters=found.defaults(), objects=found.objects, models=MODELS
    )
    before = image.copy()
    values = installed_function(found.implementation)(attempt)
    assert set(values) == set(found.gives)
    assert np.array_equal(image, before)
    return values


def result_or_failure(tool: str, image: Image, target: Target, **artifacts: Any) -> Mapping[str, Any] | None:
    """What a tool gives, or None when it fails in the one way in which a tool may; any other exception passes."""
    try:
        return call(tool, image, target, **artifacts)
    except ToolFailure:
        return None


def at(object: str | None = None, **places: Any) -> Target:
    return Target(object, tuple(places.items()))


def iou(left: Mask, right: Mask) -> float:
    return float((left & right).sum() / (left | right).sum())


def sample(name: str) -> Image:
    return load_picture(f"sample:{name}").pixels[..., :3]


def shaded_scene() -> tuple[Image, dict[str, Mask]]:
    """Three discs on a textured ground, each lit from the left so that it goes from bright to dark."""
    rng = np.random.default_rng(3)
    rows, columns = np.mgrid[0:240, 0:360]
    picture = np.full((240, 360, 3), (165, 150, 130), np.float64) + rng.normal(0, 5, (240, 360, 1))
    masks = {}
    for name, center, color in (
        ("green", (70, 120), (40, 150, 50)),
        ("blue", (180, 120), (40, 70, 190)),
        ("red", (290, 120), (200, 35, 40)),
    ):
        mask = np.hypot(columns - center[0], rows - center[1]) < 45
        shade = np.interp(columns, [center[0] - 45, center[0] + 45], [1.25, 0.45])[..., None]
        picture[mask] = (np.array(color) * shade)[mask]
        masks[name] = mask
    return np.clip(picture, 0, 255).astype(np.uint8), masks


# ---- grounding --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("color", ["green", "blue", "red"])
def test_a_color_is_found_in_light_and_shade(color: str) -> None:
    image, truth = shaded_scene()
    assert iou(call("locate-color", image, at(color=color))["mask"], truth[color]) > 0.9


def test_a_hex_color_finds_what_differs_by_shading_alone() -> None:
    image, truth = shaded_scene()
    assert iou(call("locate-color", image, at(color="#28963a"))["mask"], truth["green"]) > 0.85


def test_within_limits_the_search() -> None:
    image, _ = shaded_scene()
    twice = np.concatenate([image, image], axis=1)
    mask = call("locate-color", twice, at(color="green", within=("0%", 0, "50%", 240)))["mask"]
    assert mask[:, :360].any()
    assert not mask[:, 360:].any()


def test_white_black_and_grey_have_no_hue() -> None:
    image = np.full((120, 360, 3), (150, 90, 40), np.uint8)
    image[30:90, 20:100], image[30:90, 140:220], image[30:90, 260:340] = 245, 12, 128
    for color, left in (("white", 20), ("black", 140), ("grey", 260)):
        truth = np.zeros((120, 360), bool)
        truth[30:90, left : left + 80] = True
        assert iou(call("locate-color", image, at(color=color))["mask"], truth) > 0.9, color


def test_a_color_that_is_not_there_is_a_failure_that_says_so() -> None:
    image, _ = shaded_scene()
    with pytest.raises(ToolFailure, match="yellow") as failed:
        call("locate-color", image, at(color="yellow"))
    assert failed.value.kind == "not-found"


def test_an_unknown_color_is_a_failure_with_a_suggestion() -> None:
    image, _ = shaded_scene()
    with pytest.raises(ToolFailure) as failed:
        call("locate-color", image, at(color="grene"))
    assert failed.value.kind == "invalid-input"
    assert "green" in failed.value.message + failed.value.help


def test_a_point_means_the_region_around_it() -> None:
    image = np.full((200, 300, 3), 200, np.uint8)
    image[50:150, 100:220] = (180, 60, 60)
    truth = np.zeros((200, 300), bool)
    truth[50:150, 100:220] = True
    for point in ((160, 100), ("50%", "50%")):
        assert iou(call("locate-point", image, at(point=point))["mask"], truth) > 0.95
    with pytest.raises(ToolFailure, match="outside"):
        call("locate-point", image, at(point=(300, 10)))


def test_a_box_in_percent_and_pixels() -> None:
    image = np.zeros((200, 400, 3), np.uint8)
    (box,) = call("locate-box", image, at("cup", box=("25%", 10, "50%", "50%")))["boxes"]
    assert (box.x0, box.y0, box.x1, box.y1, box.label, box.score) == (100, 10, 200, 100, "cup", 1.0)
    for wrong in ((10, 10, 5, 20), (500, 0, 600, 10), (1, 2, 3)):
        with pytest.raises(ToolFailure) as failed:
            call("locate-box", image, at(box=wrong))
        assert failed.value.kind == "invalid-input"


def test_a_mask_file(tmp_path: Path) -> None:
    image = np.zeros((50, 80, 3), np.uint8)
    wanted = np.zeros((50, 80), np.uint8)
    wanted[10:20, 30:60] = 255
    Pictures.fromarray(wanted).save(tmp_path / "mask.png")
    mask = call("locate-mask", image, at(mask=str(tmp_path / "mask.png")))["mask"]
    assert np.array_equal(mask, wanted > 0)
    Pictures.fromarray(wanted[:40]).save(tmp_path / "small.png")
    with pytest.raises(ToolFailure, match="80×40"):
        call("locate-mask", image, at(mask=str(tmp_path / "small.png")))
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(ToolFailure, match="cannot be read"):
        call("locate-mask", image, at(mask=str(tmp_path / "text.png")))


def test_words_are_found_where_they_stand() -> None:
    image = np.zeros((100, 400, 3), np.uint8)
    line = TextLine(((20, 30), (380, 30), (380, 60), (20, 60)), "WE ARE CLOSED", 0.99)
    values = call("locate-text", image, at(text="closed"), text=(line,))
    rows, columns = np.nonzero(values["mask"])
    assert columns.min() > 180
    assert columns.max() >= 370
    assert rows.min() >= 29
    with pytest.raises(ToolFailure, match="OPEN"):
        call("locate-text", image, at(text="OPEN"), text=(line,))


# ---- detection and segmentation -----------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["ssd-mobilenet", "ssd-mobilenet-tiled"])
@pytest.mark.parametrize(
    ("name", "expression", "truth"),
    [
        ("chelsea", "cat", (20, 0, 430, 300)),
        ("chelsea", "the kitten", (20, 0, 430, 300)),
        ("astronaut", "person", (20, 15, 365, 512)),
        ("coffee", "mug", (172, 18, 410, 310)),
    ],
)
def test_things_that_anybody_sees_are_found(
    tool: str, name: str, expression: str, truth: tuple[float, float, float, float]
) -> None:
    boxes = call(tool, sample(name), at(expression))["boxes"]
    assert max(box.iou(Box(*truth, "", 1)) for box in boxes) > 0.5
    assert all(0 <= box.x0 < box.x1 and 0 <= box.y0 < box.y1 and 0 < box.score <= 1 for box in boxes)


def test_what_is_not_there_is_a_failure_that_lists_what_is() -> None:
    with pytest.raises(ToolFailure) as failed:
        call("ssd-mobilenet", sample("chelsea"), at("elephant"))
    assert failed.value.kind == "not-found"
    assert "cat" in failed.value.message


@pytest.mark.parametrize(("tool", "least"), [("grabcut", 0.9), ("grabcut-plain", 0.85)])
def test_a_drawn_object_is_cut_along_its_outline(tool: str, least: float) -> None:
    rng = np.random.default_rng(5)
    rows, columns = np.mgrid[0:300, 0:400]
    truth = np.hypot((columns - 200) / 1.4, rows - 150) < 75
    image = np.clip(np.full((300, 400, 3), (70, 110, 70)) + rng.normal(0, 10, (300, 400, 3)), 0, 255)
    image[truth] = np.clip(np.array((200, 140, 60)) + rng.normal(0, 10, (int(truth.sum()), 3)), 0, 255)
    boxes = (Box(90, 70, 310, 230, "ball", 1.0),)
    assert iou(call(tool, image.astype(np.uint8), at("ball"), boxes=boxes)["mask"], truth) > least


def test_the_person_is_cut_out_of_a_photograph() -> None:
    image = sample("astronaut")
    boxes = call("ssd-mobilenet", image, at("person"))["boxes"]
    mask = call("grabcut", image, at("person"), boxes=boxes)["mask"]
    inside = [(230, 120), (150, 300), (100, 400), (250, 260)]
    outside = [(60, 60), (480, 60), (330, 60), (500, 250)]
    assert all(mask[y, x] for x, y in inside)
    assert not any(mask[y, x] for x, y in outside)


# ---- background ---------------------------------------------------------------------------------------------


def test_the_background_goes_and_the_subject_stays_as_it_is() -> None:
    image = sample("astronaut")
    cutout = call("u2netp-cutout", image)["image"]
    assert cutout.shape == (512, 512, 4)
    opaque = cutout[..., 3] == 255
    assert np.array_equal(cutout[opaque][:, :3], image[opaque])
    assert cutout[130, 230, 3] == 255
    assert cutout[300, 120, 3] == 255
    assert cutout[60, 330, 3] == 0
    assert 0.3 < (cutout[..., 3] > 127).mean() < 0.75


def test_a_drawn_subject_is_kept_by_the_classical_tool() -> None:
    rng = np.random.default_rng(5)
    rows, columns = np.mgrid[0:240, 0:320]
    truth = np.hypot(columns - 160, rows - 120) < 70
    image = np.clip(np.full((240, 320, 3), (60, 90, 140)) + rng.normal(0, 6, (240, 320, 3)), 0, 255)
    image[truth] = (220, 180, 60)
    alpha = call("grabcut-cutout", image.astype(np.uint8))["image"][..., 3]
    assert iou(alpha > 127, truth) > 0.95


def test_old_transparency_stays() -> None:
    image = np.dstack([sample("astronaut"), np.full((512, 512), 255, np.uint8)])
    image[280:320, 100:140, 3] = 0
    assert not call("u2netp-cutout", image)["image"][280:320, 100:140, 3].any()


@pytest.mark.parametrize("tool", ["u2netp-cutout", "grabcut-cutout", "ssd-mobilenet", "ssd-mobilenet-tiled"])
@pytest.mark.parametrize("size", [(1, 1), (16, 900), (64, 64)])
@pytest.mark.parametrize("kind", ["black", "white", "noise"])
def test_odd_pictures_give_a_result_or_one_failure(tool: str, size: tuple[int, int], kind: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (*size, 3)).astype(np.uint8)
    image = {"black": np.zeros_like(noise), "white": np.full_like(noise, 255), "noise": noise}[kind]
    values = result_or_failure(tool, image, at("dog") if tool.startswith("ssd") else NOTHING)
    if values is not None and "image" in values:
        assert values["image"].shape == (*size, 4)


@pytest.mark.parametrize("tool", ["grabcut", "grabcut-plain"])
@pytest.mark.parametrize("size", [(1, 1), (16, 900), (64, 64)])
def test_segmenting_odd_pictures_gives_a_mask_or_one_failure(tool: str, size: tuple[int, int]) -> None:
    image = np.random.default_rng(1).integers(0, 256, (*size, 3)).astype(np.uint8)
    boxes = (Box(0, 0, size[1], size[0], "thing", 1.0),)
    values = result_or_failure(tool, image, at("thing"), boxes=boxes)
    assert values is None or values["mask"].shape == size
