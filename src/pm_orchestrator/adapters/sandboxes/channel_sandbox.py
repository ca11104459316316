"""A sandbox as its users see it, over the channel; the same for every runtime."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Literal, TypeVar

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.asked_runners import COLLECT, LONGEST_REPORT, REPORTS
from pm_orchestrator.adapters.sandboxes.channel import HostStream, Multiplexer
from pm_orchestrator.adapters.sandboxes.control_groups import ControlGroup
from pm_orchestrator.adapters.sandboxes.frames import FrameKind, parse_json
from pm_orchestrator.domain.cancelling import undisturbed
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.hands import DirectoryEntry
from pm_orchestrator.ports.process import CommandResult, ProcessWatcher
from pm_orchestrator.ports.sandbox import WORKSPACE, HostFile, Sandbox

ANSWER_SLACK_S = 20.0
"""Beyond every patience of the supervisor inside; after it the sandbox is given up."""
COLLECT_S = 30.0
MAX_LISTING = 64 * 1024**2
EVERYTHING = 2**62
"""The limit for output that is looked at as it comes; credit bounds what is on its way."""
LOOK_S = 0.2
"""How often a watcher is asked; what it saw meanwhile may have shortened its patience."""
OUT_OF_MEMORY = b"\n[a process was killed: the sandbox has no more memory]\n"

T = TypeVar("T")


class RunAnswer(msgspec.Struct, frozen=True):
    """The RES of a run."""

    exit_code: int | None = None
    timed_out: bool = False
    truncated: bool = False
    held: bool = False
    duration_ms: int = 0
    ended_with: Literal["SIGTERM", "SIGKILL"] | None = None
    not_started: str | None = None
    starved: bool = False


class Received:
    """What a stream brought, never more than the limit of each kind."""

    def __init__(self, limit: int, watcher: ProcessWatcher | None = None) -> None:
        self._limit = limit
        self._watcher = watcher
        self._kept = {FrameKind.DATA: bytearray(), FrameKind.ERRDATA: bytearray()}
        self.overrun = False

    def add(self, kind: FrameKind, data: bytes) -> None:
        if self._watcher is not None:
            self._watcher.output("stdout" if kind is FrameKind.DATA else "stderr", data)
        kept = self._kept[kind]
        room = self._limit - len(kept)
        kept += data[:room]
        self.overrun = self.overrun or len(data) > room

    def bytes_of(self, kind: FrameKind) -> bytes:
        return bytes(self._kept[kind])


class ChannelSandbox(Sandbox):
    """Speaks with the tool server; whoever opened it closes it."""

    def __init__(
        self,
        multiplexer: Multiplexer,
        *,
        unenforced: tuple[str, ...],
        kill_grace_s: float,
        held_by: Mapping[str, str] | None = None,
        asks_runners: bool = False,
        group: ControlGroup | None = None,
    ) -> None:
        self._multiplexer = multiplexer
        self._unenforced = unenforced
        self._held_by = held_by or {}
        self._kill_grace_s = kill_grace_s
        self._asks_runners = asks_runners
        self._group = group
        self._closing: asyncio.Task[None] | None = None

    @property
    @override
    def root(self) -> str:
        return WORKSPACE

    @property
    @override
    def unenforced(self) -> tuple[str, ...]:
        return self._unenforced

    @property
    @override
    def held_by(self) -> Mapping[str, str]:
        return self._held_by

    @override
    async def run(
        self, argv: tuple[str, ...], *, timeout_s: float = 300.0, output_limit: int = 200_000
    ) -> CommandResult:
        received = Received(output_limit)

        async def wait(stream: HostStream) -> dict[str, object]:
            return await self._watched(stream, received, timeout_s)

        return await self._command(argv, timeout_s, output_limit, received, wait)

    @override
    async def follow(
        self,
        argv: tuple[str, ...],
        watcher: ProcessWatcher,
        *,
        timeout_s: float,
        output_limit: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        received = Received(output_limit, watcher)

        async def wait(stream: HostStream) -> dict[str, object]:
            return await self._followed(stream, received, watcher, timeout_s)

        if variables:
            argv = ("env", *(f"{name}={value}" for name, value in variables.items()), *argv)
        return await self._command(argv, timeout_s, EVERYTHING, received, wait)

    @override
    async def read_file(self, path: str, limit: int = 4 * 1024**2) -> bytes:
        received = Received(limit)
        await self._file_request({"op": "read", "path": path, "limit": limit}, received)
        return received.bytes_of(FrameKind.DATA)

    @override
    async def write_file(self, path: str, data: bytes) -> None:
        await self._file_request({"op": "write", "path": path}, Received(0), data)

    @override
    async def list_directory(self, path: str) -> tuple[DirectoryEntry, ...]:
        received = Received(MAX_LISTING)
        await self._file_request({"op": "list", "path": path}, received)
        try:
            # Not by msgspec, which refuses the escapes that carry undecodable names.
            listing = json.loads(received.bytes_of(FrameKind.DATA))
        except (ValueError, RecursionError):
            listing = None
        return tuple(
            DirectoryEntry(name=name, kind=kind, size=size)
            for name, kind, size in self._understood(listing, list[tuple[str, str, int]])
        )

    @override
    async def reported(self) -> bytes:
        if not self._asks_runners:
            return b""
        argv = ("python3", "-I", "-S", "-B", "-c", COLLECT, str(REPORTS), str(LONGEST_REPORT))
        collected = await self.run(argv, timeout_s=COLLECT_S, output_limit=LONGEST_REPORT)
        return collected.stdout

    @override
    async def close(self) -> None:
        # A task of its own: the sandbox must end even if whoever closes is cancelled.
        if self._closing is None:
            self._closing = asyncio.create_task(self._end())
        await asyncio.shield(self._closing)

    async def _end(self) -> None:
        await self._multiplexer.close()
        if self._group is not None:
            await self._group.remove()

    def _killed(self) -> int:
        return 0 if self._group is None else self._group.killed()

    async def _command(
        self,
        argv: tuple[str, ...],
        timeout_s: float,
        limit: int,
        received: Received,
        wait: Callable[[HostStream], Awaitable[dict[str, object]]],
    ) -> CommandResult:
        killed = self._killed()
        stream = await self._multiplexer.open(
            {"op": "run", "argv": list(argv), "timeout_s": timeout_s, "limit": limit}
        )
        try:
            fields = await wait(stream)
        except BaseException:
            # A cancellation, or a watcher that broke: nobody waits for the command any more.
            if not self._multiplexer.is_gone and not stream.over:
                stream.stop()
                await undisturbed(self._abandoned(stream))
            raise
        finally:
            self._multiplexer.release(stream)
        answer = self._understood(fields, RunAnswer)
        if answer.not_started is not None:
            raise PmError("program_not_started", program=argv[0], reason=answer.not_started)
        ended = answer.starved or self._killed() > killed
        starved = answer.exit_code != 0 and ended
        return CommandResult(
            exit_code=answer.exit_code,
            stdout=received.bytes_of(FrameKind.DATA),
            stderr=received.bytes_of(FrameKind.ERRDATA) + (OUT_OF_MEMORY if starved else b""),
            timed_out=answer.timed_out,
            truncated=answer.truncated or received.overrun,
            held=answer.held,
            duration_ms=answer.duration_ms,
            ended_with=answer.ended_with,
            out_of_memory=starved,
        )

    async def _file_request(
        self, request: dict[str, object], received: Received, data: bytes | None = None
    ) -> None:
        stream = await self._multiplexer.open(request)
        try:
            if data is not None:
                await stream.send(data)
            fields = await _collect(stream, received)
        except asyncio.CancelledError:
            if not self._multiplexer.is_gone:
                stream.stop()
            raise
        finally:
            self._multiplexer.release(stream)
        if received.overrun:
            raise self._given_up("it sent more than was asked for")
        if "refused" in fields:
            reason = fields["refused"]
            raise PmError("sandbox_path_refused", path=request["path"], reason=reason)

    async def _watched(
        self, stream: HostStream, received: Received, timeout_s: float
    ) -> dict[str, object]:
        try:
            async with asyncio.timeout(timeout_s + self._kill_grace_s + ANSWER_SLACK_S):
                return await _collect(stream, received)
        except TimeoutError:
            error = self._given_up("it did not end a command at its deadline")
            await self.close()
            raise error from None

    async def _followed(
        self, stream: HostStream, received: Received, watcher: ProcessWatcher, timeout_s: float
    ) -> dict[str, object]:
        """Collect while the watcher has patience; then have the command ended."""
        ending = asyncio.ensure_future(self._watched(stream, received, timeout_s))
        try:
            while not ending.done():
                # Its processes are out of our sight: nobody is seen waiting for input.
                pause = watcher.patience(lambda: False)
                if pause <= 0:
                    break
                await asyncio.wait({ending}, timeout=min(pause, LOOK_S))
            if not ending.done():
                stream.stop()
                await asyncio.wait({ending}, timeout=self._kill_grace_s + ANSWER_SLACK_S)
        finally:
            # Two readers of one stream would take each other's frames.
            if not ending.done():
                ending.cancel()
                await asyncio.wait({ending})
        if ending.cancelled():
            error = self._given_up("it did not end a command when it was told to")
            await self.close()
            raise error
        return ending.result()

    def _understood(self, answer: object, shape: type[T]) -> T:
        try:
            return msgspec.convert(answer, shape)
        except msgspec.ValidationError as error:
            raise self._given_up(f"its answer makes no sense ({error})") from error

    def _given_up(self, reason: str) -> PmError:
        self._multiplexer.fail(reason)
        return PmError("sandbox_gone", reason=reason)

    async def _abandoned(self, stream: HostStream) -> None:
        """Wait until the stopped command's tree is gone; a sandbox that is gone took it along."""
        try:
            await self._watched(stream, Received(0), 0.0)
        except PmError:
            return


async def _collect(stream: HostStream, received: Received) -> dict[str, object]:
    while True:
        frame = await stream.receive()
        if frame.kind is FrameKind.RES:
            return parse_json(frame.payload)
        received.add(frame.kind, frame.payload)


async def copy_in(sandbox: Sandbox, files: Iterable[HostFile]) -> None:
    """Put files of the host into a workspace; one that is gone meanwhile is left out."""
    for file in files:
        try:
            data = await asyncio.to_thread(file.source.read_bytes)
        except OSError:
            continue
        await sandbox.write_file(file.at, data)
