"""Results go in and come out exactly; whatever is wrong with the folder, there is just no result."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.store.action_cache import ActionCache
from costa_dsl.store.artifacts import ArtifactStore
from costa_dsl.store.cache_folder import cache_root
from costa_dsl.store.preimage import action_key
from tests.store.cache_scenes import cache, kept, picture, preimage, store, values

PUT = """
import sys
from pathlib import Path
from tests.store.cache_scenes import cache, preimage, store, values
folder = Path(sys.argv[1])
where = store(folder, sys.argv[2])
refs = {name: where.put(type, value) for name, (type, value) in values().items()}
if sys.argv[3] == "keep":
    assert cache(folder).keep(preimage(), {"seconds": 0.1 + 0.2}, refs, where)
else:
    entry = cache(folder).find(preimage())
    assert entry.result == {"seconds": 0.1 + 0.2}
    there = store(folder, "restored")
    assert cache(folder).restore(entry, there) == refs
"""


def python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        cwd=Path(__file__).parents[2],
        check=False,
    )


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_type_comes_back_byte_for_byte_in_another_process(tmp_path: Path) -> None:
    for name, task, seed in (("one", "keep", "1"), ("two", "find", "2")):
        done = python(PUT, str(tmp_path), name, task, PYTHONHASHSEED=seed)
        assert (done.returncode, done.stderr) == (0, "")
    first = files(tmp_path / "one")
    assert len(first) == len(values())
    assert files(tmp_path / "two") == first
    assert files(tmp_path / "restored") == first
    restored = store(tmp_path, "restored")
    entry = cache(tmp_path).find(preimage())
    assert entry is not None
    for name, (_, value) in values().items():
        found = restored.get(entry.refs[name])
        assert np.array_equal(found, value) if isinstance(value, np.ndarray) else found == value


def test_values_are_linked_and_not_copied(tmp_path: Path) -> None:
    entry = kept(tmp_path).find(preimage())
    assert entry is not None
    there = store(tmp_path, "other")
    refs = cache(tmp_path).restore(entry, there)
    assert refs is not None
    places = [tmp_path / folder / refs["image"].path for folder in ("run/artifacts", "cache/blobs", "other/artifacts")]
    assert len({place.stat().st_ino for place in places}) == 1


def test_without_hard_links_values_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*arguments: object, **options: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", no_links)
    entry = kept(tmp_path).find(preimage())
    assert entry is not None
    there = store(tmp_path, "other")
    refs = cache(tmp_path).restore(entry, there)
    assert refs is not None
    assert np.array_equal(there.get(refs["image"]), picture(0))
    assert (tmp_path / "cache/blobs" / refs["image"].path).stat().st_nlink == 1


def test_a_hit_loads_neither_arrays_nor_pictures(tmp_path: Path) -> None:
    kept(tmp_path)
    code = """
