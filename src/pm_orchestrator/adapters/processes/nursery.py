"""The owner's side of the zygote: started when first needed, replaced when it dies."""

import os
import socket
import sys
import weakref

from pm_orchestrator.adapters.processes import process_tree, program_start, supervisor, zygote
from pm_orchestrator.adapters.processes.shipping import program_text

ZYGOTE_MODULES = (process_tree, program_start, supervisor, zygote)
"""What a bare interpreter needs to be a zygote, in the order of their imports."""


class Nursery:
    """Hands descriptors to a zygote process, which forks a supervisor for each set.

    The zygote ends when this object does: it sees its socket close, and so do the
    supervisors, whose commands are then killed.
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._end: weakref.finalize[..., Nursery] | None = None

    def spawn(self, control: int, stdio: tuple[int, int, int]) -> None:
        """Ask for a supervisor; the caller keeps its own copies of the descriptors."""
        if self._socket is not None:
            try:
                zygote.request_supervisor(self._socket, control, stdio)
            except (BrokenPipeError, ConnectionResetError):
                self.close()
            else:
                return
        zygote.request_supervisor(self._start(), control, stdio)

    def close(self) -> None:
        """End the zygote and, with it, whatever still runs. Safe to call twice."""
        if self._end is not None:
            self._end()
        self._socket = None
        self._end = None

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        argv = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c"]
        argv.append(program_text(ZYGOTE_MODULES))
        try:
            pid = os.posix_spawn(
                sys.executable,
                argv,
                {},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                ],
                # A Ctrl-C in the terminal is for us alone; we decide who dies of it.
                setsid=True,
            )
        finally:
            theirs.close()
        self._socket = ours
        self._end = weakref.finalize(self, _end_zygote, ours, pid)
        return ours


def _end_zygote(ours: socket.socket, pid: int) -> None:
    ours.close()
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        return  # somebody waited for all children of this process
