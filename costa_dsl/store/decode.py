"""From the bytes of a picture file to upright 8-bit sRGB pixels, or a word for what is wrong with them.

Pillow reads every format. OpenCV reads the 16-bit ones a second time, because Pillow cuts RGB to its upper
byte instead of rounding.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from costa_dsl.diagnostics import Severity
from costa_dsl.store.values import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MAX_PIXELS = 100_000_000

# Formats that are safe to read from strangers. Pillow knows more, among them some that start other programs.
# (A JPEG with further pictures behind it, MPO, is opened as JPEG and then known as MPO.)
_FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "DIB", "GIF", "PPM", "AVIF", "JPEG2000")

_READABLE = "PNG, JPEG, WebP, TIFF, BMP, GIF, AVIF, JPEG 2000 and PPM"

# How the kinds of file begin that can be read (a damaged one still begins right) …
_BEGINNINGS = (
    (b"\x89PNG", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"II*\0", "TIFF"), (b"MM\0*", "TIFF"),
    (b"II+\0", "TIFF"), (b"MM\0+", "TIFF"), (b"BM", "BMP"),
    (b"\0\0\0\x0cjP", "JPEG 2000"), (b"\xff\x4f\xff\x51", "JPEG 2000"),
)  # fmt: skip
# … and those that people take for pictures, or that are, but that costa does not read.
_OTHER_BEGINNINGS = (
    (b"#?RADIANCE", "a high-dynamic-range (Radiance) picture"),
    (b"#?RGBE", "a high-dynamic-range (Radiance) picture"),
    (b"\x76\x2f\x31\x01", "a high-dynamic-range (OpenEXR) picture"), (b"8BPS", "a Photoshop document"),
    (b"%PDF", "a PDF document"), (b"%!PS", "a PostScript document"), (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"), (b"gimp xcf", "a GIMP document"), (b"\xff\x0a", "a JPEG XL picture"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL picture"), (b"PF\n", "a floating-point (PFM) picture"),
    (b"Pf\n", "a floating-point (PFM) picture"),
)  # fmt: skip

_lock = threading.Lock()


class Refused(Exception):  # noqa: N818  (an expected outcome)
    """Why bytes are not taken: a code, the rest of a sentence that begins with the file's name, a way out."""

    def __init__(self, code: str, message: str, help: str) -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help


@dataclass(frozen=True)
class Notice:
    """Something lost on the way; the message is the rest of a sentence that begins with the file's name."""

    code: str
    message: str
    severity: Severity = Severity.WARNING
    help: str = ""


@dataclass(frozen=True, eq=False)
class Decoded:
    """uint8 H×W×3 or H×W×4 sRGB pixels, upright, and what was lost."""

    pixels: Image
    notices: tuple[Notice, ...]


def decode_picture(data: bytes) -> Decoded:
    """Decode the first frame of a picture file to upright 8-bit sRGB.

    Raises:
        Refused: COS8105 not a picture, COS8106 damaged, COS8107 too many pixels, COS8108 a kind not
            supported.
    """
    from PIL import ImageOps

    picture = _opened(data)
    notices: list[Notice] = []
    frames = _guarded(lambda: int(getattr(picture, "n_frames", 1)))
    if frames > 1:
        # A phone's JPEG carries previews along; nobody misses those.
        severity = Severity.HINT if picture.format == "MPO" else Severity.WARNING
        notices.append(Notice("COS8112", f"holds {frames} frames or pages; the first one is used", severity))
    profile = picture.info.get("icc_profile")
    _guarded(picture.load)
    if _is_deep(picture, data):
        picture = _from_16_bits(picture, data)
        notices.append(Notice("COS8111", "has 16 bits a channel; costa works with 8, the lower ones are rounded away"))
    elif picture.mode in {"F", "I"}:
        raise _too_deep(picture)
    try:
        # TIFF files turn themselves when loaded; for those this finds nothing left to do.
        picture = ImageOps.exif_transpose(picture)
    except Exception:  # a broken EXIF block fails in many ways, and the picture is fine without it
        notices.append(Notice("COS8114", "has damaged EXIF data; it was taken as it lies"))
    from costa_dsl.store.profile import to_srgb

    picture, problem = _guarded(lambda: to_srgb(picture, profile))
    if problem:
        notices.append(Notice("COS8113", f"has a color profile that cannot be used ({problem}); it was taken as sRGB"))
    return Decoded(np.array(picture), tuple(notices))


def _opened(data: bytes) -> Picture:
    """The header read, its size accepted, nothing decoded yet."""
    from PIL import Image as PillowImage

    _refuse_others(data)
    try:
        with _without_pillow_limit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = PillowImage.open(io.BytesIO(data), formats=_FORMATS)
    except Exception as error:  # Pillow's readers fail in many ways on bytes that were made to hurt
        raise _unreadable(data, error) from None
    width, height = picture.size
    if width * height > MAX_PIXELS:
        millions = width * height / 1e6
        limit = MAX_PIXELS // 10**6
        message = f"has {width:,}×{height:,} = {millions:,.0f} million pixels; the limit is {limit} million"
        raise Refused("COS8107", message, "scale the picture down first")
    if width == 0 or height == 0:
        raise Refused("COS8106", f"has a size of {width}×{height} pixels", "export the picture again")
    return picture


