"""What measure_tools.py measures tools at, and people's judgements of what no check can judge.

Steps on photographs that a dependency ships, and on drawn pictures.
"""

from __future__ import annotations

import numpy as np

from costa_dsl.store.pictures import LoadedPicture, load_picture
from costa_dsl.store.values import Image

SPOON = "at: {box: [53%, 15%, 71%, 83%]}"
CASES = [
    ("sample:coffee", "{do: object-detection, object: cup}"),
    ("sample:chelsea", "{do: object-detection, object: cat}"),
    ("sample:astronaut", "{do: object-detection, object: person}"),
    ("sample:coffee", "{do: object-segmentation, object: cup}"),
    ("sample:chelsea", "{do: object-segmentation, object: cat}"),
    ("sample:astronaut", "{do: object-segmentation, object: person}"),
    ("sample:astronaut", "{do: object-segmentation, object: rocket, at: {box: [69%, 0%, 91%, 56%]}}"),
    ("sample:coffee", f"{{do: object-removal, object: spoon, {SPOON}}}"),
    ("sample:astronaut", "{do: object-removal, object: rocket, at: {box: [69%, 0%, 91%, 56%]}}"),
    ("sample:astronaut", "{do: object-removal, object: badge, at: {point: [302, 358]}}"),
    ("sample:astronaut", "{do: object-recoloration, object: suit, at: {color: '#d8492c'}, to: royalblue}"),
    ("sample:astronaut", "{do: object-recoloration, object: suit, at: {color: orange}, to: white}"),
    ("sample:coffee", "{do: object-recoloration, object: cup, to: teal}"),
    ("sample:chelsea", "{do: object-recoloration, object: cat, to: grey}"),
    ("sample:coffee", "{do: outpainting, left: 12%, right: 12%}"),
    ("sample:rocket", "{do: outpainting, left: 15%, right: 15%}"),
    ("sample:chelsea", "{do: outpainting, aspect: '16:9'}"),
    ("sample:chelsea", "{do: background-removal}"),
    ("sample:astronaut", "{do: background-removal}"),
    ("sample:coffee", "{do: background-removal}"),
    ("drawn:face", "{do: image-upscaling, scale: 2}"),
    ("drawn:spoon", "{do: image-upscaling, scale: 4}"),
    ("drawn:noisy", "{do: denoising}"),
    ("drawn:noisy-dark", "{do: denoising}"),
    ("sample:chelsea", "{do: sharpen}"),
    ("sample:rocket", "{do: image-deblurring}"),
    ("sample:coffee", "{do: style-transfer, to: pale-watercolor}"),
    ("drawn:sign", "{do: text-detection}"),
    ("sample:page", "{do: text-detection}"),
    ("drawn:sign", "{do: text-extraction}"),
    ("sample:page", "{do: text-extraction}"),
    ("drawn:sign", "{do: text-removal, text: CLOSED}"),
    ("drawn:wall", "{do: text-removal, text: CLOSED}"),
    ("drawn:sign", "{do: text-replacement, text: CLOSED, with: OPENED}"),
    ("drawn:wall", "{do: text-replacement, text: CLOSED, with: OPENED}"),
    ("sample:rocket", "{do: text-addition, text: LIFT OFF}"),
    ("sample:coffee", "{do: text-addition, text: Espresso}"),
    ("drawn:sign", "{do: text-redaction, text: CLOSED}"),
    ("drawn:sign", "{do: keyword-highlighting, text: CLOSED}"),
    # What the compiler puts in itself is measured where it supplies a step.
    ("sample:coffee", "{do: object-recoloration, object: saucer, at: {color: '#7d2413'}, to: teal}"),
    ("sample:rocket", "{do: object-recoloration, object: sky, at: {point: [320, 40]}, to: purple}"),
    ("drawn:sign", "{do: object-recoloration, object: word, at: {text: CLOSED}, to: green}"),
    ("drawn:masked", "{do: object-recoloration, object: square, at: {mask: mask.png}, to: green}"),
]

