"""The zygote: a small single-threaded process that forks supervisors.

Forking the owner itself is not safe (it has threads), and starting an
interpreter for every command costs tens of milliseconds; forking this one costs
about one. It also stands behind the supervisors: should a command kill its own
supervisor, the orphans become children of the zygote, which ends them. Trusted
programs it starts and ends itself.

Standard library only, for the same reason as the supervisor.
"""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import socket
import time

from pm_orchestrator.adapters.processes.plain_json import dumps
from pm_orchestrator.adapters.processes.process_tree import (
    children_of,
    own_descendants,
    send_signal,
    watch_children,
)
from pm_orchestrator.adapters.processes.supervisor import report, supervise
from pm_orchestrator.adapters.processes.trusted import TrustedProgram

FDS_PER_REQUEST = 4
"""control, stdin, stdout, stderr."""
LINGER_S = 1.0
"""How long something may outlive the command that started it."""
SUPERVISED = b"s"
TRUSTED = b"t"
"""The two kinds of requests."""
ORPHANED_S = 15.0
"""How long supervisors may take once the owner is gone; longer than any grace they give."""


def encode_order(  # noqa: PLR0913 - one for each field of the order
    argv: list[str],
    cwd: str,
    env: dict[str, str],
    *,
    timeout_s: float | None,
    kill_grace_s: float,
    limits: dict[str, int] | None = None,
    views: list[tuple[str, list[str], str]] | None = None,
    gathered: tuple[str, int, int | None, list[tuple[str, list[str], bool]]] | None = None,
) -> bytes:
    """The line a supervisor reads first from its control socket."""
    fields = {
        "argv": argv,
        "cwd": cwd,
        "env": env,
        "timeout_s": timeout_s,
        "kill_grace_s": kill_grace_s,
        "linger_s": LINGER_S,
        "limits": limits or {},
        "views": views or [],
        "gathered": gathered,
    }
    # ASCII escapes carry undecodable bytes of paths and arguments unharmed.
    return dumps(fields).encode("ascii") + b"\n"


def request(
    zygote: socket.socket, control: int, stdio: tuple[int, int, int], kind: bytes = SUPERVISED
) -> None:
    """Owner's side: hand over the four descriptors that a new command lives with."""
    socket.send_fds(zygote, [kind], [control, *stdio])


class Zygote:
    """Forks supervisors and starts trusted programs until the owner goes, and buries them."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._controls: dict[int, int] = {}
        self._lost: list[int] = []
        self._trusted: dict[int, TrustedProgram] = {}
        """By the descriptors of their control sockets."""
        self._children = watch_children()
        self._poll = select.poll()

    def serve(self) -> None:
        self._poll.register(self._children, select.POLLIN)
        self._poll.register(self._requests, select.POLLIN)
        patience = math.inf
        while patience == math.inf or self._controls or self._lost or self._trusted:
            for fd, _ in self._poll.poll(self._pause_ms(patience)):
                if fd == self._children:
                    os.read(self._children, 4096)
                elif program := self._trusted.get(fd):
                    program.hear()
                    if program.asked:
                        self._poll.unregister(fd)
                elif not self._admit():
                    self._poll.unregister(self._requests)
                    patience = time.monotonic() + ORPHANED_S
            if time.monotonic() >= patience:
                for supervisor in self._controls:
                    send_signal(supervisor, signal.SIGKILL)
            self._bury()
            self._look_at_trusted()

    def _pause_ms(self, patience: float) -> int | None:
        if self._lost:
            return 2
        due = min((program.due for program in self._trusted.values()), default=math.inf)
        left = due - time.monotonic() if patience == math.inf else 0.1
        return None if left == math.inf else max(0, math.ceil(left * 1000))

    def _admit(self) -> bool:
        """Take the next request; False when the owner is gone."""
        try:
            kind, fds, _, _ = socket.recv_fds(self._requests, 1, FDS_PER_REQUEST)
        except ConnectionResetError:
            return False
        if not kind:
            return False
        for fd in fds:
            os.set_inheritable(fd, False)
        control, stdin, stdout, stderr = fds
        if kind == TRUSTED:
            self._trusted[control] = TrustedProgram(control, (stdin, stdout, stderr))
            self._poll.register(control, select.POLLIN)
            return True
        pid = os.fork()
        if pid == 0:
            self._requests.close()
            for other in (*self._controls.values(), *self._lost, *self._trusted):
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
                for program in self._trusted.values():
                    if program.pid == pid:
                        program.ended(status)
            elif status == 0:
                os.close(control)
            else:
                self._lost.append(control)
        if self._lost and not self._kill_strays():
            for control in self._lost:
                report(control, event="lost")
                os.close(control)
            self._lost.clear()

    def _look_at_trusted(self) -> None:
        programs = list(self._trusted.values())
        strays = any(program.status is not None for program in programs) and self._kill_strays()
        now = time.monotonic()
        for program in programs:
            program.look(now, strays)
            if program.over:
                if not program.asked:
                    self._poll.unregister(program.control)
                del self._trusted[program.control]
                program.close()

    def _kill_strays(self) -> bool:
        """Kill children nobody answers for: orphans of a supervisor, leavers of a session."""
        running = {program.pid for program in self._trusted.values() if program.status is None}
        groups = {program.pid for program in self._trusted.values()}
        strays = [
            pid
            for pid in children_of(os.getpid())
            if pid not in self._controls
            and os.getsid(pid) not in running
            and os.getpgid(pid) not in groups
        ]
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
    os.chdir("/")  # no directory is held by a process that only waits
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    own_descendants()
    Zygote(requests).serve()
