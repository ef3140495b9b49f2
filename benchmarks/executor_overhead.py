"""What it costs to run tools through an executor, beside calling the same functions in a plain script.

    python benchmarks/executor_overhead.py [--rounds 7] [--check]

The plan is a megapixel photograph through nine tools of the packaged set, each given what the one before it gave, and
for comparison a tool that does nothing at all. Three contenders:

- *script*: the functions of the tools, called one after the other; models are loaded before;
- *inline*: `InlineExecutor.run` for each;
- *process*: `ProcessExecutor.run` for each, with one warm worker: arrays go out and come back through mapped files.

One uncounted round warms all. Then rounds alternate between the contenders, so that a busy machine is busy for all of
them, and the best of the rounds counts. The target is at most 15 ms a step and 5 % of the script's time.

The second table runs two heavy calls at a time, from two threads, in two workers, and one after the other in one. The
speed-up should be at least 1.7 on two cores that are otherwise idle; the work is a loop in plain Python, so that no
thread pool of a library changes what is compared. How two pure loops in two plain processes fare on this machine at the
same moment is printed too: what is left of two cores.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image as Picture

from costa_dsl.catalog.load import load_catalog
from costa_dsl.diagnostics import Sink
from costa_dsl.model.artifact import Target
from costa_dsl.runtime.call import ModelCache, ToolCall, ToolFailure, ToolFunction
from costa_dsl.runtime.inline import InlineExecutor, installed_function
from costa_dsl.runtime.limits import usable_cores
from costa_dsl.runtime.process import ProcessExecutor
from costa_dsl.store.pictures import load_picture
from costa_dsl.store.values import Image, Mask

CATALOG = load_catalog("default", Sink())
MOST_MILLISECONDS, MOST_SHARE, LEAST_SPEED_UP = 15.0, 0.05, 1.7
LOOPS = 12_000_000
PLAIN = f"def work():\n total = 0\n for number in range({LOOPS}):\n  total += number & 3\nwork()"

# (tool, subtask, what the step says, what it works on)
STEPS: list[tuple[str, str, dict[str, Any], Target]] = [
    ("outpaint-mirror", "outpainting", {"left": "4%", "right": "4%"}, Target()),
    ("locate-color", "grounding", {}, Target("suit", (("color", "orange"),))),
    ("recolor-lab", "object-recoloration", {"to": "royalblue"}, Target("suit")),
    ("recolor-hue", "object-recoloration", {"to": "teal"}, Target("suit")),
    ("telea", "object-removal", {}, Target("spot")),
    ("nlmeans", "denoising", {}, Target()),
    ("unsharp", "sharpen", {}, Target()),
    ("pillow-text-addition", "text-addition", {"text": "EILEEN COLLINS"}, Target()),
    ("ssd-mobilenet", "object-detection", {}, Target("person")),
]


def megapixel() -> Image:
    """uint8 1024×1024×3, sRGB."""
    whole = Picture.fromarray(load_picture("sample:astronaut").pixels)
    return np.asarray(whole.resize((1024, 1024), Picture.Resampling.BICUBIC))


def spot(image: Image) -> Mask:
    """A hole to be filled, bool H×W."""
    mask = np.zeros(image.shape[:2], np.bool_)
    mask[500:530, 400:440] = True
    return mask


def go(image: Image, models: ModelCache, one: Callable[[str, ToolCall], Mapping[str, Any]]) -> Image:
    """All steps, each by `one`, which is given a tool's name and a call."""
    mask = spot(image)
    for name, subtask, words, target in STEPS:
        tool = CATALOG.tools[name]
        given = {"mask": mask if name != "telea" else spot(image)} if "mask" in tool.needs else {}
        call = ToolCall(
            subtask, image, given, target, words, parameters=tool.defaults(), objects=tool.objects, models=models
        )
        values = one(name, call)
        image, mask = values.get("image", image), values.get("mask", mask)
    return image