# Colors from near to far, on a suit, a cup and a cat: what recoloring depends on.
COLORS = [
    (sample, f"{{do: object-recoloration, object: {thing}, at: {{color: '{place}'}}, to: {color}}}")
    for sample, thing, place in (
        ("sample:astronaut", "suit", "#d8492c"),
        ("sample:coffee", "saucer", "#7d2413"),
        ("sample:rocket", "sky", "#204070"),
    )
    for color in ("red", "darkorange", "gold", "green", "teal", "royalblue", "purple", "pink", "white", "gray", "black")
]


def picture(name: str) -> LoadedPicture:
    """A packaged photograph, or one of the drawn pictures: uint8 H×W×3, sRGB."""
    if not name.startswith("drawn:"):
        return load_picture(name)
    return LoadedPicture(_drawn(name.removeprefix("drawn:")), name)


def _drawn(name: str) -> Image:
    if name.startswith("noisy"):
        clean = load_picture("sample:coffee").pixels.astype(np.float64)
        clean *= 0.45 if name == "noisy-dark" else 1.0
        noise = np.random.default_rng(7).normal(0, 18, clean.shape)
        return np.clip(clean + noise, 0, 255).astype(np.uint8)
    if name == "face":
        return load_picture("sample:astronaut").pixels[60:220, 130:330]
    if name == "spoon":
        return load_picture("sample:coffee").pixels[200:340, 260:430]
    if name == "masked":
        return load_picture("sample:chelsea").pixels
    from PIL import Image as Pictures
    from PIL import ImageDraw, ImageFont

    ground = (238, 232, 213) if name == "sign" else None
    if ground is None:
        brick = Pictures.fromarray(load_picture("sample:brick").pixels).resize((640, 360))
        canvas = Pictures.blend(brick, Pictures.new("RGB", brick.size, "white"), 0.55)
    else:
        canvas = Pictures.new("RGB", (640, 360), ground)
    pen = ImageDraw.Draw(canvas)
    pen.text((320, 130), "WE ARE CLOSED", font=ImageFont.load_default(64), fill=(140, 20, 25), anchor="mm")
    pen.text((320, 240), "Come back tomorrow", font=ImageFont.load_default(40), fill=(20, 40, 70), anchor="mm")
    return np.asarray(canvas)


# Where no check tells how good a result is, somebody looked at the results of the cases above, and judged them: 1 for
# nothing wrong to see, 0.8 for acceptable, below for what a demanding person would send back.
JUDGED = {
    ("telea", "object-removal"): 0.5,
    ("patchmatch", "object-removal"): 0.82,
    ("outpaint-mirror", "outpainting"): 0.5,
    ("outpaint-patchmatch", "outpainting"): 0.85,
    ("ssd-mobilenet", "object-detection"): 0.85,
    ("ssd-mobilenet-tiled", "object-detection"): 0.9,
    ("grabcut", "object-segmentation"): 0.88,
    ("grabcut-plain", "object-segmentation"): 0.6,
    ("u2netp-cutout", "background-removal"): 0.9,
    ("grabcut-cutout", "background-removal"): 0.45,
    ("locate-box", "grounding"): 0.98,
    ("locate-mask", "grounding"): 1.0,
    ("locate-color", "grounding"): 0.9,
    ("locate-point", "grounding"): 0.82,
    ("locate-text", "grounding"): 0.95,
    ("styletransfer", "style-transfer"): 0.85,
    ("lanczos", "image-upscaling"): 0.7,
    ("realesr-fast", "image-upscaling"): 0.85,
    ("realesrgan-x4plus", "image-upscaling"): 0.92,
    ("oidn", "denoising"): 0.95,
    ("nlmeans", "denoising"): 0.75,
    ("unsharp", "sharpen"): 0.85,
    ("unsharp", "image-deblurring"): 0.5,
    ("rapidocr-detect", "text-detection"): 0.95,
    ("rapidocr-detect-large", "text-detection"): 0.97,
    ("rapidocr-read", "text-extraction"): 0.96,
    ("text-style", "text-style-detection"): 0.88,
    ("text-fill", "text-removal"): 0.75,
    ("text-inpaint", "text-removal"): 0.82,
    ("text-patchmatch", "text-removal"): 0.9,
    ("redact-solid", "text-redaction"): 1.0,
}

# What neither a check nor a person has judged.
UNMEASURED = 0.8
