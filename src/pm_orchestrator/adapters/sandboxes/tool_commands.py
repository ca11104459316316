"""Runs one command inside the sandbox, under a supervisor of its own.

Standard library only: this text runs inside the sandbox.
"""

from __future__ import annotations

import os
import select
import socket
import time

from pm_orchestrator.adapters.processes.plain_json import loads
from pm_orchestrator.adapters.processes.process_tree import own_descendants
from pm_orchestrator.adapters.processes.zygote import Zygote, request
from pm_orchestrator.adapters.sandboxes.frames import FrameKind
from pm_orchestrator.adapters.sandboxes.tool_streams import Stream

DRAIN_MS = 5000
"""For output still in the pipes after everybody who could write to them is gone."""


def start_zygote(*private: int) -> tuple[socket.socket, int]:
    """Fork the zygote while there is only one thread; it closes the private descriptors.

    Returns the way to it, and its number.
    """
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        for fd in private:
            os.close(fd)
        own_descendants()
        Zygote(theirs).serve()
        os._exit(0)
    theirs.close()
    return ours, pid


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

    def __init__(self, stream: Stream, output_limit: int) -> None:
        self._stream = stream
        self._control, self._theirs = socket.socketpair()
        self._outputs = {
            output.fd: output
            for output in (
                Output(stream, FrameKind.DATA, output_limit),
                Output(stream, FrameKind.ERRDATA, output_limit),
            )
        }
        self._heard = b""

    def start(self, zygote: socket.socket, order: bytes) -> None:
        stdin = os.open(os.devnull, os.O_RDONLY)
        out, err = (output.theirs for output in self._outputs.values())
        request(zygote, self._theirs.fileno(), (stdin, out, err))
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
            ready = poll.poll(None if last is None else DRAIN_MS)
            if not ready:
                break
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

    def _hear(self) -> dict[str, object] | None:
        """The last report, if it is complete by now."""
        part = self._control.recv(65536)
        if not part:
            return {"event": "lost"}
        self._heard += part
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            report = loads(line)
            if report["event"] not in {"ready", "started"}:
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
        }

    def _close(self) -> None:
        self._stream.forget_stopper()
        self._control.close()
        for fd in self._outputs:
            os.close(fd)