def overhead(rounds: int) -> bool:
    models = ModelCache()
    image = megapixel()
    functions = {name: installed_function(CATALOG.tools[name].implementation) for name, *_ in STEPS}
    with InlineExecutor() as inline, ProcessExecutor(jobs=1) as process:

        def by(executor: InlineExecutor | ProcessExecutor) -> Callable[[str, ToolCall], Mapping[str, Any]]:
            def one(name: str, call: ToolCall) -> Mapping[str, Any]:
                tool = CATALOG.tools[name]
                execution = executor.run(tool, call, tool.gives)
                assert execution.failure is None, execution.failure
                return execution.values

            return one

        contenders = {
            "script": lambda name, call: functions[name](call),
            "inline": by(inline),
            "process": by(process),
        }
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        results = {name: go(image, models, one) for name, one in contenders.items()}
        assert all(np.array_equal(results["script"], result) for result in results.values())
        for _ in range(rounds):
            for name, one in contenders.items():
                started = time.perf_counter()
                go(image, models, one)
                seconds[name].append(time.perf_counter() - started)
    print(f"{len(STEPS)} steps on {image.shape[1]} × {image.shape[0]} pixels, {rounds} rounds, {usable_cores()} cores")
    print(f"{'':10} {'best':>9} {'median':>9} {'a step':>11} {'of the script':>14}")
    good = True
    for name, found in seconds.items():
        more = min(found) - min(seconds["script"])
        share = more / min(seconds["script"])
        milliseconds = 1000 * more / len(STEPS)
        good = good and milliseconds <= MOST_MILLISECONDS and share <= MOST_SHARE
        times = f"{min(found):7.3f} s {statistics.median(found):7.3f} s"
        print(f"{name:10} {times} {milliseconds:+8.2f} ms {100 * share:+12.1f} %")
    return good


def count(call: ToolCall) -> Mapping[str, Any]:
    """Heavy work that no library does in threads of its own."""
    total = 0
    for number in range(int(call.parameters["loops"])):
        total += number & 3
    return {"image": call.image}


def find(name: str) -> ToolFunction:
    """What the workers find the work by."""
    if name not in ("count", "nothing"):
        raise ToolFailure("unavailable", f"no {name}")
    return count if name == "count" else nothing


def nothing(call: ToolCall) -> Mapping[str, Any]:
    """All that is left is what the executor costs."""
    return {"image": call.image}


def of_nothing(rounds: int) -> None:
    tool = replace(CATALOG.tools["nlmeans"], name="nothing", implementation="nothing")
    call = ToolCall("denoising", megapixel())
    with ProcessExecutor(jobs=1, find=importlib.import_module("executor_overhead").find) as executor:
        seconds = [timed(lambda: executor.run(tool, call, ("image",))) for _ in range(10 * rounds + 1)]
    best, median = min(seconds[1:]), statistics.median(seconds[1:])
    print(f"a tool that does nothing, in a warm worker: best {1000 * best:.2f} ms, median {1000 * median:.2f} ms")


def side_by_side(rounds: int) -> bool:
    tool = replace(CATALOG.tools["nlmeans"], name="count", implementation="count")
    call = ToolCall("denoising", megapixel(), parameters={"loops": LOOPS})
    with ProcessExecutor(jobs=2, find=importlib.import_module("executor_overhead").find) as executor:

        def run(_: int = 0) -> None:
            assert executor.run(tool, call, ("image",)).failure is None

        def both(work: Callable[[], None]) -> float:
            threads = [threading.Thread(target=work) for _ in range(2)]
            return timed(lambda: [thread.start() for thread in threads] and [thread.join() for thread in threads])

        def plain() -> None:
            subprocess.run([sys.executable, "-I", "-S", "-c", PLAIN], check=True)

        both(run)  # both workers are warm
        found = []
        for _ in range(rounds):
            one_by_one = timed(lambda: [run(), run()])
            together = both(run)
            alone, pair = timed(lambda: [plain(), plain()]), both(plain)
            found.append((one_by_one / together, alone / pair, one_by_one, together))
    best = max(found)
    print(f"\ntwo heavy calls: one by one {best[2]:.2f} s, side by side {best[3]:.2f} s")
    print(f"speed-up: best {best[0]:.2f}, median {statistics.median(row[0] for row in found):.2f}")
    print(f"of two plain processes: best {max(row[1] for row in found):.2f}, "
          f"median {statistics.median(row[1] for row in found):.2f}")  # fmt: skip
    return best[0] >= LEAST_SPEED_UP


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--check", action="store_true", help="exit code 1 when a target is missed")
    wanted = parser.parse_args()
    of_nothing(wanted.rounds)
    good = [overhead(wanted.rounds), side_by_side(max(1, wanted.rounds // 2))]
    return 1 if wanted.check and not all(good) else 0


if __name__ == "__main__":
    sys.exit(main())
