"""Recolored things have the wanted color under any light; wrong colors, places and strengths fail."""

from __future__ import annotations

import numpy as np
import pytest
from skimage import data
from skimage.color import lab2rgb, rgb2lab

from costa_dsl.model.color import color_of
from tests.checks.scenes import Pixels, check, ellipse, pasted, score

COFFEE = data.coffee()
MASK = ellipse(COFFEE.shape, 300, 330, 120, 40) | ellipse(COFFEE.shape, 200, 250, 60, 60)
WORDS = [
    "red",
    "green",
    "blue",
    "yellow",
    "orange",
    "purple",
    "pink",
    "brown",
    "teal",
    "white",
    "black",
    "gray",
]


def recolored(picture: Pixels, mask: np.ndarray, color: str, strength: float = 1.0) -> Pixels:
    """The mask in a color, shading kept around the color's own lightness (scikit-image's CIELAB)."""
    rgb = color_of(color)
    assert rgb is not None
    goal = rgb2lab(np.array([[rgb]], np.uint8))[0, 0]
    lab = rgb2lab(picture)
    shading = lab[..., 0] - lab[..., 0][mask].mean()
    fade = 1 - np.clip(np.abs(shading) / 100, 0, 1)
    lab[..., 0] = np.clip(goal[0] + 0.6 * shading, 0, 100)
    lab[..., 1], lab[..., 2] = goal[1] * fade * strength, goal[2] * fade * strength
    return pasted(picture, mask, np.rint(lab2rgb(lab) * 255))


@pytest.mark.parametrize("color", WORDS)
def test_the_wanted_color_passes_and_every_other_fails(color: str) -> None:
    after = recolored(COFFEE, MASK, color)
    more = {"subtask": "object-recoloration", "artifacts": {"mask": MASK}, "region": MASK}
    assert score("color-match", COFFEE, after, arguments={"to": color}, **more) >= 0.9
    # Brown is dark orange, or dark red: in shade they are the same.
    near = {"orange": {"brown"}, "red": {"brown"}, "brown": {"orange", "red"}}.get(color, set())
    for other in set(WORDS) - {color} - near:
        found = check("color-match", COFFEE, after, arguments={"to": other}, **more)
        assert found is not None
        assert found.score < 0.8, (color, other, found.sentence)
    assert score("color-match", COFFEE, after, color, artifacts={"mask": MASK}) >= 0.9


def test_an_edit_that_did_not_reach_the_thing_fails() -> None:
    more = {"artifacts": {"mask": MASK}, "arguments": {"to": "blue"}}
    elsewhere = np.roll(MASK, 200, axis=0)
    half = MASK & (np.arange(600) < 200)
    assert score("color-match", COFFEE, COFFEE, **more) < 0.3
    assert score("color-match", COFFEE, recolored(COFFEE, elsewhere, "blue"), **more) < 0.3
    assert score("color-match", COFFEE, recolored(COFFEE, half, "blue"), **more) < 0.8
    assert score("color-match", COFFEE, recolored(COFFEE, MASK, "blue", 0.12), **more) < 0.8
    assert score("color-match", COFFEE, recolored(COFFEE, MASK, "blue", 0.7), **more) >= 0.9


def test_highlights_and_deep_shadow_do_not_count_against_it() -> None:
    after = recolored(COFFEE, MASK, "red")
    spots = MASK & (np.random.default_rng(0).random(MASK.shape) < 0.15)
    after = pasted(pasted(after, spots, 255), MASK & np.roll(spots, 5, axis=1), 2)
    assert score("color-match", COFFEE, after, "red", artifacts={"mask": MASK}) >= 0.8


def test_nothing_to_measure_without_a_color_or_a_place() -> None:
    assert check("color-match", COFFEE, COFFEE, arguments={"to": "sunset"}, region=MASK) is None
    assert check("color-match", COFFEE, COFFEE, arguments={"to": "red"}) is None
    assert score("color-match", COFFEE, COFFEE, arguments={"to": "red"}, region=MASK & False) == 0
    for shape in ((1, 1, 3), (5, 5, 4)):
        red = np.zeros(shape, np.uint8) + np.array([255, 0, 0, 255][: shape[2]], np.uint8)
        assert score("color-match", red, red, "red", region=np.ones(shape[:2], bool)) == 1


def test_color_words() -> None:
    assert color_of("Dark Red") == color_of("dark-red") == (139, 0, 0)
    assert color_of("#ff8000") == color_of("ff8000") == (255, 128, 0)
    assert color_of("the sea") is None
