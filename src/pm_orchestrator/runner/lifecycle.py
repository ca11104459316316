"""The walk through the seven phases; nobody else moves a task from one to the next."""

from collections.abc import Awaitable, Callable

from pm_orchestrator.domain.phase import Phase, enter

Announce = Callable[[Phase], Awaitable[object]]


class Lifecycle:
    """Where one task is. Entering a phase is announced, and so recorded, before its work begins."""

    def __init__(self, announce: Announce) -> None:
        self._announce = announce
        self._current: Phase | None = None

    @property
    def current(self) -> Phase | None:
        return self._current

    async def enter(self, phase: Phase) -> None:
        """Move on to `phase`.

        Raises:
            IllegalTransitionError: E202 or E203; the task is then INVALID.
        """
        self._current = enter(self._current, phase)
        await self._announce(phase)
