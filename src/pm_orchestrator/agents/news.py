"""What an executor says it is at, passed on in order while it works.

It says so in the middle of its work, where nothing may wait; whoever hears it may take
its time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from pm_orchestrator.ports.executor import Activity


class News:
    """Give `told` to the executor; all that was told is passed on when this is left."""

    def __init__(self, publish: Callable[[Activity], Awaitable[None]]) -> None:
        self._publish = publish
        self._heard: asyncio.Queue[Activity | None] = asyncio.Queue()
        self._passing: asyncio.Task[None] | None = None

    def told(self, activity: Activity) -> None:
        self._heard.put_nowait(activity)

    async def caught_up(self) -> None:
        """Until all that was told so far is passed on."""
        if self._passing is not None:
            passed = asyncio.create_task(self._heard.join())
            await asyncio.wait({passed, self._passing}, return_when=asyncio.FIRST_COMPLETED)
            passed.cancel()

    async def __aenter__(self) -> Self:
        self._passing = asyncio.create_task(self._pass_on(), name="news of an executor")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._passing is not None:
            self._heard.put_nowait(None)
            await self._passing

    async def _pass_on(self) -> None:
        while (activity := await self._heard.get()) is not None:
            await self._publish(activity)
            self._heard.task_done()
