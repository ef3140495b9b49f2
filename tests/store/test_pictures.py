"""Reading and writing picture files of every make, right ones and broken ones."""

from __future__ import annotations

import os
import resource
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageCms
from skimage import data

from costa_dsl.diagnostics import CostaError, Severity
from costa_dsl.store.pictures import check_output_path, load_picture, save_picture


def refusal(path: object) -> tuple[str, str, str]:
    """The one finding of a picture that cannot be read: code, message, help."""
    with pytest.raises(CostaError) as caught:
        load_picture(str(path))
    (found,) = caught.value.diagnostics
    assert found.span is None
    assert found.severity is Severity.ERROR
    assert found.help
    return found.code, found.message, found.help


def ramp(height: int = 24, width: int = 40) -> NDArray[np.uint8]:
    """A picture in which every corner is different."""
    rows, columns = np.mgrid[:height, :width]
    return np.dstack([rows * 255 // height, columns * 255 // width, (rows + columns) % 256]).astype(np.uint8)


def saved(path: Path, picture: Image.Image, **settings: object) -> Path:
    picture.save(path, **settings)
    return path


def test_a_missing_file_names_the_nearest_one(tmp_path: Path) -> None:
    saved(tmp_path / "market.jpg", Image.new("RGB", (4, 4)))
    code, message, help = refusal(tmp_path / "markt.jpg")
    assert (code, f'"{tmp_path / "markt.jpg"}"' in message) == ("COS8101", True)
    assert "market.jpg" in help
    assert refusal(tmp_path / "none" / "a.png")[0] == "COS8101"
    assert refusal(tmp_path / "market.jpg" / "a.png")[0] == "COS8101"


def test_a_folder_an_empty_file_and_a_text_are_told_apart(tmp_path: Path) -> None:
    assert refusal(tmp_path)[0] == "COS8102"
    (tmp_path / "empty.png").touch()
    assert refusal(tmp_path / "empty.png")[0] == "COS8104"
    (tmp_path / "text.png").write_text("a list of things\n" * 400, encoding="utf-8")
    code, message, _ = refusal(tmp_path / "text.png")
    assert code == "COS8105"
    assert "text file" in message
    (tmp_path / "page.jpg").write_text("<!doctype html><title>404</title>", encoding="utf-8")
    assert "web page" in refusal(tmp_path / "page.jpg")[1]
    (tmp_path / "noise.png").write_bytes(np.random.default_rng(0).bytes(5000))
    assert refusal(tmp_path / "noise.png")[0] == "COS8105"


@pytest.mark.parametrize("kind", ["png", "jpg", "webp", "tiff", "gif", "bmp"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.8])
def test_a_truncated_file_is_damaged(tmp_path: Path, kind: str, share: float) -> None:
    whole = saved(tmp_path / f"whole.{kind}", Image.fromarray(data.coffee()[:200, :200])).read_bytes()
    part = tmp_path / f"part.{kind}"
    part.write_bytes(whole[: int(len(whole) * share)])
    code, message, _ = refusal(part)
    assert code == "COS8106", message
    assert "damaged" in message


def test_flipped_bits_in_a_16_bit_picture_are_damage(tmp_path: Path) -> None:
    deep = np.random.default_rng(0).integers(0, 65536, (60, 60, 3), dtype=np.uint16)
    content = bytearray(cv2.imencode(".png", deep)[1].tobytes())
    content[len(content) // 2] ^= 0xFF
    (tmp_path / "deep.png").write_bytes(content)
    assert refusal(tmp_path / "deep.png")[0] == "COS8106"


def test_a_huge_picture_is_refused_from_its_header(tmp_path: Path) -> None:
    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    # A real file: 30,000 × 30,000 zeros compress well.
    row = zlib.compressobj(9)
    packed = b"".join(row.compress(bytes(3750 + 1)) for _ in range(30_000)) + row.flush()
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 30_000, 30_000, 1, 0, 0, 0, 0))
    path = tmp_path / "huge.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", packed) + chunk(b"IEND", b""))
    load_picture("sample:coffee")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("PIL.ImageFile.ImageFile.load", lambda self: pytest.fail("its pixels were read"))
        code, message, _ = refusal(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 50_000  # KiB
    assert code == "COS8107"
    assert "30,000×30,000" in message


def test_the_limit_of_pillow_is_left_as_it_was(tmp_path: Path) -> None:
    limit = Image.MAX_IMAGE_PIXELS
    load_picture(str(saved(tmp_path / "a.png", Image.new("RGB", (3, 3)))))
    assert limit == Image.MAX_IMAGE_PIXELS


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n", "high-dynamic-range"),
        ("a.exr", b"\x76\x2f\x31\x01" + bytes(100), "OpenEXR"),
        ("a.pdf", b"%PDF-1.7 ...", "PDF"),
        ("a.svg", b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        ("a.heic", b"\0\0\0\x18ftypheic" + bytes(100), "HEIC"),
        ("a.psd", b"8BPS" + bytes(100), "Photoshop"),
        ("a.mp4", b"\0\0\0\x18ftypisom" + bytes(100), "video"),
    ],
)
def test_other_kinds_of_file_are_named(tmp_path: Path, name: str, content: bytes, word: str) -> None:
    (tmp_path / name).write_bytes(content)
    code, message, _ = refusal(tmp_path / name)
    assert code == "COS8108"
    assert word in message


