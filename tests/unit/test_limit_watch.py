"""An overrun is told once, while it happens, and nothing that is told can end the work."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.cli.terminal.progress import describe
from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.run_events import NoticeEvent, RunEvent
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Activity, Person
from pm_orchestrator.runner.places.beside import limit_watch
from pm_orchestrator.runner.places.beside.limit_watch import (
    LimitWatch,
    PatientPerson,
    WatchedLimits,
)
from pm_orchestrator.testing.memory.fake_clock import FakeClock


class Heard(EventSink):
    def __init__(self, *, full: bool = False) -> None:
        self.notices: list[NoticeEvent] = []
        self._full = full

    @override
    async def publish(self, event: RunEvent, *, kept: bool = True) -> None:
        if self._full:
            raise PmError("disk", path="heard.jsonl", reason="it is full")
        assert isinstance(event, NoticeEvent)
        self.notices.append(event)

    @property
    def keys(self) -> list[str]:
        return [notice.detail.key for notice in self.notices]


@pytest.fixture(autouse=True)
def _in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit_watch, "FIRST_LOOK_S", 0.02)
    monkeypatch.setattr(limit_watch, "BREATH_S", 0.01)


def a_watch(
    heard: Heard,
    *,
    files: int = 3,
    seconds: float = 100.0,
    changed: Callable[[], Awaitable[int]] | None = None,
    waited: Callable[[], float] = lambda: 0.0,
) -> LimitWatch:
    async def nothing() -> int:
        return 0

    return LimitWatch(
        WatchedLimits(files=files, seconds=seconds, tokens=1000),
        SystemClock(),
        heard,
        "task-1",
        changed=changed or nothing,
        waited=waited,
    )


async def until(holds: Callable[[], object]) -> None:
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.005)


async def test_files_beyond_the_limit_are_told_once() -> None:
    heard, counts = Heard(), iter([1, 3, 4, 5, 6])

    async def changed() -> int:
        return next(counts)

    async with a_watch(heard, changed=changed):
        await until(lambda: heard.keys)
        await asyncio.sleep(0.05)
    assert heard.keys == ["files_over"]
    assert heard.notices[0].detail.params == {"count": "4", "limit": "3"}


class Hurrying(FakeClock):
    """Moves on whenever it is looked at."""

    @override
    def monotonic(self) -> float:
        self.advance(0.01)
        return super().monotonic()


async def test_a_slow_look_is_not_begun_again_at_once() -> None:
    """A large tree would else be looked at all the time, beside whoever works in it."""
    clock, looks = Hurrying(), 0

    async def changed() -> int:
        nonlocal looks
        looks += 1
        clock.advance(10.0)
        return 0

    limits = WatchedLimits(files=3, seconds=10_000.0, tokens=1000)
    async with LimitWatch(limits, clock, Heard(), "task-1", changed=changed, waited=lambda: 0.0):
        await until(lambda: looks)
        for _ in range(20):
            await asyncio.sleep(0.005)
    assert looks == 1


async def test_time_that_is_nearly_over_is_told_once() -> None:
    heard = Heard()
    async with a_watch(heard, seconds=0.1):
        await until(lambda: heard.keys)
        await asyncio.sleep(0.05)
    assert heard.keys == ["time_nearly_over"]


async def test_a_person_s_time_is_not_the_executor_s() -> None:
    heard = Heard()
    async with a_watch(heard, seconds=0.1, waited=lambda: 5.0):
        await asyncio.sleep(0.2)
    assert heard.keys == []


async def test_tokens_that_are_nearly_used_are_told_once() -> None:
    heard = Heard()
    watch = a_watch(heard)
    for tokens in (700, 800, 900):
        await watch.heard(Activity(tokens=tokens))
    assert [notice.detail.params for notice in heard.notices] == [{"used": "800", "limit": "1000"}]


async def test_what_is_over_at_once_is_not_looked_at() -> None:
    heard, looks = Heard(), list[int]()

    async def changed() -> int:
        looks.append(1)
        return 9

    async with a_watch(heard, changed=changed):
        pass
    assert looks == []


@pytest.mark.parametrize("full", [True, False])
async def test_nothing_that_goes_wrong_here_ends_the_work(*, full: bool) -> None:
    async def changed() -> int:
        if full:
            return 9
        raise PmError("tree_too_large", path="x", reason="it grows")

    heard = Heard(full=full)
    async with a_watch(heard, changed=changed):
        await asyncio.sleep(0.1)
    assert heard.keys == []


async def test_the_look_that_was_begun_is_over_when_the_work_is() -> None:
    looks: list[str] = []

    async def changed() -> int:
        looks.append("begun")
        await asyncio.sleep(0.1)
        looks.append("ended")
        return 0

    async with a_watch(Heard(), changed=changed):
        await until(lambda: looks)
    assert looks == ["begun", "ended"]


class Slow(Person):
    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    @override
    async def permit(self, wish: Wish) -> Permit:
        raise NotImplementedError

    @override
    async def pick(self, choice: OpenChoice) -> str:
        self._clock.advance(60)
        return choice.question


async def test_how_long_a_person_takes_is_counted() -> None:
    clock = FakeClock()
    person = PatientPerson(Slow(clock), clock)
    for asked in (1, 2):
        assert await person.pick(OpenChoice(question="Which?", options=())) == "Which?"
        assert person.waited_s == 60 * asked
        clock.advance(5)


def test_a_notice_is_one_line_in_either_language() -> None:
    detail = {"count": "4", "limit": "3"}
    notice = NoticeEvent(
        subject="task-1", detail=limit_watch.NoticeDetail(key="files_over", params=detail)
    )
    assert describe(notice, "en").startswith("    ! 4 files are changed by now, and a task may")
    assert "上限 3 を超えました" in describe(notice, "ja")
