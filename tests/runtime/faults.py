"""Tools with every fault that a tool can have, for executors; workers find them through `find`."""

# ruff: noqa: T201  (what is printed is the matter here)

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from costa_dsl.model.artifact import Box, Placement, TextLine
from costa_dsl.runtime.call import ToolCall, ToolFailure

Given = Mapping[str, Any]


def invert(call: ToolCall) -> Given:
    return {"image": 255 - call.image}


def echo(call: ToolCall) -> Given:
    return {"image": call.image}


def everything(call: ToolCall) -> Given:
    """Values of all kinds, in forms that have to be brought into one."""
    rows = np.asfortranarray(call.image.mean(axis=2).astype(np.float32))
    corners = ((0.1, 0.2), (np.float32(3.3), 0.2), (3.3, 2.0), (0.1, 2.0))
    return {
        "image": call.image[::-1, ::-1],
        "mask": call.image[..., 0].T.T > 100,
        "depth-map": rows[::-1],
        "boxes": (Box(np.float32(0.1), np.int64(1), 1 / 3, 1e-300, "Tür ☂", np.float64(0.7)),),
        "text": (TextLine(corners, "a\ud800", 0.5, (0.0, 0.1)),),
        "note": {"a": [1, 2.5, None, "x"], "b": {"c": True}},
        "placement": Placement(1, 2, 0.5, 1 / 3),
    }


def who(call: ToolCall) -> Given:
    """Which process this is, how often the model was loaded, and which words were given."""
    model = call.models.get("model", lambda: [os.getpid(), 0])
    model[1] += 1
    seen = {"arguments": repr(dict(call.arguments)), "parameters": repr(dict(call.parameters)), "at": repr(call.target)}
    return {"note": {"process": os.getpid(), "calls": model[1], "umask": os.getpgrp(), "seed": call.seed, **seen}}


def seen_input(call: ToolCall) -> Given:
    return {"note": {"masks": repr(call.mask.dtype), "boxes": call.boxes, "writeable": call.image.flags.writeable}}


def crash(call: ToolCall) -> Given:
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(10)
    return {}


def read_nothing(call: ToolCall) -> Given:
    ctypes.string_at(0)
    return {}


def abort(call: ToolCall) -> Given:
    print("last words", flush=True)
    os.abort()


def leave(call: ToolCall) -> Given:
    os._exit(0)


def system_exit(call: ToolCall) -> Given:
    sys.exit(3)


def interrupt_itself(call: ToolCall) -> Given:
    raise KeyboardInterrupt


def raises(call: ToolCall) -> Given:
    raise ZeroDivisionError("a defect")


def declines(call: ToolCall) -> Given:
    raise ToolFailure("not-found", "nothing here", "look there")


def hang(call: ToolCall) -> Given:
    time.sleep(3600)
    return {}


def hang_in_native_code(call: ToolCall) -> Given:
    """Holds the interpreter's lock, so that no other thread of the worker can do anything."""
    ctypes.PyDLL(None).sleep(3600)
    return {}


def slow_to_load(call: ToolCall) -> Given:
    call.models.get("slow", lambda: time.sleep(1.5))
    return invert(call)


def hog(call: ToolCall) -> Given:
    """Takes memory in small bites, as a leak does."""
    kept = []
    for _ in range(10_000):
        kept.append(np.ones(2**20, np.uint8))
        time.sleep(0.0002)
    return {"image": call.image, "kept": kept}


def hog_at_once(call: ToolCall) -> Given:
    return {"image": np.ones((200_000, 100_000, 3), np.uint8)}


def hog_mapped(call: ToolCall) -> Given:
    """Memory that is shared, which the limit of the system does not count."""
    import mmap

    room = mmap.mmap(-1, 4 * 2**30)
    for position in range(0, 4 * 2**30, 4096):
        room[position] = 1
        if position % 2**24 == 0:
            time.sleep(0.001)
    return {}


def hog_in_children(call: ToolCall) -> Given:
    """Each of them keeps to the limit, together they do not."""
    program = "import time; x = [bytearray(2**20) for _ in range(400)]; time.sleep(3600)"
    children = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    children[0].wait()
    return {}


def virtual(call: ToolCall) -> Given:
    """A picture far larger than the memory, of which nothing is there yet."""
    return {"image": np.broadcast_to(call.image[:1, :1], (300_000, 300_000, 3))}


def print_megabytes(call: ToolCall) -> Given:
    print("first line")
    for number in range(40_000):
        print(f"{number:>100}")
    os.write(1, b"straight to the descriptor\n")
    ctypes.CDLL(None).puts(b"from C")
    print("last line", file=sys.stderr)
    return invert(call)


def fork(call: ToolCall) -> Given:
    """The copy comes back like the original, with another result."""
    return {"image": call.image if os.fork() else 255 - call.image}


def fork_and_crash(call: ToolCall) -> Given:
    """The copy stays and holds all that is open; the original dies."""
    if os.fork():
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(3600)
    return {}


