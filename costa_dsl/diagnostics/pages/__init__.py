"""The pages of the codes, by room. Imported by `costa explain` alone."""

from __future__ import annotations

from collections.abc import Mapping

from costa_dsl.diagnostics.pages.code import Code


def merged(*parts: Mapping[str, Code]) -> dict[str, Code]:
    """All pages in the order of their codes.

    Raises:
        ValueError: two parts define one code.
    """
    pages: dict[str, Code] = {}
    for part in parts:
        if twice := sorted(pages.keys() & part.keys()):
            raise ValueError(f"{', '.join(twice)} stands in two parts of the registry")
        pages.update(part)
    return dict(sorted(pages.items()))
