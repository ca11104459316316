"""The machine's own time and randomness."""

import asyncio
import os
import time
from datetime import UTC, datetime

from typing_extensions import override

from pm_orchestrator.ports.clock import Clock, IdSource


class SystemClock(Clock):
    """Real time."""

    @override
    def now(self) -> datetime:
        return datetime.now(UTC)

    @override
    def monotonic(self) -> float:
        return time.monotonic()

    @override
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class RandomIds(IdSource):
    """Tokens from the system's entropy."""

    @override
    def token(self, length: int = 12) -> str:
        # As `secrets.token_hex` does it, without all that it imports.
        return os.urandom((length + 1) // 2).hex()[:length]
