"""Color words for tools: the vocabulary's colors, or one clear failure."""

from __future__ import annotations

from costa_dsl.diagnostics.suggest import closest
from costa_dsl.model.color import color_names, color_of
from costa_dsl.runtime.call import ToolFailure


def parse_color(text: str) -> tuple[int, int, int]:
    """A color word (see `costa_dsl.model.color`) as sRGB, each channel 0 … 255.

    Raises:
        ToolFailure: `invalid-input` when the text names no color; its help names the nearest one.
    """
    color = color_of(text)
    if color is None:
        near = closest(text, color_names())
        meant = f'did you mean "{near}"? ' if near else ""
        raise ToolFailure(
            "invalid-input",
            f'"{text}" is not a color that costa knows',
            help=f"{meant}write a color name such as red or dark green, or a hex value such as #cc2200",
        )
    return color
