"""The zygote: a small single-threaded process that forks supervisors.

Forking the owner itself is not safe (it has threads), and starting an
interpreter for every command costs tens of milliseconds; forking this one costs
about one. It also stands behind the supervisors: should a command kill its own
supervisor, the orphans become children of the zygote, which ends them.

Standard library only, for the same reason as the supervisor.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import socket
import time

from pm_orchestrator.adapters.processes.process_tree import (
    children_of,
    own_descendants,
    send_signal,
    watch_children,
)
from pm_orchestrator.adapters.processes.supervisor import report, supervise

FDS_PER_REQUEST = 4
"""control, stdin, stdout, stderr."""
LINGER_S = 1.0
"""How long something may outlive the command that started it."""
ORPHANED_S = 15.0
"""How long supervisors may take once the owner is gone; longer than any grace they give."""


def encode_order(
    argv: list[str],
    cwd: str,
    env: dict[str, str],
    *,
    timeout_s: float | None,
    kill_grace_s: float,
    max_processes: int | None = None,
) -> bytes:
    """The line a supervisor reads first from its control socket."""
    fields = {
        "argv": argv,
        "cwd": cwd,
        "env": env,
        "timeout_s": timeout_s,
        "kill_grace_s": kill_grace_s,
        "linger_s": LINGER_S,
        "max_processes": max_processes,
    }
    # ASCII escapes carry undecodable bytes of paths and arguments unharmed.
    return json.dumps(fields).encode("ascii") + b"\n"


def request_supervisor(zygote: socket.socket, control: int, stdio: tuple[int, int, int]) -> None:
    """Owner's side: hand over the four descriptors a new supervisor lives with."""
    socket.send_fds(zygote, [b"\0"], [control, *stdio])


class Zygote:
    """Forks supervisors until the owner goes, and buries them."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._controls: dict[int, int] = {}
        self._lost: list[int] = []
        self._children = watch_children()

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self._children, select.POLLIN)
        poll.register(self._requests, select.POLLIN)
        patience = math.inf
        while patience == math.inf or self._controls or self._lost:
            for fd, _ in poll.poll(self._pause_ms(patience)):
                if fd == self._children:
                    os.read(self._children, 4096)
                elif not self._admit():
                    poll.unregister(self._requests)
                    patience = time.monotonic() + ORPHANED_S
            if time.monotonic() >= patience:
                for supervisor in self._controls:
                    send_signal(supervisor, signal.SIGKILL)
            self._bury()

    def _pause_ms(self, patience: float) -> int | None:
        if self._lost:
            return 2
        return None if patience == math.inf else 100

    def _admit(self) -> bool:
        """Fork a supervisor for the next request; False when the owner is gone."""
        try:
            data, fds, _, _ = socket.recv_fds(self._requests, 1, FDS_PER_REQUEST)
        except ConnectionResetError:
            return False
        if not data:
            return False
        for fd in fds:
            os.set_inheritable(fd, False)
        control, stdin, stdout, stderr = fds
        pid = os.fork()
        if pid == 0:
            self._requests.close()
            for other in (*self._controls.values(), *self._lost):
                os.close(other)
            supervise(control, (stdin, stdout, stderr))
            os._exit(0)
        self._controls[pid] = control
        for fd in (stdin, stdout, stderr):
            os.close(fd)
        return True

    def _bury(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            control = self._controls.pop(pid, None)
            if control is None:
                continue
            if status == 0:
                os.close(control)
            else:
                self._lost.append(control)
        if self._lost and not self._kill_strays():
            for control in self._lost:
                report(control, event="lost")
                os.close(control)
            self._lost.clear()

    def _kill_strays(self) -> bool:
        """Kill children that are no supervisors: orphans of one that was killed."""
        strays = [pid for pid in children_of(os.getpid()) if pid not in self._controls]
        for pid in strays:
            send_signal(pid, signal.SIGKILL)
        return bool(strays)


def main() -> None:
    """Entry on the host: requests arrive on descriptor 0."""
    # Whatever else the owner had inherited itself is not for its commands.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    requests = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    own_descendants()
    Zygote(requests).serve()