def test_floating_point_pictures_are_refused(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random((8, 8, 3), dtype=np.float32)
    cv2.imwrite(str(tmp_path / "color.tiff"), values)
    cv2.imwrite(str(tmp_path / "gray.tiff"), values[..., 0])
    for name in ("color.tiff", "gray.tiff"):
        code, message, _ = refusal(tmp_path / name)
        assert code == "COS8108"
        assert "floating-point" in message


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of this process, which has no special rights while the test runs."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        root = os.geteuid() == 0
        if root:
            os.chown(place, 65534, -1)
            os.seteuid(65534)
        try:
            yield place
        finally:
            if root:
                os.seteuid(0)
            place.chmod(0o755)


def test_files_without_permission(as_nobody: Path) -> None:
    secret = saved(as_nobody / "secret.png", Image.new("RGB", (2, 2)))
    secret.chmod(0)
    assert refusal(secret)[0] == "COS8103"
    as_nobody.chmod(0o555)
    with pytest.raises(CostaError) as caught:
        check_output_path(as_nobody / "result.png")
    assert caught.value.diagnostics[0].code == "COS8122"


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["jpg", "png", "tiff", "webp", "deep.png", "deep.tiff"])
def test_exif_orientation_is_applied(tmp_path: Path, kind: str, orientation: int) -> None:
    upright = ramp()
    turn = {
        1: lambda a: a,
        2: lambda a: a[:, ::-1],
        3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1],
        5: lambda a: a.swapaxes(0, 1),
        6: lambda a: np.rot90(a, 1),
        7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
        8: lambda a: np.rot90(a, -1),
    }[orientation]
    stored = np.ascontiguousarray(turn(upright))
    exif = Image.Exif()
    exif[274] = orientation
    path = tmp_path / f"a.{kind}"
    if kind == "deep.tiff":
        Image.fromarray(stored[..., 1].astype(np.uint16) * 257).save(path, tiffinfo={274: orientation})
        upright = np.repeat(upright[..., 1:2], 3, axis=2)
    elif kind == "deep.png":
        path.write_bytes(_with_exif(cv2.imencode(".png", stored[..., ::-1].astype(np.uint16) * 257)[1].tobytes(), exif))
    elif kind == "tiff":
        Image.fromarray(stored).save(path, tiffinfo={274: orientation})
    else:
        lossless = {"lossless": True} if kind == "webp" else {"quality": 100, "subsampling": 0} if kind == "jpg" else {}
        Image.fromarray(stored).save(path, exif=exif, **lossless)
    pixels = load_picture(str(path)).pixels
    assert pixels.shape == upright.shape
    assert np.abs(pixels.astype(int) - upright).max() <= (12 if kind == "jpg" else 0)


def _with_exif(png: bytes, exif: Image.Exif) -> bytes:
    content = exif.tobytes().removeprefix(b"Exif\0\0")
    chunk = struct.pack(">I", len(content)) + b"eXIf" + content + struct.pack(">I", zlib.crc32(b"eXIf" + content))
    return png[:33] + chunk + png[33:]


def test_gray_palette_and_alpha(tmp_path: Path) -> None:
    rgb = ramp()
    gray = rgb[..., 0]
    alpha = rgb[..., 1]
    pixels = load_picture(str(saved(tmp_path / "l.png", Image.fromarray(gray)))).pixels
    assert np.array_equal(pixels, np.repeat(gray[..., None], 3, axis=2))
    pixels = load_picture(str(saved(tmp_path / "la.png", Image.fromarray(np.dstack([gray, alpha]), "LA")))).pixels
    assert np.array_equal(pixels, np.dstack([gray, gray, gray, alpha]))
    pixels = load_picture(str(saved(tmp_path / "1.png", Image.fromarray(gray > 99)))).pixels
    assert np.array_equal(pixels, np.repeat((gray > 99)[..., None] * np.uint8(255), 3, axis=2))
    palette = Image.fromarray(rgb).quantize(16)
    pixels = load_picture(str(saved(tmp_path / "p.png", palette))).pixels
    assert np.array_equal(pixels, np.asarray(palette.convert("RGB")))
    palette.info["transparency"] = 3
    pixels = load_picture(str(saved(tmp_path / "pt.png", palette, transparency=3))).pixels
    assert np.array_equal(pixels[..., 3] == 0, np.asarray(palette) == 3)
    opaque = np.dstack([rgb, np.full(gray.shape, 255, np.uint8)])
    assert load_picture(str(saved(tmp_path / "o.png", Image.fromarray(opaque)))).pixels.shape[2] == 4
    keyed = load_picture(str(saved(tmp_path / "k.png", Image.fromarray(rgb), transparency=tuple(rgb[0, 0].tolist()))))
    assert keyed.pixels[0, 0, 3] == 0
    assert keyed.pixels[5, 5, 3] == 255


