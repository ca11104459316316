"""The tool server: the one process inside a sandbox that talks with the host.

It is sent as source text over stdin, so a sandbox needs no file of ours, and it
is PID 1 there, so that commands cannot kill it. Its descriptors are moved out of
reach first: a command once wrote into the channel through /proc/1/fd.

Standard library only: this text runs inside the sandbox.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

from pm_orchestrator.adapters.plain_json import dumps, loads
from pm_orchestrator.adapters.processes.zygote import encode_order
from pm_orchestrator.adapters.sandboxes.forwarding.tool_forwarder import Forwarder
from pm_orchestrator.adapters.sandboxes.frames import (
    MAX_STREAMS,
    VERSION,
    FrameKind,
    ProtocolError,
    pack_json,
)
from pm_orchestrator.adapters.sandboxes.tool_commands import (
    CommandRun,
    SandboxZygote,
)
from pm_orchestrator.adapters.sandboxes.tool_streams import Link, StoppedError, Stream
from pm_orchestrator.adapters.sandboxes.tool_watch import ToolWatch
from pm_orchestrator.adapters.sandboxes.workspace_files import (
    RefusedError,
    Replacement,
    WorkspaceFiles,
)

PR_SET_DUMPABLE = 4


class HostSettings:
    """The host's HELLO: how this sandbox is to behave."""

    def __init__(self, payload: bytes) -> None:
        fields = loads(payload)
        self.version: object = fields["version"]
        self.workspace: str = fields["workspace"]
        self.env: dict[str, str] = fields["env"]
        self.kill_grace_s: float = fields["kill_grace_s"]
        self.limits: dict[str, int] = fields["limits"]
        self.files: dict[str, str] = fields.get("files", {})
        self.forwarded: int | None = fields.get("forwarded")


class Request:
    """An OPEN frame. The host is believed: it could do worse than to lie here."""

    def __init__(self, payload: bytes) -> None:
        fields = loads(payload)
        self.operation: str = fields["op"]
        self.path: str = fields.get("path", "")
        self.limit: int = fields.get("limit", 0)
        self.argv: list[str] = fields.get("argv", [])
        self.timeout_s: float = fields.get("timeout_s", 0.0)
        self.limits: dict[str, int] = fields.get("limits", {})
        self.memory: int = fields.get("memory", 0)
        self.processes: int = fields.get("processes", 0)
        self.cpus: list[int] = fields.get("cpus", [])


