"""The look of the plot of a front: plain CSS in light and dark, and colors that can be read on both."""

from __future__ import annotations

from collections.abc import Sequence

STYLE = """
.costa-front text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
 font-size:12px;fill:#1f2328}
.costa-front .paper{fill:#ffffff}
.costa-front .title{font-size:17px;font-weight:600}
.costa-front .about,.costa-front .tick{fill:#59636e}
.costa-front .axis-name{fill:#1f2328;font-weight:600}
.costa-front .bold{font-weight:700}
.costa-front .segment-name{fill:#ffffff;font-weight:700}
.costa-front .grid{stroke:#d1d9e0;stroke-width:1}
.costa-front .frame{fill:none;stroke:#818b98;stroke-width:1}
.costa-front .below{fill:#0969da;opacity:0.06}
.costa-front .stairs{fill:none;stroke:#818b98;stroke-width:1.5}
.costa-front .leader{stroke:#818b98;stroke-width:0.8}
.costa-front .point{stroke:#ffffff;stroke-width:1.2}
.costa-front .hollow{fill:#ffffff;stroke:#59636e;stroke-width:1.5}
.costa-front .cheaper{stroke-dasharray:2 2}
.costa-front .ring{fill:none;stroke:#1f2328;stroke-width:2}
.costa-front .segment{stroke:#ffffff;stroke-width:1.2}
.costa-front .mark{fill:#1f2328}
@media (prefers-color-scheme:dark){
.costa-front text,.costa-front .axis-name{fill:#f0f6fc}
.costa-front .paper{fill:#0d1117}
.costa-front .about,.costa-front .tick{fill:#9198a1}
.costa-front .segment-name{fill:#ffffff}
.costa-front .grid{stroke:#2a313a}
.costa-front .frame,.costa-front .stairs,.costa-front .leader{stroke:#7d8590}
.costa-front .below{fill:#58a6ff;opacity:0.08}
.costa-front .point,.costa-front .segment{stroke:#0d1117}
.costa-front .hollow{fill:#0d1117;stroke:#9198a1}
.costa-front .ring{stroke:#f0f6fc}
.costa-front .mark{fill:#f0f6fc}
}
"""

# From the best quality to the fewest seconds.
_COLORS: tuple[tuple[int, int, int], ...] = (
    (0x82, 0x50, 0xDF),
    (0x09, 0x69, 0xDA),
    (0x0F, 0x7F, 0x86),
    (0x1F, 0x88, 0x3D),
    (0xA8, 0x6C, 0x00),
    (0xCB, 0x4F, 0x0A),
)


def colors(number: int) -> list[str]:
    """So many colors, evenly spread: neighbors look alike, the ends do not."""
    if number == 1:
        return [_written(_COLORS[1])]
    found = []
    for place in range(number):
        along = place / (number - 1) * (len(_COLORS) - 1)
        first = min(int(along), len(_COLORS) - 2)
        found.append(_written(_between(_COLORS[first], _COLORS[first + 1], along - first)))
    return found


def _between(one: Sequence[int], other: Sequence[int], share: float) -> list[int]:
    return [round(a + (b - a) * share) for a, b in zip(one, other, strict=True)]


def _written(color: Sequence[int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)