def test_16_bits_become_8_by_rounding(tmp_path: Path) -> None:
    deep = np.random.default_rng(0).integers(0, 65536, (20, 30, 4), dtype=np.uint16)
    right = np.rint(deep / 65535 * 255).astype(np.uint8)
    for kind in ("png", "tiff"):
        for name, values, expected in (
            ("rgb", deep[..., :3][..., ::-1], right[..., :3]),
            ("rgba", deep[..., [2, 1, 0, 3]], right),
            ("gray", deep[..., 0], np.repeat(right[..., :1], 3, axis=2)),
        ):
            path = tmp_path / f"{name}.{kind}"
            cv2.imwrite(str(path), values)
            picture = load_picture(str(path))
            assert np.array_equal(picture.pixels, expected), path.name
            (notice,) = picture.notices
            assert notice.code == "COS8111"
            assert notice.severity is Severity.WARNING


def wide_profile() -> bytes:
    """The profile of a made-up display with a wide gamut and a gamma of 1.8, as ICC bytes."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    # Swapping the red and the green primary is a profile whose effect nobody can overlook.
    count = struct.unpack(">I", srgb[128:132])[0]
    table = bytearray(srgb)
    places = {srgb[132 + 12 * i : 136 + 12 * i]: 132 + 12 * i for i in range(count)}
    red, green = places[b"rXYZ"], places[b"gXYZ"]
    table[red + 4 : red + 12], table[green + 4 : green + 12] = (
        srgb[green + 4 : green + 12],
        srgb[red + 4 : red + 12],
    )
    return bytes(table)


def test_color_profiles_are_converted(tmp_path: Path) -> None:
    rgb = ramp()
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    same = load_picture(str(saved(tmp_path / "same.png", Image.fromarray(rgb), icc_profile=srgb)))
    assert np.array_equal(same.pixels, rgb)  # not even rounding errors
    assert same.notices == ()
    swapped = load_picture(str(saved(tmp_path / "wide.png", Image.fromarray(rgb), icc_profile=wide_profile())))
    assert np.abs(swapped.pixels.astype(int) - rgb[..., [1, 0, 2]]).max() <= 2
    rgba = np.dstack([rgb, rgb[..., 0]])
    clear = load_picture(str(saved(tmp_path / "rgba.png", Image.fromarray(rgba), icc_profile=wide_profile())))
    assert np.array_equal(clear.pixels[..., 3], rgb[..., 0])
    assert np.abs(clear.pixels[..., :3].astype(int) - rgb[..., [1, 0, 2]]).max() <= 2
    broken = load_picture(str(saved(tmp_path / "broken.png", Image.fromarray(rgb), icc_profile=b"no profile" * 20)))
    assert np.array_equal(broken.pixels, rgb)
    assert [notice.code for notice in broken.notices] == ["COS8113"]


def test_cmyk_gives_about_the_colors_that_were_printed(tmp_path: Path) -> None:
    rgb = Image.fromarray(ramp())
    for kind, settings in (("jpg", {"quality": 98}), ("tiff", {})):
        pixels = load_picture(str(saved(tmp_path / f"a.{kind}", rgb.convert("CMYK"), **settings))).pixels
        assert np.abs(pixels.astype(int) - ramp()).mean() < 4, kind


def test_several_frames_give_the_first_and_a_notice(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (6, 5), color) for color in ("red", "green", "blue")]
    for kind in ("gif", "png", "tiff", "webp"):
        path = saved(tmp_path / f"a.{kind}", frames[0], save_all=True, append_images=frames[1:])
        picture = load_picture(str(path))
        assert [(notice.code, "3 frames" in notice.message) for notice in picture.notices] == [("COS8112", True)]
        assert np.abs(picture.pixels[2, 2, :3].astype(int) - (255, 0, 0)).max() <= 2, kind


def test_a_phones_jpeg_with_a_preview_behind_it_gives_only_a_hint(tmp_path: Path) -> None:
    first, preview = Image.fromarray(data.coffee()), Image.new("RGB", (60, 40))
    path = saved(tmp_path / "a.jpg", first, format="MPO", save_all=True, append_images=[preview])
    picture = load_picture(str(path))
    assert [notice.severity for notice in picture.notices] == [Severity.HINT]
    assert picture.pixels.shape == (400, 600, 3)


def test_one_pixel(tmp_path: Path) -> None:
    for kind in ("png", "jpg", "gif", "bmp", "webp", "tiff"):
        path = saved(tmp_path / f"a.{kind}", Image.new("RGB", (1, 1), (200, 200, 200)))
        assert load_picture(str(path)).pixels[..., :3].tolist() == [[[200, 200, 200]]]


def test_samples_without_importing_scikit_image() -> None:
    code = (
        "import sys; from costa_dsl.store.pictures import load_picture; p = load_picture('sample:coffee');"
        "assert 'skimage' not in sys.modules; print(p.pixels.shape, p.name)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "(400, 600, 3) sample:coffee"


def test_samples_are_those_of_scikit_image() -> None:
    assert np.array_equal(load_picture("sample:coffee").pixels, data.coffee())
    assert np.array_equal(load_picture("sample:cat").pixels, data.chelsea())
    assert np.array_equal(load_picture("sample:Motorcycle-Left").pixels, load_picture("sample:motorcycle").pixels)
    assert load_picture("sample:camera").pixels.shape == (512, 512, 3)
    with pytest.raises(CostaError) as caught:
        load_picture("sample:cofee")
    (found,) = caught.value.diagnostics
    assert found.code == "COS8109"
    assert 'did you mean "sample:coffee"?' in found.help
    assert "astronaut" in found.help


@pytest.mark.parametrize("kind", ["png", "webp", "tiff", "bmp"])
def test_lossless_formats_come_back_as_they_went(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"result.{kind}"
    assert save_picture(data.coffee(), path) == ()
    assert np.array_equal(load_picture(str(path)).pixels, data.coffee())
    rgba = np.dstack([ramp(), ramp()[..., 1]])
    notices = save_picture(rgba, path)
    back = load_picture(str(path)).pixels
    if kind == "bmp":
        assert [notice.code for notice in notices] == ["COS8125"]
    else:
        assert np.array_equal(back, rgba)
    assert list(tmp_path.iterdir()) == [path]


def test_jpeg_is_near_and_transparency_lies_on_white(tmp_path: Path) -> None:
    path = tmp_path / "result.jpg"
    assert save_picture(data.coffee(), path) == ()
    back = load_picture(str(path)).pixels
    assert np.abs(back.astype(int) - data.coffee()).mean() < 2
    clear = np.zeros((16, 16, 4), np.uint8)
    (notice,) = save_picture(clear, path)
    assert (notice.code, notice.severity) == ("COS8125", Severity.WARNING)
    assert load_picture(str(path)).pixels.min() >= 254
    opaque = np.dstack([data.coffee(), np.full((400, 600), 255, np.uint8)])
    assert save_picture(opaque, path) == ()


def test_equal_pixels_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        save_picture(data.coffee(), tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_output_paths_are_checked_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    for name, code, word in (
        ("none/a.png", "COS8121", "mkdir"),
        ("a.gif", "COS8123", ".png"),
        ("a", "COS8123", ".png"),
        ("a.jpgg", "COS8123", "did you mean"),
        ("folder.png", "COS8124", "name of a file"),
        ("file/a.png", "COS8124", "another folder"),
    ):
        with pytest.raises(CostaError) as caught:
            check_output_path(tmp_path / name)
        (found,) = caught.value.diagnostics
        assert (found.code, word in found.help) == (code, True), found
    check_output_path(tmp_path / "A.PNG")
    (tmp_path / "old.png").touch()
    check_output_path(tmp_path / "old.png")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.webp"
    save_picture(ramp(), path)
    old = path.read_bytes()
    with pytest.raises(CostaError) as caught:
        save_picture(np.zeros((1, 20_000, 3), np.uint8), path)  # WebP ends at 16,383 pixels
    assert caught.value.diagnostics[0].code == "COS8126"
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_new_files_have_usual_rights(tmp_path: Path) -> None:
    real, link = tmp_path / "real.png", tmp_path / "link.png"
    save_picture(ramp(), real)
    link.symlink_to(real)
    save_picture(255 - ramp(), link)
    assert link.is_symlink()
    assert np.array_equal(load_picture(str(real)).pixels, 255 - ramp())
    (tmp_path / "plain").touch()
    assert real.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_pixels_are_shared_read_only() -> None:
    picture = load_picture("sample:coffee")
    with pytest.raises(ValueError, match="read-only"):
        picture.pixels[0, 0] = 0