class ToolServer:
    """Answers the host's requests until the channel closes."""

    def __init__(
        self,
        link: Link,
        zygote: SandboxZygote,
        settings: HostSettings,
        forwarder: Forwarder | None = None,
    ) -> None:
        self._link = link
        self._forwarder = forwarder
        self._zygote = zygote
        self._watch: ToolWatch | None = None
        self._settings = settings
        self._workspace = WorkspaceFiles(settings.workspace)
        self._streams: dict[int, Stream] = {}
        self._last = -1
        self._operations = {
            "ping": self._ping,
            "limit": self._limit,
            "run": self._run,
            "read": self._read,
            "write": self._write,
            "list": self._list,
        }

    def serve(self) -> None:
        """Read frames until the host closes the channel.

        Raises:
            ProtocolError: the host broke the rules; nothing it says is trusted any more.
        """
        while (frame := self._link.receive()) is not None:
            kind, number, payload = frame
            if kind is FrameKind.OPEN:
                self._open(number, Request(payload))
                continue
            if number % 2 == 0 and self._forwarder is not None:
                self._forwarder.take(number, kind, payload)
                continue
            stream = self._streams.get(number)
            if stream is not None:
                stream.take(kind, payload)
            elif number > self._last:
                raise ProtocolError(f"{kind.name} on a stream that was never opened")

    def _open(self, number: int, request: Request) -> None:
        if number % 2 == 0 or number <= self._last:
            raise ProtocolError(f"stream {number} cannot be opened")
        self._last = number
        stream = Stream(self._link, number)
        if len(self._streams) >= MAX_STREAMS:
            stream.finish({"reason": "too many streams"}, FrameKind.RST)
            return
        self._streams[number] = stream
        # A dictionary's single operations are atomic, so the threads need no lock for it.
        threading.Thread(target=self._answer, args=(number, stream, request), daemon=True).start()

    def _answer(self, number: int, stream: Stream, request: Request) -> None:
        try:
            operation = self._operations.get(request.operation)
            if operation is None:
                stream.finish({"reason": "unknown operation"}, FrameKind.RST)
            else:
                self._workspace.stay_open()
                operation(stream, request)
        except RefusedError as error:
            stream.finish({"refused": str(error)})
        except OSError as error:
            stream.finish({"refused": error.strerror or str(error)})
        except ValueError as error:
            stream.finish({"refused": str(error)})
        except StoppedError:
            stream.finish({"refused": "the host stopped it"})
        finally:
            if not stream.finished:
                stream.finish({"reason": "the tool server failed"}, FrameKind.RST)
            del self._streams[number]

    def _ping(self, stream: Stream, _request: Request) -> None:
        stream.finish({})

    def _limit(self, stream: Stream, request: Request) -> None:
        """Hold limits that nobody outside holds, from now on."""
        self._settings.limits = request.limits
        if request.cpus:
            self._zygote.keep_to(request.cpus)
        if request.memory or request.processes:
            self._watch = ToolWatch(request.memory, request.processes, self._zygote.number)
            self._watch.start()
        stream.finish({})

    def _run(self, stream: Stream, request: Request) -> None:
        settings = self._settings
        starved = self._starved()
        order = encode_order(
            request.argv,
            settings.workspace,
            settings.env,
            timeout_s=request.timeout_s,
            kill_grace_s=settings.kill_grace_s,
            limits=settings.limits,
        )
        run = CommandRun(stream, self._zygote, request.limit)
        run.start(order)
        result = run.result()
        peak = result.pop("peak_kb", 0)
        # Who takes memory faster than the watch looks meets the limit of each process.
        alone = self._watch is not None and self._watch.is_too_much(peak)
        stream.finish({**result, "starved": alone or self._starved() > starved})

    def _starved(self) -> int:
        return 0 if self._watch is None else self._watch.starved

    def _read(self, stream: Stream, request: Request) -> None:
        left = request.limit
        fd = self._workspace.open_to_read(request.path, left)
        try:
            # A file that grows while it is read still ends at the limit.
            while left > 0 and (data := os.read(fd, min(left, 262144))):
                left -= len(data)
                stream.send(FrameKind.DATA, data)
        finally:
            os.close(fd)
        stream.finish({})

    def _write(self, stream: Stream, request: Request) -> None:
        with self._workspace.locate(request.path, make_folders=True) as place:
            replacement = Replacement(place)
            try:
                while data := stream.receive():
                    replacement.write(data)
                replacement.commit()
            except BaseException:
                replacement.abandon()
                raise
        stream.finish({})

    def _list(self, stream: Stream, request: Request) -> None:
        entries = self._workspace.entries(request.path)
        stream.send(FrameKind.DATA, dumps(entries).encode("ascii"))
        stream.finish({})


def take_channel() -> tuple[int, int]:
    """Move the channel away from 0 and 1, where commands would inherit it."""
    if sys.platform == "linux":
        # Nobody of the same user may look into /proc/1/fd or trace this process.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    inward, outward = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return inward, outward


def greet(link: Link) -> HostSettings:
    """Exchange HELLO; the host's one carries the settings of this sandbox."""
    frame = link.receive()
    if frame is None:
        raise ProtocolError("the host left before it said hello")
    kind, _, payload = frame
    if kind is not FrameKind.HELLO:
        raise ProtocolError("the first frame is not HELLO")
    settings = HostSettings(payload)
    link.send(pack_json(FrameKind.HELLO, 0, {"version": VERSION}))
    if settings.version != VERSION:
        raise ProtocolError(f"the host speaks version {settings.version}, not {VERSION}")
    return settings


def lay_down(files: dict[str, str]) -> None:
    """Write what the host wants to lie here from the beginning."""
    if not files:
        return
    from pathlib import Path

    for path, text in files.items():
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text, encoding="utf-8")
        except OSError:
            # What the project brought along is not writable everywhere; it does without.
            continue


def main() -> None:
    """Serve until the host closes the channel; PID 1 takes everybody along when it ends."""
    # PID 1 is safe from every signal without a handler; Python has one for SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.umask(0o022)
    inward, outward = take_channel()
    zygote = SandboxZygote()
    link = Link(os.fdopen(inward, "rb"), outward)
    settings = greet(link)
    lay_down(settings.files)
    forwarder = None if settings.forwarded is None else Forwarder(link, settings.forwarded)
    if forwarder is not None:
        forwarder.start()
    ToolServer(link, zygote, settings, forwarder).serve()
    os._exit(0)
