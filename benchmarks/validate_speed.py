"""How fast `costa validate` is beside other checkers of YAML, measured in one run on the same files.

    python benchmarks/validate_speed.py [--rounds 7] [--format json] [--check]

Every program is a fresh process of this Python, as in CI and in an editor's hook, and the programs take turns within a
round, so that a busy machine is unfair to all alike. check-jsonschema gets the same JSON Schema; yamllint only looks
at the YAML; `python -c pass` is what no Python program can be faster than. costa alone also reads its whole catalog,
gives spans, and checks what the files mean.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What the project promises: best wall time, at most this share of check-jsonschema's on the same files.
TARGETS = {"one plan": 0.7, "a plan of 1,000 steps": 0.4}
MANIFESTS, STEPS = 30, 1000
RIVAL, BARE = "check-jsonschema", "python -c pass"


@dataclass(frozen=True)
class Case:
    """Files of one kind, and the schema that they must fit."""

    name: str
    schema: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Timing:
    """Seconds of one program on one case: wall clock of each round, and processor time of each."""

    wall: tuple[float, ...]
    processor: tuple[float, ...]


def main() -> int:
    """Measure, print a table or JSON; the exit code is 1 when `--check` is given and a promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each program runs on each case (at least 5)")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--check", action="store_true", help="exit with 1 when costa is slower than it promises")
    chosen = parser.parse_args()
    if chosen.rounds < 5:
        parser.error("--rounds is at least 5")
    with tempfile.TemporaryDirectory() as folder:
        cases = make_cases(Path(folder))
        surroundings = environment(Path(folder) / "byte-code")
        results = {case.name: measure(case, chosen.rounds, surroundings) for case in cases}
    if chosen.format == "json":
        print(json.dumps(as_json(results), indent=2))
    else:
        print(as_text(results))
    return 1 if chosen.check and broken_promises(results) else 0


# ---- what is measured


def make_cases(folder: Path) -> list[Case]:
    """The three cases; the long plan is written into the folder."""
    plan = ROOT / "plans" / "astronaut.yaml"
    manifests = [
        str(path)
        for path in sorted((ROOT / "tools").glob("*.yaml"))
        if "\nkind: Tool\n" in path.read_text(encoding="utf-8")
    ]
    if len(manifests) < MANIFESTS:
        raise SystemExit(f"the folder tools has {len(manifests)} manifests; {MANIFESTS} are wanted")
    long_plan = folder / "long.yaml"
    long_plan.write_text(plan_of(STEPS), encoding="utf-8")
    return [
        Case("one plan", "plan", (str(plan),)),
        Case(f"{MANIFESTS} manifests", "tool", tuple(manifests[:MANIFESTS])),
        Case(f"a plan of {STEPS:,} steps", "plan", (str(long_plan),)),
    ]


def plan_of(steps: int) -> str:
    """A valid plan in which no two steps say the same."""
    kinds = [
        "{{do: object-segmentation, object: cup {0}, at: {{box: [10%, 20%, 30%, 40%]}}}}",
        "{{do: object-recoloration, object: leaf {0}, at: {{box: [10%, 20%, 30%, 40%]}}, to: red, id: leaf-{0}}}",
        "{{do: text-replacement, text: NUMBER {0}, with: DONE {0}, note: The {0}th label.}}",
        "{{do: object-removal, object: plant {0}, at: {{box: [40%, 20%, 60%, 40%]}}, tools: {{avoid: [telea]}}}}",
    ]
    lines = [f"  - {kinds[number % len(kinds)].format(number)}" for number in range(steps)]
    return "\n".join(["apiVersion: costa/v1", "kind: Plan", "task: A thousand changes.", "tree:", *lines, ""])


def programs(case: Case) -> dict[str, Sequence[str]]:
    """The command line of every program that is installed, by the name that people call it by."""
    python = sys.executable
    schema = str(ROOT / "schemas" / f"{case.schema}.schema.json")
    commands: dict[str, Sequence[str]] = {
        "costa validate": [python, "-m", "costa_dsl", "validate", *case.files],
        RIVAL: [python, "-m", "check_jsonschema", "--schemafile", schema, *case.files],
        "yamllint": [python, "-m", "yamllint", "-d", "relaxed", *case.files],
        BARE: [python, "-c", "pass"],
    }
    return {name: command for name, command in commands.items() if name not in missing()}


