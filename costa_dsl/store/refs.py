"""References to stored values. Nothing of arrays is loaded, so that who only passes them on need not either."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """A stored value: its type, its digest and where its file lies, relative to the store's root."""

    type: str
    digest: str
    path: str
