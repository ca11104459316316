"""A child at the end of a channel that says what a test wants it to say."""

import asyncio
from collections.abc import Callable

from typing_extensions import override

from pm_orchestrator.ports.process import Channel


class ScriptedChannel(Channel):
    """Hands every write to `answer` and says what that returns."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self._said = asyncio.StreamReader()
        self._ended = False
        self.closed = False

    @classmethod
    def recording(cls, said: bytes) -> "ScriptedChannel":
        """A child that has already said everything it will ever say."""
        channel = cls(lambda _heard: b"")
        channel.say(said)
        channel.end()
        return channel

    def say(self, data: bytes) -> None:
        self._said.feed_data(data)

    def end(self) -> None:
        """The child dies."""
        self._ended = True
        self._said.feed_eof()

    @property
    @override
    def pid(self) -> int:
        return 0

    @override
    async def read_exactly(self, count: int) -> bytes:
        return await self._said.readexactly(count)

    @override
    def write(self, data: bytes) -> None:
        if not self._ended:
            self.say(self._answer(data))

    @override
    async def drain(self) -> None:
        await asyncio.sleep(0)

    @override
    def stderr_tail(self) -> str:
        return "last words"

    @override
    async def close(self, grace_s: float = 3.0) -> int | None:
        self.closed = True
        return 0
