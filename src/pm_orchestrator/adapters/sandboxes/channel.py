"""The host's end of the channel: many streams over one child's stdin and stdout."""

import asyncio
from collections import deque
from typing import NamedTuple, Protocol

from pm_orchestrator.adapters.sandboxes.frames import (
    CREDIT,
    HEADER,
    MAX_DATA,
    MAX_STREAMS,
    RAW,
    VERSION,
    FrameKind,
    ProtocolError,
    ReceiveWindow,
    pack,
    pack_json,
    parse_credit,
    parse_header,
    parse_json,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Channel


class Frame(NamedTuple):
    """One frame as it arrived."""

    kind: FrameKind
    stream: int
    payload: bytes


async def read_frame(channel: Channel) -> Frame:
    """Raises IncompleteReadError at the end, ProtocolError for what is not a frame."""
    length, kind, stream = parse_header(await channel.read_exactly(HEADER.size))
    return Frame(kind, stream, await channel.read_exactly(length) if length else b"")


class HostStream:
    """One request to the sandbox."""

    def __init__(self, owner: "Multiplexer", number: int) -> None:
        self._owner = owner
        self.number = number
        self._frames: deque[Frame] = deque()
        self._window = ReceiveWindow()
        self._credit = CREDIT
        self._changed = asyncio.Event()
        self.over = False

    def arrived(self, frame: Frame) -> None:
        """Called by the multiplexer for each frame of this stream."""
        if frame.kind in RAW:
            self._window.arrived(len(frame.payload))
            self._frames.append(frame)
        elif frame.kind is FrameKind.WINDOW:
            self._credit += parse_credit(frame.payload)
            if self._credit > CREDIT:
                raise ProtocolError("more credit than there is")
        elif frame.kind in {FrameKind.RES, FrameKind.RST}:
            parse_json(frame.payload)
            self.over = True
            self._frames.append(frame)
        else:
            raise ProtocolError(f"{frame.kind.name} from the sandbox")
        self._changed.set()

    def wake(self) -> None:
        """The channel is gone; whoever waits here must notice."""
        self._changed.set()

    async def receive(self) -> Frame:
        """The next DATA, ERRDATA or RES."""
        while not self._frames:
            await self._change()
        frame = self._frames.popleft()
        if frame.kind is FrameKind.RST:
            raise PmError("sandbox_gone", reason=parse_json(frame.payload).get("reason"))
        if frame.kind in RAW and (grant := self._window.consumed(len(frame.payload))):
            self._owner.send(pack_json(FrameKind.WINDOW, self.number, {"credit": grant}))
        return frame

    async def send(self, data: bytes) -> None:
        """Send the data and END; stops early when the sandbox has already answered."""
        await self.pass_on(data)
        if not self.over:
            self._owner.send(pack_json(FrameKind.END, self.number, {}))

    async def pass_on(self, data: bytes) -> None:
        """Send the data; more may follow."""
        view = memoryview(data)
        while view and not self.over:
            if self._credit == 0:
                await self._change()
                continue
            size = min(len(view), MAX_DATA, self._credit)
            self._credit -= size
            self._owner.send(pack(FrameKind.DATA, self.number, bytes(view[:size])))
            await self._owner.drain()
            view = view[size:]

    def stop(self) -> None:
        """Ask the sandbox to give the request up; a RES still follows."""
        if not self.over:
            self._owner.send(pack_json(FrameKind.RST, self.number, {}))

    async def _change(self) -> None:
        self._owner.check()
        self._changed.clear()
        await self._changed.wait()
        if not self._frames:
            self._owner.check()


class CalledFromInside(Protocol):
    """Whoever answers the streams that the sandbox opens."""

    def arrived(self, frame: Frame) -> None:
        """A frame of one of them.

        Raises:
            ProtocolError: it belongs to none.
        """
        ...

    async def close(self) -> None: ...


class Multiplexer:
    """Owns the channel: one reading task, one stream per request."""

    calls: CalledFromInside | None = None
    """Without it, a sandbox that opens a stream breaks the protocol."""

    def __init__(self, channel: Channel, *, ping_every_s: float = 15.0) -> None:
        self._channel = channel
        self._ping_every_s = ping_every_s
        self._streams: dict[int, HostStream] = {}
        self._next = 1
        # Half of what the sandbox accepts: it counts a stream a moment longer than we do.
        self._slots = asyncio.Semaphore(MAX_STREAMS // 2)
        self._gone: str | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, program: bytes, hello: dict[str, object]) -> None:
        """Send the tool server and wait for its HELLO.

        Raises:
            asyncio.IncompleteReadError: it ended before it answered.
            ProtocolError: it answered something else, or speaks another version.
        """
        self._channel.write(len(program).to_bytes(4, "big") + program)
        self._channel.write(pack_json(FrameKind.HELLO, 0, {"version": VERSION, **hello}))
        answer = await read_frame(self._channel)
        if answer.kind is not FrameKind.HELLO or parse_json(answer.payload) != {"version": VERSION}:
            raise ProtocolError(f"the tool server does not speak version {VERSION}")
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._watch())]

    async def open(self, fields: dict[str, object]) -> HostStream:
        """Start a request, when there is room for one more; `release` it afterwards."""
        await self._slots.acquire()
        try:
            return self._open(fields)
        except BaseException:
            self._slots.release()
            raise

    def release(self, stream: HostStream) -> None:
        """The request is over, or nobody waits for its answer any more."""
        self._slots.release()
        del self._streams[stream.number]

    def send(self, frame: bytes) -> None:
        self.check()
        self._channel.write(frame)

    async def drain(self) -> None:
        try:
            await self._channel.drain()
        except ConnectionError:
            self.fail("it closed its input")
        self.check()

    @property
    def is_gone(self) -> bool:
        return self._gone is not None

    def check(self) -> None:
        """Raises PmError E702 when the sandbox is gone."""
        if self._gone is not None:
            raise PmError("sandbox_gone", reason=self._gone)

    def fail(self, reason: str) -> None:
        """Give the sandbox up; every request hears the first reason."""
        if self._gone is None:
            self._gone = reason
        for stream in self._streams.values():
            stream.wake()

    async def close(self) -> None:
        self.fail("it was closed")
        for task in self._tasks:
            task.cancel()
        if self.calls is not None:
            await self.calls.close()
        await self._channel.close()

    async def _read(self) -> None:
        try:
            while True:
                self._dispatch(await read_frame(self._channel))
        except asyncio.IncompleteReadError:
            tail = self._channel.stderr_tail().strip()
            self.fail(tail[-500:] or "its channel closed")
        except ProtocolError as error:
            self.fail(f"it broke the protocol ({error})")

    def _dispatch(self, frame: Frame) -> None:
        if frame.stream % 2 == 0 and self.calls is not None:
            self.calls.arrived(frame)
            return
        stream = self._streams.get(frame.stream)
        if stream is not None and not stream.over:
            stream.arrived(frame)
        elif stream is not None or frame.stream >= self._next or frame.stream % 2 == 0:
            raise ProtocolError(f"{frame.kind.name} on stream {frame.stream}, which is not open")

    async def _watch(self) -> None:
        """A tool server that is frozen answers no ping; then the sandbox is given up."""
        while self._gone is None:
            await asyncio.sleep(self._ping_every_s)
            try:
                async with asyncio.timeout(self._ping_every_s * 2):
                    await self._ping()
            except TimeoutError:
                self.fail("it no longer answers")
            except PmError as error:
                self.fail(str(error.params.get("reason")))

    async def _ping(self) -> None:
        # Not through `open`: a ping must not wait for a slot behind long commands.
        stream = self._open({"op": "ping"})
        try:
            await stream.receive()
        finally:
            del self._streams[stream.number]

    def _open(self, fields: dict[str, object]) -> HostStream:
        frame = pack_json(FrameKind.OPEN, self._next, fields)
        parse_header(frame[: HEADER.size])
        self.send(frame)
        stream = HostStream(self, self._next)
        self._streams[self._next] = stream
        self._next += 2
        return stream
