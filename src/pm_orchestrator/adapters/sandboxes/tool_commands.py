"""Runs one command inside the sandbox, under a supervisor of its own.

Standard library only: this text runs inside the sandbox.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time

from pm_orchestrator.adapters.plain_json import loads
from pm_orchestrator.adapters.processes.process_tree import own_descendants, send_signal
from pm_orchestrator.adapters.processes.zygote import Zygote, request
from pm_orchestrator.adapters.sandboxes.frames import FrameKind
from pm_orchestrator.adapters.sandboxes.tool_streams import Stream

LOOK_MS = 1000
"""How often it is seen that nobody has stopped whoever looks after a command."""
DRAIN_MS = 5000
"""For output still in the pipes after everybody who could write to them is gone."""


class SandboxZygote:
    """The zygote that starts this sandbox's commands; another one where a command ended it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._cpus: list[int] = []
        self._begin()

    def start(self, control: int, stdio: tuple[int, int, int]) -> None:
        """Have a supervisor for the command that lives with these descriptors."""
        with self._turn:
            try:
                request(self._requests, control, stdio)
            except (BrokenPipeError, ConnectionResetError):
                self._requests.close()
                if os.getpid() == 1:
                    end_everybody()
                self._begin()
                request(self._requests, control, stdio)

    def number(self) -> int:
        """The process whose children, and nobody else, run commands."""
        return self._pid

    def keep_to(self, cpus: list[int]) -> None:
        """Run commands on these processors alone; whoever it starts inherits them."""
        with self._turn:
            self._cpus = cpus
            os.sched_setaffinity(self._pid, cpus)

    def rouse(self) -> None:
        """Nobody may stop it for good."""
        rouse(self._pid)

    def _begin(self) -> None:
        self._requests, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            # The channel is none of its business, and a copy of a pipe would keep it open.
            os.closerange(3, theirs.fileno())
            os.closerange(theirs.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
            own_descendants()
            Zygote(theirs).serve()
            os._exit(0)
        theirs.close()
        if self._cpus:
            os.sched_setaffinity(self._pid, self._cpus)


def end_everybody() -> None:
    """As the first process of a sandbox: end all others, for whom nobody answers any more."""
    os.kill(-1, signal.SIGKILL)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def rouse(pid: int) -> None:
    """Let a process go on that a command has stopped."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123 - pathlib is slow to load
            state = stat.read().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return  # it has ended
    if state in {b"T", b"t"}:
        send_signal(pid, signal.SIGCONT)


class Output:
    """One output pipe: the first `limit` bytes go to the host, the rest nowhere."""

    def __init__(self, stream: Stream, kind: FrameKind, limit: int) -> None:
        self._stream = stream
        self._kind = kind
        self._room = limit
        self.truncated = False
        self.ended_at: float | None = None
        self.fd, self.theirs = os.pipe()

    def pump(self) -> bool:
        """Move what is there; False at the end of the pipe."""
        data = os.read(self.fd, 65536)
        if not data:
            self.ended_at = time.monotonic()
            return False
        kept = data[: self._room]
        self._room -= len(kept)
        self.truncated = self.truncated or len(kept) < len(data)
        self._stream.send(self._kind, kept)
        return True

    def open_since(self, moment: float) -> bool:
        return self.ended_at is None or self.ended_at >= moment


class CommandRun:
    """From the request to the last report of the supervisor."""

    def __init__(self, stream: Stream, zygote: SandboxZygote, output_limit: int) -> None:
        self._stream = stream
        self._zygote = zygote
        self._supervisor: int | None = None
        self._control, self._theirs = socket.socketpair()
        self._outputs = {
            output.fd: output
            for output in (
                Output(stream, FrameKind.DATA, output_limit),
                Output(stream, FrameKind.ERRDATA, output_limit),
            )
        }
        self._heard = b""

    def start(self, order: bytes) -> None:
        stdin = os.open(os.devnull, os.O_RDONLY)
        out, err = (output.theirs for output in self._outputs.values())
        self._zygote.start(self._theirs.fileno(), (stdin, out, err))
        self._theirs.close()
        for fd in (stdin, out, err):
            os.close(fd)
        self._control.sendall(order)
        self._stream.when_stopped(self._control.fileno())

    def result(self) -> dict[str, object]:
        """Forward the output until the command and all it started are gone."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        for fd in self._outputs:
            poll.register(fd, select.POLLIN)
        last: dict[str, object] | None = None
        reading = len(self._outputs)
        while last is None or reading:
            ready = poll.poll(LOOK_MS if last is None else DRAIN_MS)
            if not ready and last is not None:
                break
            if not ready:
                self._rouse()
            for fd, _ in ready:
                output = self._outputs.get(fd)
                if output is None:
                    last = last or self._hear()
                    if last is not None:
                        poll.unregister(fd)
                elif not output.pump():
                    poll.unregister(fd)
                    reading -= 1
        self._close()
        return self._summary(last or {})

    def _rouse(self) -> None:
        self._zygote.rouse()
        if self._supervisor is not None:
            rouse(self._supervisor)

    def _hear(self) -> dict[str, object] | None:
        """The last report, if it is complete by now."""
        part = self._control.recv(65536)
        if not part:
            return {"event": "lost"}
        self._heard += part
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            report = loads(line)
            if report["event"] == "ready":
                self._supervisor = report["supervisor"]
            elif report["event"] != "started":
                return dict(report)
        return None

    def _summary(self, last: dict[str, object]) -> dict[str, object]:
        if last.get("event") == "failed":
            return {"not_started": last["reason"]}
        swept_at = last.get("swept_at")
        outputs = self._outputs.values()
        return {
            "exit_code": last.get("exit_code"),
            "timed_out": last.get("timed_out", False),
            "truncated": any(output.truncated for output in outputs),
            "held": isinstance(swept_at, float)
            and any(output.open_since(swept_at) for output in outputs),
            "duration_ms": last.get("duration_ms", 0),
            "ended_with": last.get("ended_with"),
            "peak_kb": last.get("peak_kb", 0),
        }

    def _close(self) -> None:
        self._stream.forget_stopper()
        self._control.close()
        for fd in self._outputs:
            os.close(fd)
