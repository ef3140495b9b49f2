"""Did you mean …?"""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known name nearest to `word` in spelling, or None when nothing is near."""
    # Imported here: only a slip needs it.
    from difflib import get_close_matches

    names = sorted(set(known))
    folded = {_folded(name): name for name in names}
    matches = get_close_matches(_folded(word), folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")