@contextmanager
def _without_pillow_limit() -> Iterator[None]:
    """Pillow refuses large pictures with a message that lacks their size; our own limit comes right after."""
    from PIL import Image as PillowImage

    with _lock:
        limit, PillowImage.MAX_IMAGE_PIXELS = PillowImage.MAX_IMAGE_PIXELS, None
        try:
            yield
        finally:
            PillowImage.MAX_IMAGE_PIXELS = limit


def _guarded(work: Any) -> Any:
    """Do a part of the decoding; whatever goes wrong in it means that the file is damaged."""
    try:
        with _without_pillow_limit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return work()
    except Refused:
        raise
    except Exception as error:  # as above: damaged bytes fail in many ways
        raise Refused("COS8106", f"is damaged or cut short: {_reason(error)}", "copy or download it again") from None


def _refuse_others(data: bytes) -> None:
    kind = next((name for begin, name in _OTHER_BEGINNINGS if data.startswith(begin)), None)
    brand = data[8:12] if data[4:8] == b"ftyp" else b""
    if brand and not brand.startswith((b"avif", b"avis", b"mif1")):
        kind = "a HEIC picture" if brand[:3] in {b"hei", b"hev"} else "a video or an unknown media file"
    if kind:
        raise Refused("COS8108", f"is {kind}; costa reads {_READABLE}", "export it as PNG or JPEG")


def _unreadable(data: bytes, error: Exception) -> Refused:
    kind = next((name for begin, name in _BEGINNINGS if data.startswith(begin)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "WebP"
    if kind == "TIFF" and _tiff_is_float(data):
        return Refused(
            "COS8108",
            "holds floating-point (high dynamic range) pixels; costa works with 8 bits",
            "tone-map it to an 8-bit PNG first",
        )
    if kind:
        return Refused(
            "COS8106",
            f"begins like a {kind} file but is damaged or of an unknown make",
            "copy or download it again",
        )
    head = data[:512].lstrip().lower()
    if b"<svg" in head:
        return Refused("COS8108", f"is an SVG drawing; costa reads {_READABLE}", "export it as PNG")
    if b"<html" in head or b"<!doctype" in head:
        return Refused("COS8105", "is a web page, not a picture", "download the picture itself, not the page around it")
    if _looks_like_text(data):
        return Refused(
            "COS8105", "is a text file, not a picture, whatever its name says", f"give a picture: {_READABLE}"
        )
    return Refused("COS8105", f"is not a picture that costa can read ({_reason(error)})", f"give one of {_READABLE}")


def _looks_like_text(data: bytes) -> bool:
    try:
        text = data[:4096].decode("utf-8", errors="strict" if len(data) <= 4096 else "ignore")
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char.isspace() for char in text)


def _reason(error: Exception) -> str:
    text = str(error).split("\n")[0]
    return "no known format" if "cannot identify" in text else (text or type(error).__name__)


def _tiff_is_float(data: bytes) -> bool:
    import cv2

    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    return pixels is not None and pixels.dtype.kind == "f"


def _too_deep(picture: Picture) -> Refused:
    what = "floating-point (high dynamic range)" if picture.mode == "F" else "32-bit"
    return Refused("COS8108", f"holds {what} pixels; costa works with 8 bits", "tone-map it to an 8-bit PNG first")


def _is_deep(picture: Picture, data: bytes) -> bool:
    """Whether the channels have 16 bits."""
    if picture.mode.startswith("I;16"):
        return True
    if picture.format == "PNG":
        return len(data) > 24 and data[24] == 16
    if picture.format == "TIFF":
        bits: Any = getattr(picture, "tag_v2", {}).get(258, ())
        return bool(bits) and max(bits if isinstance(bits, tuple) else (bits,)) == 16
    return picture.format == "PPM" and picture.mode == "I"


def _from_16_bits(picture: Picture, data: bytes) -> Picture:
    """The same picture, rounded from 16 to 8 bits; gray stays gray. EXIF orientation is applied later."""
    from PIL import Image as PillowImage

    if picture.format == "PPM" or (picture.mode.startswith("I") and picture.format != "TIFF"):
        deep = np.asarray(picture).astype(np.uint16)
    else:
        deep = _with_opencv(picture, data)
    made = PillowImage.fromarray(_to_8_bits(deep))
    if picture.format != "TIFF":
        # OpenCV leaves PNG pixels as they lie.
        made.info.update({key: picture.info[key] for key in ("exif",) if key in picture.info})
        made.getexif().update(picture.getexif())
    return made


def _with_opencv(picture: Picture, data: bytes) -> NDArray[np.uint16]:
    import cv2

    pixels: NDArray[np.uint16] | None = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if pixels is None or pixels.dtype != np.uint16:
        # A make that OpenCV does not know (CMYK, planes): Pillow's upper bytes are near enough.
        mode = "RGBA" if "A" in picture.getbands() else "RGB"
        return np.asarray(picture.convert(mode)).astype(np.uint16) * np.uint16(257)
    if pixels.ndim == 2:
        return pixels
    order = [2, 1, 0, 3][: pixels.shape[2]]
    return np.ascontiguousarray(pixels[..., order])


def _to_8_bits(deep: NDArray[np.uint16]) -> Image:
    """Round 0 … 65535 to 0 … 255: 65535 = 255 · 257, so this is the division by 257 to the nearest."""
    return ((deep.astype(np.uint32) + 128) // 257).astype(np.uint8)
