"""gc removes what is old and nothing else; verify finds what is damaged and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from costa_dsl.diagnostics import CostaError
from costa_dsl.store.action_cache import ActionCache
from costa_dsl.store.cache_upkeep import DAY, collect, verify
from costa_dsl.store.preimage import action_key
from tests.store.cache_scenes import cache, kept, picture, preimage, store, values

NOTHING = (0, 0, 0, 0)


def filled(folder: Path, count: int = 4) -> ActionCache:
    """Results 0, 1, 2 …, last used on day 0, 1, 2 …"""
    for number in range(count):
        kept(folder, number, clock=lambda day=number: day * DAY)
    return cache(folder)


def numbers(found: ActionCache) -> list[int]:
    return sorted(entry.preimage["parameters"]["radius"] for entry in found.entries())


def test_what_was_not_used_for_long_goes(tmp_path: Path) -> None:
    found = filled(tmp_path)
    done = collect(found, unused_days=1.5, clock=lambda: 3 * DAY)
    assert numbers(found) == [2, 3]
    assert (done.entries, done.blobs, done.entries_left) == (2, 2, 2)
    assert len(found.folder.blob_files()) == 2


def test_the_longest_unused_go_until_the_rest_is_small_enough(tmp_path: Path) -> None:
    found = filled(tmp_path)
    total = sum(entry.total for entry in found.entries())
    assert collect(found, max_bytes=total).entries == 0
    done = collect(found, max_bytes=total - 1)
    assert numbers(found) == [1, 2, 3]
    assert done.bytes_left == sum(entry.total for entry in found.entries()) <= total - 1
    assert done.bytes == total - done.bytes_left


def test_a_result_found_again_stays(tmp_path: Path) -> None:
    found = filled(tmp_path)
    cache(tmp_path, clock=lambda: 9 * DAY).find(preimage(0))
    collect(found, max_bytes=max(entry.total for entry in found.entries()))
    assert numbers(found) == [0]


def test_a_blob_stays_as_long_as_one_entry_names_it(tmp_path: Path) -> None:
    where = store(tmp_path)
    ref = where.put("image", picture(0))
    cache(tmp_path, clock=lambda: 0.0).keep(preimage(0), {}, {"image": ref}, where)
    found = cache(tmp_path, clock=lambda: 5 * DAY)
    found.keep(preimage(1), {}, {"image": ref, "same": ref}, where)
    done = collect(found, unused_days=2, clock=lambda: 5 * DAY)
    assert (done.entries, done.blobs) == (1, 0)
    assert found.find(preimage(1)) is not None
    assert collect(found, max_bytes=0).blobs == 1


def test_a_dry_run_says_the_same_and_removes_nothing(tmp_path: Path) -> None:
    found = filled(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    told = collect(found, max_bytes=2000, dry_run=True)
    assert sorted(tmp_path.rglob("*")) == before
    assert collect(found, max_bytes=2000) == told
    assert told.entries > 0


def test_files_of_others_are_never_touched(tmp_path: Path) -> None:
    found = filled(tmp_path)
    root = found.folder.root
    names = [
        "notes.txt",
        "blobs/readme",
        "blobs/ab/photo.png",
        "actions/zz/x.json",
        "actions/ab/x.json",
        "blobs/x.part",
    ]
    names += [
        f"blobs/{'ab' * 32}.png",
        f"blobs/ab/{'ab' * 32}.jpg",
        f"blobs/ab/{'AB' * 32}.png",
        f"x/ab/{'ab' * 32}.png",
    ]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("mine")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"{'cd' * 32}.png").write_text("mine")
    (root / "blobs/cd").symlink_to(outside)
    (root / "blobs/ef").mkdir(exist_ok=True)
    (root / f"blobs/ef/{'ef' * 32}.png").symlink_to(outside / f"{'cd' * 32}.png")
    collect(found, everything=True)
    assert numbers(found) == []
    assert [name for name in names if not (root / name).exists()] == []
    assert (outside / f"{'cd' * 32}.png").read_text() == "mine"
    assert (root / f"blobs/ef/{'ef' * 32}.png").is_symlink()
    assert verify(found).findings == ()


def test_an_older_format_is_emptied_only_on_demand(tmp_path: Path) -> None:
    found = filled(tmp_path)
    marker = found.folder.root / "format.json"
    marker.write_text('{"costa-cache": 0}')
    for call in (lambda: collect(found, max_bytes=0), lambda: verify(found), lambda: list(found.entries())):
        with pytest.raises(CostaError) as caught:
            call()
        assert [one.code for one in caught.value.diagnostics] == ["COS8503"]
    assert len(found.folder.actions()) == 4
    assert collect(found, everything=True).entries == 4
    assert verify(found).findings == ()
    assert kept(tmp_path).find(preimage()) is not None


def test_a_newer_format_is_never_emptied(tmp_path: Path) -> None:
    found = filled(tmp_path)
    (found.folder.root / "format.json").write_text('{"costa-cache": 2}')
    with pytest.raises(CostaError, match="format 2"):
        collect(found, everything=True)
    assert len(found.folder.actions()) == 4


def test_no_folder_is_nothing_to_do(tmp_path: Path) -> None:
    assert collect(cache(tmp_path)).entries == 0
    assert verify(cache(tmp_path)).entries == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("mine")
    for call in (collect, verify):
        with pytest.raises(CostaError) as caught:
            call(cache(tmp_path))
        assert [one.code for one in caught.value.diagnostics] == ["COS8501"]


def everything_kept(folder: Path) -> ActionCache:
    where = store(folder)
    refs = {name: where.put(type, value) for name, (type, value) in values().items()}
    found = cache(folder)
    for number, (name, ref) in enumerate(refs.items()):
        found.keep(preimage(number), {}, {name: ref}, where)
    return found


@pytest.mark.parametrize("name", values())
def test_a_damaged_value_is_found_and_repaired(tmp_path: Path, name: str) -> None:
    found = everything_kept(tmp_path)
    assert verify(found).findings == ()
    (entry,) = [entry for entry in found.entries() if name in entry.refs]
    place = found.root / entry.refs[name].path
    data = bytearray(place.read_bytes())
    data[-20 if place.suffix != ".json" else 1] ^= 1
    place.write_bytes(data)
    seen = verify(found)
    assert {one.code for one in seen.findings} == {"COS6821"}
    assert sorted(entry.key in one.message or place.name in one.message for one in seen.findings) == [True, True]
    assert (seen.entries, seen.removed) == (len(values()) - 1, 0)
    assert verify(found, repair=True).removed == 2
    after = verify(found)
    assert (after.findings, after.entries, after.blobs) == ((), len(values()) - 1, len(values()) - 1)


def test_a_missing_value_and_a_torn_entry_are_found(tmp_path: Path) -> None:
    found = filled(tmp_path)
    entry = found.find(preimage(1))
    assert entry is not None
    (found.root / entry.refs["image"].path).unlink()
    torn = found.folder.action(action_key(preimage(2)))
    torn.write_bytes(torn.read_bytes()[:-10])
    messages = sorted(one.message for one in verify(found).findings)
    assert len(messages) == 2
    assert any(entry.key in message and "gone" in message for message in messages)
    assert any(torn.name in message and "checksum" in message for message in messages)
    assert verify(found, repair=True).removed == 2
    after = verify(found)
    assert (after.findings, after.entries, after.unreferenced) == ((), 2, 1)


def test_an_entry_under_the_key_of_another_is_found(tmp_path: Path) -> None:
    found = filled(tmp_path, 2)
    entry = found.find(preimage(1))
    assert entry is not None
    key = action_key(preimage(0))
    found.folder.action(key).write_bytes(replace(entry, key=key).to_bytes())
    (finding,) = verify(found).findings
    assert "its key is not that of what it was made of" in finding.message
    assert found.find(preimage(0)) is None
    assert verify(found).findings == ()


def test_a_value_under_the_name_of_another_is_found(tmp_path: Path) -> None:
    found = filled(tmp_path, 2)
    one, other = found.folder.blob_files()
    one.write_bytes(other.read_bytes())
    assert len(verify(found).findings) == 2


def test_gc_removes_damaged_entries_too(tmp_path: Path) -> None:
    found = filled(tmp_path)
    found.folder.action(action_key(preimage(2))).write_bytes(b"{}")
    done = collect(found)
    assert (done.entries, done.damaged, done.blobs) == (0, 1, 1)
    assert numbers(found) == [0, 1, 3]


def test_entries_say_what_they_take(tmp_path: Path) -> None:
    (entry,) = filled(tmp_path, 1).entries()
    sizes = [
        path.stat().st_size for path in (cache(tmp_path).folder.action(entry.key), *cache(tmp_path).folder.blob_files())
    ]
    assert entry.total == sum(sizes)
    assert replace(entry, outputs={**entry.outputs, "same": entry.outputs["image"]}).total == entry.total
