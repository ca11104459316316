"""Reading a child's output in bounded memory: the first part kept, or only the last."""

import asyncio
import os
import time
from collections.abc import Callable
from io import FileIO

from typing_extensions import override

AT_ONCE = 1 << 18
"""Bytes per read; a pipe holds less unless somebody has widened it."""


class Capture(asyncio.Protocol):
    """Keeps the first `limit` bytes of a pipe; reads and drops the rest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self.truncated = False
        self.ended_at: float | None = None
        self._ended = asyncio.Event()

    @override
    def data_received(self, data: bytes) -> None:
        room = self._limit - len(self._kept)
        self._kept += data[:room]
        self.truncated = self.truncated or len(data) > room

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.ended_at = time.monotonic()
        self._ended.set()

    async def ended(self) -> None:
        await self._ended.wait()

    def open_since(self, moment: float) -> bool:
        """Whether the pipe was still open at that moment."""
        return self.ended_at is None or self.ended_at >= moment

    def kept(self) -> bytes:
        return bytes(self._kept)


class Followed(Capture):
    """A capture that also shows every piece to somebody as it comes."""

    def __init__(self, limit: int, show: Callable[[bytes], None]) -> None:
        super().__init__(limit)
        self._show = show

    @override
    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._show(data)


class Tail(asyncio.Protocol):
    """Keeps the last `limit` bytes of a pipe, for diagnosis."""

    def __init__(self, limit: int = 8192) -> None:
        self._limit = limit
        self._kept = b""

    @override
    def data_received(self, data: bytes) -> None:
        self._kept = (self._kept + data)[-self._limit :]

    def text(self) -> str:
        return self._kept.decode(errors="replace")


def feed(protocol: asyncio.Protocol, pipe: FileIO) -> Callable[[], object]:
    """Give everything that arrives to the protocol; returns what stops that, for clean-up.

    A transport would do the same at several times the cost; nothing here is ever paused.
    """
    loop = asyncio.get_running_loop()
    fd = pipe.fileno()
    os.set_blocking(fd, False)

    def read() -> None:
        try:
            data = os.read(fd, AT_ONCE)
        except BlockingIOError:
            return
        if data:
            protocol.data_received(data)
        else:
            loop.remove_reader(fd)
            protocol.connection_lost(None)

    loop.add_reader(fd, read)
    return lambda: loop.remove_reader(fd)
