"""Array types shared by tools and checks, and the small operations that everybody needs on them.

An *image* is uint8, H×W×3 (RGB) or H×W×4 (RGB with straight alpha), in sRGB. A *mask* is bool, H×W.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]
Float: TypeAlias = NDArray[np.float32]


def split_alpha(image: Image) -> tuple[Image, Image | None]:
    """An image as (H×W×3 RGB, H×W alpha or None), both contiguous."""
    if image.shape[2] == 4:
        return np.ascontiguousarray(image[..., :3]), np.ascontiguousarray(image[..., 3])
    return image, None


def join_alpha(rgb: Image, alpha: Image | None) -> Image:
    """The inverse of `split_alpha`; both must have the same height and width."""
    return rgb if alpha is None else np.dstack([rgb, alpha])
