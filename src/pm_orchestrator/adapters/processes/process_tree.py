"""Everything below a process: owning it, seeing it, signalling it.

Standard library only: this text also runs inside sandboxes, under an older
Python if need be. Where there is no subreaper (not Linux) the process group is
all that can be reached.
"""

from __future__ import annotations

import os
import signal
import sys

PR_SET_CHILD_SUBREAPER = 36


def own_descendants() -> None:
    """From now on every orphan below this process becomes its child."""
    if sys.platform == "linux":
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def watch_children() -> int:
    """Return a descriptor that becomes readable whenever a child ends."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # The wake-up byte is only written for signals that have a Python handler.
    signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)
    return reader


def children_of(pid: int) -> list[int]:
    """The direct children of a process, over all its threads; none if it is gone."""
    found: list[int] = []
    try:
        with os.scandir(f"/proc/{pid}/task") as threads:
            for thread in threads:
                fd = os.open(f"{thread.path}/children", os.O_RDONLY)
                try:
                    while part := os.read(fd, 65536):
                        found += [int(child) for child in part.split()]
                finally:
                    os.close(fd)
    except (FileNotFoundError, ProcessLookupError):
        return found
    return found


def signal_tree(root: int, main: int, number: int) -> None:
    """Signal every descendant of `root`, parents first; each as soon as it is seen.

    Listing everything before the first signal would let a process that keeps
    forking and exiting be somewhere else by the time its turn comes.
    """
    if sys.platform != "linux":
        send_signal(-main, number)
        return
    told: set[int] = set()
    # Again from the root until nobody new is found: a parent that ends at once leaves its
    # children to the root before they could be seen below it.
    while pending := [pid for pid in children_of(root) if pid not in told]:
        while pending:
            pid = pending.pop()
            told.add(pid)
            send_signal(pid, number)
            pending += [child for child in children_of(pid) if child not in told]


def send_signal(pid: int, number: int) -> None:
    """Signal one process, if it is still there and still ours."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return  # it ended by itself in the meantime
    except PermissionError:
        return  # it changed its user; what survives is reported as left
