"""Color: from whatever a file's pixels mean to 8-bit sRGB, by its embedded profile where it has one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

# A profile that moves no color of a coarse lattice by more than this is sRGB under another name; converting
# would only add rounding errors to pixels that are right already.
_SAME = 1


def to_srgb(picture: Picture, profile: bytes | None) -> tuple[Picture, str]:
    """A decoded picture as mode RGB or RGBA in sRGB, and why the profile could not be used (or "").

    The result has alpha exactly when the file has transparency of any kind: an alpha channel, a transparent
    palette entry or a transparent color.
    """
    from PIL import ImageCms

    alpha = None
    if picture.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in picture.info:
        full = picture.convert("RGBA")
        alpha = full.getchannel("A")
        # A gray picture stays gray here, because only then does a gray profile fit.
        picture = full.convert("L") if picture.mode in {"L", "LA", "La", "1"} else full.convert("RGB")
    elif picture.mode == "1":
        picture = picture.convert("L")
    elif picture.mode not in {"L", "RGB", "CMYK"}:
        picture = picture.convert("RGB")
    problem = ""
    if profile:
        try:
            picture = _converted(picture, profile)
        except (ImageCms.PyCMSError, OSError, ValueError) as error:
            problem = str(error).split("\n")[0]
    picture = picture.convert("RGB")
    if alpha is not None:
        picture.putalpha(alpha)
    return picture, problem


def _converted(picture: Picture, profile: bytes) -> Picture:
    from PIL import ImageCms

    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    space = source.profile.xcolor_space.strip()
    if space == "GRAY" and picture.mode == "RGB":
        picture = picture.convert("L")
    elif space == "RGB" and picture.mode == "L":
        picture = picture.convert("RGB")
    wanted = {"GRAY": "L", "RGB": "RGB", "CMYK": "CMYK"}.get(space)
    if wanted != picture.mode:
        raise ValueError(f"it is meant for {space} colors, the picture has {picture.mode}")
    intent = ImageCms.Intent.PERCEPTUAL
    target = ImageCms.createProfile("sRGB")
    transform = ImageCms.buildTransform(source, target, picture.mode, "RGB", renderingIntent=intent)
    if picture.mode != "CMYK" and _is_identity(transform, picture.mode):
        return picture
    made = ImageCms.applyTransform(picture, transform)
    if made is None:
        raise ValueError("the conversion gave nothing")
    return made


def _is_identity(transform: object, mode: str) -> bool:
    from PIL import Image as PillowImage
    from PIL import ImageCms

    steps = np.linspace(0, 255, 16).round().astype(np.uint8)
    if mode == "L":
        lattice = steps[None, :]
        same = np.repeat(lattice[..., None], 3, axis=2)
    else:
        lattice = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(64, 64, 3)
        same = lattice
    moved = ImageCms.applyTransform(PillowImage.fromarray(lattice), transform)  # type: ignore[arg-type]
    return int(np.abs(np.asarray(moved).astype(int) - same).max()) <= _SAME
