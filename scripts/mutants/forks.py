"""One attempt in a fork: with a time-out, and nothing left behind of what the tests started."""

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import psutil

BECOME_SUBREAPER = 36
"""What is left of a test's processes is handed to this one, which then ends them."""
MEMORY = 6 << 30
TIMED_OUT = -1
BROKEN = 99
SHOW = "MUTANTS_SHOW"
"""Set it to see what the tests print."""


class Answer(TypedDict):
    code: int
    """As pytest has it, or `TIMED_OUT`."""
    failed: list[str]
    seconds: dict[str, float]


class Said(TypedDict):
    """What a fork leaves beside its exit code."""

    failed: list[str]
    seconds: dict[str, float]


def adopt_orphans() -> None:
    ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)


def note(folder: Path, said: Said) -> None:
    (folder / "said").write_text(json.dumps(said), encoding="utf-8")


def in_fork(work: Callable[[Path], int], patience_s: float) -> Answer:
    """Let a fork work, with a temporary directory of its own, and clear away what is left."""
    folder = Path(tempfile.mkdtemp(prefix="trial."))
    pid = os.fork()
    if pid == 0:
        _work(work, folder)
    code = _wait(pid, patience_s)
    _end_all()
    said = Said(failed=[], seconds={})
    if (folder / "said").exists():
        said = json.loads((folder / "said").read_text("utf-8"))
    if os.environ.get(SHOW):
        sys.stderr.write((folder / "out").read_text("utf-8", "replace")[-3000:])
    _remove(folder)
    return Answer(code=code, failed=said["failed"], seconds=said["seconds"])


def _work(work: Callable[[Path], int], folder: Path) -> None:
    code = BROKEN
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        with (folder / "out").open("wb") as out, Path(os.devnull).open("rb") as nothing:
            for number, stream in enumerate((nothing, out, out)):
                os.dup2(stream.fileno(), number)
        os.environ.update(TMPDIR=str(folder), PYTEST_DEBUG_TEMPROOT=str(folder))
        tempfile.tempdir = None
        code = work(folder)
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(pid: int, patience_s: float) -> int:
    end = os.pidfd_open(pid)
    waiting = select.poll()
    waiting.register(end)
    in_time = bool(waiting.poll(patience_s * 1000))
    os.close(end)
    if not in_time:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) if in_time else TIMED_OUT


def _end_all() -> None:
    """End whatever is left below this process; each one that ends may hand over others."""
    end = time.monotonic() + 10
    me = psutil.Process()
    while (left := me.children(recursive=True)) and time.monotonic() < end:
        for process in left:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(left, timeout=1)


def _remove(folder: Path) -> None:
    for place, _, _ in os.walk(folder):
        Path(place).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
