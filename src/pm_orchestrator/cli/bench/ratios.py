"""Ours against a yardstick of the same machine, in the same minutes."""

import statistics
import time
from collections.abc import Awaitable, Callable

from pm_orchestrator.domain.record import Record

ROUNDS = 20
WARM_UP = 2
"""Rounds that fill caches and do not count."""

Measured = Callable[[], Awaitable[object]]
Timer = Callable[[], float]
"""Seconds from anywhere."""


class Ratio(Record, frozen=True, kw_only=True):
    """One measurement: ours against its yardstick."""

    name: str
    yardstick: str
    ours_ms: float
    yardstick_ms: float
    ratio: float
    allowed: float

    @property
    def holds(self) -> bool:
        return self.ratio <= self.allowed


class Comparison(Record, frozen=True, kw_only=True):
    """What is compared, and how much longer ours may take."""

    name: str
    yardstick: str
    allowed: float
    rounds: int = ROUNDS
    warm_up: int = WARM_UP


async def measure(
    what: Comparison, ours: Measured, plain: Measured, timer: Timer = time.perf_counter
) -> Ratio:
    """Medians of both, taken in turns so that a busy moment hits both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(what.rounds + what.warm_up):
        for place, work in zip(times, (ours, plain), strict=True):
            start = timer()
            await work()
            place.append((timer() - start) * 1000)
    ours_ms, plain_ms = (statistics.median(t[what.warm_up :]) for t in times)
    return Ratio(
        name=what.name,
        yardstick=what.yardstick,
        ours_ms=ours_ms,
        yardstick_ms=plain_ms,
        ratio=ours_ms / plain_ms,
        allowed=what.allowed,
    )
