"""Many processes at one cache, some of them killed: results are right or not there, and nothing is corrupt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from costa_dsl.diagnostics import Diagnostic
from costa_dsl.store.cache_upkeep import collect, verify
from tests.store.cache_scenes import cache, picture, preimage, store

ROOT = Path(__file__).parents[2]

# Fifty cycles over eleven results: most of the time another process has made it, or gc has just removed it.
WORKER = """
import sys
from pathlib import Path
import numpy as np
from tests.store.cache_scenes import cache, picture, preimage, store
folder, name, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
order = np.random.default_rng(seed).integers(0, 11, 50)
found, told = cache(folder, told := []), told
counts = {"hit": 0, "miss": 0, "lost": 0}
for cycle, number in enumerate(map(int, order)):
    where = store(folder, f"{name}-{cycle}")
    entry = found.find(preimage(number))
    refs = None if entry is None else found.restore(entry, where)
    counts["miss" if entry is None else "lost" if refs is None else "hit"] += 1
    if refs is None:
        ref = where.put("image", picture(number))
        # Two results share each blob, so that gc must count.
        found.keep(preimage(number), {"number": number}, {"image": ref}, where)
        found.keep(preimage(number, again=True), {}, {"image": ref}, where)
    else:
        assert entry.result == {"number": number}
        assert np.array_equal(where.get(refs["image"]), picture(number))
assert told == [], told
print(counts)
"""

COLLECTOR = """
import sys
from pathlib import Path
from costa_dsl.store.cache_upkeep import collect
from tests.store.cache_scenes import cache
folder, removed = Path(sys.argv[1]), 0
print("ready", flush=True)
while not (folder / "stop").exists():
    removed += collect(cache(folder), max_bytes=6000).entries
print(removed)
"""


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_two_runs_of_fifty_cycles_while_a_third_process_collects(tmp_path: Path) -> None:
    collector = start(COLLECTOR, str(tmp_path))
    assert collector.stdout is not None
    assert collector.stdout.readline() == "ready\n"
    workers = [start(WORKER, str(tmp_path), f"run{seed}", str(seed)) for seed in (1, 2)]
    ended = [(worker.communicate(timeout=300), worker.returncode) for worker in workers]
    (tmp_path / "stop").touch()
    out, problem = collector.communicate(timeout=60)
    assert [(code, error) for (_, error), code in ended] == [(0, ""), (0, "")]
    assert (collector.returncode, problem) == (0, "")
    assert int(out) > 0
    assert "'hit': 0" not in ended[0][0][0]
    found = verify(cache(tmp_path))
    assert (found.findings, found.unreferenced, found.unfinished) == ((), 0, 0)
    # What the runs linked is theirs, whatever gc has removed since.
    folders = [path for path in tmp_path.iterdir() if path.name.startswith("run")]
    assert len(folders) == 100
    assert all(len(list(folder.rglob("*.png"))) == 1 for folder in folders)


def test_threads_of_one_process(tmp_path: Path) -> None:
    told: list[Diagnostic] = []
    found = cache(tmp_path, told)

    def work(thread: int) -> int:
        where = store(tmp_path, f"run{thread}")
        for cycle in range(15):
            number = (thread + cycle) % 5
            entry = found.find(preimage(number))
            if entry is None:
                found.keep(preimage(number), {}, {"image": where.put("image", picture(number))}, where)
            else:
                refs = found.restore(entry, where)
                assert refs is not None
                assert (where.get(refs["image"]) == picture(number)).all()
        return thread

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [0, 1, 2, 3]
    assert told == []
    seen = verify(found)
    assert (seen.findings, seen.entries) == ((), 5)


# One warm process forks a child for each kill: starting Python anew would take a minute, and kill it while it loads.
KILLER = """
import json, os, random, signal, sys, time
from pathlib import Path
import filelock, PIL.Image
from costa_dsl.store.cache_upkeep import verify
from tests.store.cache_scenes import cache, picture, preimage, store
folder, chance = Path(sys.argv[1]), random.Random(11)
where = store(folder)
findings, entries, finished = [], [], 0
for kill in range(80):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        found = cache(folder)
        for number in range(10**9):
            ref = where.put("image", picture(1000 * kill + number))
            found.keep(preimage(number, kill=kill), {}, {"image": ref}, where)
            os.write(write, b".")
    # After a whole number of results and a part of one, so that no kill is wasted on a slow disk.
    for _ in range(chance.randrange(3)):
        finished += len(os.read(read, 1))
    time.sleep(chance.uniform(0.0, 0.01))
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    os.close(read)
    os.close(write)
    seen = verify(cache(folder))
    findings += [one.message for one in seen.findings]
    entries.append(seen.entries)
print(json.dumps([findings, entries, finished]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills what it forks")
def test_eighty_kills_while_results_are_kept(tmp_path: Path) -> None:
    killer = start(KILLER, str(tmp_path))
    out, problem = killer.communicate(timeout=500)
    assert (killer.returncode, problem) == (0, "")
    findings, entries, finished = json.loads(out)
    assert findings == []
    assert entries == sorted(entries)
    assert entries[-1] >= finished > 40
    collect(cache(tmp_path))
    left = verify(cache(tmp_path))
    assert (left.findings, left.entries, left.unreferenced, left.unfinished) == ((), entries[-1], 0, 0)


# The same at each single step: the process ends itself at the n-th call that changes the folder.
STEPS = """
import json, os, sys
from pathlib import Path
import filelock, PIL.Image
from costa_dsl.store.cache_upkeep import verify
from tests.store.cache_scenes import cache, picture, preimage, store
folder = Path(sys.argv[1])
where = store(folder)
ref = where.put("image", picture(0))
seen = []
for step in range(1000):
    child = os.fork()
    if child == 0:
        count = 0
        def counted(whole):
            def call(*arguments, **options):
                global count
                if count == step:
                    os.kill(os.getpid(), 9)
                count += 1
                return whole(*arguments, **options)
            return call
        for name in ("link", "replace", "rename", "mkdir", "fsync", "unlink", "open", "close"):
            setattr(os, name, counted(getattr(os, name)))
        cache(folder / str(step)).keep(preimage(), {}, {"image": ref}, where)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    found = verify(cache(folder / str(step)))
    seen.append([found.entries, found.unreferenced, found.unfinished, len(found.findings)])
    if os.WIFEXITED(status):
        break
print(json.dumps(seen))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills what it forks")
def test_a_kill_at_every_step_of_keeping(tmp_path: Path) -> None:
    runner = start(STEPS, str(tmp_path))
    out, problem = runner.communicate(timeout=300)
    assert (runner.returncode, problem) == (0, "")
    seen = json.loads(out)
    assert len(seen) > 10
    assert seen[-1] == [1, 0, 0, 0]
    assert all(findings == 0 for *_, findings in seen)
    # It passed through each stage: nothing, a blob without its entry, a half-written file, all.
    assert any(entries == 0 and unreferenced == 1 for entries, unreferenced, _, _ in seen)
    assert any(unfinished for _, _, unfinished, _ in seen)
    for step in range(len(seen)):
        collect(cache(tmp_path / str(step)))
        after = verify(cache(tmp_path / str(step)))
        assert (after.entries, after.unreferenced, after.unfinished) == (seen[step][0], 0, 0)
