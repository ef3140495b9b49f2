"""Picture files in and out: whatever a camera, a phone or a web page made becomes sRGB, or one finding.

Reading lives in `load_picture`; what can be said before any work starts, and writing, in `check_output_path`
and `save_picture`.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from costa_dsl.diagnostics import CostaError, Diagnostic, Severity, closest
from costa_dsl.store.atomic import write_whole
from costa_dsl.store.decode import MAX_PIXELS, Decoded, Refused, decode_picture
from costa_dsl.store.samples import SAMPLE_PREFIX, find_sample
from costa_dsl.store.values import Image

__all__ = ["MAX_PIXELS", "LoadedPicture", "check_output_path", "load_picture", "save_picture"]

# The kinds of file that can be written: suffix -> Pillow's name of the format.
WRITABLE = {
    ".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP", ".tif": "TIFF",
    ".tiff": "TIFF", ".bmp": "BMP",
}  # fmt: skip

# Formats that cannot hold transparency: such a picture is laid on white.
_OPAQUE = {"JPEG", "BMP"}

# Everything is lossless except JPEG, which gets full color resolution. `exact` keeps the color of
# transparent pixels. None of these writes a date, so equal pixels give equal bytes.
_SETTINGS: dict[str, dict[str, object]] = {
    "PNG": {"compress_level": 6},
    "JPEG": {"quality": 95, "subsampling": "4:4:4"},
    "WEBP": {"lossless": True, "exact": True},
    "TIFF": {"compression": "tiff_adobe_deflate"},
    "BMP": {},
}


@dataclass(frozen=True, eq=False)
class LoadedPicture:
    """A picture that was read.

    Attributes:
        pixels: uint8, H×W×3 (RGB) or, when the file has transparency, H×W×4 (RGB with straight alpha); sRGB,
            upright, read-only.
        name: the name it was asked for by.
        notices: what was lost or left out on the way (16 bits became 8, only the first frame was taken, …).
    """

    pixels: Image
    name: str
    notices: tuple[Diagnostic, ...] = ()


def load_picture(name: str) -> LoadedPicture:
    """Read a picture file, or a photograph that scikit-image ships under a name such as `sample:coffee`.

    EXIF orientation is applied. Embedded color profiles are converted to sRGB; a picture without one counts
    as sRGB. Palette, gray, CMYK and 16-bit pictures become 8-bit RGB or RGBA; of several frames or pages the
    first is taken. The size is checked before anything is decoded.

    Raises:
        CostaError: with one finding of COS8101 … COS8110 that says what is wrong with the file.
    """
    path = find_sample(name) if name.startswith(SAMPLE_PREFIX) else Path(name)
    data = _read(name, path)
    try:
        decoded: Decoded = decode_picture(data)
    except Refused as refusal:
        raise CostaError(Diagnostic(refusal.code, f'"{name}" {refusal.message}', help=refusal.help)) from None
    decoded.pixels.flags.writeable = False
    notices = tuple(
        Diagnostic(notice.code, f'"{name}" {notice.message}', severity=notice.severity, help=notice.help)
        for notice in decoded.notices
    )
    return LoadedPicture(decoded.pixels, name, notices)


def check_output_path(path: str | Path) -> None:
    """Find out before the work starts whether a picture can be written to `path` when it is done.

    Raises:
        CostaError: COS8121 the folder is missing, COS8122 the place cannot be written, COS8123 the suffix
            names no format that costa writes, COS8124 a folder (or something else that is no file) has this
            name.
    """
    place = Path(path)
    kinds = ", ".join(sorted(WRITABLE))
    if place.suffix.lower() not in WRITABLE:
        found = f'ends in "{place.suffix}"' if place.suffix else "has no suffix"
        # A likeness in spelling says nothing here: .gif is no slip for .tif.
        ending = place.suffix.lower()
        near = next((kind for kind in WRITABLE if ending.startswith(kind) or kind.startswith(ending)), None)
        near = near if len(ending) > 2 else None
        advice = f'did you mean "{place.with_suffix(near)}"?' if near else f"use one of {kinds}, such as .png"
        raise _error("COS8123", f'"{path}" {found}; a picture can be written as {kinds}', advice)
    folder = place.parent
    if not folder.exists():
        raise _error("COS8121", f'the folder of "{path}" does not exist', f'make it first: mkdir -p "{folder}"')
    if not folder.is_dir():
        raise _error("COS8124", f'"{folder}" is a file, not a folder', "choose another folder for the result")
    if place.exists() and not place.is_file():
        what = "a folder" if place.is_dir() else "not an ordinary file"
        raise _error("COS8124", f'"{path}" is {what}', "give the name of a file, such as result.png")
    if not _may_write(folder.resolve()) or (place.exists() and not _may_write(place.resolve())):
        raise _error(
            "COS8122",
            f'"{path}" cannot be written: permission denied',
            "choose a place that you may write to",
        )


def save_picture(pixels: Image, path: str | Path) -> tuple[Diagnostic, ...]:
    """Write a picture in the format that the suffix names; the file appears whole or not at all.

    PNG, WebP and TIFF keep every pixel and the transparency; BMP keeps every pixel; JPEG is written at
    quality 95 without color subsampling. A picture with transparency going to JPEG or BMP is laid on white,
    and a warning (COS8125) says so: the run that made it was long, and a picture on white is better than
    none.

    Args:
        pixels: uint8, H×W×3 or H×W×4 (straight alpha), sRGB.

    Returns:
        The warnings, if any.

    Raises:
        CostaError: as `check_output_path`, or COS8126 when the picture does not fit the format or the disk.
    """
    from PIL import Image as PillowImage

    check_output_path(path)
    place = Path(path)
    kind = WRITABLE[place.suffix.lower()]
    notices: tuple[Diagnostic, ...] = ()
    if pixels.shape[2] == 4 and kind in _OPAQUE:
        if int(pixels[..., 3].min()) < 255:
            message = f'{kind} files hold no transparency: "{path}" was laid on white'
            advice = "write to a .png, .webp or .tiff file to keep the transparency"
            notices = (Diagnostic("COS8125", message, severity=Severity.WARNING, help=advice),)
        pixels = _on_white(pixels)
    buffer = io.BytesIO()
    try:
        PillowImage.fromarray(np.ascontiguousarray(pixels)).save(buffer, kind, **_SETTINGS[kind])
        # Through a link, the file that it leads to is replaced, not the link.
        write_whole(place.resolve(), buffer.getvalue())
    except (OSError, ValueError) as error:
        height, width = pixels.shape[:2]
        message = f'a picture of {width}×{height} pixels could not be written to "{path}": {error}'
        raise _error("COS8126", message, "try a .png file in another folder") from error
    return notices


def _on_white(pixels: Image) -> Image:
    alpha = pixels[..., 3:].astype(np.float32) / 255
    return np.rint(pixels[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)


def _read(name: str, path: Path) -> bytes:
    try:
        if path.is_dir():
            raise _error("COS8102", f'"{name}" is a folder; expected a picture file', _files_in(path))
        if path.exists() and not path.is_file():
            raise _error("COS8102", f'"{name}" is not an ordinary file', "give the name of a picture file")
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise _error("COS8101", f'there is no file "{name}"', _near_files(path)) from None
    except PermissionError:
        raise _error(
            "COS8103", f'"{name}" cannot be read: permission denied', "make the file readable for you"
        ) from None
    except (OSError, ValueError) as error:
        raise _error("COS8103", f'"{name}" cannot be read: {error}', "check the path and the disk") from None
    if not data:
        raise _error("COS8104", f'"{name}" is empty (0 bytes)', "copy or download the picture again")
    return data


def _near_files(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f'the folder "{folder}" does not exist either; check the path'
    try:
        near = closest(path.name, [entry.name for entry in folder.iterdir() if entry.is_file()])
    except OSError:
        near = None
    return f'did you mean "{folder / near}"?' if near else f'check the path; "{folder}" has no file with a name like it'


def _files_in(folder: Path) -> str:
    try:
        pictures = sorted(e.name for e in folder.iterdir() if e.suffix.lower() in {*WRITABLE, ".gif", ".avif"})
    except OSError:
        pictures = []
    return f'name one of its files, such as "{folder / pictures[0]}"' if pictures else "name a file in it"


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _error(code: str, message: str, help: str) -> CostaError:
    return CostaError(Diagnostic(code, message, help=help))
