"""An attempt that was made again, in words and as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from costa_dsl.runtime.repro import Repeated
from costa_dsl.store.calls import Call
from costa_dsl.store.run_calls import told

VERSION = 1


def describe_repeated(repeated: Repeated, call: Call, files: dict[str, str]) -> str:
    """What came of it, and in what that differs from what is recorded; `files` are its outputs, if they are kept."""
    attempt, tool = repeated.attempt, repeated.trial.tool
    lines = [f"{told(call)}, attempt {attempt.number}\n"]
    if attempt.parameters:
        lines.append(f"parameters: {', '.join(f'{name}: {value}' for name, value in attempt.parameters.items())}\n")
    before = f" (recorded: {repeated.recorded.seconds:.2f} s)" if repeated.recorded else ""
    lines.append(f"{_verdict(repeated)}, {attempt.seconds:.2f} s{before}, quality {attempt.quality:.2f}\n")
    lines.extend(f"  {check.check} {check.score:.2f}: {check.sentence}\n" for check in attempt.checks)
    if attempt.failure is not None:
        lines.append(f"{attempt.failure.kind}: {attempt.failure.message}\n")
        if attempt.failure.help:
            lines.append(f"help: {attempt.failure.help}\n")
        lines.append(attempt.failure.log)
    lines.extend(f"{name}: {path}\n" for name, path in files.items())
    if repeated.recorded is None:
        lines.append("the run was stopped in this attempt: nothing is recorded to compare with\n")
    elif not repeated.differs:
        same = "it fails as it did in the run" if attempt.failure else "the same as in the run, bit for bit"
        lines.append(f"{same}\n")
    else:
        lines.append("not as in the run:\n")
        lines.extend(f"  {line}\n" for line in repeated.differs)
        if tool.determinism == "none":
            lines.append(f"  (the manifest of {tool.name} does not promise the same result twice: determinism)\n")
    return "".join(lines)


def repeated_value(repeated: Repeated, call: Call, files: dict[str, str]) -> dict[str, Any]:
    """The same as plain values."""
    attempt = repeated.attempt
    return {
        "version": VERSION,
        "number": call.number,
        "step": call.step,
        "tool": call.tool,
        "attempt": attempt.to_line(),
        "log": attempt.failure.log if attempt.failure else None,
        "recorded": repeated.recorded.to_line() if repeated.recorded else None,
        "same": None if repeated.recorded is None else not repeated.differs,
        "differs": list(repeated.differs),
        "files": files,
    }


def keep(repeated: Repeated, folder: Path) -> dict[str, str]:
    """Give what came of it readable names in a folder; their paths, by type."""
    files = {}
    for name, ref in repeated.attempt.outputs.items():
        stored = repeated.trial.store.root / ref.path
        place = folder / (name + stored.suffix)
        place.write_bytes(stored.read_bytes())
        files[name] = str(place)
    failure = repeated.attempt.failure
    if failure is not None and failure.log:
        place = folder / "attempt.log"
        place.write_text(failure.log, encoding="utf-8")
        files["log"] = str(place)
    return files


def _verdict(repeated: Repeated) -> str:
    if repeated.attempt.failure is not None:
        return "failed"
    return "ok" if repeated.accepted else "not good enough"
