"""Features of a target, on drawn scenes of which they are known."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from costa_dsl.checks.features import Subject, measure_features
from costa_dsl.model.artifact import TextLine
from costa_dsl.model.context import FEATURES, PLAIN
from costa_dsl.store.pictures import load_picture

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
BLUE, ORANGE = (40, 70, 160), (230, 120, 30)


def ground(color: tuple[int, int, int] = BLUE, size: tuple[int, int] = (300, 400)) -> Pixels:
    return np.full((*size, 3), color, dtype=np.uint8)


def square(x0: int = 150, y0: int = 100, x1: int = 250, y1: int = 160, size: tuple[int, int] = (300, 400)) -> Mask:
    mask = np.zeros(size, dtype=bool)
    mask[y0:y1, x0:x1] = True
    return mask


def painted(picture: Pixels, mask: Mask, color: tuple[int, int, int] = ORANGE) -> Pixels:
    result = picture.copy()
    result[mask] = color
    return result


def line(x0: float, y0: float, x1: float, y1: float, text: str = "CLOSED") -> TextLine:
    return TextLine(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, 0.99)


def checkered(cell: int, size: tuple[int, int] = (300, 400)) -> Pixels:
    rows, columns = np.indices(size) // cell
    return np.where(((rows + columns) % 2 == 0)[..., None], 60, 200).astype(np.uint8).repeat(3, axis=2)


def test_area_and_instances() -> None:
    two = square() | square(20, 20, 60, 60)
    found = measure_features(painted(ground(), two), Subject(two))
    assert found["area"] == (6000 + 1600) / 120_000
    assert found["instances"] == 2
    assert measure_features(ground(), Subject(two, instances=7))["instances"] == 7


def test_crumbs_of_a_mask_are_no_instances() -> None:
    mask = square()
    mask[10:12, 10:12] = True
    assert measure_features(ground(), Subject(mask))["instances"] == 1


def test_one_color_is_plain_and_so_are_slopes_and_grain() -> None:
    mask = square()
    slope = np.linspace(0, 90, 400)[None, :, None] + np.linspace(0, 60, 300)[:, None, None]
    shaded = (ground((40, 50, 60)) + slope).astype(np.uint8)
    grain = np.random.default_rng(1).normal(0, 3, (300, 400, 1))
    grainy = np.clip(ground() + grain, 0, 255).astype(np.uint8)
    for scene in (ground(), shaded, grainy):
        assert measure_features(painted(scene, mask), Subject(mask))["background"] <= 0.01


def test_a_pattern_is_busy() -> None:
    mask = square()
    noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3)).astype(np.uint8)
    for scene in (checkered(5), checkered(12), noise):
        assert measure_features(painted(scene, mask), Subject(mask))["background"] >= 0.3


@pytest.mark.parametrize("share", [0.2, 0.3])
def test_how_busy_it_is_is_the_share_that_stands_out(share: float) -> None:
    """Dots of another color, on a known share of the ground."""
    dots = np.random.default_rng(2).random((60, 80)) < share
    scene = painted(ground(), np.kron(dots, np.ones((5, 5))) > 0, (240, 240, 240))
    mask = square()
    assert measure_features(painted(scene, mask), Subject(mask))["background"] == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize(
    ("name", "box", "plain"),
    [
        ("sample:rocket", (0.3, 0.1, 0.4, 0.3), True),
        ("sample:brick", (0.4, 0.4, 0.6, 0.5), False),
        ("sample:grass", (0.4, 0.4, 0.6, 0.6), False),
        ("sample:coffee", (0.53, 0.15, 0.71, 0.83), False),
    ],
)
def test_photographs(name: str, box: tuple[float, float, float, float], plain: bool) -> None:
    picture = load_picture(name).pixels
    height, width = picture.shape[:2]
    corners = [round(share * side) for share, side in zip(box, (width, height) * 2, strict=True)]
    mask = square(*corners, size=(height, width))
    assert (measure_features(picture, Subject(mask))["background"] <= PLAIN) is plain


def test_only_the_surroundings_count() -> None:
    """What lies far away is not the ground, and neither is the target itself."""
    mask = square()
    scene = ground()
    scene[:40] = checkered(5)[:40]
    scene[-40:] = checkered(5)[-40:]
    inside = np.where(mask[..., None], checkered(4), scene)
    assert measure_features(inside, Subject(mask))["background"] == 0


def test_color_distance_and_contrast_are_ciede2000() -> None:
    mask = square()
    found = measure_features(painted(ground((255, 255, 255)), mask, (0, 0, 0)), Subject(mask), (255, 255, 255))
    assert found["color_distance"] == pytest.approx(100, abs=0.1)
    assert found["contrast"] == pytest.approx(100, abs=0.1)
    found = measure_features(painted(ground(), mask), Subject(mask), ORANGE)
    assert found["color_distance"] < 0.5
    # skimage.color.deltaE_ciede2000 of the exact colors.
    assert found["contrast"] == pytest.approx(57.0, abs=0.5)


def test_without_a_color_asked_there_is_no_distance_to_it() -> None:
    assert "color_distance" not in measure_features(ground(), Subject(square()))


def test_text_is_known_only_where_somebody_looked() -> None:
    mask = square()
    known = {
        name: measure_features(ground(), Subject(mask, lines=lines)).get("text")
        for name, lines in {
            "nobody looked": None,
            "none there": (),
            "on it": (line(160, 110, 240, 130),),
            "elsewhere": (line(10, 10, 90, 30),),
            "touching": (line(40, 100, 155, 140),),
            "a long line across it": (line(0, 110, 400, 130),),
        }.items()
    }
    assert known == {
        "nobody looked": None,
        "none there": False,
        "on it": True,
        "elsewhere": False,
        "touching": False,
        "a long line across it": True,
    }


def test_text_beside_the_target_is_no_part_of_the_ground() -> None:
    mask = square()
    scene = painted(ground(), square(255, 100, 300, 160), (250, 250, 250))
    beside = line(253, 98, 302, 162)
    assert measure_features(scene, Subject(mask))["background"] > 0.1
    assert measure_features(scene, Subject(mask, lines=(beside,)))["background"] == 0


def test_a_picture_has_the_same_features_at_every_resolution() -> None:
    scene, mask = checkered(20, (600, 800)), square(300, 200, 500, 330, (600, 800))
    large = painted(scene, mask)
    double = large.repeat(2, axis=0).repeat(2, axis=1)
    one = measure_features(large, Subject(mask), BLUE)
    two = measure_features(double, Subject(mask.repeat(2, axis=0).repeat(2, axis=1)), BLUE)
    assert {name: pytest.approx(value, abs=0.02, rel=0.02) for name, value in one.items()} == dict(two)


def test_what_is_transparent_counts_as_white() -> None:
    mask = square()
    clear = np.dstack([ground((0, 0, 0)), np.zeros((300, 400), np.uint8)])
    clear[mask] = (*ORANGE, 255)
    white = painted(ground((255, 255, 255)), mask)
    assert measure_features(clear, Subject(mask)) == measure_features(white, Subject(mask))


def test_a_target_that_fills_the_picture_has_no_ground() -> None:
    found = measure_features(ground(), Subject(np.ones((300, 400), bool)), ORANGE)
    assert set(found) == {"area", "color_distance", "instances"}
    assert found["area"] == 1


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (3, 3), (5, 2000)])
def test_tiny_and_thin_pictures(size: tuple[int, int]) -> None:
    mask = np.zeros(size, dtype=bool)
    mask[0, 0] = True
    found = measure_features(ground(size=size), Subject(mask, lines=(line(0, 0, 1, 1),)), ORANGE)
    for name, value in found.items():
        assert FEATURES[name].low <= value <= FEATURES[name].high


def test_an_empty_target_has_no_features() -> None:
    assert measure_features(ground(), Subject(np.zeros((300, 400), bool))) == {}


def test_a_mask_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        measure_features(ground(), Subject(np.ones((30, 40), bool)))


def test_the_result_cannot_be_changed() -> None:
    found = measure_features(ground(), Subject(square()))
    with pytest.raises(TypeError):
        found["area"] = 1.0  # type: ignore[index]


def test_it_is_measured_in_the_same_way_every_time_and_loads_no_model() -> None:
    scene = np.random.default_rng(4).integers(0, 256, (700, 900, 3)).astype(np.uint8)
    mask = square(200, 200, 420, 380, (700, 900))
    before = scene.copy()
    assert measure_features(scene, Subject(mask), BLUE) == measure_features(scene, Subject(mask), BLUE)
    assert np.array_equal(scene, before)
    assert "torch" not in sys.modules
