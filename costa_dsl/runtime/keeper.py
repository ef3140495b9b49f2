"""A small process that outlives costa when it is killed: it ends the workers and deletes the files left behind.

Started as `python -I -S keeper.py FOLDER…` with nothing but the standard library. It reads lines from standard input:
`+PID` when a worker began, `-PID` when it is gone. The end of the input means that costa is gone, however it ended.
"""

import contextlib
import os
import shutil
import signal
import sys
import time


def main(folders: list[str]) -> None:
    """Wait for the end of the input, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    workers: set[int] = set()
    for line in sys.stdin:
        change = workers.add if line[0] == "+" else workers.discard
        change(int(line[1:]))
    for _ in range(2):
        for worker in workers:
            # Each worker leads a process group, in which what it started is too.
            with contextlib.suppress(OSError):
                os.killpg(worker, signal.SIGKILL)
        if workers:
            time.sleep(0.05)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
