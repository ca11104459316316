"""A child one talks with: a duplex socket as its stdin and stdout, a tail of its stderr."""

import asyncio
from contextlib import ExitStack

from typing_extensions import override

from pm_orchestrator.adapters.processes.capture import Tail
from pm_orchestrator.adapters.processes.supervised import Ended, Supervised
from pm_orchestrator.ports.process import Channel

KILL_PATIENCE_S = 10.0
"""More than any grace a supervisor gives; after it the supervisor itself is killed."""


class LocalChannel(Channel):
    """Lives until `close`, or until the child ends by itself."""

    def __init__(
        self,
        pid: int,
        supervised: Supervised,
        stream: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        tail: Tail,
        ends: ExitStack,
    ) -> None:
        self._pid = pid
        self._supervised = supervised
        self._reader, self._writer = stream
        self._tail = tail
        self._ends = ends
        self._closing: asyncio.Task[int | None] | None = None

    @property
    @override
    def pid(self) -> int:
        return self._pid

    @override
    async def read_exactly(self, count: int) -> bytes:
        try:
            return await self._reader.readexactly(count)
        except ConnectionError as error:
            # A child that dies with unread input resets the socket; for us that is its end.
            raise asyncio.IncompleteReadError(b"", count) from error

    @override
    def write(self, data: bytes) -> None:
        self._writer.write(data)

    @override
    async def drain(self) -> None:
        await self._writer.drain()

    @override
    def stderr_tail(self) -> str:
        return self._tail.text()

    @override
    async def close(self, grace_s: float = 3.0) -> int | None:
        # A task of its own: the tree must go even if whoever closes is cancelled.
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(grace_s))
        return await asyncio.shield(self._closing)

    async def _close(self, grace_s: float) -> int | None:
        with self._ends:
            if self._writer.can_write_eof() and not self._writer.is_closing():
                self._writer.write_eof()
            try:
                async with asyncio.timeout(grace_s):
                    end = await self._supervised.ended()
            except TimeoutError:
                self._supervised.kill()
                end = await self._supervised.ended_within(KILL_PATIENCE_S)
        return end.exit_code if isinstance(end, Ended) else None
