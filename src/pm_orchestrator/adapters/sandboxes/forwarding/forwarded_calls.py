"""The host's end of a forwarded port: connections from inside go to one address and no other."""

import asyncio
from collections.abc import Callable

from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.channel import (
    CalledFromInside,
    Frame,
    HostStream,
    Multiplexer,
)
from pm_orchestrator.adapters.sandboxes.frames import (
    MAX_DATA,
    MAX_STREAMS,
    FrameKind,
    ProtocolError,
    pack_json,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.sandbox import ForwardedPort


class CalledStream(HostStream):
    """One connection that was opened inside."""

    hang_up: Callable[[], None] | None = None
    """What to do as soon as whoever has opened it is gone."""

    @override
    def arrived(self, frame: Frame) -> None:
        if frame.kind is FrameKind.RES:
            raise ProtocolError("RES from whoever opened the stream")
        if frame.kind not in {FrameKind.END, FrameKind.RST}:
            super().arrived(frame)
            return
        if frame.kind is FrameKind.RST:
            self.over = True
            if self.hang_up is not None:
                self.hang_up()
        self._frames.append(Frame(FrameKind.END, self.number, b""))
        self._changed.set()


class ForwardedCalls(CalledFromInside):
    """Carries the bytes of each connection, in either direction, as far as its credit goes."""

    def __init__(self, owner: Multiplexer, forwarded: ForwardedPort) -> None:
        self._owner = owner
        self._to = forwarded
        self._last = 0
        self._streams: dict[int, CalledStream] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @override
    def arrived(self, frame: Frame) -> None:
        stream = self._streams.get(frame.stream)
        if frame.kind is FrameKind.OPEN:
            self._open(frame.stream)
        elif stream is not None:
            stream.arrived(frame)
        elif frame.stream > self._last:
            raise ProtocolError(f"{frame.kind.name} on stream {frame.stream}, which is not open")

    @override
    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _open(self, number: int) -> None:
        if number <= self._last:
            raise ProtocolError(f"stream {number} cannot be opened")
        self._last = number
        if len(self._streams) >= MAX_STREAMS:
            self._owner.send(pack_json(FrameKind.RST, number, {"reason": "too many streams"}))
            return
        stream = self._streams[number] = CalledStream(self._owner, number)
        task = asyncio.create_task(self._serve(stream))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, stream: CalledStream) -> None:
        try:
            end = await self._carried(stream)
            self._owner.send(pack_json(end, stream.number, {}))
        except PmError:
            # The sandbox is gone, and whoever was connected with it.
            return
        finally:
            del self._streams[stream.number]

    async def _carried(self, stream: CalledStream) -> FrameKind:
        try:
            reader, writer = await asyncio.open_connection(self._to.host, self._to.to)
        except OSError:
            return FrameKind.RST
        stream.hang_up = writer.transport.abort
        inward = asyncio.create_task(_outward(stream, writer))
        try:
            while not stream.over and (data := await reader.read(MAX_DATA)):
                await stream.pass_on(data)
        except ConnectionError:
            # It hung up in the middle; whoever is inside sees the same.
            return FrameKind.RST
        finally:
            inward.cancel()
            await asyncio.wait({inward})
            writer.transport.abort()
        return FrameKind.RES


async def _outward(stream: CalledStream, writer: asyncio.StreamWriter) -> None:
    """What comes from inside, up to its end."""
    try:
        while (frame := await stream.receive()).kind is not FrameKind.END:
            writer.write(frame.payload)
            await writer.drain()
        if not stream.over:
            writer.write_eof()
    except (ConnectionError, PmError):
        writer.transport.abort()
