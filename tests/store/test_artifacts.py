"""Artifacts go into files and come back exactly; a file is whole or it is not used."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from skimage import data

from costa_dsl.diagnostics import CostaError
from costa_dsl.model.artifact import Box, Placement, TextLine, TextStyle
from costa_dsl.store.artifacts import ArtifactStore, decode, digest, encode

LINE = TextLine(
    ((0.1, 0), (9.5, 1 / 3), (9, 4), (0, 4)), "Café „Ünïcode“ \U0001f600\n\x00", 0.987654321, (0.0, 0.5, 1.0)
)
STYLE = TextStyle(LINE, "Noto Sans", 17.25, (1, 2, 3), (255, 255, 255), -12.5, 0.02, 0.6)
RANDOM = np.random.default_rng(0)

VALUES: list[tuple[str, Any]] = [
    ("image", RANDOM.integers(0, 256, (7, 5, 3), dtype=np.uint8)),
    ("image", RANDOM.integers(0, 256, (7, 5, 4), dtype=np.uint8)),
    ("image", RANDOM.integers(0, 256, (1, 1, 4), dtype=np.uint8)),
    ("image", data.coffee()[:, ::-1]),  # not contiguous
    ("mask", RANDOM.random((13, 17)) > 0.5),
    ("mask", np.zeros((1, 1), bool)),
    ("depth-map", RANDOM.standard_normal((6, 9)).astype(np.float32)),
    ("depth-map", np.array([[np.inf, -0.0], [np.float32(1e-42), 3]], np.float32)),
    ("boxes", (Box(0.1, 2, 30.7, 40, "potted plant", 1 / 3), Box(0, 0, 1, 1, "", 1.0))),
    ("boxes", ()),
    ("text-regions", (TextLine(LINE.corners, "", 0.5),)),
    ("text", (LINE, LINE)),
    ("text-style", (STYLE,)),
    ("erased-text", (LINE,)),
    ("caption", "two people\u2028and a dog"),
    ("label", ""),
    ("answer", "“yes”"),
    ("sentiment", {"label": "positive", "score": 0.1 + 0.2, "parts": (1, None, True)}),
    ("consistency-score", 0.30000000000000004),
    ("placement", Placement(64.0, 0, 1.0, 1.0)),
]


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and one == other


@pytest.mark.parametrize(("type", "value"), VALUES)
def test_every_type_comes_back_exactly(type: str, value: Any, tmp_path: Path) -> None:
    content, suffix = encode(type, value)
    assert encode(type, value) == (content, suffix)
    assert equal(decode(type, content), np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value)
    if suffix == ".json":
        assert content.isascii()
    ref = ArtifactStore(tmp_path).put(type, value)
    assert (tmp_path / ref.path).read_bytes() == content
    assert equal(ArtifactStore(tmp_path).get(ref), ArtifactStore(tmp_path).get(ref))
    assert ref.digest == digest(type, value) == digest(type, ArtifactStore(tmp_path).get(ref))


numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
boxes = st.builds(Box, numbers, numbers, numbers, numbers, st.text(), numbers)


@settings(max_examples=60, deadline=None)
@given(st.lists(boxes, max_size=3).map(tuple))
def test_any_boxes_come_back_exactly(value: tuple[Box, ...]) -> None:
    content, _ = encode("boxes", value)
    assert repr(decode("boxes", content)) == repr(value)


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_any_words_come_back_exactly(value: str) -> None:
    assert decode("caption", encode("caption", value)[0]) == value


def test_digests_tell_types_shapes_and_values_apart() -> None:
    zeros = np.zeros((4, 6, 3), np.uint8)
    one = zeros.copy()
    one[3, 5, 2] = 1
    found = [
        digest("image", zeros),
        digest("image", one),
        digest("image", np.zeros((6, 4, 3), np.uint8)),
        digest("image", np.zeros((3, 6, 4), np.uint8)),
        digest("mask", np.zeros((6, 12), bool)),
        digest("caption", "a"),
        digest("label", "a"),
        digest("boxes", ()),
    ]
    assert len(set(found)) == len(found)
    assert digest("image", one[:, ::-1]) == digest("image", one[:, ::-1].copy())
    # A digest is a promise to stored runs: it may not change between versions or machines.
    mask = b'{"dtype":"bool","shape":[2,2],"type":"mask"}\n\x01\x00\x00\x01'
    assert digest("mask", np.eye(2, dtype=bool)) == hashlib.sha256(mask).hexdigest()
    assert digest("mask", np.asarray(Image.fromarray(np.eye(2, dtype=bool)))) == hashlib.sha256(mask).hexdigest()
    place = b'{"type":"placement"}\n{"kind":"placement","scale_x":1.0,"scale_y":1.0,'
    place += b'"x_offset":3.5,"y_offset":0.0}'
    assert digest("placement", Placement(3.5)) == hashlib.sha256(place).hexdigest()


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("image", np.zeros((4, 4), np.uint8)),
        ("image", np.zeros((4, 4, 3), np.float32)),
        ("image", np.zeros((4, 4, 2), np.uint8)),
        ("image", np.zeros((0, 4, 3), np.uint8)),
        ("mask", np.zeros((4, 4), np.uint8)),
        ("depth-map", np.zeros((4, 4), np.float64)),
        ("boxes", (object(),)),
        ("sentiment", {1: 2}),
    ],
)
def test_values_of_another_type_are_refused(type: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        ArtifactStore(tmp_path).put(type, value)
    assert list(tmp_path.rglob("*")) == []


def test_numbers_of_numpy_become_plain_ones() -> None:
    box = Box(np.float32(0.5), np.float64(1), np.int64(3), 4, "dog", np.float32(0.25))  # type: ignore[arg-type]
    assert decode("boxes", encode("boxes", (box,))[0]) == (Box(0.5, 1, 3, 4, "dog", 0.25),)


def test_putting_twice_writes_once(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    ref = store.put("image", data.coffee())
    written = (tmp_path / ref.path).stat()
    assert store.put("image", data.coffee()) == ref
    assert ArtifactStore(tmp_path).put("image", data.coffee()) == ref
    assert (tmp_path / ref.path).stat().st_ino == written.st_ino
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [Path(ref.path).name]


def test_damaged_files_are_found_and_replaced(tmp_path: Path) -> None:
    ref = ArtifactStore(tmp_path).put("image", data.coffee())
    path = tmp_path / ref.path
    whole = path.read_bytes()
    other = encode("image", data.chelsea())[0]
    for content in (b"", whole[:100], whole[: len(whole) // 2], other):
        path.write_bytes(content)
        with pytest.raises(CostaError) as caught:
            ArtifactStore(tmp_path).get(ref)
        assert caught.value.diagnostics[0].code == "COS6802"
    assert ArtifactStore(tmp_path).put("image", data.coffee()) == ref
    assert path.read_bytes() == whole
    path.unlink()
    with pytest.raises(CostaError) as caught:
        ArtifactStore(tmp_path).get(ref)
    assert caught.value.diagnostics[0].code == "COS6801"


def test_a_deleted_file_is_written_anew_by_the_same_store(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    ref = store.put("caption", "a dog")
    (tmp_path / ref.path).unlink()
    store.put("caption", "a dog")
    assert (tmp_path / ref.path).exists()


def test_what_comes_out_cannot_be_changed_from_outside(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    picture = data.coffee()
    ref = store.put("image", picture)
    picture[:] = 0
    assert np.array_equal(store.get(ref), data.coffee())
    for held in (store, ArtifactStore(tmp_path)):
        with pytest.raises(ValueError, match="read-only"):
            held.get(ref)[0, 0] = 1


def test_the_last_values_stay_in_memory_up_to_a_limit(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path, memory=3 * 300)
    pictures = [np.full((10, 10, 3), shade, np.uint8) for shade in range(4)]
    refs = [store.put("image", picture) for picture in pictures]
    for ref in refs:
        (tmp_path / ref.path).unlink()
    with pytest.raises(CostaError):
        store.get(refs[0])  # the oldest had to go
    for ref, picture in zip(refs[1:], pictures[1:], strict=True):
        assert np.array_equal(store.get(ref), picture)


def test_a_killed_writer_leaves_no_half_artifact(tmp_path: Path) -> None:
    """Writers that are killed at any moment: each name in the store stands for a whole file."""
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from costa_dsl.store.artifacts import ArtifactStore\n"
        "store = ArtifactStore(Path(sys.argv[1])); print('go', flush=True)\n"
        "for seed in range(10**6):\n"
        "    random = np.random.default_rng(seed)\n"
        "    store.put('image', random.integers(0, 256, (90, 90, 3), dtype=np.uint8))\n"
    )
    for wait in (0.02, 0.05, 0.11):
        writer = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        try:
            writer.wait(wait)
        except subprocess.TimeoutExpired:
            writer.kill()
            writer.wait()
        writer.stdout.close()
    files = list(tmp_path.glob("*/*.png"))
    assert files
    for path in files:
        value = decode("image", path.read_bytes())
        assert digest("image", value) == path.stem
    assert all(path.name.startswith(".") for path in tmp_path.rglob("*.part"))


def test_files_are_what_their_suffix_says(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    with Image.open(tmp_path / store.put("mask", np.eye(9, dtype=bool)).path) as picture:
        assert (picture.format, picture.mode) == ("PNG", "1")
    depth = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(np.load(tmp_path / store.put("depth-map", depth).path), depth)
