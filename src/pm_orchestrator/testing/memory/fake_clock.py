"""A clock that only moves when told, and ids that count."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

from typing_extensions import override

from pm_orchestrator.ports.clock import Clock, IdSource

START = datetime(2026, 1, 15, 9, 0, tzinfo=UTC)
HASTE = 10


class FakeClock(Clock):
    """Starts at a fixed moment; sleeping moves it on and yields once."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    @override
    def now(self) -> datetime:
        return self._now

    @override
    def monotonic(self) -> float:
        return (self._now - START).total_seconds()

    @override
    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


class FrozenClock(FakeClock):
    """Always the same moment, while waiting takes real time: for runs with real processes."""

    @override
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class HastyClock(FakeClock):
    """Real time, ten times as fast: limits of seconds pass in tenths, with real processes."""

    @override
    def now(self) -> datetime:
        return START + timedelta(seconds=self.monotonic())

    @override
    def monotonic(self) -> float:
        return time.monotonic() * HASTE

    @override
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / HASTE)


class CountingIds(IdSource):
    """Tokens that count up from one."""

    def __init__(self) -> None:
        self._count = 0

    @override
    def token(self, length: int = 12) -> str:
        self._count += 1
        return f"{self._count:0{length}x}"[-length:]