def missing() -> dict[str, str]:
    """The programs that are not installed for this Python: name → module."""
    modules = {RIVAL: "check_jsonschema", "yamllint": "yamllint"}
    return {name: module for name, module in modules.items() if importlib.util.find_spec(module) is None}


def measure(case: Case, rounds: int, surroundings: Mapping[str, str]) -> dict[str, Timing]:
    """Run all programs in turns; one round before is not counted: it writes byte code and fills the disk's cache."""
    commands = programs(case)
    wall: dict[str, list[float]] = {name: [] for name in commands}
    processor: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            seconds, busy = run_once(name, command, surroundings)
            if number:
                wall[name].append(seconds)
                processor[name].append(busy)
    return {name: Timing(tuple(wall[name]), tuple(processor[name])) for name in commands}


def run_once(name: str, command: Sequence[str], surroundings: Mapping[str, str]) -> tuple[float, float]:
    """Wall and processor seconds of one process. A program that finds fault with these valid files ends everything."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=surroundings)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{name} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment(cache: Path) -> dict[str, str]:
    """This checkout's costa, whichever is installed, and byte code kept for everybody, as after an installation."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": str(cache), "NO_COLOR": "1"}


# ---- how it is told


def share(timings: Mapping[str, Timing], name: str) -> float | None:
    """Best wall time as a share of check-jsonschema's; None when that is not installed."""
    rival = timings.get(RIVAL)
    return min(timings[name].wall) / min(rival.wall) if rival else None


def broken_promises(results: Mapping[str, Mapping[str, Timing]]) -> list[str]:
    """The cases in which costa takes more than its promised share; a share that could not be measured counts too."""
    found = []
    for name, most in TARGETS.items():
        measured = share(results[name], "costa validate")
        if measured is None or measured > most:
            found.append(name)
    return found


def as_text(results: Mapping[str, Mapping[str, Timing]]) -> str:
    """The table, a line for each program on each case."""
    lines = [f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores; milliseconds"]
    for name, module in missing().items():
        lines.append(f"{name} is left out: the module {module} is not installed for this Python")
    header = f"{'':24}{'best':>9}{'median':>9}{'CPU':>9}{'ratio':>8}"
    for case, timings in results.items():
        lines += ["", f"{case}{'':{max(0, 24 - len(case))}}{header[24:]}"]
        for name, timing in timings.items():
            ratio = share(timings, name)
            lines.append(
                f"  {name:22}{min(timing.wall) * 1e3:9.0f}{statistics.median(timing.wall) * 1e3:9.0f}"
                f"{min(timing.processor) * 1e3:9.0f}{'' if ratio is None else f'{ratio:8.2f}'}"
            )
    lines += ["", f"ratio: best wall time as a share of {RIVAL}'s; CPU: least processor time"]
    broken = broken_promises(results)
    for name, most in TARGETS.items():
        measured = share(results[name], "costa validate")
        told = "not measured" if measured is None else f"{measured:.2f}"
        lines.append(f"promise, {name}: at most {most:g} — {told}{', not kept' if name in broken else ', kept'}")
    return "\n".join(lines)


def as_json(results: Mapping[str, Mapping[str, Timing]]) -> dict[str, object]:
    """The same as data, in seconds."""
    return {
        "version": 1,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "left_out": sorted(missing()),
        "cases": {
            case: {
                name: {
                    "best": min(timing.wall),
                    "median": statistics.median(timing.wall),
                    "processor": min(timing.processor),
                    "ratio": share(timings, name),
                }
                for name, timing in timings.items()
            }
            for case, timings in results.items()
        },
        "promises": TARGETS,
        "not_kept": broken_promises(results),
    }


if __name__ == "__main__":
    sys.exit(main())
