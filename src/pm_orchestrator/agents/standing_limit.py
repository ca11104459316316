"""A limit of time that stands still while a person is asked: their time is their own."""

import asyncio
from collections.abc import Awaitable
from types import TracebackType
from typing import Self, TypeVar

T = TypeVar("T")


class StandingLimit:
    """Ends what is done inside with TimeoutError, like `asyncio.timeout`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timeout: asyncio.Timeout | None = None
        self.stood_s = 0.0
        """How long it has stood still."""

    @property
    def ends(self) -> float | None:
        """When, by the clock of the loop; None while it stands."""
        return None if self._timeout is None else self._timeout.when()

    @property
    def expired(self) -> bool:
        return self._timeout is not None and self._timeout.expired()

    async def standing(self, asked: Awaitable[T]) -> T:
        """Await what takes as long as it takes."""
        timeout = self._timeout
        if timeout is None:
            return await asked
        loop = asyncio.get_running_loop()
        ends, since = self.ends, loop.time()
        timeout.reschedule(None)
        try:
            return await asked
        finally:
            stood = loop.time() - since
            self.stood_s += stood
            if ends is not None:
                timeout.reschedule(ends + stood)

    async def __aenter__(self) -> Self:
        self._timeout = asyncio.timeout(self._seconds)
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._timeout is not None:
            await self._timeout.__aexit__(kind, error, traceback)