import sys
from pathlib import Path
from costa_dsl.store.action_cache import ActionCache
class Store: root = Path(sys.argv[1]) / "other"
found = ActionCache(Path(sys.argv[1]) / "cache")
assert found.restore(found.find(PREIMAGE), Store())
print(*sorted({"numpy", "cv2", "PIL", "filelock", "skimage"} & set(sys.modules)))
"""
    done = python(code.replace("PREIMAGE", repr(preimage())), str(tmp_path))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_another_pre_image_finds_nothing(tmp_path: Path) -> None:
    found = kept(tmp_path, 0)
    assert found.find(preimage(1)) is None
    assert [near.entry.preimage for near in found.why(preimage(1))] == [preimage(0)]


def test_a_result_without_values_is_kept_too(tmp_path: Path) -> None:
    found = cache(tmp_path)
    assert found.keep(preimage(), {"failure": {"kind": "not-found"}}, {}, store(tmp_path))
    entry = found.find(preimage())
    assert entry is not None
    assert (entry.result, entry.refs) == ({"failure": {"kind": "not-found"}}, {})


def test_keeping_again_replaces(tmp_path: Path) -> None:
    found = kept(tmp_path)
    where = store(tmp_path)
    found.keep(preimage(), {"seconds": 9}, {"image": where.put("image", picture(5))}, where)
    entry = cache(tmp_path).find(preimage())
    assert entry is not None
    assert entry.result == {"seconds": 9}
    assert np.array_equal(where.get(entry.refs["image"]), picture(5))


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data.replace(b'"seconds": 1.5', b'"seconds": 2.5'),
        lambda data: data.replace(b'"radius": 0', b'"radius": 1'),
        lambda data: data.replace(b'"version": 1', b'"version": 0'),
        lambda data: b"[]\n",
        lambda data: b"\xff" + data,
        lambda data: b"[" * 100_000,
    ],
    ids=["no newline", "torn", "empty", "result", "pre-image", "version", "list", "bytes", "deep"],
)
def test_a_damaged_entry_is_none_and_goes(tmp_path: Path, harm: object) -> None:
    found = kept(tmp_path)
    path = found.folder.action(action_key(preimage()))
    harmed = harm(path.read_bytes())  # type: ignore[operator]
    assert harmed != path.read_bytes()
    path.write_bytes(harmed)
    assert found.find(preimage()) is None
    assert not path.exists()


def test_an_entry_cannot_name_files_elsewhere(tmp_path: Path) -> None:
    found = kept(tmp_path)
    entry = found.find(preimage())
    assert entry is not None
    (tmp_path / "secret.json").write_text("1")
    path = found.folder.action(entry.key)
    output = entry.outputs["image"]
    elsewhere = replace(output, ref=replace(output.ref, path="../../secret.json"))
    path.write_bytes(replace(entry, outputs={"image": elsewhere}).to_bytes())
    assert found.find(preimage()) is None


def blob(found: ActionCache) -> Path:
    entry = found.find(preimage())
    assert entry is not None
    return found.root / entry.refs["image"].path


@pytest.mark.parametrize("keep_time", [False, True])
def test_a_shorter_blob_is_none_and_is_replaced(tmp_path: Path, keep_time: bool) -> None:
    found = kept(tmp_path)
    place = blob(found)
    before = place.stat()
    (tmp_path / "x").write_bytes(place.read_bytes()[: before.st_size // 2])
    (tmp_path / "x").replace(place)
    if keep_time:
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert found.find(preimage()) is None
    assert kept(tmp_path).find(preimage()) is not None
    assert np.array_equal(ArtifactStore(found.root).get(kept(tmp_path).find(preimage()).refs["image"]), picture(0))  # type: ignore[union-attr]


def test_a_blob_that_an_editor_changed_in_place_is_none(tmp_path: Path) -> None:
    """It is the same file as the run's own: whoever paints in the run's folder paints in the cache."""
    found = kept(tmp_path)
    place = blob(found)
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)
    os.utime(place, (1, 1))
    assert found.find(preimage()) is None
    # What the run's store holds is the same damaged file; a new run brings a sound one.
    where = store(tmp_path, "new")
    found.keep(preimage(), {}, {"image": where.put("image", picture(0))}, where)
    entry = found.find(preimage())
    assert entry is not None
    assert np.array_equal(ArtifactStore(found.root).get(entry.refs["image"]), picture(0))


def test_a_touched_blob_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = kept(tmp_path)
    os.utime(blob(found), (5, 5))
    assert found.find(preimage()) is not None
    monkeypatch.setattr("costa_dsl.store.action_cache.is_sound", lambda *arguments: pytest.fail("decoded again"))
    assert found.find(preimage()) is not None


def test_a_missing_blob_is_none(tmp_path: Path) -> None:
    found = kept(tmp_path)
    blob(found).unlink()
    assert found.find(preimage()) is None


def test_a_blob_lost_between_finding_and_using_it_is_none(tmp_path: Path) -> None:
    found = kept(tmp_path)
    entry = found.find(preimage())
    assert entry is not None
    blob(found).unlink()
    assert found.restore(entry, store(tmp_path, "other")) is None


def test_the_folder_may_be_deleted_while_in_use(tmp_path: Path) -> None:
    told: list[Diagnostic] = []
    found = kept(tmp_path, warn=told.append)
    shutil.rmtree(tmp_path / "cache")
    assert found.find(preimage()) is None
    where = store(tmp_path)
    assert found.keep(preimage(), {}, {"image": where.put("image", picture(0))}, where)
    assert found.find(preimage()) is not None
    assert told == []


def test_finding_makes_no_folder(tmp_path: Path) -> None:
    assert cache(tmp_path).find(preimage()) is None
    assert list(tmp_path.iterdir()) == []


def test_finding_marks_the_entry_as_used(tmp_path: Path) -> None:
    kept(tmp_path, clock=lambda: 1000.0)
    cache(tmp_path, clock=lambda: 5000.0).find(preimage())
    (entry,) = cache(tmp_path).entries()
    assert (entry.made, entry.used) == (1000.0, 5000.0)


@pytest.mark.parametrize(
    "marker", ['{"costa-cache": 0}', '{"costa-cache": 99}', "what?", "[]", '{"costa-cache": true}']
)
def test_a_folder_of_another_format_is_left_alone(tmp_path: Path, marker: str) -> None:
    kept(tmp_path)
    (tmp_path / "cache/format.json").write_text(marker)
    before = files(tmp_path / "cache")
    told: list[Diagnostic] = []
    found = cache(tmp_path, told)
    where = store(tmp_path)
    assert found.find(preimage()) is None
    assert found.keep(preimage(1), {}, {"image": where.put("image", picture(1))}, where) is None
    assert files(tmp_path / "cache") == before
    assert [(one.code, one.severity) for one in told] == [("COS8503", Severity.WARNING)]


FULL = """
import resource, sys
from pathlib import Path
from costa_dsl.store.action_cache import ActionCache
from tests.store.cache_scenes import picture, preimage, store
folder = Path(sys.argv[1])
where = store(folder)
refs = [where.put("image", picture(number)) for number in range(3)]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
found = ActionCache(folder / "cache", warn=lambda one: print(one.code, one.severity, one.message))
for number, ref in enumerate(refs):
    print(found.keep(preimage(number), {}, {"image": ref}, where))
