"""Looking at owners without getting in their way, and clearing up after the dead.

Trying a lock would be the surest test, but for that moment it would turn away an honest
owner. So looking goes by the process that wrote the record; only the removal takes the lock.
"""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from pm_orchestrator.adapters.stores.owner_files import OwnerRecord
from pm_orchestrator.domain.record import MalformedRecordError, from_json

CLOCK_SLACK_S = 2.0
"""A process's start and a file's time come from clocks of different grain."""


def owner_records(folder: Path) -> Iterator[tuple[Path, int, bool]]:
    """Every record of an owner: its file, the process, and whether that is alive.

    What is no record, or goes away meanwhile, is left out: nobody can tell who owns it.
    """
    for path in sorted(folder.glob("*.json")):
        pid = _pid(path)
        if pid is not None:
            yield path, pid, _alive(path, pid)


def living_owner(path: Path) -> int | None:
    """The process that owns what `path` stands for; None when it is gone or there is none."""
    pid = _pid(path)
    return pid if pid is not None and _alive(path, pid) else None


def remove_left(path: Path) -> bool:
    """Remove the record of an owner that is gone; False when somebody holds it after all.

    The lock file stays: a deleted lock can be held twice.
    """
    guard = path.with_name(path.name + ".lock")
    handle = os.open(guard, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        pid = _pid(path)
        # What this process owned and let go of is left by nobody who lives.
        if pid is None or (pid != os.getpid() and _alive(path, pid)):
            return False
        path.unlink()
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def _pid(path: Path) -> int | None:
    try:
        return from_json(OwnerRecord, path.read_bytes(), str(path)).pid
    except (OSError, MalformedRecordError):
        return None


def _alive(path: Path, pid: int) -> bool:
    """Whether this very process lives, and not a later one with the same number."""
    import psutil  # takes longer than most looks, which find nobody

    try:
        began = psutil.Process(pid).create_time()
        return began <= path.stat().st_mtime + CLOCK_SLACK_S
    except (psutil.NoSuchProcess, FileNotFoundError):
        return False
