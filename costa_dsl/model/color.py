"""Color words: from a name or a hex value, as people write them, to sRGB."""

from __future__ import annotations

import re

import webcolors

# Everyday names that CSS lacks, or that CSS gives to a color which nobody means by that word. The values
# are this project's choice of a typical sample of each.
EVERYDAY: dict[str, tuple[int, int, int]] = {
    "amber": (255, 191, 0),
    "apricot": (251, 206, 177),
    "auburn": (165, 42, 42),
    "blond": (230, 206, 168),
    "bronze": (205, 127, 50),
    "burgundy": (128, 0, 32),
    "burnt orange": (204, 85, 0),
    "caramel": (198, 142, 78),
    "charcoal": (54, 69, 79),
    "cherry": (200, 20, 50),
    "cobalt": (0, 71, 171),
    "copper": (184, 115, 51),
    "cream": (255, 248, 220),
    "ebony": (40, 36, 32),
    "emerald": (30, 160, 90),
    "forest": (34, 110, 50),
    "jade": (0, 168, 107),
    "lemon": (250, 230, 50),
    "lilac": (200, 162, 200),
    "mahogany": (110, 45, 30),
    "mauve": (176, 130, 170),
    "mint": (152, 230, 190),
    "mustard": (225, 173, 1),
    "navy blue": (0, 0, 128),
    "ochre": (204, 119, 34),
    "off white": (246, 243, 235),
    "peach": (255, 203, 164),
    "rebeccapurple": (102, 51, 153),
    "rose": (240, 80, 130),
    "ruby": (185, 15, 70),
    "rust": (183, 65, 14),
    "sand": (210, 190, 150),
    "sapphire": (15, 82, 186),
    "scarlet": (235, 30, 20),
    "sepia": (112, 66, 20),
    "terracotta": (204, 98, 72),
    "ultramarine": (30, 30, 170),
    "umber": (99, 81, 71),
    "vermilion": (227, 66, 52),
    "wine": (114, 47, 55),
}

_HEX = re.compile(r"#?([0-9a-f]{3}|[0-9a-f]{6})")


def color_names() -> tuple[str, ...]:
    """Every name that `color_of` knows, sorted."""
    return tuple(sorted({*EVERYDAY, *webcolors.names(webcolors.CSS3)}))


def color_of(text: str) -> tuple[int, int, int] | None:
    """A color word as sRGB, each channel 0 … 255; None when the text names no color.

    Knows the CSS names (`red`, `light blue` with or without the blank), everyday names (`burgundy`,
    `mustard`), hex values (`#c00`, `#cc0000`, with or without `#`) and CSS's `rgb(…)` and `hsl(…)`.
    """
    words = " ".join(text.casefold().replace("-", " ").replace("_", " ").split())
    if words in EVERYDAY:
        return EVERYDAY[words]
    if (match := _HEX.fullmatch(words)) and (words.startswith("#") or any(char.isdigit() for char in words)):
        digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if "(" in words:
        return _functional(words)
    try:
        return tuple(webcolors.name_to_rgb(words.replace(" ", "")))
    except ValueError:
        return None


def _functional(words: str) -> tuple[int, int, int] | None:
    """`rgb(…)` and `hsl(…)`; None for other functions and for transparent colors."""
    # Imported here: Pillow takes longer to load than a plan to check.
    from PIL import ImageColor

    try:
        channels: tuple[int, ...] = ImageColor.getrgb(words)
    except ValueError:
        return None
    # Values beyond 255 come back from Pillow as they are.
    if len(channels) != 3 or max(channels) > 255:
        return None
    red, green, blue = channels
    return red, green, blue