print(found.find(preimage(0)))
"""


@pytest.mark.parametrize("most", ["10", "300"], ids=["no marker", "no entry"])
def test_a_full_disk_is_told_once_and_harms_nothing(tmp_path: Path, most: str) -> None:
    done = python(FULL, str(tmp_path), most)
    warning, *results = done.stdout.splitlines()
    assert warning.startswith("COS8502 warning results are not kept in the cache")
    assert warning.endswith("a file grew too large")
    assert results == ["None"] * 4
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "cache").rglob("*.part")) == []


@pytest.mark.parametrize("where", ["file", "below a file"])
def test_a_file_in_place_of_the_folder(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("mine")
    told: list[Diagnostic] = []
    found = ActionCache(tmp_path / "file" / ("" if where == "file" else "cache"), warn=told.append)
    run = store(tmp_path)
    ref = run.put("image", picture(0))
    assert found.find(preimage()) is None
    assert found.keep(preimage(), {}, {"image": ref}, run) is None
    assert found.keep(preimage(), {}, {"image": ref}, run) is None
    assert [one.code for one in told] == ["COS8502"]
    assert (tmp_path / "file").read_text() == "mine"


READ_ONLY = """
import os, sys
from pathlib import Path
import filelock
import numpy as np
from costa_dsl.store.action_cache import ActionCache
from costa_dsl.store.artifacts import ArtifactStore
from tests.store.cache_scenes import picture, preimage, store
folder = Path(sys.argv[1])
where = store(folder / "mine")
refs = [where.put("image", picture(number)) for number in range(3)]
if os.getuid() == 0:  # whom permissions do not bind
    os.setuid(int(sys.argv[2]))
found = ActionCache(folder / "cache", warn=lambda one: print(one.code, one.message.rpartition(": ")[2]))
there = ArtifactStore(folder / "mine" / "restored")
print(found.restore(found.find(preimage(0)), there) == {"image": refs[0]})
print(np.array_equal(there.get(refs[0]), picture(0)))
print([found.keep(preimage(number), {}, {"image": refs[number]}, where) for number in (1, 2)])
"""


def test_a_read_only_folder_still_gives_what_it_has(tmp_path: Path) -> None:
    # Not below tmp_path, into which nobody else may look.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept(folder)
        (folder / "mine").mkdir()
        paths = [folder, *folder.rglob("*")]
        for path in paths:
            path.chmod(0o777 if path.name in ("mine", folder.name) else 0o555 if path.is_dir() else 0o444)
        done = python("import os; os.umask(0)\n" + READ_ONLY, name, "65534")
        for path in paths:
            path.chmod(0o755)
    assert done.stdout.splitlines() == ["True", "True", "COS8502 Permission denied", "[None, None]"], done.stderr


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    assert cache_root({"COSTA_CACHE_DIR": "Häuser und Hüte"}) == tmp_path / "Häuser und Hüte"
    assert cache_root({"COSTA_CACHE_DIR": "~/c"}) == home / "c"
    assert cache_root({"COSTA_CACHE_DIR": ""}) == cache_root({})
    assert cache_root({}).name == "costa"
    assert cache_root({}).is_absolute()


def test_a_relative_folder_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    found = ActionCache(Path("kept here"))
    monkeypatch.chdir(tmp_path)
    where = store(tmp_path)
    found.keep(preimage(), {}, {"image": where.put("image", picture(0))}, where)
    assert json.loads((tmp_path / "a/kept here/format.json").read_text()) == {"costa-cache": 1}


def test_why_names_the_nearest(tmp_path: Path) -> None:
    found = cache(tmp_path)
    where = store(tmp_path)
    for made in (preimage(1, seed=5), preimage(2), preimage(0, tool={"name": "other", "package": "costa-dsl 0.1.0"})):
        found.keep(made, {}, {}, where)
    near = found.why(preimage(0), count=3)
    assert [[one.field for one in neighbor.differs] for neighbor in near] == [
        ["parameters.radius"],
        ["parameters.radius", "seed"],
        ["tool.name"],
    ]
    assert (near[0].differs[0].here, near[0].differs[0].there) == (0, 2)


def test_the_nearest_is_of_the_same_inputs(tmp_path: Path) -> None:
    found = cache(tmp_path, clock=lambda: 1.0)
    found.keep(preimage(0, inputs={"image": "a"}, code={"toolkit": "1", "model": "1"}), {}, {}, store(tmp_path))
    later = cache(tmp_path, clock=lambda: 2.0)
    later.keep(preimage(0, inputs={"image": "b"}, code={"toolkit": "2", "model": "2"}), {}, {}, store(tmp_path))
    (near,) = found.why(preimage(0, inputs={"image": "a"}, code={"toolkit": "2", "model": "2"}))
    assert [one.field for one in near.differs] == ["code.model", "code.toolkit"]
