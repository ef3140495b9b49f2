"""Sets two pictures side by side: python docs/images/before_after.py BEFORE AFTER OUT, names as for `--image`."""

import sys

from PIL import Image

from costa_dsl.store.pictures import load_picture


def main(before: str, after: str, out: str) -> None:
    left, right = (Image.fromarray(load_picture(name).pixels[..., :3]) for name in (before, after))
    gap = 12
    canvas = Image.new("RGB", (left.width + gap + right.width, max(left.height, right.height)), "white")
    canvas.paste(left, (0, (canvas.height - left.height) // 2))
    canvas.paste(right, (left.width + gap, (canvas.height - right.height) // 2))
    canvas.save(out, quality=88)


if __name__ == "__main__":
    main(*sys.argv[1:])
