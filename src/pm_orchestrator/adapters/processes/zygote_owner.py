"""The owner's side of the zygote: started when first needed, replaced when it dies."""

import importlib
import os
import signal
import socket
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from pm_orchestrator.adapters.processes import (
    plain_json,
    process_tree,
    program_start,
    supervisor,
    trusted,
    zygote,
)
from pm_orchestrator.adapters.processes.last_reaper import LAST_REAPER
from pm_orchestrator.adapters.processes.process_tree import send_signal
from pm_orchestrator.domain.errors import PmError

ZYGOTE_MODULES = (plain_json, process_tree, program_start, supervisor, trusted, zygote)
"""What a bare interpreter needs to be a zygote, in the order of their imports."""
PACKAGE_HOME = str(Path(zygote.__file__).parents[3])
# On this machine the package is there, compiled: its text need not be sent, as into a sandbox.
ZYGOTE_PROGRAM = (
    f"import sys; sys.path.append(sys.argv[1]); from {zygote.__name__} import main; main()"
)
ATTEMPTS = 3
SLACK_S = 2.0
_prepared: list[tuple[socket.socket, int]] = []


def prepare() -> None:
    """Make a zygote for the first who will need one.

    While this process is small and has a single thread a fork of it will do, for a tenth
    of what a new interpreter costs. It ends with us, needed or not.
    """
    if sys.platform == "linux" and threading.active_count() == 1 and not _prepared:
        # Both sides need it to own their descendants: loaded here, it is loaded once.
        importlib.import_module("ctypes")
        _prepared.append(_begin(_forked))


class ZygoteOwner:
    """Hands descriptors to a zygote process, which forks a supervisor for each set.

    The zygote ends when this object does: it sees its socket close, and so do the
    supervisors, whose commands are then killed.
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._pid: int | None = None
        self._end: weakref.finalize[..., ZygoteOwner] | None = None

    def spawn(
        self, control: int, stdio: tuple[int, int, int], kind: bytes = zygote.SUPERVISED
    ) -> None:
        """Ask for a new command; the caller keeps its own copies of the descriptors.

        Raises:
            PmError: E903 where one zygote after the other is killed.
        """
        if kind == zygote.SUPERVISED:
            LAST_REAPER.stand_behind()
        self.wake()
        # The one in use may have been killed, and so may one that was prepared.
        for _ in range(ATTEMPTS):
            try:
                zygote.request(self._socket or self._start(), control, stdio, kind)
            except (BrokenPipeError, ConnectionResetError):
                self.close()
            else:
                return
        raise PmError("process_lost", program="zygote", reason="it is killed again and again")

    def wake(self) -> None:
        """Have it go on, where somebody has stopped it."""
        if self._pid is not None:
            send_signal(self._pid, signal.SIGCONT)

    def close(self) -> None:
        """End the zygote and, with it, whatever still runs. Safe to call twice."""
        if self._end is not None:
            self._end()
        self._socket = self._pid = None
        self._end = None

    def _start(self) -> socket.socket:
        ours, pid = _prepared.pop() if _prepared else _begin(_spawned)
        self._socket, self._pid = ours, pid
        self._end = weakref.finalize(self, _end_zygote, ours, pid)
        return ours


def _begin(start: Callable[[int], int]) -> tuple[socket.socket, int]:
    """Start a zygote; our end of its socket, and its process id."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        pid = start(theirs.fileno())
        LAST_REAPER.helpers.add(pid)
        return ours, pid
    finally:
        theirs.close()


def _spawned(requests: int) -> int:
    argv = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", ZYGOTE_PROGRAM, PACKAGE_HOME]
    return os.posix_spawn(
        sys.executable,
        argv,
        {},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, requests, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        ],
        # A Ctrl-C in the terminal is for us alone; we decide who dies of it.
        setsid=True,
    )


def _forked(requests: int) -> int:
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        os.setsid()
        os.dup2(requests, 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        # What we do on a signal is not for it; what we were told to ignore, it ignores.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        zygote.main()
    except BaseException as error:  # noqa: BLE001 - nothing of ours may go on in a second process
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(0)


def _end_zygote(ours: socket.socket, pid: int) -> None:
    ours.close()
    send_signal(pid, signal.SIGCONT)
    until = time.monotonic() + zygote.ORPHANED_S + SLACK_S
    pause = 0.0005
    try:
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() >= until:
                # Somebody stops it again and again.
                send_signal(pid, signal.SIGKILL)
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
    except ChildProcessError:
        pass  # somebody waited for all children of this process
    LAST_REAPER.helpers.discard(pid)
