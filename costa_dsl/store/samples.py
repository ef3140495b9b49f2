"""The photographs that scikit-image ships, under names such as `sample:coffee`: everybody has them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from costa_dsl.diagnostics import CostaError, Diagnostic, closest

SAMPLE_PREFIX = "sample:"

# Names that people know some of the files by (those of scikit-image's own functions, mostly).
_ALSO = {
    "cat": "chelsea", "chelsea-cat": "chelsea", "motorcycle": "motorcycle_left",
    "hubble": "hubble_deep_field", "cameraman": "camera",
    "eileen-collins": "astronaut", "clock": "clock_motion",
}  # fmt: skip


def sample_files() -> dict[str, Path]:
    """Every sample by name, with its file.

    Raises:
        CostaError: COS8110 when scikit-image is not installed.
    """
    # Asking where the package lies does not import it: that would take a second and much memory.
    package = find_spec("skimage")
    if package is None or not package.submodule_search_locations:
        message = "the sample photographs come with scikit-image, which is not installed"
        raise CostaError(Diagnostic("COS8110", message, help="pip install scikit-image"))
    folder = Path(next(iter(package.submodule_search_locations))) / "data"
    files = {path.stem: path for path in sorted(folder.glob("*")) if path.suffix in {".png", ".jpg"}}
    return files | {name: files[stem] for name, stem in _ALSO.items() if stem in files}


def find_sample(name: str) -> Path:
    """The file behind a name such as `sample:coffee`; case, blanks, `-` and `_` do not matter.

    Raises:
        CostaError: COS8109 when there is no such sample, COS8110 when scikit-image is not installed.
    """
    files = sample_files()
    wanted = _folded(name.removeprefix(SAMPLE_PREFIX))
    for known, path in files.items():
        if _folded(known) == wanted:
            return path
    near = closest(wanted, files)
    advice = f'did you mean "{SAMPLE_PREFIX}{near}"? ' if near else ""
    advice += f"The samples are {', '.join(sorted(files))}."
    raise CostaError(Diagnostic("COS8109", f'there is no sample "{name}"', help=advice))


def _folded(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_").removesuffix(".png").removesuffix(".jpg")
