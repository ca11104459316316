"""The walk through the seven phases; nobody else moves a task from one to the next."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pm_orchestrator.domain.tasks.phase import Phase, enter

Announce = Callable[[Phase], Coroutine[Any, Any, object]]


async def together(*writes: Coroutine[Any, Any, object]) -> None:
    """Do all of `writes` side by side; none is still at work when this ends.

    Raises:
        Exception: what the first of them raised that failed.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for write in writes:
                group.create_task(write)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed


class Lifecycle:
    """Where one task is. Entering a phase is announced, and so recorded, before its work begins."""

    def __init__(self, announce: Announce) -> None:
        self._announce = announce
        self._current: Phase | None = None

    async def enter(self, phase: Phase) -> None:
        """Move on to `phase`.

        Raises:
            IllegalTransitionError: E202 or E203; the task is then INVALID.
        """
        self._current = enter(self._current, phase)
        await self._announce(phase)
