"""Who may work now: a fixed set of names, handed out first come, first served."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.ports.chat_model import ChatModel


class Slots:
    """Like a semaphore, but it says which slot, and newcomers never overtake."""

    def __init__(self, names: Sequence[str]) -> None:
        self._free = deque(names)
        self._waiting: deque[asyncio.Future[str]] = deque()

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[str]:
        """Hold a slot; it is given back however the block ends."""
        name = await self._take()
        try:
            yield name
        finally:
            self._give_back(name)

    async def _take(self) -> str:
        # A slot is free only when nobody waits: one that is given back goes to the
        # first in the line directly, so nobody can slip in between.
        if self._free:
            return self._free.popleft()
        place: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                # The slot came together with the cancellation: it goes to the next.
                self._give_back(place.result())
            raise

    def _give_back(self, name: str) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(name)
                return
        self._free.append(name)


class WaitingModel(ChatModel):
    """Asks `inner` as soon as one of `slots` is free; those who waited longer come first.

    It waits before the question is sent, so that no time limit of the exchange runs meanwhile.
    """

    def __init__(self, inner: ChatModel, slots: Slots) -> None:
        self._inner = inner
        self._slots = slots

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        async with self._slots.one():
            return await self._inner.chat(request)
