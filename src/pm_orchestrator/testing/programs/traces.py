"""Finding what a command left behind: processes by a mark in their command line."""

import itertools
import os
import time
from collections.abc import Callable

import psutil

_serial = itertools.count(1)


def unique_sleep() -> str:
    """A duration for `sleep` that no other process on this machine sleeps for."""
    return f"{1000 + os.getpid()}.{next(_serial):06d}"


def living(mark: str) -> list[int]:
    """The processes (no zombies) that carry the mark as an argument of their own."""
    found: list[int] = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and mark in process.cmdline():
                found.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def wait_until_gone(mark: str, seconds: float = 5.0) -> list[int]:
    """Poll until nobody carries the mark; return who still does when the time is up."""
    return _poll(mark, seconds, lambda found: found == 0)


def wait_until_living(mark: str, seconds: float = 5.0, *, many: int = 1) -> list[int]:
    """Poll until somebody carries the mark, or so many do."""
    return _poll(mark, seconds, lambda found: found >= many)


def _poll(mark: str, seconds: float, enough: Callable[[int], bool]) -> list[int]:
    until = time.monotonic() + seconds
    while not enough(len(found := living(mark))) and time.monotonic() < until:
        time.sleep(0.02)
    return found
