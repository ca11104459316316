"""An overrun told while it happens: to a person who may want to stop it, and once.

The limits themselves are held elsewhere. What is told here decides nothing, and costs a
small part of the time that the executor works.
"""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self, TypeVar

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.run_events import NoticeDetail, NoticeEvent, NoticeKey
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Activity, Person

NEARLY = 0.8
"""Of time and tokens: early enough to do something about it."""
FIRST_LOOK_S = 2.0
"""Most that is said is over sooner, and then the end tells."""
SPARE = 20
"""A look is followed by this many times as long without one."""
BREATH_S = 0.05
MINUTE = 60
T = TypeVar("T")


class WatchedLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What one executor may use."""

    files: int
    seconds: float
    tokens: int | None = None


class PatientPerson(Person):
    """Somebody who is asked, and whose time is not the executor's."""

    def __init__(self, person: Person, clock: Clock) -> None:
        self._person = person
        self._clock = clock
        self._asked_at: float | None = None
        self._waited = 0.0

    @property
    def waited_s(self) -> float:
        """How long the executor has waited for them until now."""
        since = 0.0 if self._asked_at is None else self._clock.monotonic() - self._asked_at
        return self._waited + since

    @override
    async def permit(self, wish: Wish) -> Permit:
        return await self._timed(self._person.permit(wish))

    @override
    async def pick(self, choice: OpenChoice) -> str:
        return await self._timed(self._person.pick(choice))

    async def _timed(self, asked: Awaitable[T]) -> T:
        self._asked_at = self._clock.monotonic()
        try:
            return await asked
        finally:
            self._waited, self._asked_at = self.waited_s, None


class LimitWatch:
    """Looks on while an executor works; used around its work."""

    def __init__(
        self,
        limits: WatchedLimits,
        clock: Clock,
        events: EventSink,
        task_id: str,
        *,
        changed: Callable[[], Awaitable[int]],
        waited: Callable[[], float],
    ) -> None:
        """`changed` counts the files that differ by now, `waited` the seconds of a person."""
        self._limits = limits
        self._clock = clock
        self._events = events
        self._task_id = task_id
        self._changed = changed
        self._waited = waited
        self._told: set[NoticeKey] = set()
        self._over = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    async def heard(self, activity: Activity) -> None:
        """It says what it has used."""
        budget = self._limits.tokens
        if budget is not None and activity.tokens >= NEARLY * budget:
            await self._tell("tokens_nearly_over", used=activity.tokens, limit=budget)

    async def __aenter__(self) -> Self:
        self._looking = asyncio.create_task(self._look_on(), name="limits of an executor")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Not cancelled: a look that was begun goes on in its thread, and nobody else may look.
        self._over.set()
        if self._looking is not None:
            await self._looking

    async def _look_on(self) -> None:
        began, next_look = self._clock.monotonic(), FIRST_LOOK_S
        while True:
            past = self._clock.monotonic() - began
            wakes = [] if "files_over" in self._told else [next_look - past]
            if "time_nearly_over" not in self._told:
                wakes.append(NEARLY * self._limits.seconds - (past - self._waited()))
            if not wakes or await self._is_over(max(BREATH_S, min(wakes))):
                return
            past = self._clock.monotonic() - began
            await self._look_at_time(past - self._waited())
            if past >= next_look and "files_over" not in self._told:
                await self._look_at_files()
                took = self._clock.monotonic() - began - past
                next_look = past + max(FIRST_LOOK_S, SPARE * took)

    async def _is_over(self, pause: float) -> bool:
        try:
            await asyncio.wait_for(self._over.wait(), pause)
        except TimeoutError:
            return False
        return True

    async def _look_at_time(self, worked: float) -> None:
        whole = self._limits.seconds
        if worked >= NEARLY * whole:
            left = max(0.0, whole - worked)
            await self._tell("time_nearly_over", left=_clock(left), limit=_clock(whole))

    async def _look_at_files(self) -> None:
        try:
            count = await self._changed()
        except (PmError, OSError):
            # It works there; the look at the end says what is odd.
            return
        if count > self._limits.files:
            await self._tell("files_over", count=count, limit=self._limits.files)

    async def _tell(self, key: NoticeKey, **params: object) -> None:
        if key in self._told:
            return
        self._told.add(key)
        detail = NoticeDetail(key=key, params={name: str(v) for name, v in params.items()})
        try:
            await self._events.publish(NoticeEvent(subject=self._task_id, detail=detail))
        except PmError:
            # The disk is full. What is only there to be seen may not end the work.
            return


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), MINUTE)
    return f"{minutes}:{rest:02d}"