def leave_a_process(call: ToolCall) -> Given:
    """One that left the group of processes, and whose parent is gone."""
    program = (
        "import subprocess, sys; "
        "print(subprocess.Popen(['sleep', '3601'], start_new_session=True, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return {"note": {"process": int(done.stdout)}}


def start_sleepers(call: ToolCall) -> Given:
    """Tells who they are in the file named by `to`, and waits."""
    child = subprocess.Popen(["sleep", "3602"])
    Path(call.arguments["to"]).write_text(f"{os.getpid()} {child.pid}")
    ctypes.PyDLL(None).sleep(3600)
    return {}


def close_everything(call: ToolCall) -> Given:
    for handle in range(256):
        with contextlib.suppress(OSError):
            os.close(handle)
    return invert(call)


def close_stdout(call: ToolCall) -> Given:
    for handle in (0, 1, 2):
        os.close(handle)
    sys.stdout = None  # type: ignore[assignment]
    return invert(call)


def write_garbage(call: ToolCall) -> Given:
    for handle in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(handle, b"\x80\x04garbage\n")
    return invert(call)


def write_input(call: ToolCall) -> Given:
    call.image[:] = 0
    return {"image": call.image}


def write_input_natively(call: ToolCall) -> Given:
    ctypes.memset(call.image.ctypes.data, 7, call.image.nbytes)
    return {"image": call.image}


def threads(call: ToolCall) -> Given:
    for _ in range(4):
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()
    return invert(call)


def temporary(call: ToolCall) -> Given:
    import tempfile

    handle, name = tempfile.mkstemp()
    os.close(handle)
    return {"note": {"file": name}}


def read_stdin(call: ToolCall) -> Given:
    return {"note": {"said": sys.stdin.read()}}


def deep(call: ToolCall) -> Given:
    value: Any = ()
    for _ in range(5000):
        value = (value,)
    return {"note": {"deep": value}}


def gives(**values: Any) -> Callable[[ToolCall], Given]:
    return lambda call: values


NAN = float("nan")
BOX = Box(0.0, 0.0, 1.0, 1.0, "x", 1.0)
SIDES = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))

WRONG: dict[str, Callable[[ToolCall], Any]] = {
    "nothing": lambda call: None,
    "not-the-image": gives(),
    "float-image": lambda call: {"image": call.image / 255},
    "nan-image": lambda call: {"image": np.full(call.image.shape, np.nan, np.float32)},
    "big-endian-image": lambda call: {"image": call.image.astype(">u2")},
    "object-image": lambda call: {"image": call.image.astype(object)},
    "list-image": lambda call: {"image": call.image.tolist()},
    "flat-image": lambda call: {"image": call.image[..., 0]},
    "two-channels": lambda call: {"image": call.image[..., :2]},
    "empty-image": lambda call: {"image": call.image[:0]},
    "nan-placement": lambda call: {"image": call.image, "placement": Placement(NAN)},
    "flat-placement": lambda call: {"image": call.image, "placement": Placement(0, 0, 0, 1)},
    "placement-of-words": lambda call: {"image": call.image, "placement": "left"},
}
WRONG_OTHERS: dict[str, tuple[str, Any]] = {
    "mask-of-numbers": ("mask", np.zeros((40, 60), np.uint8)),
    "mask-of-another-size": ("mask", np.zeros((60, 40), np.bool_)),
    "nan-depth": ("depth-map", np.full((40, 60), np.nan, np.float32)),
    "infinite-depth": ("depth-map", np.full((40, 60), np.inf, np.float32)),
    "big-endian-depth": ("depth-map", np.zeros((40, 60), ">f4")),
    "list-of-boxes": ("boxes", [BOX]),
    "no-boxes": ("boxes", (1, 2)),
    "nan-box": ("boxes", (Box(NAN, 0.0, 1.0, 1.0, "x", 1.0),)),
    "box-of-words": ("boxes", (Box("0", 0.0, 1.0, 1.0, "x", 1.0),)),  # type: ignore[arg-type]
    "infinite-score": ("boxes", (Box(0.0, 0.0, 1.0, 1.0, "x", float("inf")),)),
    "label-of-numbers": ("boxes", (Box(0.0, 0.0, 1.0, 1.0, 7, 1.0),)),  # type: ignore[arg-type]
    "nan-corner": ("text", (TextLine(((NAN, 0.0), *SIDES[1:]), "x", 1.0),)),  # type: ignore[arg-type]
    "three-corners": ("text", (TextLine(SIDES[1:], "x", 1.0),)),  # type: ignore[arg-type]
    "nan-edge": ("text", (TextLine(SIDES, "x", 1.0, (NAN,)),)),
    "an-object": ("note", object()),
    "a-set": ("note", {1, 2}),
    "an-array-in-a-note": ("note", np.zeros(3)),
    "keys-of-numbers": ("note", {1: 2}),
}


def find(name: str) -> Any:
    """What workers and the tests find tools by."""
    if name in WRONG:
        return WRONG[name]
    if name in WRONG_OTHERS:
        artifact, value = WRONG_OTHERS[name]
        return gives(**{artifact: value})
    return globals()[name]


def find_nothing(name: str) -> Any:
    raise ToolFailure("unavailable", f"no {name}")
