"""The disk as it is: how often we waited for it, and what as many bare waits cost."""

import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, cast

from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.domain.errors import PmError

_raw_number = count()
_Sync = Callable[[int], None]


def raw_writes(folder: Path, files: int, size: int) -> None:
    """Write `files` new files one after the other, each on the disk before the next."""
    for _ in range(files):
        path = folder / f"raw-{next(_raw_number)}"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(handle, b"x" * size)
        os.fsync(handle)
        os.close(handle)


class SyncCount:
    """How many fsyncs this process made."""

    def __init__(self) -> None:
        self.made = 0


@contextmanager
def counted_syncs() -> Generator[SyncCount]:
    """Count them, whoever of us makes them; they are made all the same."""
    counted = SyncCount()

    def counting(real: _Sync) -> _Sync:
        def sync(handle: int) -> None:
            counted.made += 1
            real(handle)

        return sync

    with _replaced(counting):
        yield counted


@contextmanager
def without_waiting() -> Generator[None]:
    """Let writes return before the disk has them: for a history that only has to be there."""
    with _replaced(lambda _: lambda _handle: None):
        yield


@contextmanager
def _replaced(change: Callable[[_Sync], _Sync]) -> Generator[None]:
    module = cast("Any", os)
    real = {name: getattr(os, name) for name in ("fsync", "fdatasync")}
    for name, sync in real.items():
        setattr(module, name, change(sync))
    try:
        yield
    finally:
        for name, sync in real.items():
            setattr(module, name, sync)


def run_git(environment: Environment, project: Path, *arguments: str) -> None:
    """Git as a person calls it, with nothing of ours around it.

    Raises:
        PmError: E901 when there is none, E801 when it fails.
    """
    git = shutil.which("git", path=environment.search_path)
    if git is None:
        raise PmError("program_not_started", program="git", reason="it is not in PATH")
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    argv = [git, "-C", str(project), *arguments]
    pid = os.posix_spawn(git, argv, environment.variables, file_actions=quiet)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        reason = f"exit code {os.waitstatus_to_exitcode(status)}"
        raise PmError("git_failed", operation=" ".join(arguments), reason=reason)
