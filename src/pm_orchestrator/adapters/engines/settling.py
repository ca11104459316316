"""Knowing when run code has come to rest.

Replay is exact only if the next result is handed over after everything the
last one set off has run to its next pause. asyncio does not tell when that is,
so each coroutine of the run is watched: it is at rest while the future it last
paused on is not done.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from typing import Any, TypeVar

from typing_extensions import override

T = TypeVar("T")
Spawn = Callable[[Coroutine[Any, Any, T]], asyncio.Task[T]]


class _Watched(Coroutine[Any, Any, T]):
    """A coroutine that remembers what it waits for."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], paused: Callable[[], None]) -> None:
        self._coroutine = coroutine
        self._paused = paused
        self._waits_for: asyncio.Future[Any] | None = None

    @property
    def at_rest(self) -> bool:
        return self._waits_for is not None and not self._waits_for.done()

    @override
    def send(self, value: Any, /) -> Any:
        return self._note(self._coroutine.send(value))

    @override
    def throw(self, typ: Any, val: Any = None, tb: Any = None, /) -> Any:
        error = typ if isinstance(typ, BaseException) else val or typ()
        return self._note(self._coroutine.throw(error))

    @override
    def close(self) -> None:
        self._coroutine.close()

    @override
    def __await__(self) -> Generator[Any, Any, T]:
        return self._coroutine.__await__()

    def _note(self, waits_for: asyncio.Future[Any] | None) -> asyncio.Future[Any] | None:
        # A bare yield (asyncio.sleep(0)) waits for nothing: its task is awake.
        self._waits_for = waits_for
        self._paused()
        return waits_for


class Settling:
    """Calls `settled` whenever all coroutines of the run are at rest."""

    def __init__(self, settled: Callable[[], None]) -> None:
        self._settled = settled
        self._live: set[_Watched[Any]] = set()
        self._busy = 0

    def spawn(self, create: Spawn[T], coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start `coroutine` as a watched task, made by `create`."""
        watched = _Watched(coroutine, self.check)
        self._live.add(watched)
        task = create(watched)

        def ended(_: asyncio.Task[T]) -> None:
            self._live.discard(watched)
            self.check()

        # Runs after the callback of a TaskGroup that made the task, so whoever
        # waits for the group counts as awake before this one stops counting.
        task.add_done_callback(ended)
        return task

    async def finish(self, task: asyncio.Task[Any]) -> None:
        """Cancel a task that is not watched; until it has ended the run is not at rest."""
        self._busy += 1
        task.cancel()
        try:
            await asyncio.wait({task})
        finally:
            self._busy -= 1

    def check(self) -> None:
        if self._live and not self._busy and all(watched.at_rest for watched in self._live):
            self._settled()
