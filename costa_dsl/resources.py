"""Where the files live that travel with costa: schemas, tool manifests, plans, the pages of the codes."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_IN_CHECKOUT = {"codes": "docs/codes"}


def data_folder(name: str) -> Path:
    """The folder `schemas`, `tools`, `plans` or `codes`.

    An installed costa carries them inside the package (`costa_dsl/_data`); in a checkout they are
    the folders at the top, and docs/codes.

    Raises:
        FileNotFoundError: costa was installed without its data files.
    """
    packaged = _PACKAGE / "_data" / name
    if packaged.is_dir():
        return packaged
    checkout = _PACKAGE.parent / _IN_CHECKOUT.get(name, name)
    if checkout.is_dir():
        return checkout
    raise FileNotFoundError(f"costa's data folder {name!r} is missing: neither {packaged} nor {checkout} exists")
